# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let the tests of the launcher import the modules beside them."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import host_features

sys.path.insert(0, str(Path(__file__).resolve().parent))

from launcher_scene import Scene

from stage import LAUNCHER_VARIABLE, Stage


@host_features.feature("release-launcher")
def _release_launcher() -> bool:
    # A launcher under sanitizers has calls, memory and messages of their own.
    return LAUNCHER_VARIABLE not in os.environ


@host_features.feature("strace")
def _strace() -> bool:
    return shutil.which("strace") is not None


@host_features.feature("toolchain")
def _toolchain() -> bool:
    # The kernels that are booted for tests have no compiler.
    return shutil.which("make") is not None and shutil.which("gcc") is not None


@host_features.feature("fuse")
def _fuse() -> bool:
    return "fuse" in Path("/proc/filesystems").read_text().split()


@pytest.fixture
def scene(stage: Stage) -> Scene:
    """Give a fresh folder of the unprivileged user, and starts from it."""
    return Scene(stage, stage.folder("scene"))
