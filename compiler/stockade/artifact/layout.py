# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe the bundle once: header, section table, and the sections of each system.

The C header, the parser's field rules, the binding, the format page in `docs/`
and the writer are all made from this description and from `enumerations`, so
the two sides cannot drift. It holds data and no logic.
"""

from __future__ import annotations

from stockade.abi.targets import SYSTEM_OF
from stockade.artifact.limits import LIMITS
from stockade.artifact.linux_sections import LINUX_SECTIONS
from stockade.artifact.macos_sections import KEY_SECTIONS, MACOS_SECTIONS
from stockade.artifact.rules import ANY, ZERO, bits_of, one_of
from stockade.artifact.shape import Field, Section
from stockade.artifact.windows_sections import WINDOWS_SECTIONS

__all__ = ["HEADER", "LIMITS", "MAGIC", "SECTIONS", "SECTION_ENTRY", "VERSION"]

MAGIC = b"STOCKADE"
# Says what a reader must know, not what a file holds: a section that is added
# later must be understood, and a reader of this version refuses it.
VERSION = 1

HEADER: tuple[Field, ...] = (
    Field("magic", "u64", ANY, "the bytes `STOCKADE`"),
    Field("version", "u32", ANY, "1"),
    Field("target", "u32", one_of("target"), "system and architecture"),
    Field("total_bytes", "u32", ANY, "length of the whole file"),
    Field("checksum", "u32", ANY, "CRC-32C of the file with this field left out"),
    Field("section_count", "u32", ANY, "entries of the section table that follows"),
    Field("reserved", "u32", ZERO, ""),
)

SECTION_ENTRY: tuple[Field, ...] = (
    Field("kind", "u32", ANY, "the section's number, rising from entry to entry"),
    Field("flags", "u32", bits_of("entry"), ""),
    Field("offset", "u32", ANY, "from the start of the file, a multiple of 8"),
    Field("count", "u32", ANY, "records; bytes for `strings` and `data`"),
)

# In the order of their numbers, which is their order in a file.
SECTIONS: tuple[Section, ...] = (
    *LINUX_SECTIONS,
    *KEY_SECTIONS,
    *MACOS_SECTIONS,
    *WINDOWS_SECTIONS,
)


def sections_of(target: str) -> tuple[Section, ...]:
    """Return the sections that a bundle for a target carries, in their order."""
    system = SYSTEM_OF[target]
    return tuple(one for one in SECTIONS if system in one.systems)
