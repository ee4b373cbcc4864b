# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S2-378 A damaged, cut, foreign or newer bundle is refused before it is used."""

from __future__ import annotations

import struct
from dataclasses import replace
from unittest.mock import patch

import pytest
from examples import example
from parse_driver import Driver
from surgery import (
    entry,
    entry_value,
    header_value,
    patched,
    place,
    repaired,
    with_length,
    with_section,
)

from stockade.artifact import layout, records
from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.errors import BundleRefused
from stockade.artifact.parser import parse
from stockade.artifact.pools import DataItems
from stockade.model.artifact import CanaryFolder, EnvironmentRow, Relocation

BUNDLE = encode(example())
# The number after the last section that this version knows.
UNKNOWN = layout.SECTIONS[-1].kind + 1
_COUNT = len(layout.SECTIONS)


def refusal(data: bytes, target: str | None = None) -> BundleRefused:
    """Return the parser's refusal; fail where it accepts."""
    with pytest.raises(BundleRefused) as caught:
        parse(data, target)
    assert 0 <= caught.value.offset <= len(data)
    return caught.value


def is_refused(data: bytes) -> bool:
    try:
        parse(data)
    except BundleRefused:
        return True
    return False


def test_untouched_bundle_is_accepted() -> None:
    """The control of every test below."""
    assert decode(BUNDLE) == canonical(example())
    assert repaired(BUNDLE) == BUNDLE


def test_cut_at_every_length_is_refused() -> None:
    """As it is, and with the length and the checksum made right again."""
    assert all(is_refused(BUNDLE[:length]) for length in range(len(BUNDLE)))
    assert all(
        is_refused(with_length(BUNDLE[:length])) for length in range(32, len(BUNDLE))
    )


def test_one_bit_flipped_anywhere_is_refused() -> None:
    flipped = bytearray(BUNDLE)
    for at in range(len(BUNDLE)):
        for bit in range(8):
            flipped[at] ^= 1 << bit
            assert is_refused(bytes(flipped)), (at, bit)
            flipped[at] ^= 1 << bit


def test_bytes_put_behind_are_refused() -> None:
    for tail in (b"\0", bytes(8), BUNDLE):
        assert "cut off or extended" in str(refusal(BUNDLE + tail))
        assert "after the last section" in str(refusal(with_length(BUNDLE + tail)))


def test_garbage_is_refused() -> None:
    for data in (b"", b"\0" * 32, b"\x7fELF" + bytes(60), b"STOCKADE", b"\xff" * 4096):
        assert is_refused(data)
    assert "not a stockade artifact" in str(refusal(bytes(64)))
    assert "shorter than a header" in str(refusal(BUNDLE[:31]))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("magic", 0, "not a stockade artifact"),
        ("version", 1, "another version"),
        ("version", 0xFFFFFFFF, "another version"),
        ("target", 0, "unknown target"),
        ("target", 3, "unknown target"),
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
    other = header_value(encode(example("linux-aarch64")), "target", 2)
    assert parse(other).target == "linux-aarch64"
    assert "another system" in str(refusal(other, "linux-x86_64"))


@pytest.mark.parametrize("number", range(_COUNT))
def test_section_table_fields(number: int) -> None:
    """Each value of each entry is held in place by its neighbours and the file."""
    section = layout.SECTIONS[number]
    offset, count = entry(BUNDLE, section.name)
    kinds = (0, section.kind + 1, section.kind - 1, section.kind + 100, 0xFFFFFFFF)
    offsets = (0, 8, offset + 8, offset - 8, offset + 1, 0xFFFFFFF8, len(BUNDLE))
    counts = (0xFFFFFFFF, 1 << 31, count + 1000, len(BUNDLE))
    mutants = [
        *(entry_value(BUNDLE, number, "kind", kind) for kind in kinds),
        *(entry_value(BUNDLE, number, "offset", one) for one in offsets),
        *(entry_value(BUNDLE, number, "count", one) for one in counts),
        *(entry_value(BUNDLE, number, "flags", one) for one in (2, 3, 1 << 31)),
    ]
    assert [at for at, one in enumerate(mutants) if not is_refused(one)] == []


@pytest.mark.parametrize("number", range(_COUNT))
def test_one_record_more_or_less_is_refused(number: int) -> None:
    """A count that is off by one leaves a gap or an overlap, or breaks a slice.

    Plain bytes are the exception up to the padding's 7, which reads as zero.
    """
    section = layout.SECTIONS[number]
    _, count = entry(BUNDLE, section.name)
    for changed in (count + 1, count - 1):
        data = entry_value(BUNDLE, number, "count", changed)
        if not is_refused(data):
            assert section.name == "strings"
            assert decode(data) == canonical(example())


def test_sections_that_overlap_or_swap_places_are_refused() -> None:
    for a in range(_COUNT):
        for b in range(_COUNT):
            if a == b:
                continue
            place_b, _ = entry(BUNDLE, layout.SECTIONS[b].name)
            assert is_refused(entry_value(BUNDLE, a, "offset", place_b)), (a, b)


def test_padding_between_sections_must_be_zero() -> None:
    """Every byte that belongs to no section is looked at."""
    used = bytearray(len(BUNDLE))
    used[: 32 + 16 * _COUNT] = b"\1" * (32 + 16 * _COUNT)
    for section in layout.SECTIONS:
        offset, count = entry(BUNDLE, section.name)
        size = count * records.record_size(section)
        used[offset : offset + size] = b"\1" * size
    free = [at for at, byte in enumerate(used) if not byte]
    assert len(free) >= 8
    for at in free:
        assert BUNDLE[at] == 0
        assert "reserved" in str(refusal(repaired(patched(BUNDLE, at, b"\1"))))


def test_unknown_section_is_skipped_unless_it_must_be_understood() -> None:
    for body in (b"", b"later", bytes(4096)):
        assert decode(with_section(BUNDLE, UNKNOWN, 0, body)) == canonical(example())
        refused = refusal(with_section(BUNDLE, UNKNOWN, 1, body))
        assert "unknown section" in str(refused)
        assert decode(with_section(BUNDLE, 0xFFFFFFFF, 0, body)) == canonical(example())


def test_unknown_sections_are_held_to_the_order() -> None:
    two = with_section(with_section(BUNDLE, UNKNOWN + 1, 0, b"one"), UNKNOWN, 0, b"two")
    assert "out of order" in str(refusal(two))
    same = with_section(with_section(BUNDLE, UNKNOWN, 0, b"one"), UNKNOWN, 0, b"two")
    assert "out of order" in str(refusal(same))
    right = with_section(
        with_section(BUNDLE, UNKNOWN, 0, b"one"), UNKNOWN + 1, 0, b"two"
    )
    assert decode(right) == canonical(example())
    for offset in (0, 33, len(right) + 8, 0xFFFFFFF8):
        assert is_refused(entry_value(right, _COUNT, "offset", offset))
    assert "flags" in str(refusal(with_section(BUNDLE, UNKNOWN, 2, b"")))


def test_strings_must_begin_and_end_with_zero() -> None:
    offset, count = entry(BUNDLE, "strings")
    assert "begin and end" in str(refusal(repaired(patched(BUNDLE, offset, b"x"))))
    last = repaired(patched(BUNDLE, offset + count - 1, b"x"))
    assert "begin and end" in str(refusal(last))


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


def test_no_stray_read_at_any_cut_or_flip(driver: Driver) -> None:
    """The parser under ASan and UBSan stays inside the bytes it was given."""
    cuts = [BUNDLE[:length] for length in range(len(BUNDLE) + 1)]
    repaired_cuts = [with_length(cut) for cut in cuts if len(cut) >= 32]
    flips = [
        repaired(patched(BUNDLE, at, bytes([BUNDLE[at] ^ (1 << at % 8)])))
        for at in range(24, len(BUNDLE))
    ]
    errors = driver.errors([*cuts, *repaired_cuts, *flips])
    assert len(errors) == len(cuts) + len(repaired_cuts) + len(flips)
    accepted = [at for at, error in enumerate(errors[: 2 * len(BUNDLE)]) if not error]
    # The whole bundle, as it is and with its length and checksum set again.
    assert accepted == [len(BUNDLE), len(cuts) + len(repaired_cuts) - 1]
    assert 0 in errors[-len(flips) :]


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
