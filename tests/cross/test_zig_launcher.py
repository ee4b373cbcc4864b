# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start programs with the Linux launcher that zig made, as with the release's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stage import LAUNCHER_VARIABLE, REPOSITORY

_SMOKE = ("test_start.py", "test_enforcement.py", "test_check.py")


@pytest.mark.needs("ziglang", "x86_64")
def test_zig_launcher_passes_the_launchers_own_tests(built: Path) -> None:
    """Those that trace or measure the release launcher itself are left out there."""
    launcher = built / "x86_64-linux-musl" / "stockade-launch"
    environment = {name: text for name, text in os.environ.items() if name != "CI"}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *(REPOSITORY / "tests" / "launcher" / name for name in _SMOKE),
        ],
        cwd=REPOSITORY,
        env={**environment, LAUNCHER_VARIABLE: os.fspath(launcher)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = [word for word in done.stdout.splitlines() if " passed" in word]
    assert passed, done.stdout
