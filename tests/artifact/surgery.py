# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Change single fields of a bundle and repair its checksum.

Works from the description alone, so that a test reaches what an encoder that
makes sound bundles never writes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from stockade.artifact import layout, records
from stockade.artifact.enumerations import WORDS
from stockade.artifact.errors import BundleRefused
from stockade.artifact.parser import library, parse
from stockade.artifact.shape import Field, Section

_AT = records.offset(layout.HEADER, "checksum")
_HEADER = records.record_format(layout.HEADER)
_ENTRY = records.record_format(layout.SECTION_ENTRY)
_CODES = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}


def repaired(data: bytes) -> bytes:
    """Return the bytes with the checksum they call for."""
    crc32c = library().stk_crc32c_software
    before, after = data[:_AT], data[_AT + 4 :]
    crc = crc32c(crc32c(0, before, len(before)), after, len(after))
    return before + struct.pack("<I", crc) + after


@dataclass(frozen=True, slots=True)
class Place:
    """One value of one field: where it lies and what it belongs to."""

    section: Section
    index: int
    field: Field
    start: int
    width: int

    def read(self, data: bytes) -> int:
        """Return the value."""
        return int.from_bytes(data[self.start : self.start + self.width], "little")

    def write(self, data: bytes, value: int) -> bytes:
        """Return the bundle with another value here and the checksum repaired."""
        code = _CODES[self.width]
        return repaired(patched(data, self.start, struct.pack(code, value)))


def patched(data: bytes, start: int, piece: bytes) -> bytes:
    """Return the bytes with a piece put over them."""
    return data[:start] + piece + data[start + len(piece) :]


def sections(data: bytes) -> tuple[Section, ...]:
    """Return the sections that a bundle has by its target, which must be known."""
    at = records.offset(layout.HEADER, "target")
    return layout.sections_of(
        WORDS["target"][int.from_bytes(data[at : at + 4], "little")]
    )


def entry(data: bytes, name: str) -> tuple[int, int]:
    """Return offset and number of records of a section."""
    for number, section in enumerate(sections(data)):
        if section.name == name:
            return entry_at(data, number)
    raise KeyError(name)


def entry_at(data: bytes, number: int) -> tuple[int, int]:
    """Return offset and number of records that an entry of the table tells."""
    at = _HEADER.size + number * _ENTRY.size
    _, _, offset, count = _ENTRY.unpack_from(data, at)
    return offset, count


def places(data: bytes) -> Iterator[Place]:
    """Walk every value of every field of every record."""
    for section in sections(data):
        offset, count = entry(data, section.name)
        size = records.record_size(section)
        for index in range(count if section.fields else 0):
            for field in section.fields:
                width = records.width(field)
                start = (
                    offset + index * size + records.offset(section.fields, field.name)
                )
                for n in range(records.repeat(field)):
                    yield Place(section, index, field, start + n * width, width)


def place(data: bytes, section: str, index: int, field: str, n: int = 0) -> Place:
    """Return one value's place; `n` counts the values of an array."""
    found = [
        one
        for one in places(data)
        if (one.section.name, one.index, one.field.name) == (section, index, field)
    ]
    return found[n]


def header_value(data: bytes, field: str, value: int) -> bytes:
    """Return the bundle with another value in its header, checksum repaired."""
    start = records.offset(layout.HEADER, field)
    width = next(records.width(one) for one in layout.HEADER if one.name == field)
    return repaired(patched(data, start, struct.pack(_CODES[width], value)))


def entry_value(data: bytes, number: int, field: str, value: int) -> bytes:
    """Return the bundle with another value in its section table, repaired."""
    start = _HEADER.size + number * _ENTRY.size
    start += records.offset(layout.SECTION_ENTRY, field)
    return repaired(patched(data, start, struct.pack("<I", value)))


def with_length(data: bytes) -> bytes:
    """Return the bytes with the length and checksum in the header set right."""
    return header_value(data, "total_bytes", len(data))


def with_section(data: bytes, kind: int, flags: int, body: bytes) -> bytes:
    """Return the bundle with one more section behind all others."""
    values = list(_HEADER.unpack_from(data))
    table_end = _HEADER.size + values[5] * _ENTRY.size
    grown = bytearray(data[:table_end])
    for at in range(_HEADER.size, table_end, _ENTRY.size):
        one = list(_ENTRY.unpack_from(grown, at))
        one[2] += _ENTRY.size
        _ENTRY.pack_into(grown, at, *one)
    rest = data[table_end:]
    offset = table_end + _ENTRY.size + len(rest)
    rest += bytes(-offset % 8) + body
    offset += -offset % 8
    grown += _ENTRY.pack(kind, flags, offset, len(body))
    values[5] += 1
    _HEADER.pack_into(grown, 0, *values)
    return with_length(bytes(grown) + rest)


def refusal(data: bytes, target: str | None = None) -> BundleRefused:
    """Return the parser's refusal; fail where it accepts."""
    with pytest.raises(BundleRefused) as caught:
        parse(data, target)
    assert 0 <= caught.value.offset <= len(data)
    return caught.value


def is_refused(data: bytes) -> bool:
    """Tell whether the parser refuses."""
    try:
        parse(data)
    except BundleRefused:
        return True
    return False
