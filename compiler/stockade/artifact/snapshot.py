# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the text twin of a Linux artifact: one fact a line, for review as a diff.

The view below is all the template prints. It names the bundle's checksum, so a
pair that does not belong together shows. Programs stand there by their calls and a
checksum: their instructions all move when one of them changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.landlock import FS_RIGHTS, NET_RIGHTS, SCOPES, Right, names_of
from stockade.abi.syscalls import call_names, table_origin
from stockade.abi.targets import System
from stockade.artifact import listing
from stockade.artifact.checksum import crc32c
from stockade.artifact.columns import column, columned
from stockade.artifact.snapshot_parts import (
    environment_part,
    left_out_parts,
    part,
    trusted_part,
    warnings_part,
)
from stockade.model.artifact import Artifact, Filter, Variant
from stockade.model.calls import CallRule
from stockade.model.decide import rules_by_call
from stockade.model.policy import Policy
from stockade.render.environment import packaged
from stockade.render.text import plain

_TEMPLATE = "snapshot/linux.txt.j2"


def write_snapshot(policy: Policy, artifact: Artifact, checksum: int) -> str:
    """Render the snapshot of an artifact whose bundle has this CRC-32C."""
    arch = LINUX_TARGETS[artifact.target].arch
    return packaged().render(
        _TEMPLATE,
        target=plain(artifact.target),
        checksum=plain(f"{checksum:08x}"),
        table=plain(table_origin(arch)),
        parts=[
            part("policy", _settings(artifact)),
            environment_part(policy, artifact, System.LINUX),
            part("classes", _classes(artifact), ""),
            part("grants", _grants(artifact)),
            *left_out_parts(policy, System.LINUX),
            part("ports", _ports(artifact)),
            trusted_part(artifact),
            warnings_part(artifact),
            part("what a host may lack", _features(artifact), ""),
            part("variants", columned(artifact, _needs), ""),
            part("Landlock", columned(artifact, _rights_handled), ""),
            part("requirements", columned(artifact, _requirements), ""),
            part("probes", columned(artifact, lambda one: _probes(arch, one)), ""),
            part("calls", call_lines(policy, arch, artifact), ""),
            part("filters", _filters(artifact), ""),
        ],
    )


def _settings(artifact: Artifact) -> list[str]:
    return [
        f"name `{artifact.policy_name}`",
        f"witness call {artifact.witness_nr:#x}",
        *(f"standard stream may be {kind}" for kind in artifact.streams),
        *(f"gives up {word}" for word in artifact.concessions),
        f"program, loader and interpreter are granted as {artifact.program_class}",
        *(
            f"canary in `{folder.path}{'UID' if folder.kind == 'user' else ''}`"
            for folder in artifact.canary_folders
        ),
    ]


def _classes(artifact: Artifact) -> list[str]:
    return [
        f"{entry.name}: {_rights(FS_RIGHTS, entry.rights)}"
        for entry in artifact.classes
    ]


def _grants(artifact: Artifact) -> list[str]:
    return [
        f"{row.class_name} `{row.path}`{' where it exists' if row.optional else ''}"
        for row in artifact.grants
    ]


def _ports(artifact: Artifact) -> list[str]:
    return [
        f"{row.port or 'chosen by the kernel'}: {_rights(NET_RIGHTS, row.rights)}"
        for row in artifact.ports
    ]


def _features(artifact: Artifact) -> list[str]:
    return [
        f"{row.name}{f' with {when}' if (when := ' '.join(row.when)) else ''}:"
        f" {row.reason}; {row.remedy}"
        for row in artifact.features
    ]


def _rights(rights: tuple[Right, ...], mask: int) -> str:
    return " ".join(names_of(rights, mask)) or "none"


def _needs(variant: Variant) -> tuple[str, ...]:
    return (
        *(f"needs {name}" for name in variant.must),
        *(f"needs a host without {name}" for name in variant.must_not),
    )


def _rights_handled(variant: Variant) -> tuple[str, ...]:
    masks = (
        ("file", FS_RIGHTS, variant.fs_required, variant.fs_optional),
        ("port", NET_RIGHTS, variant.net_required, variant.net_optional),
        ("scope", SCOPES, variant.scope_required, variant.scope_optional),
    )
    return tuple(
        f"{kind} {name}{second}"
        for kind, rights, required, optional in masks
        for mask, second in ((required, ""), (optional, ", a second wall"))
        for name in names_of(rights, mask)
    )


def _requirements(variant: Variant) -> tuple[str, ...]:
    return tuple(f"{line.name}: {line.mechanism}" for line in variant.requirements)


def _probes(arch: str, variant: Variant) -> tuple[str, ...]:
    return tuple(listing.probe(arch, entry) for entry in variant.probes)


def named_filters(artifact: Artifact) -> dict[Filter, str]:
    """Name each distinct program by the levels and variants that use it."""
    names: dict[Filter, list[str]] = {}
    for level in artifact.levels:
        used = [variant.filter for variant in level.variants]
        for program in dict.fromkeys(used):
            having = [one == program for one in used]
            names.setdefault(program, []).append(column(level, having))
    return {program: " ".join(columns) for program, columns in names.items()}


def _filters(artifact: Artifact) -> Iterator[str]:
    for program, name in named_filters(artifact).items():
        length = len(program.instructions)
        yield f"{name}: {length} instructions, checksum {_checksum(program):08x}"


def _checksum(program: Filter) -> int:
    """Sum up all that the kernel gets of a program."""
    return crc32c(
        b"".join(
            insn.code.to_bytes(2, "little")
            + bytes((insn.jt, insn.jf))
            + insn.k.to_bytes(4, "little")
            for insn in program.instructions
        )
        + b"".join(
            f"{entry.insn} {entry.kind}\n".encode() for entry in program.relocations
        )
    )


def call_lines(policy: Policy, arch: str, artifact: Artifact) -> Iterator[str]:
    """Give every call's actions by name, in the order in which they decide."""
    rules = {
        variant.name: rules_by_call(policy, _lowest_abi(variant))
        for level in artifact.levels
        for variant in level.variants
    }
    for name in sorted(call_names(arch).values()):
        yield from columned(artifact, _Actions(name, rules).of)


class _Actions:
    """The lines of one call under the rules of each variant."""

    def __init__(
        self, name: str, rules: dict[str, dict[str, tuple[CallRule, ...]]]
    ) -> None:
        self._name = name
        self._rules = rules

    def of(self, variant: Variant) -> tuple[str, ...]:
        lines = listing.call_actions(self._rules[variant.name].get(self._name, ()))
        return tuple(f"{self._name} {line}" for line in lines)


def _lowest_abi(variant: Variant) -> int:
    prefix = "landlock-abi-"
    return max(
        int(need.removeprefix(prefix))
        for need in variant.must
        if need.startswith(prefix)
    )
