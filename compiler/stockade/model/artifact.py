# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what a Linux artifact is made of, between the stages that make and read it.

The Linux target fills these in, the proof checks them, the artifact stage
encodes them. They mirror the sections of the bundle one to one, with objects
where the file has indices.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Instruction:
    """One classic BPF instruction; `note` is for the listing and not encoded."""

    code: int
    jt: int
    jf: int
    k: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Relocation:
    """A constant that the launcher fills in; `kind` is `own-pid` or `witness`."""

    insn: int
    kind: str


@dataclass(frozen=True, slots=True)
class Filter:
    """One seccomp program."""

    instructions: tuple[Instruction, ...]
    relocations: tuple[Relocation, ...]


@dataclass(frozen=True, slots=True)
class Feature:
    """Text for a feature a host lacks; `when` names bits that must be set."""

    name: str
    when: tuple[str, ...]
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class RightsClass:
    """What a grant of this kind allows, as Landlock file rights."""

    name: str
    rights: int
    write: bool = False
    execute: bool = False
    system: bool = False
    command: bool = False


@dataclass(frozen=True, slots=True)
class GrantRow:
    """One path and its class; `optional` paths are skipped where missing."""

    path: str
    class_name: str
    optional: bool
    policy: bool


@dataclass(frozen=True, slots=True)
class PortRow:
    """One port and the Landlock port rights granted on it."""

    port: int
    rights: int


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """One variable; `value` is None for a passed one."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Requirement:
    """One line of `check`; `needs` names features."""

    name: str
    title: str
    mechanism: str
    needs: tuple[str, ...]
    show_rights: bool = False


@dataclass(frozen=True, slots=True)
class Operand:
    """One argument of a probe's call; `kind` as in the bundle, lower case."""

    kind: str = "none"
    value: int = 0
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Call:
    """One system call that a probe makes; `kind` is native, compat or fork."""

    number: int
    operands: tuple[Operand, ...]
    kind: str = "native"


@dataclass(frozen=True, slots=True)
class Probe:
    """One try of the enforcement check; errnos are numbers, 0 is success."""

    name: str
    requirement: str
    mechanism: str
    call: Call
    control_errno: int
    expected_errno: int
    setup: Call | None = None


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to hold a level on some hosts."""

    name: str
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    fs_required: int
    fs_optional: int
    net_required: int
    net_optional: int
    scope_required: int
    scope_optional: int
    filter: Filter
    requirements: tuple[Requirement, ...]
    probes: tuple[Probe, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """What the author wrote: `base`, later the fallback levels."""

    name: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class TrustedLocation:
    """A place no writable grant may reach; `base` as in the bundle, lower case."""

    base: str
    path: str


@dataclass(frozen=True, slots=True)
class CanaryFolder:
    """A place to try for the canary; `kind` is `path` or `user`."""

    path: str
    kind: str = "path"


@dataclass(frozen=True, slots=True)
class WarningLine:
    """One warning line, with its stable identifier."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """Everything one Linux bundle holds."""

    target: str
    policy_name: str
    witness_nr: int
    streams: tuple[str, ...]
    concessions: tuple[str, ...]
    program_class: str
    features: tuple[Feature, ...]
    levels: tuple[Level, ...]
    classes: tuple[RightsClass, ...]
    grants: tuple[GrantRow, ...]
    ports: tuple[PortRow, ...]
    environment: tuple[EnvironmentRow, ...]
    canary_folders: tuple[CanaryFolder, ...]
    trusted: tuple[TrustedLocation, ...]
    warnings: tuple[WarningLine, ...]
