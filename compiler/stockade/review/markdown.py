# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write a comparison as a comment to a merge request.

What widens access stands first, each with its witness first; the cases and how the
rest is held are folded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stockade.render.prose import code_span
from stockade.render.text import PlainText
from stockade.review.change import ALLOWED, Case, Kind
from stockade.review.report import (
    Entry,
    case_note,
    case_text,
    counts,
    place,
    targets_of,
)
from stockade.review.simulated import note

# A comment has room for so many characters, and a reader for fewer.
_FOLDED = 20
_MARKS = {
    Kind.NEWLY_ALLOWED: "Newly allowed",
    Kind.NEWLY_DENIED: "Newly denied",
    Kind.CHANGED_ERROR: "Changed error",
    Kind.MECHANISM: "Mechanism changed",
}


def markdown_lines(found: Sequence[Entry]) -> Iterator[str]:
    """Write entries as Markdown; a summary line comes first, always."""
    yield f"**Policy change: {counts(found)}**"
    for kind in Kind:
        of_kind = [entry for entry in found if entry.change.kind is kind]
        if not of_kind:
            continue
        yield ""
        if kind is Kind.MECHANISM:
            yield f"<details><summary>{_MARKS[kind]} ({len(of_kind)})</summary>"
        else:
            yield f"### {_MARKS[kind]} ({len(of_kind)})"
        yield ""
        for entry in of_kind:
            yield from _entry(entry)
        if kind is Kind.MECHANISM:
            yield ""
            yield "</details>"
    if note(targets_of(found)):
        yield ""
        yield note(targets_of(found))


def _entry(entry: Entry) -> Iterator[str]:
    change = entry.change
    first, more = change.cases[0], change.cases[1:]
    if change.kind is Kind.MECHANISM:
        yield f"- {change.sentence.markdown()}"
        yield f"  - {_case(change.kind, first)}"
    else:
        yield f"- {code_span(first.witness)} {_answers(first)}: " + (
            change.sentence.markdown()
        )
    yield f"  - {place(entry).markdown()}"
    if more:
        yield f"  - <details><summary>{len(more)} more</summary>"
        yield ""
        for case in more[:_FOLDED]:
            yield f"    - {_case(change.kind, case)}"
        if len(more) > _FOLDED:
            yield f"    - and {len(more) - _FOLDED} more, all in `--json`"
        yield ""
        yield "    </details>"


def _case(kind: Kind, case: Case) -> str:
    where = f" ({case_note(case)})" if case_note(case) else ""
    if kind is Kind.MECHANISM:
        return f"{code_span(PlainText(case_text(kind, case)))}{where}"
    return f"{code_span(case.witness)} {_answers(case)}{where}"


def _answers(case: Case) -> str:
    before, after = code_span(case.before), code_span(case.after)
    if case.after == ALLOWED:
        return f"is now allowed, {before} before"
    if case.before == ALLOWED:
        return f"is now refused with {after}"
    return f"is now {after}, {before} before"
