# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cut the line around a span out of its source, with the place of the mark."""

from __future__ import annotations

from dataclasses import dataclass

from stockade.source.text import Span
from stockade.source.visible import columns, visible_character

# A line is shown whole up to here; of a longer one, the part around the span.
_LONGEST_LINE = 100
_BEFORE = 40
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One line of a source as it is shown; `indent` and `width` are columns."""

    line: int
    text: str
    indent: int
    width: int


def excerpt(span: Span) -> Excerpt:
    """Show the first line of a span; a mark is at least one column wide."""
    text = span.source.text
    line_start, line_end = span.source.line_around(span.start)
    start, end = line_start, line_end
    if end - start > _LONGEST_LINE:
        start = max(start, min(span.start - _BEFORE, end - _LONGEST_LINE))
        end = min(end, start + _LONGEST_LINE)
    head = _shown(text[start : span.start])
    body = _shown(text[span.start : min(max(span.end, span.start), end)])
    tail = _shown(text[span.start : end])
    before = _CUT if start > line_start else ""
    after = _CUT if end < line_end else ""
    return Excerpt(
        line=span.position().line,
        text=f"{before}{head}{tail}{after}",
        indent=columns(before + head),
        width=max(1, columns(body)),
    )


def _shown(text: str) -> str:
    # A tab is one column here, so that the mark stands where it should.
    return "".join(map(visible_character, text.replace("\t", " ")))
