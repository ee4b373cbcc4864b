# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the launcher for other systems, and say what this host has for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import host_features

sys.path.insert(0, str(Path(__file__).resolve().parent))

from emulated_windows import WINE, EmulatedWindows

from stage import REPOSITORY, Stage

_BUILD = REPOSITORY / "build"
_ZIG = _BUILD / "zig" / "venv" / "bin" / "python-zig"


@host_features.feature("ziglang")
def _ziglang() -> bool:
    # `make cross` puts it there, and nothing else does.
    return _ZIG.exists()


@host_features.feature("wine")
def _wine() -> bool:
    return WINE.exists()


def _make(sources: Path, build: Path) -> Path:
    """Build all six, niced, since zig takes every processor."""
    done = subprocess.run(
        [
            *("nice", "make", "-s", "-C", sources, "-f", "cross.mk", "cross"),
            *(f"BUILD={build}", f"ZIG={_ZIG}", f"QUIET={REPOSITORY / '.ci/quiet'}"),
            f"HEADER={_BUILD / 'include' / 'stk_bundle_format.h'}",
            f"ZIG_GLOBAL_CACHE_DIR={_BUILD / 'zig' / 'cache'}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return build / "cross"


@pytest.fixture(scope="session")
def built() -> Path:
    """Give the folder of the six programs, made from the sources as they are."""
    return _make(REPOSITORY / "launcher-c", _BUILD)


@pytest.fixture(scope="session")
def built_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the same from a copy of the sources, in a folder of another length."""
    root = tmp_path_factory.mktemp("another-place-for-the-same-sources")
    shutil.copytree(REPOSITORY / "launcher-c", root / "launcher-c")
    shutil.copy(REPOSITORY / "pyproject.toml", root)
    return _make(root / "launcher-c", root / "build")


@pytest.fixture(scope="session")
def windows(built: Path, stage: Stage) -> Iterator[EmulatedWindows]:
    """Give the Windows launcher of this machine's kind, and Wine to run it."""
    emulated = EmulatedWindows(
        stage, stage.install(built / "x86_64-windows-gnu" / "stockade-launch.exe")
    )
    try:
        yield emulated
    finally:
        emulated.close()


@pytest.fixture(scope="session")
def macos_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the sources of the macOS launcher as a program of this system.

    It tells what the sources do with files and arguments, and nothing of macOS.
    """
    program = tmp_path_factory.mktemp("macos-sources") / "stockade-launch"
    sources = REPOSITORY / "launcher-c" / "src"
    command = [
        *("gcc", "-std=c17", "-D_GNU_SOURCE", '-DSTOCKADE_RELEASE="test"'),
        *("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        *(f"-I{sources}", f"-I{sources / 'core'}", f"-I{_BUILD / 'include'}"),
        *("-Wall", "-Wextra", "-Wconversion", "-Werror"),
        *sorted(
            os.fspath(path)
            for folder in ("core", "plan", "macos")
            for path in (sources / folder).glob("*.c")
        ),
        *("-o", os.fspath(program)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program
