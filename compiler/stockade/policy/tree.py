# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold a TOML document as values with spans."""

from __future__ import annotations

from dataclasses import dataclass, field

from stockade.source import Span


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, a number, a boolean or a date, as Python has it."""

    value: object
    span: Span


@dataclass(frozen=True, slots=True)
class Array:
    """An array, or an array of tables; its span may be its first header alone."""

    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Table:
    """A table in any spelling; its span is where it was first opened."""

    entries: dict[str, Entry]
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A key where it was first written, and what it holds."""

    key_span: Span
    node: Node


Node = Scalar | Array | Table


@dataclass(slots=True)
class OpenArray:
    """An array of tables that may still grow."""

    items: list[OpenTable] = field(default_factory=list)


@dataclass(slots=True)
class OpenTable:
    """A table that may still grow, since TOML lets other headers add to it."""

    span: Span
    entries: dict[str, OpenEntry] = field(default_factory=dict)

    def closed(self) -> Table:
        """Return the finished table."""
        return Table(
            {name: entry.closed() for name, entry in self.entries.items()}, self.span
        )


@dataclass(frozen=True, slots=True)
class OpenEntry:
    """A key and what it holds so far."""

    key_span: Span
    node: Scalar | Array | Table | OpenTable | OpenArray

    def closed(self) -> Entry:
        """Return the finished entry."""
        match self.node:
            case OpenTable():
                return Entry(self.key_span, self.node.closed())
            case OpenArray(items):
                return Entry(
                    self.key_span,
                    Array(tuple(item.closed() for item in items), self.key_span),
                )
            case _:
                return Entry(self.key_span, self.node)
