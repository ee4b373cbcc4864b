# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare a macOS or Windows artifact for a page: what it holds, and what applies it.

Whatever is allowed at a path is asked of the judge of the artifact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stockade.abi.targets import SYSTEM_OF
from stockade.model.deviation import Deviation, expect
from stockade.model.deviations import DEVIATIONS
from stockade.model.macos_artifact import MacosArtifact, ParameterKind
from stockade.model.policy import Access
from stockade.model.request import PathRequest
from stockade.model.sheet import sheet
from stockade.model.windows_artifact import WindowsArtifact
from stockade.render.text import HtmlText, html_text
from stockade.review.files import RIGHTS
from stockade.review.judges import Decide
from stockade.review.page_facts import Facts, warning_lines
from stockade.review.page_matrix import one_column
from stockade.review.page_paths import Meaning, Row, meaning_of, right_of, tree
from stockade.review.page_start import (
    ListRow,
    environment,
    named_lists,
    streams,
    trusted,
)
from stockade.review.page_text import Anchors
from stockade.review.simulated import note
from stockade.review.subject import FlatSubject

_LEVEL, _SYSTEM, _OPENED = "base", "system", "opened by Windows"
_STYLES = {
    str(Access.READ): "reads",
    str(Access.READ_EXEC): "executes",
    str(Access.READ_WRITE): "writes",
    str(Access.COMMAND): "executes",
    _SYSTEM: "reads",
    _OPENED: "executes",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table under a title."""

    title: HtmlText
    heads: tuple[HtmlText, ...]
    rows: tuple[tuple[HtmlText, ...], ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """What a launcher would apply: the lines of a profile, and tables."""

    title: HtmlText
    note: HtmlText
    lines: tuple[HtmlText, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True, slots=True)
class _Granted:
    """One path of an artifact: how it is granted, and where that comes from."""

    path: str
    access: str
    notes: tuple[str, ...] = ()


def flat_facts(subject: FlatSubject, decide: Decide, anchors: Anchors) -> Facts:
    """Give the facts of an artifact without kinds of hosts."""
    artifact = subject.artifact
    said = note((artifact.target,))
    granted = tuple(_granted(subject))
    own = {(one.path, str(one.access)): one for one in subject.policy.grants}
    rows = []
    for one in granted:
        grant = own.get((one.path, one.access))
        place = subject.place(grant) if grant else subject.key("system")
        links = anchors.links((place,)) if place.where else ()
        style = _STYLES[one.access]
        rows.append(Row(one.path, right_of(one.access, one.notes, style, links)))
    return Facts(
        html_text(said),
        one_column(_LEVEL, "simulated, never run there", artifact.requirements),
        tree(rows),
        tuple(_meanings(granted, decide)),
        named_lists(_lists(subject)),
        warning_lines(artifact.warnings),
    )


def _granted(subject: FlatSubject) -> Iterator[_Granted]:
    for grant in subject.policy.grants:
        yield _Granted(grant.path, str(grant.access))
    match subject.artifact:
        case MacosArtifact(parameters=parameters):
            for row in parameters:
                if row.kind is ParameterKind.SYSTEM_PATH:
                    yield _Granted(row.value, _SYSTEM, ("where it exists",))
        case WindowsArtifact(open_folders=folders):
            for path in folders:
                yield _Granted(path, _OPENED)


def _meanings(granted: tuple[_Granted, ...], decide: Decide) -> Iterator[Meaning]:
    """Say what each kind of path allows, wherever all of that kind agree."""
    by_access: dict[str, list[str]] = {}
    for one in granted:
        by_access.setdefault(one.access, []).append(one.path)
    for access, paths in by_access.items():
        deeds = [
            right.deed
            for right in RIGHTS.values()
            if all(decide(PathRequest(path, right.action)).allowed for path in paths)
        ]
        yield meaning_of(access, deeds, _STYLES[access])


def _lists(subject: FlatSubject) -> Iterator[ListRow]:
    artifact = subject.artifact
    yield "Otherwise than meant", list(map(_in_words, _deviations(subject))), "nothing"
    yield environment(artifact)
    yield streams(artifact)
    yield trusted(artifact)
    match artifact:
        case MacosArtifact():
            yield "Beside the profile", artifact.process_rules, "nothing"
        case WindowsArtifact():
            container = [artifact.container_name, artifact.container_sid]
            yield "Container", container, "none"
            yield "Limits of the job", artifact.job_limits, "none"
            yield "Limits of the user interface", artifact.ui_limits, "none"
            yield "Mitigations", artifact.mitigations, "none"
            yield "Handles", artifact.handles, "none"
            needs = [f"{row.kind}: {row.text}" for row in artifact.preflight]
            yield "What a host must have", needs, "nothing"
            taken = [f"{row.kind}: {row.subject}" for row in artifact.removal]
            yield "What a removal takes back", taken, "nothing"


def _deviations(subject: FlatSubject) -> tuple[Deviation, ...]:
    """List the deviations that turn some decision of the policy round."""
    policy, system = subject.policy, SYSTEM_OF[subject.artifact.target]
    found: dict[str, Deviation] = {}
    for request in sheet((policy,), system):
        _, row = expect(policy, system, request, DEVIATIONS[system])
        if row:
            found[row.name] = row
    return tuple(found.values())


def _in_words(row: Deviation) -> str:
    how = "weaker" if row.weaker else "stricter"
    told = f" [{row.warning}]" if row.warning else ""
    return f"{how}: {row.text}{told}"


def applied(subject: FlatSubject) -> Applied:
    """Give what a launcher applies: a profile with its values, or a manifest."""
    match subject.artifact:
        case MacosArtifact() as artifact:
            return _profile(artifact)
        case WindowsArtifact() as artifact:
            return _manifest(artifact)


def _profile(artifact: MacosArtifact) -> Applied:
    values = [
        (row.name, row.kind, row.value or "named at a start")
        for row in artifact.parameters
    ]
    return Applied(
        html_text("Profile"),
        html_text(note((artifact.target,))),
        tuple(map(html_text, artifact.profile.splitlines())),
        (_table("Values of the profile", ("Name", "Kind", "Value"), values),),
    )


def _manifest(artifact: WindowsArtifact) -> Applied:
    entries = [
        (row.path, row.access, row.capability, what, " ".join(texts))
        for row in artifact.entries
        for what, texts in (
            ("folder", row.folder),
            ("file", row.file),
            ("junction", row.junction),
        )
        if texts
    ]
    entries += [
        (what, "", "", "", " ".join(texts))
        for what, texts in (
            ("the program's file", artifact.program),
            ("the container's own folder", artifact.private_folder),
        )
    ]
    names = [(row.name, row.kind, row.sid) for row in artifact.capabilities]
    return Applied(
        html_text("Manifest"),
        html_text(note((artifact.target,))),
        (),
        (
            _table(
                "Entries of paths",
                ("Path", "Access", "Capability", "Where it is a", "Entries"),
                entries,
            ),
            _table("Capabilities", ("Name", "Kind", "SID"), names),
        ),
    )


def _table(
    title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> Table:
    return Table(
        html_text(title),
        tuple(map(html_text, heads)),
        tuple(tuple(map(html_text, row)) for row in rows),
    )
