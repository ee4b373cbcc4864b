# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What is rendered from the bundle's description: C header, binding, format page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from parse_driver import BUILD_SCRIPTS, CORE, PARSER_SOURCES, ROOT, render_header

from stockade.abi.features import FEATURES
from stockade.artifact import layout, records
from stockade.artifact.enumerations import ENUMERATIONS
from stockade.artifact.parser import _bytes_at, library

_STRICT = (
    *("-std=c17", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion"),
    *("-Wsign-conversion", "-Wundef", "-Wcast-qual", "-Wstrict-prototypes"),
    *("-Wmissing-prototypes", "-Wvla", "-Wswitch-enum", "-Werror"),
)
_COMPILERS = [
    name for name in ("gcc", "clang", "aarch64-linux-gnu-gcc") if shutil.which(name)
]
_MUSL = Path(f"/usr/include/{os.uname().machine}-linux-musl")


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render_header(tmp_path_factory.mktemp("include"))


@pytest.mark.parametrize("compiler", _COMPILERS)
def test_header_stands_alone(compiler: str, include: Path) -> None:
    """Its assertions on sizes and offsets hold, and nothing else need come first."""
    subprocess.run(
        [compiler, *_STRICT, "-fsyntax-only", include / "stk_bundle_format.h"],
        check=True,
    )


@pytest.mark.parametrize("source", PARSER_SOURCES, ids=lambda path: path.name)
def test_parser_needs_the_c_library_only(
    source: Path, include: Path, tmp_path: Path
) -> None:
    """No heap, output, exit or state: shown by what an object holds and asks for.

    Built against the headers of musl alone where they are, so that no Linux header
    is in reach.
    """
    headers = ["-nostdinc", "-isystem", _MUSL] if _MUSL.is_dir() else []
    built = tmp_path / "out.o"
    flags = ("-fno-pie", "-fno-stack-protector", f"-I{include}", f"-I{CORE}")
    subprocess.run(
        ["gcc", *_STRICT, *flags, *headers, "-c", source, "-o", built], check=True
    )
    names = subprocess.run(
        ["nm", built], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    kinds = [tuple(line.split()[-2:]) for line in names if line]
    asked = {name for kind, name in kinds if kind == "U"}
    own = {name for name in asked if name.startswith("stk_")}
    assert asked - own <= {
        *("getauxval", "memchr", "memcpy", "memset", "strchr", "strcmp"),
        *("strlen", "strncmp", "strspn"),
    }
    # Text and constants; neither data (d, D) nor bss (b, B).
    assert {kind for kind, _ in kinds} <= {"T", "t", "R", "r", "U"}


def test_header_names_every_number(include: Path) -> None:
    text = (include / "stk_bundle_format.h").read_text()
    for name, limit in layout.LIMITS.items():
        assert f"#define STK_MAX_{name} {limit}u\n" in text
    for name, bit in FEATURES.items():
        full = f"STK_FEATURE_{name}".upper().replace("-", "_")
        assert f"#define {full} UINT64_C({bit:#x})\n" in text
    for enumeration in ENUMERATIONS:
        for name, number, _ in enumeration.members:
            assert f"\tSTK_{enumeration.name.upper()}_{name} = {number},\n" in text
    for section in layout.SECTIONS:
        assert f"\tSTK_SECTION_{section.name.upper()} = {section.kind},\n" in text
        assert f" *{section.name};\n\tuint32_t {section.name}_count;\n" in text
    assert max(map(len, text.expandtabs(8).split("\n"))) <= 100


def test_header_is_the_same_in_every_run(include: Path, tmp_path: Path) -> None:
    again = render_header(tmp_path) / "stk_bundle_format.h"
    header = include / "stk_bundle_format.h"
    assert again.read_bytes() == header.read_bytes()
    before = again.stat().st_mtime_ns
    render_header(tmp_path)
    assert again.stat().st_mtime_ns == before


def test_header_wants_one_argument() -> None:
    done = subprocess.run(
        [sys.executable, BUILD_SCRIPTS / "render_header.py"], capture_output=True
    )
    assert done.returncode == 125


def test_format_page_is_the_rendered_one(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    page = ROOT / "docs" / "bundle-format.md"
    rendered = tmp_path / "page.md"
    script = BUILD_SCRIPTS / "render_docs.py"
    subprocess.run([sys.executable, script, rendered], check=True)
    if request.config.getoption("--bless"):
        page.write_bytes(rendered.read_bytes())
    assert page.read_text() == rendered.read_text(), (
        "docs/bundle-format.md is not what its description says; "
        f"run `python {script.relative_to(ROOT)}`"
    )


def test_description_is_sound() -> None:
    """Kinds rise from 1, records have no holes, rules name what exists."""
    assert [section.kind for section in layout.SECTIONS] == list(
        range(1, len(layout.SECTIONS) + 1)
    )
    sections = {section.name for section in layout.SECTIONS}
    enumerations = {one.name: one for one in ENUMERATIONS}
    for section in layout.SECTIONS:
        widest = max((records.width(field) for field in section.fields), default=1)
        assert records.record_size(section) % widest == 0
        for field in section.fields:
            at = records.offset(section.fields, field.name)
            assert at % records.width(field) == 0
            rule = field.rule
            if rule.kind in {"index", "slice"}:
                assert rule.of in sections
            elif rule.kind in {"one-of", "bits-of"}:
                assert enumerations[rule.of].bits == (rule.kind == "bits-of")
            else:
                assert rule.of == ""
    for enumeration in ENUMERATIONS:
        numbers = [number for _, number, _ in enumeration.members]
        assert len(set(numbers)) == len(numbers)
        if enumeration.bits:
            assert all(number & number - 1 == 0 and number for number in numbers)


def test_every_error_has_a_text_of_its_own() -> None:
    errors = re.findall(
        r"^\tX\([A-Z_]+, ", (CORE / "bundle.h").read_text(), re.MULTILINE
    )
    count = len(errors) + 1  # with 0, which is none
    texts = [_bytes_at(library().stk_bundle_error_text(n)) for n in range(count)]
    assert len(set(texts)) == count > 30
    for stray in (-1, count, 1 << 30):
        assert _bytes_at(library().stk_bundle_error_text(stray)) == b"unknown error"
