# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Install the command where an unprivileged user can start it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

from stage import REPOSITORY, Stage

_HERE = Path(__file__).resolve().parent
# What the package imports, and what those import.
_DEPENDENCIES = ("cffi", "pycparser", "jinja2", "markupsafe", "tomlkit")
_IGNORED = shutil.ignore_patterns("__pycache__")
_SCRIPT = """\
#!{python}{isolated}
import sys
from stockade.cli.start import main
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture(scope="session")
def installed(stage: Stage) -> Path:
    """Give a command in a virtual environment of its own, on the stage.

    The environment that the tests run in may lie where only root enters.
    """
    folder = stage.root / "venv"
    command = [sys.executable, "-m", "venv", "--without-pip", folder]
    subprocess.run(command, check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for name in _DEPENDENCIES:
        shutil.copytree(_folder(name), site / name, ignore=_IGNORED)
    backend = find_spec("_cffi_backend")
    assert backend is not None
    assert backend.origin is not None
    shutil.copy(backend.origin, site)
    shutil.copytree(_folder("stockade"), site / "stockade", ignore=_IGNORED)
    templates = site / "stockade" / "templates"
    shutil.copytree(REPOSITORY / "templates", templates, ignore=_IGNORED)
    # The launcher under test, which need not be the one that was built last.
    shutil.copy(stage.launcher, site / "stockade" / "_bin" / "stockade-launch")
    for name, isolated in (("stockade", " -I"), ("stockade-plain", "")):
        script = folder / "bin" / name
        script.write_text(
            _SCRIPT.format(python=folder / "bin" / "python", isolated=isolated)
        )
        script.chmod(0o755)
    subprocess.run(
        [folder / "bin" / "python", "-m", "compileall", "-q", site], check=True
    )
    return folder / "bin" / "stockade"


def _folder(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@pytest.fixture(scope="session")
def reporter(stage: Stage) -> Path:
    """Give the program that tells how it was started."""
    built = stage.root / "reporter.built"
    command = ["gcc", "-O1", "-Wall", "-o", built, _HERE / "reporter.c"]
    subprocess.run(command, check=True)
    return stage.install(built, "reporter")
