# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the built launcher and its sources to what is promised about them."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from stage import REPOSITORY, find_launcher

SOURCES = REPOSITORY / "launcher-c" / "src"
MOST_BYTES = 150_000
MOST_CORE_LINES = 1800
MOST_FILE_LINES = 300
MOST_FUNCTION_LINES = 60
_PT_INTERP, _PT_DYNAMIC, _PT_GNU_STACK, _PT_GNU_RELRO = 3, 2, 0x6474E551, 0x6474E552
_ET_DYN = 3

release = pytest.mark.needs("release-launcher")


def _headers(content: bytes) -> list[tuple[int, int]]:
    """Return kind and flags of each program header."""
    at, size, count = struct.unpack_from("<Q14xHH", content, 32)
    places = range(at, at + size * count, size)
    return [struct.unpack_from("<II", content, place) for place in places]


@release
def test_launcher_is_a_static_position_independent_program() -> None:
    """S2-410: no loader is named, so no library can be."""
    content = find_launcher().read_bytes()
    assert struct.unpack_from("<H", content, 16) == (_ET_DYN,)
    kinds = {kind for kind, _ in _headers(content)}
    assert _PT_INTERP not in kinds
    assert {_PT_DYNAMIC, _PT_GNU_RELRO, _PT_GNU_STACK} <= kinds


@release
def test_no_segment_is_writable_and_executable() -> None:
    flags = [flags for _, flags in _headers(find_launcher().read_bytes())]
    assert all(flag & 3 != 3 for flag in flags)


@release
def test_launcher_is_small() -> None:
    assert find_launcher().stat().st_size < MOST_BYTES


@release
def test_test_hooks_are_not_in_the_release() -> None:
    content = find_launcher().read_bytes()
    assert b"FAKE" not in content
    # Nor does any variable change what is enforced: those it reads are for paths.
    assert b"STOCKADE_" not in content


def _code_lines(path: Path) -> int:
    """Count lines that hold more than blanks and comments."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    return sum(1 for line in text.splitlines() if line.strip())


def test_core_can_be_read_in_a_sitting() -> None:
    files = sorted((SOURCES / "core").glob("*.[ch]"))
    assert sum(map(_code_lines, files)) <= MOST_CORE_LINES


def test_files_and_functions_are_small() -> None:
    for path in sorted(SOURCES.rglob("*.[ch]")):
        lines = path.read_text().splitlines()
        assert len(lines) <= MOST_FILE_LINES, path
        start = None
        for number, line in enumerate(lines):
            if line == "{":
                start = number
            elif line == "}" and start is not None:
                assert number - start < MOST_FUNCTION_LINES, f"{path}:{start}"
                start = None


def test_sources_use_no_heap() -> None:
    """And no call that would take memory on their behalf."""
    forbidden = re.compile(
        r"\b(malloc|calloc|realloc|strdup|asprintf|getline|fopen|opendir|"
        r"popen|system|alloca|brk|sbrk|getpwuid|getpwnam|qsort)\s*\("
    )
    for path in sorted(SOURCES.rglob("*.[ch]")):
        found = forbidden.search(path.read_text())
        assert found is None, f"{path}: {found}"


def test_core_knows_no_linux() -> None:
    """It is shared with other systems, and with the compiler's own process.

    The checksum alone asks which instructions the CPU has.
    """
    for path in sorted((SOURCES / "core").glob("*.[ch]")):
        if path.name == "crc32c.c":
            continue
        included = re.findall(r"#include [<\"]([^>\"]+)", path.read_text())
        assert not any(name.startswith(("linux/", "sys/")) for name in included), path


@pytest.mark.parametrize("target", ["analyze", "sanitized"])
def test_other_builds_have_no_warning(
    tmp_path_factory: pytest.TempPathFactory, target: str
) -> None:
    build = tmp_path_factory.mktemp(target)
    header = REPOSITORY / "build" / "include" / "stk_bundle_format.h"
    make = [
        *("make", "-s", "-C", REPOSITORY / "launcher-c", target),
        *(f"BUILD={build}", f"HEADER={header}", f"PYTHON={sys.executable}"),
    ]
    done = subprocess.run(make, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
