# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the bundle's description into docs/bundle-format.md.

Usage: render_docs.py [OUT]. Without OUT the page in the source tree is rewritten;
a test compares that page with what comes out here. Needs jinja2.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "compiler"))

from stockade.abi.features import FEATURES  # noqa: E402
from stockade.abi.targets import System  # noqa: E402
from stockade.artifact import layout, records  # noqa: E402
from stockade.artifact.enumerations import ENUMERATIONS, PLACEHOLDERS  # noqa: E402
from stockade.artifact.shape import Enumeration, Field, Section  # noqa: E402
from stockade.render.environment import from_folder  # noqa: E402
from stockade.render.text import (  # noqa: E402
    MarkdownText,
    markdown_code,
    markdown_prose,
)

PAGE = ROOT / "docs" / "bundle-format.md"
_SYSTEM_NAMES = {
    System.LINUX: "Linux",
    System.MACOS: "macOS",
    System.WINDOWS: "Windows",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One field of a table."""

    offset: int
    name: MarkdownText
    type: MarkdownText
    text: MarkdownText


@dataclass(frozen=True, slots=True)
class Part:
    """One section with its table."""

    kind: int
    name: MarkdownText
    text: MarkdownText
    systems: MarkdownText
    fields: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """One number with its name and meaning."""

    value: MarkdownText | int
    name: MarkdownText
    text: MarkdownText


@dataclass(frozen=True, slots=True)
class Numbers:
    """One enumeration."""

    name: MarkdownText
    kind: MarkdownText
    members: tuple[Named, ...]


def page() -> str:
    """Return the text of the page."""
    return from_folder(ROOT / "templates").render(
        "docs/bundle-format.md.j2",
        version=layout.VERSION,
        header=_rows(layout.HEADER),
        entry=_rows(layout.SECTION_ENTRY),
        sections=[_part(section) for section in layout.SECTIONS],
        systems=[_system(system) for system in System],
        next_kind=layout.SECTIONS[-1].kind + 1,
        placeholders={
            name: [markdown_prose(f"{number:#x}") for number in pair]
            for name, pair in PLACEHOLDERS.items()
        },
        enumerations=[_numbers(enumeration) for enumeration in ENUMERATIONS],
        features=[
            Named(markdown_prose(f"{bit:#x}"), markdown_code(name), MarkdownText())
            for name, bit in FEATURES.items()
        ],
        limits=[
            Named(limit, markdown_code(name), MarkdownText())
            for name, limit in layout.LIMITS.items()
        ],
    )


def _rows(fields: tuple[Field, ...]) -> tuple[Row, ...]:
    return tuple(
        Row(
            records.offset(fields, field.name),
            markdown_code(field.name),
            markdown_prose(field.type),
            markdown_prose("; ".join(filter(None, (field.doc, field.rule.words())))),
        )
        for field in fields
    )


def _part(section: Section) -> Part:
    count = _count(section)
    return Part(
        section.kind,
        markdown_code(section.name),
        markdown_prose(f"{section.doc[:1].upper()}{section.doc[1:]}{count}."),
        markdown_prose(_systems(section)),
        _rows(section.fields),
    )


def _systems(section: Section) -> str:
    if section.systems == tuple(System):
        return "In every bundle."
    names = (_SYSTEM_NAMES[system] for system in section.systems)
    return f"In bundles of {' and '.join(names)}."


def _system(system: System) -> Named:
    names = [one.name for one in layout.SECTIONS if system in one.systems]
    return Named(
        0,
        markdown_prose(_SYSTEM_NAMES[system]),
        MarkdownText(", ".join(map(markdown_code, names))),
    )


def _count(section: Section) -> str:
    if section.high == layout.LIMITS["BUNDLE_BYTES"]:
        return ""
    if section.low == section.high:
        return ""
    return f" ({section.low} to {section.high} records)"


def _numbers(enumeration: Enumeration) -> Numbers:
    return Numbers(
        markdown_code(enumeration.name),
        MarkdownText(" (bits)" if enumeration.bits else ""),
        tuple(
            Named(number, markdown_code(name.lower()), markdown_prose(doc))
            for name, number, doc in enumeration.members
        ),
    )


def main(argv: list[str]) -> int:
    """Write the page to the file named, or to its place in the source tree."""
    if len(argv) > 1:
        sys.stderr.write("usage: render_docs.py [OUT]\n")
        return 125
    out = Path(argv[0]) if argv else PAGE
    out.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
