# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make a page that is one file: of one policy or bundle, or of a comparison.

INVARIANT: a page asks for nothing: its policy of content allows its own style sheet
and script, by their hashes, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stockade.render.environment import Templates, packaged
from stockade.render.prose import sentence
from stockade.render.text import (
    HtmlText,
    html_asset,
    html_asset_hash,
    html_name,
    html_printable,
    html_text,
)
from stockade.review.change import Case, Kind
from stockade.review.page_calls import (
    Calls,
    calls_view,
    keys_of_rules,
    links_by_requirement,
)
from stockade.review.page_matrix import Matrix, matrices
from stockade.review.page_paths import Meaning, Node, meanings, tree
from stockade.review.page_start import NamedList, start_lists
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
from stockade.review.report import Entry, case_note
from stockade.review.subject import LinuxSubject

_FOLDER = "review"
# The first witnesses of a change are shown at once, the rest when asked for.
_FIRST_CASES = 4


@dataclass(frozen=True, slots=True)
class Facts:
    """All of one artifact that a page shows, the same for targets that share it."""

    matrices: tuple[Matrix, ...]
    nodes: tuple[Node, ...]
    meanings: tuple[Meaning, ...]
    lists: tuple[NamedList, ...]
    warnings: tuple[NamedLine, ...]


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A line with a name of its own."""

    name: HtmlText
    text: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A view, and the targets that have it in common."""

    targets: HtmlText
    view: Facts | Calls


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


def report_page(document: Document, subjects: tuple[LinuxSubject, ...]) -> str:
    """Make the page of one policy or bundle, with a section for what targets share."""
    anchors = Anchors({"line": document})
    keys = [keys_of_rules(subject) for subject in subjects]
    return _page(
        "report.html.j2",
        title=html_text(document.name),
        targets=html_text(_targets(subjects)),
        lines=listed_lines("line", document),
        facts=_sections(
            subjects,
            [
                _facts(subject, links_by_requirement(known, anchors), anchors)
                for subject, known in zip(subjects, keys, strict=True)
            ],
        ),
        calls=_sections(
            subjects,
            [
                calls_view(subject, known, anchors)
                for subject, known in zip(subjects, keys, strict=True)
            ],
        ),
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


def _targets(subjects: tuple[LinuxSubject, ...]) -> str:
    return ", ".join(subject.artifact.target for subject in subjects)


def _sections(
    subjects: tuple[LinuxSubject, ...], views: Sequence[Facts | Calls]
) -> tuple[Section, ...]:
    shared: dict[Facts | Calls, list[LinuxSubject]] = {}
    for subject, view in zip(subjects, views, strict=True):
        shared.setdefault(view, []).append(subject)
    return tuple(
        Section(html_text(_targets(tuple(some))), view) for view, some in shared.items()
    )


def _facts(
    subject: LinuxSubject, links: dict[str, tuple[Link, ...]], anchors: Anchors
) -> Facts:
    artifact = subject.artifact
    return Facts(
        matrices(artifact, links),
        tree(subject, anchors),
        meanings(artifact),
        start_lists(artifact),
        tuple(
            NamedLine(html_text(row.id), pieces(sentence(row.text)))
            for row in artifact.warnings
        ),
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
