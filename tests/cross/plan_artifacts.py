# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Give small artifacts of macOS and Windows whose plans can be read at a glance."""

from __future__ import annotations

from stockade.model.artifact import Requirement, WarningLine
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.policy import Access, Grant, Ip, Policy
from stockade.model.windows_artifact import WindowsArtifact
from stockade.targets.macos.build import build as build_macos
from stockade.targets.windows.build import build as build_windows

REQUIREMENT = "filesystem confined to policy paths"
MECHANISM = "rules that a machine of this kind would hold"
_REQUIREMENTS = (Requirement("filesystem-confined", REQUIREMENT, MECHANISM, ()),)
_WARNINGS = (WarningLine("signals-any", "signals reach other processes"),)
CONTAINER = "Example.App"


def macos_artifact() -> MacosArtifact:
    """Return what a small policy becomes on macOS."""
    policy = Policy(
        grants=(Grant("/srv/a b", Access.READ),),
        pass_names=("LANG",),
        set_values=(("WORD", "two words"),),
    )
    return build_macos(
        policy, name="app", requirements=_REQUIREMENTS, warnings=_WARNINGS
    )


def windows_artifact() -> WindowsArtifact:
    """Return what a small policy becomes on Windows."""
    policy = Policy(
        grants=(Grant("C:\\a b", Access.READ), Grant("C:\\d\u00fc", Access.READ_WRITE)),
        ip=Ip.CLIENT,
        pass_names=("LANG",),
        set_values=(("WORD", "two words"),),
        appcontainer_name=CONTAINER,
    )
    return build_windows(
        policy, name="app", requirements=_REQUIREMENTS, warnings=_WARNINGS
    )
