# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pack Python, the tests of the launcher and what they run into a guest.

The interpreter and the programs are Debian's, of the guest's architecture; pytest is
that of the virtual environment, which is plain Python. Nothing native of the
compiler goes along: tests that compile a policy are not for the guest.
"""

from __future__ import annotations

import importlib.util
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import guest_image

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from guest_image import Entry

_PLACE = "/repository"
_PURE = (
    "_pytest",
    "pytest",
    "py",
    "pluggy",
    "iniconfig",
    "packaging",
    "pygments",
    "tomlkit",
)
# Of a library's folder: what no test of the launcher imports.
_DROPPED = frozenset(
    {"test", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "pydoc_data"}
)
# Where these lead with merged /usr, as the tests and programs know them.
_MERGED = ("bin", "sbin", "lib", "lib64")
_USERS = "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n"
_OURS = (
    "pyproject.toml",
    *("compiler/stockade", "templates", "tests/launcher"),
    *(f"tests/{name}.py" for name in ("conftest", "host_features", "skips", "stage")),
    *("tests/expected_skips.txt", "build/include", "launcher-c/src"),
)


def merged(entries: Sequence[Entry]) -> list[Entry]:
    """Move files below /usr, and leave links where they were."""
    moved = [guest_image.moved(entry, _merged(entry.path)) for entry in entries]
    return [*moved, *(guest_image.link(f"/{name}", f"usr/{name}") for name in _MERGED)]


def _merged(path: str) -> str:
    first = path.split("/", 2)[1]
    return f"/usr{path}" if first in _MERGED else path


def interpreter(tree: Path) -> list[Entry]:
    """Return the files of unpacked packages, without documents and the like."""
    found = [
        entry
        for entry in _files(tree, "")
        if not entry.path.startswith(("/usr/share", "/etc", "/usr/include"))
    ]
    return [
        *found,
        guest_image.link("/usr/bin/python3", "python3.11"),
        guest_image.link("/usr/bin/sh", "dash"),
        guest_image.file("/etc/passwd", _USERS.encode()),
        guest_image.file("/usr/lib/os-release", b"NAME=guest\n"),
        guest_image.file("/etc/group", b"root:x:0:\nnogroup:x:65534:\n"),
        *(guest_image.folder(path) for path in ("/root", "/home", "/run", "/opt")),
    ]


def tests(repository: Path, launcher: bytes) -> list[Entry]:
    """Return pytest, the compiler's sources and the tests of the launcher."""
    found = [guest_image.file(f"{_PLACE}/build/stockade-launch", launcher, 0o755)]
    for name in _OURS:
        found += _files(repository / name, f"{_PLACE}/{name}")
    # As pyproject.toml maps it.
    templates = f"{_PLACE}/compiler/stockade/templates"
    found.append(guest_image.link(templates, "../../templates"))
    with tempfile.TemporaryDirectory(prefix="stockade-python-") as folder:
        for name in _PURE:
            found += _compiled(name, Path(folder))
    return found


def command(words: Sequence[str]) -> str:
    """Return the shell command that runs pytest in the guest."""
    paths = f"{_PLACE}/compiler:{_PLACE}/site"
    settings = f"PYTHONPATH={paths} PATH=/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1"
    pytest = "python3 -m pytest -q -p no:cacheprovider -p no:hypothesispytest"
    return f"cd {_PLACE} && {settings} {pytest} {' '.join(words)} 2>&1"


def compile_library(tree: Path) -> None:
    """Compile the unpacked library, where this Python writes the guest's code."""
    for folder in tree.glob("usr/lib/python3*"):
        _compile(folder)


def _compiled(name: str, folder: Path) -> list[Entry]:
    """Return a package of the virtual environment, compiled ahead."""
    spec = importlib.util.find_spec(name)
    assert spec is not None, name
    assert spec.origin is not None, name
    source = Path(spec.origin)
    if not spec.submodule_search_locations:
        return list(_files(source, f"{_PLACE}/site/{source.name}"))
    subprocess.run(["cp", "-r", source.parent, folder / name], check=True)
    _compile(folder / name)
    return list(_files(folder / name, f"{_PLACE}/site/{name}"))


def _compile(folder: Path) -> None:
    # By content and not by time: an image has no times. What cannot be compiled is
    # a test of such code and stays as it is.
    words = ("-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash")
    subprocess.run([sys.executable, *words, folder], check=False, capture_output=True)


def _files(source: Path, target: str) -> Iterator[Entry]:
    """Yield a file, or all below a folder, as entries of an image."""
    if source.is_file():
        yield guest_image.file(target, source.read_bytes(), _mode(source))
        return
    for root, folders, names in os.walk(source):
        folders[:] = sorted(set(folders) - _DROPPED)
        place = target + "/" + str(Path(root).relative_to(source))
        place = place.removesuffix("/.")
        for name in sorted([*names, *folders]):
            path = Path(root) / name
            if path.is_symlink():
                yield guest_image.link(f"{place}/{name}", str(path.readlink()))
            elif path.is_file():
                yield guest_image.file(
                    f"{place}/{name}", path.read_bytes(), _mode(path)
                )


def _mode(path: Path) -> int:
    executable = path.stat().st_mode & stat.S_IXUSR
    return 0o755 if executable else 0o644
