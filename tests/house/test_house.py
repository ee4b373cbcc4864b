# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold every file of the project to the rules of the house."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest
from tree import ROOT, project_files

# Lines a file may have, by where it lies and what it is; `*` also spans folders.
_CAPS = (
    ("tests/*.py", 600),
    ("compiler/*.py", 450),
    ("launcher-c/*.[ch]", 300),
    ("tests/*.[ch]", 300),
    ("compiler/*.rs", 450),
    ("templates/*.j2", 80),
)

_SPDX = "SPDX-License-Identifier: Apache-2.0 OR MIT"
_SOURCE_SUFFIXES = (".py", ".c", ".h", ".rs", ".j2", ".sh", ".toml")
_SOURCE_NAMES = ("Makefile", ".gitignore", ".gitattributes", ".editorconfig")
# A policy to copy is its reader's own; what it is for stands in its first lines.
_TO_COPY = re.compile(r"docs/examples/.*\.toml")
# What a test feeds to the compiler, or compares its output with, is exact text.
_EXACT = re.compile(
    r"tests/.*/(cases|expect|data)/|tests/golden/|tests/diagnostics/.*/"
)

# Written so that this file does not hold what it looks for.
_FORBIDDEN = (
    r"/wor[k]/",
    r"/tm[p]/bash_jobs",
    r"\bfar[m]-[a-z]",
    r"\bsub[a]gent",
    r"\.\./shar[e]d\b",
    r"deb\.de[b]ian\.org",
    r"py[p]i\.org|pythonh[o]sted",
    r"crates\.i[o]\b",
    r"registry\.np[m]js",
    r"\bRULING[S]\b|\bSPE[C]\.md|\bMODEL[S]\.md|FACT[S]-linux|LAUNCH-ORDE[R]",
)
_UNFINISHED = r"\bTO[D]O\b|\bFIX[M]E\b|\bXX[X]\b"


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _sources() -> list[Path]:
    return [
        path
        for path in project_files()
        if not _EXACT.search(_name(path))
        and not _TO_COPY.fullmatch(_name(path))
        and (
            path.suffix in _SOURCE_SUFFIXES
            or path.name in _SOURCE_NAMES
            or path.parent.name == ".ci"
        )
    ]


def _texts() -> list[tuple[str, str]]:
    pairs = []
    for path in project_files():
        try:
            pairs.append((_name(path), path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return pairs


def _found(pattern: str) -> list[str]:
    search = re.compile(pattern).search
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in _texts()
        for number, line in enumerate(text.split("\n"), 1)
        if search(line)
    ]


def test_sources_begin_with_the_licence() -> None:
    wrong = []
    for path in _sources():
        lines = path.read_text(encoding="utf-8").split("\n")[:2]
        first = lines[1] if lines[0].startswith("#!") else lines[0]
        if _SPDX not in first:
            wrong.append(_name(path))
    assert not wrong, "\n".join(wrong)


def test_sources_say_what_they_do() -> None:
    """A module docstring or a comment follows the licence line."""
    wrong = []
    for path in _sources():
        if path.suffix not in (".py", ".c", ".h", ".rs", ".j2"):
            continue
        head = path.read_text(encoding="utf-8")[:600]
        if not re.search(r'"""|^//!|/\*|^\{#|^ \*|^# ', head, flags=re.MULTILINE):
            wrong.append(_name(path))
    assert not wrong, "\n".join(wrong)


def test_files_stay_small_enough_to_read() -> None:
    wrong = []
    for path in project_files():
        name = _name(path)
        for pattern, cap in _CAPS:
            if fnmatch.fnmatchcase(name, pattern):
                lines = path.read_text(encoding="utf-8").count("\n")
                if lines > cap:
                    wrong.append(f"{name}: {lines} lines, at most {cap}")
                break
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("pattern", _FORBIDDEN)
def test_no_file_names_where_it_was_made(pattern: str) -> None:
    found = _found(pattern)
    assert not found, "\n".join(found)


def test_nothing_is_left_unfinished() -> None:
    found = _found(_UNFINISHED)
    assert not found, "\n".join(found)


def test_text_has_unix_lines_and_ends_with_one() -> None:
    wrong = [
        name
        for name, text in _texts()
        if "\r" in text or (text and not text.endswith("\n"))
    ]
    assert [name for name in wrong if not _EXACT.search(name)] == []


def test_top_level_holds_the_named_entries_only() -> None:
    """The tree's first page stays readable: nine names and the usual dotfiles."""
    tops = {_name(path).split("/", 1)[0] for path in project_files()}
    visible = {name for name in tops if not name.startswith(".")}
    assert sorted(visible) == [
        "LICENSE",
        "Makefile",
        "README.md",
        "compiler",
        "docs",
        "launcher-c",
        "pyproject.toml",
        "templates",
        "tests",
    ]


def test_every_page_of_docs_is_listed() -> None:
    """README names each page, so that none is only found by chance."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = [
        _name(path)
        for path in project_files("docs")
        if path.suffix == ".md" and path.parent.name != "decisions"
    ]
    unlisted = [page for page in pages if f"({page})" not in readme]
    assert not unlisted, "\n".join(unlisted)


def test_links_of_pages_lead_somewhere() -> None:
    broken = []
    for path in project_files():
        if path.suffix != ".md":
            continue
        text = path.read_text(encoding="utf-8")
        broken += [
            f"{_name(path)}: {target}"
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
            if "://" not in target and not (path.parent / target).exists()
        ]
    assert not broken, "\n".join(broken)


def test_decisions_have_a_number_each() -> None:
    names = [path.name for path in project_files("docs/decisions")]
    wrong = [name for name in names if not re.match(r"\d{4}-[a-z0-9-]+\.md$", name)]
    assert not wrong, "\n".join(wrong)
    numbers = [name[:4] for name in names]
    assert sorted(set(numbers)) == numbers


def test_build_scripts_are_not_ignored() -> None:
    """`/build/` in .gitignore is anchored, so compiler/build is source."""
    assert project_files("compiler/build") != []


def test_scripts_can_be_started() -> None:
    wrong = []
    for path in project_files():
        executable = bool(path.stat().st_mode & 0o100)
        if path.read_bytes()[:2] == b"#!" and not executable:
            wrong.append(_name(path))
    assert not wrong, "\n".join(wrong)


def test_modules_of_tests_have_names_of_their_own() -> None:
    """Folders of tests are put on the path of modules, so the first would win."""
    names: dict[str, list[str]] = {}
    for path in project_files():
        name = _name(path)
        if not name.startswith("tests/") or path.suffix != ".py":
            continue
        if path.name != "conftest.py" and not path.name.startswith("test_"):
            names.setdefault(path.name, []).append(name)
    assert [found for found in names.values() if len(found) > 1] == []
