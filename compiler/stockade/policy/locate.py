# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Find where each key and value of a tomlkit document stands in its text.

tomlkit keeps no offsets, but it keeps every item in the order in which it renders
them. So the walk renders along: a cursor moves over the text, and each key and value
must stand right behind it, by its name. What tomlkit keeps in another order than it
was written, a split array of tables, is found that way and refused.
"""

from __future__ import annotations

import re
import tomllib

from tomlkit.items import AoT, InlineTable, Item, Key
from tomlkit.items import Array as TomlArray
from tomlkit.items import Table as TomlTable
from tomlkit.toml_document import TOMLDocument

from stockade.policy.tree import Array, Node, OpenArray, OpenEntry, OpenTable, Scalar
from stockade.policy.tree import Table as TreeTable
from stockade.source import Source, Span

_SPACE = re.compile(r"[ \t\r\n,]*")
_KEY_PART = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+)[ \t]*""")

_Body = list[tuple[Key | None, Item]]


class Scattered(Exception):
    """The items of a document do not follow each other as in its text."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"at offset {offset}")
        self.offset = offset


def locate(document: TOMLDocument, source: Source, text: str) -> TreeTable:
    """Return the places of a document, with scalars left empty.

    `text` is what the document was parsed from, with the offsets of the source.
    Raises Scattered where the items stand in another order.
    """
    walk = _Walk(source, text)
    walk.body(document.body, walk.root)
    return walk.root.closed()


class _Walk:
    def __init__(self, source: Source, text: str) -> None:
        self._source = source
        self._text = text
        self._at = 0
        self.root = OpenTable(Span(source, 0, 0))

    def body(
        self,
        body: _Body,
        table: OpenTable,
        header: tuple[str, ...] = (),
        dotted: tuple[str, ...] = (),
    ) -> None:
        """Follow the items of one body.

        `header` names the tables around it, `dotted` the first parts of its keys.
        """
        for key, item in body:
            if key is None:
                continue
            below = (*header, key.key)
            match item:
                case AoT():
                    for element in item.body:
                        opened = self._element(below, self._header(below, "[["))
                        self.body(element.value.body, opened, below)
                case TomlTable() if key.is_dotted():
                    self.body(item.value.body, table, header, (*dotted, key.key))
                case TomlTable() if item.is_super_table():
                    # Only named by the headers of the tables in it.
                    self.body(item.value.body, table, below)
                case TomlTable():
                    opened = _below(self.root, below, self._header(below, "["))
                    self.body(item.value.body, opened, below)
                case _:
                    self._pair(table, (*dotted, key.key), item)

    def _pair(self, table: OpenTable, names: tuple[str, ...], item: Item) -> None:
        spans = self._key(names)
        self._expect("=")
        node = self._value(item)
        holder = _below(table, names[:-1], spans)
        holder.entries[names[-1]] = OpenEntry(spans[-1], node)

    def _value(self, item: Item) -> Node:
        match item:
            case TomlArray():
                start = self._expect("[").start
                items = tuple(self._value(element) for element in item)
                return Array(items, self._since(start, "]"))
            case InlineTable():
                start = self._expect("{").start
                opened = OpenTable(Span(self._source, start, start))
                self.body(item.value.body, opened)
                return TreeTable(opened.closed().entries, self._since(start, "}"))
            case _:
                return Scalar(None, self._expect(item.as_string()))

    def _header(self, names: tuple[str, ...], opening: str) -> list[Span]:
        self._expect(opening)
        spans = self._key(names)
        self._expect("]" * len(opening))
        return spans

    def _key(self, names: tuple[str, ...]) -> list[Span]:
        self._skip()
        spans: list[Span] = []
        for name in names:
            if spans:
                self._expect(".")
            match = _KEY_PART.match(self._text, self._at)
            if match is None or _name(match[1]) != name:
                raise Scattered(self._at)
            spans.append(Span(self._source, *match.span(1)))
            self._at = match.end()
        return spans

    def _element(self, names: tuple[str, ...], spans: list[Span]) -> OpenTable:
        holder = _below(self.root, names[:-1], spans)
        entry = holder.entries.setdefault(names[-1], OpenEntry(spans[-1], OpenArray()))
        if not isinstance(entry.node, OpenArray):
            raise Scattered(spans[-1].start)
        entry.node.items.append(OpenTable(spans[-1]))
        return entry.node.items[-1]

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _expect(self, piece: str) -> Span:
        self._skip()
        if not self._text.startswith(piece, self._at):
            raise Scattered(self._at)
        start, self._at = self._at, self._at + len(piece)
        return Span(self._source, start, self._at)

    def _since(self, start: int, closing: str) -> Span:
        return Span(self._source, start, self._expect(closing).end)


def _name(part: str) -> str:
    """Return the name that one part of a key spells."""
    if "\\" in part:
        return next(iter(tomllib.loads(f"{part} = 0")))
    return part[1:-1] if part[0] in "\"'" else part


def _below(table: OpenTable, names: tuple[str, ...], spans: list[Span]) -> OpenTable:
    """Descend by names, opening what is not there yet."""
    for name, span in zip(names, spans, strict=False):
        entry = table.entries.setdefault(name, OpenEntry(span, OpenTable(span)))
        match entry.node:
            case OpenTable():
                table = entry.node
            case OpenArray(items):
                table = items[-1]
            case _:
                raise Scattered(span.start)
    return table
