# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Artifacts of every system made by hand that use every section, kind and flag."""

from __future__ import annotations

from examples import example

from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import (
    EnvironmentRow,
    Requirement,
    TrustedLocation,
    WarningLine,
)
from stockade.model.key_rows import KeyRow
from stockade.model.macos_artifact import (
    MacosArtifact,
    Parameter,
    ParameterKind,
    ProcessRule,
)
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    JobLimit,
    Mitigation,
    PathEntries,
    Preflight,
    PreflightKind,
    Removal,
    RemovalKind,
    UiLimit,
    WindowsArtifact,
)

TARGETS = ("linux-x86_64", "linux-aarch64", "macos", "windows")

_STREAMS = ("unix-connected", "inet")
_ENVIRONMENT = (
    EnvironmentRow("LANG", None),
    EnvironmentRow("MULTI", "two\nlines=\udcfe"),
    EnvironmentRow("ZERO", ""),
)
_REQUIREMENTS = (
    Requirement("filesystem-confined", "paths of the policy alone", "a profile", ()),
    Requirement("ip-network-denied", "no IP network", "no operation allowed", ()),
)
_WARNINGS = (WarningLine("signals-any", "signals reach other processes"),)
_PROFILE = (
    '(version 1)\n(deny default)\n(allow file-read* (subpath (param "PATH_0")))\n'
)
_CONTAINER = "S-1-15-2-1-2-3-4-5-6-7"
_PROGRAM = "S-1-15-3-1024-9-9-9-9-9-9-9-9"
_SID = "S-1-15-3-1024-1-2-3-4-5-6-7-4294967295"
_OTHER_SID = "S-1-15-3-1024-8-7-6-5-4-3-2-1"


def macos_example() -> MacosArtifact:
    """Return an artifact that uses everything a macOS bundle can hold."""
    return MacosArtifact(
        target="macos",
        policy_name="example",
        streams=_STREAMS,
        process_rules=(ProcessRule.REFUSE_ROOT, ProcessRule.SUPERVISE),
        keys=(
            KeyRow("grant.read", "/srv/d\u00fc/\udcff"),
            KeyRow("set_values", "MULTI=two\nlines=\udcfe"),
            KeyRow("egress", "1080 public"),
        ),
        profile=_PROFILE,
        parameters=(
            Parameter("PATH_0", ParameterKind.PATH, "/srv/d\u00fc/\udcff"),
            Parameter("PATH_0_WRITTEN", ParameterKind.WRITTEN, "/tmp"),
            Parameter("_SYSTEM", ParameterKind.SYSTEM_PATH, "/"),
            Parameter("PORT_0", ParameterKind.PORT, "localhost:65535"),
            Parameter("PROGRAM", ParameterKind.PROGRAM, ""),
        ),
        environment=_ENVIRONMENT,
        requirements=_REQUIREMENTS,
        trusted=(
            TrustedLocation("absolute", "/etc"),
            TrustedLocation("home", ""),
            TrustedLocation("home", ".config/git"),
            TrustedLocation("variable", "CARGO_HOME"),
            TrustedLocation("variable-home", "HISTFILE"),
        ),
        warnings=_WARNINGS,
    )


def windows_example() -> WindowsArtifact:
    """Return an artifact that uses everything a Windows bundle can hold."""
    return WindowsArtifact(
        target="windows",
        policy_name="example",
        streams=_STREAMS,
        keys=(KeyRow("grant.read", "C:\\srv"), KeyRow("ip", "client")),
        container_name="example.app one-2_3",
        container_sid=_CONTAINER,
        capabilities=(
            Capability("stockade.0123.0", CapabilityKind.PROGRAM, _PROGRAM),
            Capability("stockade.0123.1", CapabilityKind.PATH, _SID),
            Capability("internetClient", CapabilityKind.NETWORK, "S-1-15-3-1"),
            Capability("stockade.0123.2", CapabilityKind.PATH, _OTHER_SID),
        ),
        program=(f"(A;;0x1200a9;;;{_PROGRAM})",),
        entries=(
            PathEntries(
                "C:\\",
                "read",
                "stockade.0123.1",
                (f"(A;OICI;0x120089;;;{_SID})",),
                (f"(A;;0x120089;;;{_SID})",),
                (f"(A;;FR;;;{_SID})", f"(A;NP;FX;;;{_SID})"),
            ),
            PathEntries(
                "D:\\d\u00fc\\\udcff .x",
                "read_write",
                "stockade.0123.2",
                (f"(A;CI;FRFX;;;{_OTHER_SID})", f"(A;OIIO;0x13019F;;;{_OTHER_SID})"),
                (),
                (),
            ),
        ),
        private_folder=(f"(A;OICI;FA;;;{_CONTAINER})",),
        open_folders=("C:\\Windows", "C:\\Program Files"),
        job_limits=(JobLimit.KILL_ON_CLOSE, JobLimit.ONE_PROCESS),
        ui_limits=(UiLimit.READ_CLIPBOARD, UiLimit.INJECTION),
        mitigations=(Mitigation.NO_EXTENSION_POINTS, Mitigation.NO_CHILD_PROCESSES),
        handles=("standard-input", "standard-error"),
        junctions="refuse",
        preflight=(
            Preflight("version", PreflightKind.REQUIRED, "Windows 10"),
            Preflight("null-device", PreflightKind.ADVICE, "`\\Device\\Null` is open"),
        ),
        removal=(
            Removal(RemovalKind.ENTRIES, "C:\\", _SID),
            Removal(RemovalKind.JUNCTION_ENTRIES, "C:\\", _SID),
            Removal(RemovalKind.PROGRAM_ENTRIES, "", _PROGRAM),
            Removal(RemovalKind.LOOPBACK_EXEMPTION, "example.app one-2_3", _CONTAINER),
            Removal(RemovalKind.PROFILE, "example.app one-2_3", _CONTAINER),
        ),
        environment=_ENVIRONMENT,
        requirements=_REQUIREMENTS,
        trusted=(
            TrustedLocation("absolute", "C:\\Windows"),
            TrustedLocation("home", ""),
            TrustedLocation("home", "AppData\\Roaming"),
            TrustedLocation("variable", "CARGO_HOME"),
            TrustedLocation("variable-home", "HISTFILE"),
        ),
        warnings=_WARNINGS,
    )


def example_for(target: str) -> AnyArtifact:
    """Return an artifact that uses everything a bundle for the target can hold."""
    match target:
        case "macos":
            return macos_example()
        case "windows":
            return windows_example()
        case linux:
            return example(linux)
