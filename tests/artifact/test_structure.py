# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S2-378 The outer form of a bundle is checked, the same for every system."""

from __future__ import annotations

from itertools import permutations

import pytest
from parse_driver import Driver
from surgery import (
    entry,
    entry_value,
    is_refused,
    patched,
    refusal,
    repaired,
    sections,
    with_length,
    with_section,
)
from system_examples import example_for

from stockade.artifact import layout, records
from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.parser import parse

# The number after the last section that this version knows.
UNKNOWN = layout.SECTIONS[-1].kind + 1


@pytest.fixture(params=["linux-x86_64", "macos", "windows"])
def bundle(request: pytest.FixtureRequest) -> bytes:
    """Give a bundle of each system that has records in every section."""
    return encode(example_for(request.param))


def test_untouched_bundle_is_accepted(bundle: bytes) -> None:
    """The control of every test below."""
    artifact = example_for(parse(bundle).target)
    assert decode(bundle) == canonical(artifact)
    assert repaired(bundle) == bundle


def test_cut_at_every_length_is_refused(bundle: bytes) -> None:
    """As it is, and with the length and the checksum made right again."""
    assert all(is_refused(bundle[:length]) for length in range(len(bundle)))
    assert all(
        is_refused(with_length(bundle[:length])) for length in range(32, len(bundle))
    )


def test_table_that_reaches_behind_the_file_is_not_read(bundle: bytes) -> None:
    """The refusal is about the header's count, whatever the entries would say."""
    table_end = 32 + 16 * len(sections(bundle))
    for length in range(32, table_end):
        found = refusal(with_length(bundle[:length]))
        assert found.offset == records.offset(layout.HEADER, "section_count")


def test_one_bit_flipped_anywhere_is_refused(bundle: bytes) -> None:
    flipped = bytearray(bundle)
    for at in range(len(bundle)):
        for bit in range(8):
            flipped[at] ^= 1 << bit
            assert is_refused(bytes(flipped)), (at, bit)
            flipped[at] ^= 1 << bit


def test_bytes_put_behind_are_refused(bundle: bytes) -> None:
    for tail in (b"\0", bytes(8), bundle):
        assert "cut off or extended" in str(refusal(bundle + tail))
        assert "after the last section" in str(refusal(with_length(bundle + tail)))


def test_section_table_fields(bundle: bytes) -> None:
    """Each value of each entry is held in place by its neighbours and the file."""
    for number, section in enumerate(sections(bundle)):
        offset, count = entry(bundle, section.name)
        kinds = (0, section.kind + 1, section.kind - 1, section.kind + 100, 0xFFFFFFFF)
        offsets = (0, 8, offset + 8, offset - 8, offset + 1, 0xFFFFFFF8, len(bundle))
        counts = (0xFFFFFFFF, 1 << 31, count + 1000, len(bundle))
        mutants = [
            *(entry_value(bundle, number, "kind", kind) for kind in kinds),
            *(entry_value(bundle, number, "offset", one) for one in offsets),
            *(entry_value(bundle, number, "count", one) for one in counts),
            *(entry_value(bundle, number, "flags", one) for one in (2, 3, 1 << 31)),
        ]
        accepted = [at for at, one in enumerate(mutants) if not is_refused(one)]
        assert accepted == [], section.name


def test_one_record_more_or_less_is_refused(bundle: bytes) -> None:
    """A count that is off by one leaves a gap or an overlap, or breaks a slice.

    Plain bytes are the exception up to the padding's 7, which reads as zero.
    """
    for number, section in enumerate(sections(bundle)):
        _, count = entry(bundle, section.name)
        for changed in (count + 1, count - 1):
            data = entry_value(bundle, number, "count", changed)
            if not is_refused(data):
                assert section.name == "strings"
                assert decode(data) == decode(bundle)


def test_sections_that_overlap_or_swap_places_are_refused(bundle: bytes) -> None:
    names = [section.name for section in sections(bundle)]
    for a, b in permutations(range(len(names)), 2):
        place_b, _ = entry(bundle, names[b])
        assert is_refused(entry_value(bundle, a, "offset", place_b)), (a, b)


def test_padding_between_sections_must_be_zero(bundle: bytes) -> None:
    """Every byte that belongs to no section is looked at."""
    used = bytearray(len(bundle))
    table_end = 32 + 16 * len(sections(bundle))
    used[:table_end] = b"\1" * table_end
    for section in sections(bundle):
        offset, count = entry(bundle, section.name)
        size = count * records.record_size(section)
        used[offset : offset + size] = b"\1" * size
    free = [at for at, byte in enumerate(used) if not byte]
    assert len(free) >= 4
    for at in free:
        assert bundle[at] == 0
        assert "reserved" in str(refusal(repaired(patched(bundle, at, b"\1"))))


def test_unknown_section_is_skipped_unless_it_must_be_understood(bundle: bytes) -> None:
    for body in (b"", b"later", bytes(4096)):
        assert decode(with_section(bundle, UNKNOWN, 0, body)) == decode(bundle)
        refused = refusal(with_section(bundle, UNKNOWN, 1, body))
        assert "unknown section" in str(refused)
        assert decode(with_section(bundle, 0xFFFFFFFF, 0, body)) == decode(bundle)


def test_unknown_sections_are_held_to_the_order(bundle: bytes) -> None:
    two = with_section(with_section(bundle, UNKNOWN + 1, 0, b"one"), UNKNOWN, 0, b"two")
    assert "out of order" in str(refusal(two))
    same = with_section(with_section(bundle, UNKNOWN, 0, b"one"), UNKNOWN, 0, b"two")
    assert "out of order" in str(refusal(same))
    right = with_section(
        with_section(bundle, UNKNOWN, 0, b"one"), UNKNOWN + 1, 0, b"two"
    )
    assert decode(right) == decode(bundle)
    count = len(sections(bundle))
    for offset in (0, 33, len(right) + 8, 0xFFFFFFF8):
        assert is_refused(entry_value(right, count, "offset", offset))
    assert "flags" in str(refusal(with_section(bundle, UNKNOWN, 2, b"")))


def test_strings_must_begin_and_end_with_zero(bundle: bytes) -> None:
    offset, count = entry(bundle, "strings")
    assert "begin and end" in str(refusal(repaired(patched(bundle, offset, b"x"))))
    last = repaired(patched(bundle, offset + count - 1, b"x"))
    assert "begin and end" in str(refusal(last))


def test_no_stray_read_at_any_cut_or_flip(bundle: bytes, driver: Driver) -> None:
    """The parser under ASan and UBSan stays inside the bytes it was given."""
    cuts = [bundle[:length] for length in range(len(bundle) + 1)]
    repaired_cuts = [with_length(cut) for cut in cuts if len(cut) >= 32]
    flips = [
        repaired(patched(bundle, at, bytes([bundle[at] ^ (1 << at % 8)])))
        for at in range(24, len(bundle))
    ]
    errors = driver.errors([*cuts, *repaired_cuts, *flips])
    assert len(errors) == len(cuts) + len(repaired_cuts) + len(flips)
    accepted = [at for at, error in enumerate(errors[: 2 * len(bundle)]) if not error]
    # The whole bundle, as it is and with its length and checksum set again.
    assert accepted == [len(bundle), len(cuts) + len(repaired_cuts) - 1]
    assert 0 in errors[-len(flips) :]


def test_section_of_another_system_is_refused(bundle: bytes) -> None:
    """In its place by number, or behind all others; needed or not."""
    own = [section.kind for section in sections(bundle)]
    foreign = [one.kind for one in layout.SECTIONS if one.kind not in own]
    assert len(foreign) > 5
    for kind in foreign:
        for flags in (0, 1):
            behind = with_section(bundle, kind, flags, b"")
            words = "another system" if kind > own[-1] else "out of order"
            assert words in str(refusal(behind))
        following = [at for at, one in enumerate(own) if one > kind]
        if following:
            renamed = entry_value(bundle, following[0], "kind", kind)
            assert "another system" in str(refusal(renamed))
