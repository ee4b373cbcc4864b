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


def flat_facts(subject: FlatSubject, decide: Decide, anchors: Anchors) -> Facts:
    """Give the facts of an artifact without kinds of hosts."""
    artifact = subject.artifact
    said = note((artifact.target,))
    return Facts(
        html_text(said),
        one_column(_LEVEL, "simulated, never run there", artifact.requirements),
        tree(_rows(subject, decide, anchors)),
        tuple(_meanings(subject, decide)),
        named_lists(_lists(subject)),
        warning_lines(artifact.warnings),
    )


def _rows(subject: FlatSubject, decide: Decide, anchors: Anchors) -> Iterator[Row]:
    for grant in subject.policy.grants:
        access, links = str(grant.access), anchors.links((subject.place(grant),))
        yield Row(grant.path, right_of(access, (), _STYLES[access], links))
    where, paths = _of_system(subject)
    for path in paths:
        notes = _deeds((path,), decide) or ["seen and no more"]
        yield Row(path, right_of(where, notes, _STYLES[where], ()))


def _of_system(subject: FlatSubject) -> tuple[str, tuple[str, ...]]:
    """Name what the system needs or opens, and its paths."""
    match subject.artifact:
        case MacosArtifact(parameters=parameters):
            kept = (row for row in parameters if row.kind is ParameterKind.SYSTEM_PATH)
            return _SYSTEM, tuple(row.value for row in kept)
        case WindowsArtifact(open_folders=folders):
            return _OPENED, folders


def _meanings(subject: FlatSubject, decide: Decide) -> Iterator[Meaning]:
    """Say what each kind of path allows, wherever all of that kind agree."""
    by_access: dict[str, list[str]] = {}
    for one in subject.policy.grants:
        by_access.setdefault(str(one.access), []).append(one.path)
    for access, paths in by_access.items():
        yield meaning_of(access, _deeds(paths, decide), _STYLES[access])
    where, others = _of_system(subject)
    if others:
        said = ["where it exists; beside each, what is allowed on the path itself"]
        yield meaning_of(where, said, _STYLES[where])


def _deeds(paths: Sequence[str], decide: Decide) -> list[str]:
    """Say what a judge allows on every one of some paths."""
    return [
        right.deed
        for right in RIGHTS.values()
        if all(decide(PathRequest(path, right.action)).allowed for path in paths)
    ]


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
        (row.path, f"{row.access}, as a {what}", _entries(artifact, texts))
        for row in artifact.entries
        for what, texts in (
            ("folder", row.folder),
            ("file", row.file),
            ("junction", row.junction),
        )
        if texts
    ]
    entries += [
        (what, "", _entries(artifact, texts))
        for what, texts in (
            ("the program's file", artifact.program),
            ("the container's own folder", artifact.private_folder),
        )
        if texts
    ]
    names = [
        (_short(row.name), row.kind, f"{row.name} {row.sid}")
        for row in artifact.capabilities
    ]
    return Applied(
        html_text("Manifest"),
        html_text(note((artifact.target,))),
        (),
        (
            _table("Entries of paths", ("Path", "Granted", "Entries"), entries),
            _table("Capabilities", ("Stands for", "Kind", "Name and SID"), names),
        ),
    )


def _entries(artifact: WindowsArtifact, texts: Sequence[str]) -> str:
    """Write entries with the short name of each SID, which has a row of its own."""
    said = " ".join(texts)
    for row in artifact.capabilities:
        said = said.replace(row.sid, _short(row.name))
    return said.replace(artifact.container_sid, artifact.container_name)


def _short(name: str) -> str:
    """Give the end of a capability's name; the rest is a hash of the policy."""
    return f"capability {name.rpartition('.')[2]}"


def _table(
    title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]
) -> Table:
    return Table(
        html_text(title),
        tuple(map(html_text, heads)),
        tuple(tuple(map(html_text, row)) for row in rows),
    )
