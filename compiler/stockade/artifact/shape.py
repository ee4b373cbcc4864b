# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the parts of the bundle's description: rules, fields, sections, enumerations."""

from __future__ import annotations

from dataclasses import dataclass

from stockade.abi.targets import System

# Stands for "no record" where a field says so.
NONE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Rule:
    """What a field may hold; the parser checks it before anything uses the field.

    range: `low` to `high`; bits: none outside `high`; one-of: a number of the
    enumeration `of`; bits-of: any of its bits; index: a record of section `of`,
    or, with `high` 1, NONE; slice: this field and the next one cut section `of`,
    record after record, into pieces of `low` to `high`; string: any string; text:
    a string without control bytes; name: text that is not empty; path: absolute
    and normalised; windows-path: the same below a drive; variable: name of an
    environment variable; lines: printable ASCII and line feeds; identifier: a name
    as in C; word: ASCII letters, digits and `-_.`; label: a short word, and spaces;
    sid: a security identifier; sddl: bytes that one access entry is made of; any:
    every value.
    """

    kind: str
    of: str = ""
    low: int = 0
    high: int = 0

    def words(self) -> str:
        """Say what the rule allows, in the language of header and format page."""
        count = f"{self.low} to {self.high}"
        optional = f", or {NONE:#x} for none" if self.high else ""
        return {
            "any": "",
            "range": count if self.high else "0",
            "bits": f"bits of {self.high:#x}",
            "one-of": f"one of `{self.of}`",
            "bits-of": f"bits of `{self.of}`",
            "index": f"index into `{self.of}`{optional}",
            "slice": f"start of a slice of {count} `{self.of}`",
            "string": "string",
            "text": "text",
            "name": "text, not empty",
            "path": "absolute, normalised path",
            "windows-path": "absolute, normalised path below a drive",
            "variable": "name of an environment variable",
            "lines": "printable ASCII and line feeds, not empty",
            "identifier": "ASCII letters, digits and `_`, no digit first",
            "word": "ASCII letters, digits, `-`, `_` and `.`, not empty",
            "label": "the same and spaces, at most 64",
            "sid": "security identifier, in figures",
            "sddl": "ASCII letters, digits, `(`, `)`, `;` and `-`, not empty",
        }[self.kind]


@dataclass(frozen=True, slots=True)
class Field:
    """One fixed-width little-endian field; `str` is a u32 offset into the strings."""

    name: str
    type: str  # u8 u16 u32 u64 str, or u8[6], u64[6]
    rule: Rule
    doc: str


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its number, its names, its fields in order, how many records.

    `systems` are those whose bundles carry it; all others refuse it.
    """

    kind: int
    name: str
    record: str
    fields: tuple[Field, ...]
    doc: str
    low: int = 0
    high: int = 4 * 1024 * 1024
    systems: tuple[System, ...] = (System.LINUX,)


@dataclass(frozen=True, slots=True)
class Enumeration:
    """One closed set of numbers, or of bits; anything else in a field is refused."""

    name: str
    members: tuple[tuple[str, int, str], ...]
    bits: bool = False
