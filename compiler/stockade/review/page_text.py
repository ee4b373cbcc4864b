# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare a policy's text for a page: its lines, and links from places to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from stockade.model.place import Place
from stockade.render.prose import Code, Sentence
from stockade.render.text import HtmlText, html_name, html_printable, html_text

_TAB = 4


@dataclass(frozen=True, slots=True)
class Document:
    """What a page shows: its name, and its text where it is a policy."""

    name: str
    text: str | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """Give the text's lines without their ends."""
        if not self.text:
            return ()
        lines = self.text.split("\n")
        if not lines[-1]:
            lines.pop()
        return tuple(line.removesuffix("\r").expandtabs(_TAB) for line in lines)


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a sentence: words of ours, or a name."""

    text: HtmlText
    code: bool


@dataclass(frozen=True, slots=True)
class Link:
    """A key and where it is written; `anchor` is empty where no page shows that."""

    key: HtmlText
    where: HtmlText
    anchor: HtmlText


@dataclass(frozen=True, slots=True)
class Mark:
    """What a line of a policy leads to."""

    anchor: HtmlText
    text: HtmlText
    style: HtmlText


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a policy; without an anchor it is the gap beside a new line."""

    anchor: HtmlText
    number: HtmlText
    text: HtmlText
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lines side by side, and in which way they differ: a class of the page."""

    old: Line
    new: Line
    style: HtmlText


NOTHING = html_text("")
_GAP = Line(NOTHING, NOTHING, NOTHING)


class Anchors:
    """Where the lines of the documents of one page are found on it."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        """Take documents by the prefix of their anchors."""
        self._documents = documents

    def of(self, place: Place) -> HtmlText:
        """Give the anchor of a place; empty where no document shows it."""
        name, _, number = place.where.rpartition(":")
        for prefix, document in self._documents.items():
            if number.isdigit() and document.text and document.name == name:
                return html_name(f"{prefix}-{number}")
        return NOTHING

    def link(self, place: Place) -> Link:
        """Give the link to a place."""
        return Link(html_text(place.key), html_text(place.where), self.of(place))

    def links(self, places: Iterable[Place]) -> tuple[Link, ...]:
        """Give the links to places."""
        return tuple(map(self.link, places))


def pieces(words: Sentence) -> tuple[Piece, ...]:
    """Quote the words and names of a sentence."""
    return tuple(
        Piece(html_printable(part), code=True)
        if isinstance(part, Code)
        else Piece(html_text(part), code=False)
        for part in words.pieces
    )


def listed_lines(
    prefix: str, document: Document, marks: Mapping[str, tuple[Mark, ...]] | None = None
) -> tuple[Line, ...]:
    """Give the lines of a document with numbers; `marks` goes by anchor."""
    found = marks or {}
    return tuple(
        Line(
            html_name(f"{prefix}-{number}"),
            html_text(str(number)),
            html_text(line),
            found.get(f"{prefix}-{number}", ()),
        )
        for number, line in enumerate(document.lines, 1)
    )


def side_by_side(
    old: Document, new: Document, marks: Mapping[str, tuple[Mark, ...]]
) -> tuple[Pair, ...]:
    """Put the lines of two documents beside each other, equal ones together."""
    left = listed_lines("old", old, marks)
    right = listed_lines("new", new, marks)
    return tuple(_pairs(old, new, left, right))


def _pairs(
    old: Document, new: Document, left: tuple[Line, ...], right: tuple[Line, ...]
) -> Iterator[Pair]:
    matcher = SequenceMatcher(None, old.lines, new.lines)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        style = html_name("same" if tag == "equal" else "changed")
        for step in range(max(i2 - i1, j2 - j1)):
            yield Pair(
                left[i1 + step] if i1 + step < i2 else _GAP,
                right[j1 + step] if j1 + step < j2 else _GAP,
                style,
            )
