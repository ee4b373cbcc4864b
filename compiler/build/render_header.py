# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the bundle's description into the C header that the launcher includes.

Usage: render_header.py OUT. Runs before stockade is installed: the package and
the templates are found beside this file. Needs jinja2.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "compiler"))

from stockade.abi.features import FEATURES  # noqa: E402
from stockade.abi.targets import SYSTEM_OF, System  # noqa: E402
from stockade.artifact import layout, records  # noqa: E402
from stockade.artifact.enumerations import (  # noqa: E402
    ENUMERATIONS,
    PLACEHOLDERS,
    WORDS,
)
from stockade.artifact.shape import (  # noqa: E402
    NONE,
    Enumeration,
    Field,
    Rule,
    Section,
)
from stockade.render.environment import from_folder  # noqa: E402
from stockade.render.text import (  # noqa: E402
    CText,
    c_bits,
    c_comment,
    c_name,
    c_number,
    c_type,
    c_word,
)

_SYSTEMS = {system: 1 << number for number, system in enumerate(System)}


@dataclass(frozen=True, slots=True)
class Constant:
    """One `#define` or enumeration member."""

    name: CText
    value: CText | int
    comment: CText


@dataclass(frozen=True, slots=True)
class Spelled:
    """One member of an enumeration and the word that texts use for it."""

    name: CText
    word: CText


@dataclass(frozen=True, slots=True)
class Closed:
    """One enumeration with the mask of its bits, when it is made of bits."""

    comment: CText
    members: tuple[Constant, ...]
    mask: Constant | None
    words_name: CText
    words: tuple[Spelled, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a struct; `bracket` is its array part."""

    comment: CText | None
    type: CText
    name: CText
    bracket: CText
    offset: int


@dataclass(frozen=True, slots=True)
class Record:
    """One struct."""

    comment: CText
    name: CText
    members: tuple[Member, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Place:
    """One section: its number, its member of `struct stk_bundle`, its records."""

    comment: CText
    upper: CText
    name: CText
    type: CText
    kind: int
    low: int
    high: int
    systems: CText


@dataclass(frozen=True, slots=True)
class Target:
    """One target and its system."""

    name: CText
    system: CText


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the parser's field rules."""

    section: CText
    record: CText
    field: CText
    repeat: int
    rule: CText
    of: int
    low: CText
    high: CText


def header() -> str:
    """Return the text of the header."""
    records_ = [
        _record("header", layout.HEADER, "first bytes of the file"),
        _record("section_entry", layout.SECTION_ENTRY, "one line of the section table"),
        *(_record(s.record, s.fields, s.doc) for s in layout.SECTIONS if s.fields),
    ]
    return from_folder(ROOT / "templates").render(
        "launcher/bundle_format.h.j2",
        version=layout.VERSION,
        continued=CText(" \\"),
        magic=c_bits(int.from_bytes(layout.MAGIC, "little"), 64),
        no_record=c_bits(NONE, 32),
        limits=[
            _constant("MAX", name, c_number(value))
            for name, value in layout.LIMITS.items()
        ],
        features=[
            _constant("FEATURE", name, c_bits(value, 64))
            for name, value in FEATURES.items()
        ],
        placeholders=[
            _constant("PLACEHOLDER", f"{name}_{part}", c_bits(value, 32))
            for name, pair in PLACEHOLDERS.items()
            for part, value in zip(("CODE", "K"), pair, strict=True)
        ],
        enumerations=[_closed(enumeration) for enumeration in ENUMERATIONS],
        systems=[
            _constant("SYSTEM", system.value, c_bits(bit, 32))
            for system, bit in _SYSTEMS.items()
        ],
        targets=[
            Target(_upper(target), _upper(system))
            for target, system in SYSTEM_OF.items()
        ],
        records=records_,
        sections=[_place(section) for section in layout.SECTIONS],
        checks=[
            _check(section, field)
            for section in layout.SECTIONS
            for field in section.fields
            if field.rule.kind != "any"
        ],
    )


def _constant(prefix: str, name: str, value: CText | int, doc: str = "") -> Constant:
    full = f"STK_{prefix}_{name}".upper().replace("-", "_")
    return Constant(c_name(full), value, c_comment(doc or name, "\t"))


def _closed(enumeration: Enumeration) -> Closed:
    mask = sum(value for _, value, _ in enumeration.members)
    return Closed(
        c_comment(enumeration.name + (": bits" if enumeration.bits else "")),
        tuple(
            _constant(enumeration.name, name, value, doc)
            for name, value, doc in enumeration.members
        ),
        _constant(enumeration.name, "BITS", c_bits(mask, 32))
        if enumeration.bits
        else None,
        c_name(f"STK_{enumeration.name}_WORDS".upper()),
        tuple(
            Spelled(
                _constant(enumeration.name, name, value).name,
                c_word(WORDS[enumeration.name][value]),
            )
            for name, value, _ in enumeration.members
        ),
    )


def _record(name: str, fields: tuple[Field, ...], doc: str) -> Record:
    members = tuple(
        Member(
            c_comment(_field_doc(field), "\t") if _field_doc(field) else None,
            c_type(records.c_type(field)),
            c_name(field.name),
            CText(f"[{records.repeat(field)}]" if records.repeat(field) > 1 else ""),
            records.offset(fields, field.name),
        )
        for field in fields
    )
    size = records.record_format(fields).size
    return Record(c_comment(doc), c_name(f"stk_{name}"), members, size)


def _field_doc(field: Field) -> str:
    return "; ".join(part for part in (field.doc, field.rule.words()) if part)


def _place(section: Section) -> Place:
    return Place(
        c_comment(section.doc, "\t"),
        c_name(section.name.upper()),
        c_name(section.name),
        c_type(records.c_element(section)),
        section.kind,
        section.low,
        section.high,
        c_bits(sum(_SYSTEMS[system] for system in section.systems), 32),
    )


def _upper(word: str) -> CText:
    return c_name(word.upper().replace("-", "_"))


def _check(section: Section, field: Field) -> Check:
    kind, of, low, high = _numbers(field.rule)
    return Check(
        c_name(section.name.upper()),
        c_name(f"stk_{section.record}"),
        c_name(field.name),
        records.repeat(field),
        _upper(kind),
        of,
        c_bits(low, 64),
        c_bits(high, 64),
    )


def _numbers(rule: Rule) -> tuple[str, int, int, int]:
    match rule.kind:
        case "index" | "slice":
            return rule.kind, records.section(rule.of).kind, rule.low, rule.high
        case "one-of" | "bits-of":
            values = _values(rule.of)
            if rule.kind == "bits-of":
                return "bits", 0, 0, sum(values)
            if values != list(range(values[0], values[-1] + 1)):
                message = f"enumeration `{rule.of}` has a gap"
                raise ValueError(message)
            return "range", 0, values[0], values[-1]
        case kind:
            return kind, 0, rule.low, rule.high


def _values(name: str) -> list[int]:
    enumeration = next(one for one in ENUMERATIONS if one.name == name)
    return [value for _, value, _ in enumeration.members]


def main(argv: list[str]) -> int:
    """Write the header to the file named by the one argument."""
    if len(argv) != 1:
        sys.stderr.write("usage: render_header.py OUT\n")
        return 125
    out = Path(argv[0])
    out.parent.mkdir(parents=True, exist_ok=True)
    text = header()
    # An unchanged header keeps its time, so that make rebuilds nothing.
    if not out.is_file() or out.read_text(encoding="utf-8") != text:
        out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
