# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build wheels and editable installs: native parts first, then setuptools.

A PEP 517 backend of our own, because setuptools is then left alone: with a
command class of ours it silently drops the Rust library. INVARIANT: whatever
ends up in a wheel was made from this tree now, so the folders from which
setuptools would ship leftovers of an earlier build go first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from setuptools import build_meta

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_ROOT = Path(__file__).resolve().parents[2]
_BUILD = _ROOT / "build"
_HEADER = _BUILD / "include" / "stk_bundle_format.h"
_TARGETS = ("launcher", "library")
_SHIPPED = ("stockade-launch", "libstockade-bundle.so")

Settings = dict[str, Any] | None

get_requires_for_build_wheel = build_meta.get_requires_for_build_wheel
get_requires_for_build_editable = build_meta.get_requires_for_build_editable
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable


def build_wheel(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel and return its name."""
    _build_native()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build the wheel of an editable install and return its name."""
    _build_native()
    return build_meta.build_editable(
        wheel_directory, config_settings, metadata_directory
    )


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Refuse: setuptools would leave out the launcher and the verifier."""
    message = (
        f"stockade has no source archive (asked for in `{sdist_directory}`); "
        "clone the repository, or build a wheel: pip wheel --no-deps ."
    )
    raise NotImplementedError(message)


def _build_native() -> None:
    _remove_leftovers()
    # Cargo's own folder would lie in the source tree.
    os.environ.setdefault("CARGO_TARGET_DIR", str(_BUILD / "cargo"))
    _HEADER.parent.mkdir(parents=True, exist_ok=True)
    renderer = _ROOT / "compiler" / "build" / "render_header.py"
    _run(sys.executable, str(renderer), str(_HEADER))
    launcher = _ROOT / "launcher-c"
    variables = (
        f"BUILD={_BUILD}",
        f"PYTHON={sys.executable}",
        f"ARCH={os.uname().machine}",
    )
    _run("make", "--no-print-directory", "-C", str(launcher), *variables, *_TARGETS)
    _ship()


def _remove_leftovers() -> None:
    """Remove what setuptools would pick up again, and nothing else of `build`."""
    stale = [*_BUILD.glob("lib*"), *_BUILD.glob("bdist*")]
    stale += [*_ROOT.glob("*.egg-info"), *(_ROOT / "compiler").glob("*.egg-info")]
    for path in stale:
        if path.is_dir():
            shutil.rmtree(path)


def _ship() -> None:
    """Put the native parts beside the modules, each replaced in one step.

    A launcher that runs just now keeps its file, and nobody sees half of one.
    """
    folder = _ROOT / "compiler" / "stockade" / "_bin"
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in _SHIPPED:
            path.unlink()
    for name in _SHIPPED:
        staged = folder / f".{name}.new"
        shutil.copyfile(_BUILD / name, staged)
        staged.chmod(0o755)
        staged.replace(folder / name)


def _run(*command: str) -> None:
    print("+", " ".join(command), file=sys.stderr)
    subprocess.run(command, check=True, cwd=_ROOT, stdout=sys.stderr)
