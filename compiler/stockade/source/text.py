# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn offsets into a text into lines and columns.

A span knows its source, so that a diagnostic can point into a policy file and at
an option of the command line at once. Offsets, lines and columns count code
points; lines end with a line feed.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Position:
    """A line and a column, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A text and the name it goes by in diagnostics."""

    name: str
    text: str = field(repr=False)

    def position(self, offset: int) -> Position:
        """Return the place of an offset; one past the end is allowed."""
        start = self.text.rfind("\n", 0, offset) + 1
        return Position(self.text.count("\n", 0, offset) + 1, offset - start + 1)

    def line_around(self, offset: int) -> tuple[int, int]:
        """Return where the line of an offset begins and ends, its end left out."""
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        if end < 0:
            end = len(self.text)
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return start, end


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a source, from one offset to before another."""

    source: Source = field(repr=False)
    start: int
    end: int

    @property
    def text(self) -> str:
        """Return the piece itself."""
        return self.source.text[self.start : self.end]

    def position(self) -> Position:
        """Return the place where the piece begins."""
        return self.source.position(self.start)
