# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold a sentence apart from the names in it until its format is known.

INVARIANT: what a user wrote is a Code, made printable when it is built, so every
format quotes it in its own way and exactly once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from stockade.render.text import MarkdownText, PlainText, plain

_TICKS = re.compile("`+")
_MARKS = re.compile(r"([\\*_<>\[\]#&`|~])")


class Code(PlainText):
    """A name within a sentence: a path, a call, a variable."""

    __slots__ = ()


Piece: TypeAlias = str | Code


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words of our own and names, in order."""

    pieces: tuple[Piece, ...]

    def __str__(self) -> str:
        """Write the sentence as plain text, names in backticks."""
        return "".join(
            f"`{one}`" if isinstance(one, Code) else one for one in self.pieces
        )

    def markdown(self) -> MarkdownText:
        """Write the sentence as a line of Markdown."""
        return MarkdownText(
            "".join(
                code_span(one) if isinstance(one, Code) else _MARKS.sub(r"\\\1", one)
                for one in self.pieces
            )
        )


def code(text: str) -> Code:
    """Make a name printable."""
    return Code(plain(text))


def sentence(*parts: Piece | Sentence) -> Sentence:
    """Join words, names and sentences."""
    pieces: list[Piece] = []
    for part in parts:
        pieces += part.pieces if isinstance(part, Sentence) else (part,)
    return Sentence(tuple(pieces))


def listed(parts: Iterable[Piece | Sentence], most: int, last: str = "and") -> Sentence:
    """Join parts by commas; of more than `most` the rest is only counted."""
    every = list(parts)
    if len(every) > most + 1:
        every = [*every[:most], f"{len(every) - most} more"]
    pieces: list[Piece | Sentence] = []
    for at, part in enumerate(every):
        if at:
            pieces.append(f" {last} " if at == len(every) - 1 else ", ")
        pieces.append(part)
    return sentence(*pieces)


def code_span(text: PlainText) -> MarkdownText:
    """Return printable text as a code span, whatever backticks are in it."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    # One blank at each end goes again, and lets a backtick stand there.
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return MarkdownText(f"{fence}{pad}{text}{pad}{fence}")
