# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the injector and its witness, and lay out what faults are tried in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import modes
from launcher_scene import Scene

from stage import REPOSITORY, Stage

_HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def props(stage: Stage) -> modes.Props:
    """Give the programs, and the files that they look for."""
    subprocess.run(["make", "-s", "-C", _HERE], check=True)
    tools = REPOSITORY / "build" / "faults"
    return modes.lay_out(Scene(stage, stage.folder("faults")), tools)
