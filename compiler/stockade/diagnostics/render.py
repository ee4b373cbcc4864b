# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn diagnostics into text: place, code, message, the line with a mark, advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stockade.diagnostics.report import Diagnostic, Note
from stockade.source import Span
from stockade.source.excerpt import excerpt
from stockade.source.visible import visible

# More than this helps nobody, and a hostile policy could ask for any number.
MOST_SHOWN = 100

_BOLD = "\x1b[1m"
_RED = "\x1b[1;31m"
_CYAN = "\x1b[36m"
_PLAIN = "\x1b[0m"


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
    """Return the text of diagnostics, the first 100 of them, each on lines of its own.

    Colour is for terminals; whoever prints knows whether it is one.
    """
    lines: list[str] = []
    for diagnostic in diagnostics[:MOST_SHOWN]:
        lines += _lines(diagnostic, colour=colour)
    hidden = len(diagnostics) - MOST_SHOWN
    if hidden > 0:
        lines.append(f"and {hidden} more")
    return "".join(f"{line}\n" for line in lines)


def _lines(diagnostic: Diagnostic, *, colour: bool) -> Iterator[str]:
    place = _paint(_place(diagnostic.span), _BOLD, colour=colour)
    kind = _paint(f"error[{diagnostic.code}]", _RED, colour=colour)
    yield f"{place}: {kind}: {diagnostic.message}"
    shown = excerpt(diagnostic.span)
    mark = _paint("^" * shown.width, _RED, colour=colour)
    yield f"{shown.line:5} | {shown.text}"
    yield f"      | {' ' * shown.indent}{mark}"
    for note in diagnostic.notes:
        yield f"   {_paint('note', _CYAN, colour=colour)}: {_note(note)}"
    if diagnostic.help:
        yield f"   {_paint('help', _CYAN, colour=colour)}: {diagnostic.help}"


def _note(note: Note) -> str:
    return f"{note.text}: {_place(note.span)}" if note.span else note.text


def _place(span: Span) -> str:
    position = span.position()
    return f"{visible(span.source.name)}:{position.line}:{position.column}"


def _paint(text: str, start: str, *, colour: bool) -> str:
    return f"{start}{text}{_PLAIN}" if colour else text
