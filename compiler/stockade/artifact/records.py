# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Work out where each field of a record lies; sizes and formats for both sides.

INVARIANT: records are naturally aligned C structs without holes, so the packed
little-endian form and the compiler's own layout are the same bytes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from stockade.artifact.layout import SECTIONS

if TYPE_CHECKING:
    from stockade.artifact.shape import Field, Section

_CODES = {"u8": ("B", 1), "u16": ("H", 2), "u32": ("I", 4), "u64": ("Q", 8)}
_CODES["str"] = _CODES["u32"]


def repeat(field: Field) -> int:
    """Return how many values the field holds; 1 unless it is an array."""
    _, bracket, rest = field.type.partition("[")
    return int(rest.rstrip("]")) if bracket else 1


def width(field: Field) -> int:
    """Return the bytes of one value of the field."""
    return _CODES[_element(field)][1]


def offset(fields: tuple[Field, ...], name: str) -> int:
    """Return the byte offset of a field within its record."""
    position = 0
    for field in fields:
        if field.name == name:
            return position
        position += width(field) * repeat(field)
    raise KeyError(name)


def record_format(fields: tuple[Field, ...]) -> struct.Struct:
    """Return the `struct` form of a record."""
    codes = [f"{repeat(field)}{_CODES[_element(field)][0]}" for field in fields]
    return struct.Struct("<" + "".join(codes))


def record_size(section: Section) -> int:
    """Return the bytes of one record; 1 for the sections of plain bytes."""
    return record_format(section.fields).size if section.fields else 1


def section(name: str) -> Section:
    """Return a section by its name."""
    return next(section for section in SECTIONS if section.name == name)


def c_type(field: Field) -> str:
    """Return the C type of one value of the field."""
    return f"uint{width(field) * 8}_t"


def c_element(section: Section) -> str:
    """Return the C type that a section is an array of."""
    if section.record:
        return f"struct stk_{section.record}"
    return "char" if section.name == "strings" else "unsigned char"


def _element(field: Field) -> str:
    return field.type.partition("[")[0]
