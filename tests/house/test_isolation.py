# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show that the command takes no module from where the caller happens to be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Names that start-up, the entry script and the compiler would import.
_POISONED = ("re", "sitecustomize", "usercustomize", "tomlkit", "jinja2", "argparse")


@pytest.fixture
def poison(tmp_path: Path) -> tuple[Path, Path]:
    """Make a folder full of modules that leave a mark when they are imported."""
    folder = tmp_path / "poison"
    marks = tmp_path / "marks"
    folder.mkdir()
    marks.mkdir()
    user_site = (
        tmp_path
        / "user"
        / "lib"
        / f"python{sys.version_info[0]}.{sys.version_info[1]}"
        / "site-packages"
    )
    user_site.mkdir(parents=True)
    for place in (folder, user_site):
        for name in _POISONED:
            mark = marks / f"{place.name}-{name}"
            text = f"open({str(mark)!r}, 'w').close()\nraise ImportError('poison')\n"
            (place / f"{name}.py").write_text(text)
    return folder, marks


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": f":{folder}",
        "PYTHONUSERBASE": str(folder.parent / "user"),
        "PYTHONSTARTUP": str(folder / "re.py"),
        "PYTHONHASHSEED": "1",
    }


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=_environment(folder),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def test_poison_works_on_a_python_that_is_not_isolated(
    poison: tuple[Path, Path],
) -> None:
    """The control: the same folder and environment, and a plain interpreter."""
    folder, marks = poison
    _run([sys.executable, "-c", "import tomlkit"], folder)
    assert sorted(path.name for path in marks.iterdir()) != []


def test_installed_command_loads_nothing_from_its_caller(
    poison: tuple[Path, Path],
) -> None:
    folder, marks = poison
    done = _run([str(Path(sys.executable).parent / "stockade"), "--version"], folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("stockade ")
    assert list(marks.iterdir()) == []


def test_entry_starts_itself_anew_when_not_isolated(
    poison: tuple[Path, Path],
) -> None:
    """Installed by another tool the script lacks `-I`; modules are still safe.

    What Python itself loads before any script, `sitecustomize` and the like, is
    out of an entry point's reach; that is why `make build` mends the script.
    """
    folder, marks = poison
    # An editable install loads these itself, before its first module is found.
    for name in ("re", "sitecustomize", "usercustomize"):
        (folder / f"{name}.py").unlink()
    code = "from stockade.cli.start import main; raise SystemExit(main())"
    done = _run([sys.executable, "-c", code, "--version"], folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("stockade ")
    assert list(marks.iterdir()) == []
