# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S2-378 A damaged, cut, foreign or newer bundle is refused before it is used."""

from __future__ import annotations

import struct
from dataclasses import replace
from unittest.mock import patch

import pytest
from examples import example
from surgery import (
    header_value,
    is_refused,
    patched,
    place,
    refusal,
    sections,
)
from system_examples import TARGETS, example_for

from stockade.artifact import layout, records
from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.parser import parse
from stockade.artifact.pools import DataItems
from stockade.model.artifact import CanaryFolder, EnvironmentRow, Relocation

BUNDLE = encode(example())
_COUNT = len(sections(BUNDLE))


def test_garbage_is_refused() -> None:
    for data in (b"", b"\0" * 32, b"\x7fELF" + bytes(60), b"STOCKADE", b"\xff" * 4096):
        assert is_refused(data)
    assert "not a stockade artifact" in str(refusal(bytes(64)))
    assert "shorter than a header" in str(refusal(BUNDLE[:31]))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("magic", 0, "not a stockade artifact"),
        ("version", 0, "another version"),
        ("version", 2, "another version"),
        ("version", 0xFFFFFFFF, "another version"),
        ("target", 0, "unknown target"),
        ("target", 3, "section of another system"),
        ("target", 4, "section of another system"),
        ("target", 5, "unknown target"),
        ("total_bytes", len(BUNDLE) - 1, "cut off or extended"),
        ("total_bytes", 0xFFFFFFFF, "cut off or extended"),
        ("section_count", 0, "section is missing"),
        ("section_count", _COUNT - 1, "not where it must be"),
        ("section_count", _COUNT + 1, "not where it must be"),
        ("section_count", 0xFFFFFFFF, "not where it must be"),
        ("reserved", 1, "reserved"),
        ("reserved", 1 << 31, "reserved"),
    ],
)
def test_header_fields(field: str, value: int, words: str) -> None:
    assert words in str(refusal(header_value(BUNDLE, field, value)))


def test_checksum_alone_is_checked() -> None:
    at = records.offset(layout.HEADER, "checksum")
    for change in (1, 1 << 31):
        number = struct.unpack_from("<I", BUNDLE, at)[0] ^ change
        assert "checksum" in str(
            refusal(patched(BUNDLE, at, struct.pack("<I", number)))
        )


def test_foreign_target_is_refused_where_one_is_asked_for() -> None:
    """S2-378 a launcher takes its own target, and says of the others what they are."""
    for target in TARGETS:
        data = encode(example_for(target))
        assert parse(data).target == parse(data, target).target == target
        for other in TARGETS:
            if other != target:
                assert "compiled for another system" in str(refusal(data, other))


def test_string_that_starts_inside_another_is_refused() -> None:
    spot = place(BUNDLE, "grants", 2, "path")
    for step in range(1, 5):
        data = spot.write(BUNDLE, spot.read(BUNDLE) + step)
        assert refusal(data).offset == spot.start


@pytest.mark.parametrize(
    "path",
    [
        "",
        "relative",
        "//",
        "/a//b",
        "/a/",
        "/.",
        "/..",
        "/a/./b",
        "/a/../b",
        "/a/..",
        "/a\n",
        "/a\x7f",
        "/\x1b[2J",
        "/" + "x" * 4095,
        "/" + "x/" * 2047 + "y",
    ],
)
def test_paths_that_are_not_normalised_are_refused(path: str) -> None:
    """Paths are absolute and without `.`, `..`, empty parts or control bytes."""
    if len(path) == 4096 or path.count("x/") == 2047:
        path = path.ljust(4096, "z")
    assert is_refused(with_path(path))


@pytest.mark.parametrize(
    "path", ["/", "/a", "/...", "/.a", "/a..", "/a/..b", "/" + "x" * 4094, "/\udcff "]
)
def test_normalised_paths_are_accepted(path: str) -> None:
    assert decode(with_path(path)).grants[2].path == path


def with_path(path: str) -> bytes:
    """Return a bundle whose third grant has any path, sound or not."""
    rows = list(example().grants)
    rows[2] = replace(rows[2], path=path)
    with patch.dict(layout.LIMITS, PATH_BYTES=1 << 20):
        return encode(replace(example(), grants=tuple(rows)))


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        (b"\1\0\0\0", "operand data"),
        (bytes(8), "operand data"),
        (b"\1\0\0\0\0\0\0\0\7", "operand data"),
        (b"\1\0\0\0\0\0\0\0\7" + bytes(6) + b"\1", "reserved"),
    ],
    ids=["half-a-length", "no-length", "no-padding", "padding-that-is-not-zero"],
)
def test_items_of_data_are_whole_and_padded(tail: bytes, words: str) -> None:
    usual = DataItems.section
    with patch.object(DataItems, "section", lambda items: usual(items) + tail):
        data = encode(example())
    assert words in str(refusal(data))


def test_relocation_behind_its_filter_is_refused() -> None:
    level = example().levels[0]
    program = level.variants[0].filter
    behind = Relocation(len(program.instructions), "own-pid")
    longer = replace(program, relocations=(*program.relocations, behind))
    variants = tuple(
        replace(one, filter=longer) if one.filter == program else one
        for one in level.variants
    )
    levels = (replace(level, variants=variants), *example().levels[1:])
    assert "relocation" in str(refusal(encode(replace(example(), levels=levels))))


def test_name_of_a_variable_holds_no_control_byte() -> None:
    rows = (EnvironmentRow("A\x01", None),)
    assert "variable" in str(refusal(encode(replace(example(), environment=rows))))


def test_prefix_of_a_canary_folder_is_absolute() -> None:
    folders = (CanaryFolder("run/user/", "user"),)
    made = replace(example(), canary_folders=folders)
    assert "path" in str(refusal(encode(made)))
    good = replace(made, canary_folders=(CanaryFolder("/run/user/", "user"),))
    assert decode(encode(good)) == canonical(good)
