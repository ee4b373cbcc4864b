# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make a page that is one file: of one policy or bundle, or of a comparison.

INVARIANT: a page asks for nothing: its policy of content allows its own style sheet
and script, by their hashes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from stockade.render.environment import Templates, packaged
from stockade.render.text import (
    HtmlText,
    html_asset,
    html_asset_hash,
    html_name,
    html_printable,
    html_text,
)
from stockade.review.change import Case, Kind
from stockade.review.judges import MakeDecide
from stockade.review.page_calls import (
    Calls,
    calls_view,
    keys_of_rules,
    links_by_requirement,
)
from stockade.review.page_facts import Facts, linux_facts
from stockade.review.page_flat import Applied, applied, flat_facts
from stockade.review.page_text import (
    Anchors,
    Document,
    Link,
    Mark,
    Piece,
    listed_lines,
    pieces,
    side_by_side,
)
from stockade.review.report import Entry, case_note, targets_of
from stockade.review.simulated import note
from stockade.review.subject import AnySubject, is_flat, on_linux

View = TypeVar("View")
_FOLDER = "review"
# The first witnesses of a change are shown at once, the rest when asked for.
_FIRST_CASES = 4


@dataclass(frozen=True, slots=True)
class Section(Generic[View]):
    """A view, and the targets that have it in common."""

    targets: HtmlText
    view: View


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of a comparison."""

    anchor: HtmlText
    sentence: tuple[Piece, ...]
    first: tuple[Answer, ...]
    more: tuple[Answer, ...]
    level: HtmlText
    hosts: HtmlText
    targets: HtmlText
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A request with the answers of both sides, and a note where there is one."""

    request: HtmlText
    note: HtmlText
    before: HtmlText
    after: HtmlText


@dataclass(frozen=True, slots=True)
class KindView:
    """The changes of one kind; `what` heads the column of what is answered."""

    name: HtmlText
    what: HtmlText
    style: HtmlText
    changes: tuple[Change, ...]


def report_page(
    document: Document, subjects: tuple[AnySubject, ...], make: MakeDecide
) -> str:
    """Make the page of one policy or bundle, with a section for what targets share.

    `make` makes an artifact without kinds of hosts ready to answer requests.
    """
    anchors = Anchors({"line": document})
    facts: list[tuple[str, Facts]] = []
    calls: list[tuple[str, Calls]] = []
    parts: list[Section[Applied]] = []
    for subject in subjects:
        target = subject.artifact.target
        if on_linux(subject):
            keys = keys_of_rules(subject)
            links = links_by_requirement(keys, anchors)
            facts.append((target, linux_facts(subject, links, anchors)))
            calls.append((target, calls_view(subject, keys, anchors)))
        elif is_flat(subject):
            decide = make(subject.artifact)
            facts.append((target, flat_facts(subject, decide, anchors)))
            parts.append(Section(html_text(target), applied(subject)))
    return _page(
        "report.html.j2",
        title=html_text(document.name),
        targets=html_text(", ".join(one.artifact.target for one in subjects)),
        lines=listed_lines("line", document),
        facts=_sections(facts),
        calls=_sections(calls),
        applied=tuple(parts),
    )


def difference_page(old: Document, new: Document, found: tuple[Entry, ...]) -> str:
    """Make the page of a comparison."""
    anchors = Anchors({"old": old, "new": new})
    kinds: list[KindView] = []
    marks: dict[str, list[Mark]] = {}
    numbered = list(enumerate(found, 1))
    for kind in Kind:
        style = html_name(str(kind).replace(" ", "-"))
        changes = []
        for number, entry in numbered:
            if entry.change.kind is not kind:
                continue
            changes.append(_change(number, entry, anchors))
            mark = Mark(changes[-1].anchor, html_text(f"{kind} {number}"), style)
            for anchor in dict.fromkeys(map(anchors.of, entry.change.rules)):
                marks.setdefault(anchor, []).append(mark)
        what = html_text("Part" if kind is Kind.MECHANISM else "Request")
        kinds.append(KindView(html_text(str(kind)), what, style, tuple(changes)))
    both = {anchor: tuple(some) for anchor, some in marks.items()}
    return _page(
        "difference.html.j2",
        title=html_text(f"{old.name} → {new.name}"),
        old=html_text(old.name),
        new=html_text(new.name),
        kinds=[kind for kind in kinds if kind.changes],
        counts=kinds,
        note=html_text(note(targets_of(found))),
        pairs=side_by_side(old, new, both) if old.lines or new.lines else (),
    )


def _page(template: str, **view: object) -> str:
    templates = packaged(HtmlText)
    style = _asset(templates, "page.css.j2")
    script = _asset(templates, "filter.js.j2")
    return templates.render(
        f"{_FOLDER}/{template}",
        style=style,
        style_hash=html_asset_hash(style),
        script=script,
        script_hash=html_asset_hash(script),
        **view,
    )


def _asset(templates: Templates, name: str) -> HtmlText:
    return html_asset(templates.render(f"{_FOLDER}/{name}"))


def _sections(views: Iterable[tuple[str, View]]) -> tuple[Section[View], ...]:
    shared: dict[View, list[str]] = {}
    for target, view in views:
        shared.setdefault(view, []).append(target)
    return tuple(
        Section(html_text(", ".join(some)), view) for view, some in shared.items()
    )


def _change(number: int, entry: Entry, anchors: Anchors) -> Change:
    answers = tuple(map(_answer, entry.change.cases))
    return Change(
        html_name(f"change-{number}"),
        pieces(entry.change.sentence),
        answers[:_FIRST_CASES],
        answers[_FIRST_CASES:],
        html_text(entry.level),
        html_text(entry.hosts),
        html_text(", ".join(entry.targets)),
        anchors.links(entry.change.rules),
    )


def _answer(case: Case) -> Answer:
    return Answer(
        html_printable(case.witness),
        html_text(case_note(case)),
        html_printable(case.before),
        html_printable(case.after),
    )
