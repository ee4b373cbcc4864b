# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build a wheel from a copy of the tree and compare all that is in it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from tree import ROOT, project_files

_PACKAGE = ROOT / "compiler" / "stockade"
_NATIVE = ("libstockade-bundle.so", "stockade-launch")
_DIST_INFO = (
    "METADATA",
    "RECORD",
    "WHEEL",
    "entry_points.txt",
    "licenses/LICENSE",
    "top_level.txt",
)


def _settings() -> dict[str, object]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["tool"]["setuptools"]


def test_package_list_is_complete() -> None:
    """The list is explicit, since a mapped package cannot be combined with a search."""
    found = ["stockade.templates"]
    for path in project_files("compiler/stockade"):
        if path.name == "__init__.py":
            below = path.parent.relative_to(_PACKAGE.parent)
            found.append(".".join(below.parts))
    assert sorted(found) == _settings()["packages"]


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for path in project_files("compiler/stockade/**/*.py")}
    missing = [folder for folder in folders if not (folder / "__init__.py").is_file()]
    assert missing == []
    assert (ROOT / "templates" / "__init__.py").is_file()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build from a copy without anything built, and from another folder.

    Leftovers of an earlier build lie in the copy, as they would after a module
    was deleted.
    """
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "copy"
    for path in project_files():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for leftover in ("build/lib/stockade", "compiler/stockade/_bin"):
        (copy / leftover).mkdir(parents=True)
        (copy / leftover / "leftover.py").write_text("")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command += ["--wheel-dir", str(folder), str(copy)]
    environment = {
        name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"
    }
    done = subprocess.run(
        command, cwd="/", env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    built = sorted(folder.glob("*.whl"))
    assert len(built) == 1
    return zipfile.ZipFile(built[0])


def test_wheel_holds_exactly_what_it_should(wheel: zipfile.ZipFile) -> None:
    expected = [f"stockade/_bin/{name}" for name in _NATIVE]
    for path in project_files("compiler/stockade"):
        if path.suffix in (".py", ".h") or path.name == "py.typed":
            expected.append(path.relative_to(_PACKAGE.parent).as_posix())
        if path.parent.name == "abi" and path.suffix == ".txt":
            expected.append(path.relative_to(_PACKAGE.parent).as_posix())
    expected += [f"stockade/{path.relative_to(ROOT)}" for path in _templates()]
    names = wheel.namelist()
    libraries = [name for name in names if name.startswith("stockade/_bpfverify.")]
    assert len(libraries) == 1
    assert libraries[0].endswith(".so")
    version = _version()
    expected += [f"stockade-{version}.dist-info/{name}" for name in _DIST_INFO]
    assert sorted(names) == sorted(expected + libraries)


def _version() -> str:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def _templates() -> list[Path]:
    return [
        path for path in project_files("templates") if path.suffix in (".j2", ".py")
    ]


def test_templates_folder_holds_nothing_else() -> None:
    assert project_files("templates") == _templates()


def test_wheel_keeps_the_launcher_executable(wheel: zipfile.ZipFile) -> None:
    mode = wheel.getinfo("stockade/_bin/stockade-launch").external_attr >> 16
    assert stat.S_IMODE(mode) == 0o755


def test_wheel_is_for_this_platform(wheel: zipfile.ZipFile) -> None:
    """A wheel with native parts must not claim to run anywhere."""
    assert not str(wheel.filename).endswith("-any.whl")


def test_installed_wheel_works_from_another_folder(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    """No path leads back to the tree: templates, data and library are all inside."""
    wheel.extractall(tmp_path)
    code = f"""if True:
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        from importlib.resources import files
        import stockade, stockade.templates
        assert stockade.__file__.startswith({str(tmp_path)!r}), stockade.__file__
        from stockade.proof.structure import check_structure
        check_structure(bytes([6, 0, 0, 0, 0, 0, 0, 0]))
        (files("stockade.templates") / "__init__.py").read_text()
        (files("stockade.abi") / "syscalls-x86_64.txt").read_text()
    """
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd="/", capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_installed_launcher_is_the_built_one() -> None:
    for name in _NATIVE:
        shipped = _PACKAGE / "_bin" / name
        assert shipped.read_bytes() == (ROOT / "build" / name).read_bytes()


def test_source_archives_are_refused(tmp_path: Path) -> None:
    """They would lack the launcher and the verifier, so none is better."""
    code = "import backend, sys; backend.build_sdist(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler" / "build")},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "no source archive" in done.stderr
    assert list(tmp_path.iterdir()) == []
