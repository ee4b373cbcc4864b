# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Artifacts made by hand that use every section, kind and flag of the bundle."""

from __future__ import annotations

from stockade.model.artifact import (
    Artifact,
    Call,
    CanaryFolder,
    EnvironmentRow,
    Feature,
    Filter,
    GrantRow,
    Instruction,
    Level,
    Operand,
    PortRow,
    Probe,
    Relocation,
    Requirement,
    RightsClass,
    TrustedLocation,
    Variant,
    WarningLine,
)

_LOAD_NUMBER = Instruction(0x20, 0, 0, 0, "load the number")
_ALLOW = Instruction(0x06, 0, 0, 0x7FFF0000, "allow")
_WITNESS = Instruction(0x06, 0, 0, 0x00050FFF, "the witness")

PLAIN_FILTER = Filter(
    (_LOAD_NUMBER, Instruction(0x15, 0, 1, 0xFFF0), _WITNESS, _ALLOW),
    (Relocation(2, "witness"),),
)
# A call compared with the own process ID beside the witness.
PID_FILTER = Filter(
    (
        _LOAD_NUMBER,
        Instruction(0x15, 0, 1, 0xFFF0),
        _WITNESS,
        Instruction(0x20, 0, 0, 16),
        Instruction(0x15, 1, 0, 0x7FFFFFFF, "own pid"),
        Instruction(0x06, 0, 0, 0x00050001),
        _ALLOW,
    ),
    (Relocation(2, "witness"), Relocation(4, "own-pid")),
)

_FILES = Requirement(
    "filesystem-confined",
    "filesystem confined to policy paths",
    "Landlock file rights",
    ("landlock-built", "seccomp-filter"),
    show_rights=True,
)
_SIGNALS = Requirement(
    "signals-isolated",
    "signals limited to the sandbox",
    "Landlock's signal scope",
    ("landlock-abi-6",),
)
_SIGNALS_BY_FILTER = Requirement(
    "signals-isolated", "signals limited to the sandbox", "seccomp", ()
)

_ADDRESS = Operand("data", data=b"\x02\x00\x00\x50\x7f\x00\x00\x01")
_READ_CANARY = Probe(
    "canary-read",
    "filesystem-confined",
    "landlock",
    Call(257, (Operand("immediate", 2**64 - 100), Operand("canary-path"))),
    0,
    13,
)
_CREATE_BESIDE = Probe(
    "create-beside",
    "filesystem-confined",
    "landlock",
    Call(
        257,
        (
            Operand("folder-fd"),
            Operand("data", data=b"new\0"),
            Operand("immediate", 0o102),
            Operand(),
            Operand("immediate", 2**64 - 1),
        ),
    ),
    0,
    13,
)
_WRITE_CANARY = Probe(
    "canary-mode",
    "filesystem-confined",
    "seccomp",
    Call(91, (Operand("canary-fd"), Operand("immediate", 0o700))),
    0,
    1,
)
_CONNECT = Probe(
    "connect",
    "signals-isolated",
    "seccomp",
    Call(42, (Operand("setup-result"), _ADDRESS, Operand("immediate", 8))),
    111,
    1,
    Call(41, (Operand("immediate", 2), Operand("immediate", 1))),
)
_SIGNAL = Probe(
    "signal",
    "signals-isolated",
    "landlock",
    Call(62, (Operand("target-pid"), Operand("immediate", 0))),
    0,
    1,
)
_PTRACE = Probe(
    "ptrace",
    "signals-isolated",
    "seccomp",
    Call(101, (Operand("immediate", 0x4206), Operand("own-pid"), _ADDRESS)),
    5,
    1,
)
_FORK = Probe("fork", "signals-isolated", "seccomp", Call(57, (), "fork"), 0, 1)
_COMPAT = Probe("i386", "signals-isolated", "seccomp", Call(20, (), "compat"), 0, 38)


def example(target: str = "linux-x86_64") -> Artifact:
    """Return an artifact that uses everything a bundle for the target can hold."""
    foreign = (_COMPAT,) if target == "linux-x86_64" else ()
    return Artifact(
        target=target,
        policy_name="example",
        witness_nr=0xFFF0,
        streams=("unix-connected", "inet", "pty-master", "tcp-connected"),
        concessions=("ipc-shared", "kernel-surface-wide"),
        program_class="system",
        features=(
            Feature("seccomp-filter", (), "no seccomp filters", "use another kernel"),
            Feature("landlock-built", ("outer-filter",), "hidden", "allow the calls"),
            Feature("landlock-built", (), "this kernel has no Landlock", "use 5.13"),
            Feature("landlock-abi-6", (), "signals stay open", "use Linux 6.12"),
        ),
        levels=(
            Level(
                "base",
                (
                    Variant(
                        name="abi-6",
                        must=("landlock-abi-6", "landlock-built"),
                        must_not=("landlock-erratum-1",),
                        fs_required=0x7FFF,
                        fs_optional=0x8000,
                        net_required=3,
                        net_optional=4,
                        scope_required=2,
                        scope_optional=1,
                        filter=PLAIN_FILTER,
                        requirements=(_FILES, _SIGNALS),
                        probes=(_READ_CANARY, _CREATE_BESIDE, _SIGNAL, _PTRACE),
                    ),
                    Variant(
                        name="abi-1",
                        must=("landlock-abi-1",),
                        must_not=(),
                        fs_required=0x1FFF,
                        fs_optional=0,
                        net_required=0,
                        net_optional=0,
                        scope_required=0,
                        scope_optional=0,
                        filter=PID_FILTER,
                        requirements=(_FILES, _SIGNALS_BY_FILTER),
                        probes=(_READ_CANARY, _WRITE_CANARY, _CONNECT, _FORK, *foreign),
                    ),
                ),
            ),
            Level(
                "files-only",
                (
                    Variant(
                        name="any",
                        must=(),
                        must_not=(),
                        fs_required=0x1FFF,
                        fs_optional=0,
                        net_required=0,
                        net_optional=0,
                        scope_required=0,
                        scope_optional=0,
                        filter=PLAIN_FILTER,
                        requirements=(_FILES,),
                        probes=(),
                    ),
                ),
            ),
        ),
        classes=(
            RightsClass("system", 0x000D, execute=True, system=True),
            RightsClass("read", 0x000C),
            RightsClass("read-write", 0xFFFE, write=True),
        ),
        grants=(
            GrantRow("/", "read", optional=False, policy=True),
            GrantRow("/lib64", "system", optional=True, policy=False),
            GrantRow("/srv/d\u00fc/\udcff", "read-write", optional=True, policy=True),
        ),
        ports=(PortRow(0, 5), PortRow(65535, 2)),
        environment=(
            EnvironmentRow("LANG", None),
            EnvironmentRow("MULTI", "two\nlines=\udcfe"),
            EnvironmentRow("PATH", "/usr/bin"),
            EnvironmentRow("ZERO", ""),
        ),
        canary_folders=(CanaryFolder("/tmp"), CanaryFolder("/run/user/", "user")),
        trusted=(
            TrustedLocation("absolute", "/etc"),
            TrustedLocation("home", ""),
            TrustedLocation("home", ".config/git"),
            TrustedLocation("variable", "CARGO_HOME"),
            TrustedLocation("variable-home", "HISTFILE"),
        ),
        warnings=(WarningLine("signals-any", "signals reach other processes"),),
    )
