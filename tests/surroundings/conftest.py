# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let the tests of surroundings import the modules beside them and the routes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import host_features

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "escape")]

_SYS_ADMIN = 21


@host_features.feature("root-user")
def _root_user() -> bool:
    return os.getuid() == 0


@host_features.feature("namespaces")
def _namespaces() -> bool:
    # A container's root lacks the capability, or a filter refuses the calls.
    lines = dict(
        line.split(":\t", 1)
        for line in Path("/proc/self/status").read_text().splitlines()
        if ":\t" in line
    )
    able = int(lines["CapEff"], 16) >> _SYS_ADMIN & 1
    return bool(able) and lines["Seccomp"] == "0"
