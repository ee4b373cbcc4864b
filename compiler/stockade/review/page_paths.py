# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare the paths of an artifact for a page, as a tree of folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stockade.abi.landlock import FS_RIGHTS
from stockade.model.artifact import Artifact, GrantRow
from stockade.model.path_family import family_of
from stockade.model.policy import Access, Grant
from stockade.render.text import HtmlText, html_name, html_text
from stockade.review.files import RIGHTS
from stockade.review.page_text import Anchors, Link
from stockade.review.subject import LinuxSubject


@dataclass(frozen=True, slots=True)
class Right:
    """What is granted at a path: its class, where it comes from, and its style."""

    name: HtmlText
    note: HtmlText
    style: HtmlText
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A path as it is written below its parent, in full, and what it grants."""

    label: HtmlText
    path: HtmlText
    rights: tuple[Right, ...]
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a class of grants allows."""

    name: HtmlText
    actions: HtmlText
    style: HtmlText


@dataclass(slots=True)
class _Folder:
    rights: list[Right] = field(default_factory=list)
    inner: dict[str, _Folder] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One path that something is granted on, and what a page says of it."""

    path: str
    right: Right


def tree(rows: Iterable[Row]) -> tuple[Node, ...]:
    """Give paths as a tree, a chain of folders as one."""
    root = _Folder()
    for row in sorted(rows, key=lambda row: row.path):
        folder = root
        for label in _labels(row.path):
            folder = folder.inner.setdefault(label, _Folder())
        folder.rights.append(row.right)
    if root.rights:
        return (_node("/", "", root),)
    return _nodes("", root)


def _labels(path: str) -> list[str]:
    """Part a path into what stands below each other; joined they are the path."""
    mark = family_of(path).value
    root, _, rest = path.partition(mark)
    labels = [f"{mark}{name}" for name in rest.split(mark) if name]
    if root:
        # The root of a drive keeps its mark.
        labels[:1] = [one.removeprefix(mark) for one in labels[:1]]
        labels.insert(0, f"{root}{mark}")
    return labels


def _nodes(above: str, folder: _Folder) -> tuple[Node, ...]:
    return tuple(
        _node(label, above + label, inner)
        for label, inner in sorted(folder.inner.items())
    )


def _node(label: str, path: str, folder: _Folder) -> Node:
    while not folder.rights and len(folder.inner) == 1:
        ((more, folder),) = folder.inner.items()
        label, path = label + more, path + more
    return Node(
        html_text(label),
        html_text(path or "/"),
        tuple(folder.rights),
        _nodes(path, folder),
    )


def right_of(
    name: str, notes: Iterable[str], style: str, links: tuple[Link, ...]
) -> Right:
    """Put into words what is granted at a path."""
    return Right(
        html_text(_words(name)), html_text(", ".join(notes)), html_name(style), links
    )


def linux_tree(subject: LinuxSubject, anchors: Anchors) -> tuple[Node, ...]:
    """Give the granted paths of a Linux artifact as a tree."""
    return tree(
        Row(row.path, _right(subject, anchors, row)) for row in subject.artifact.grants
    )


def _right(subject: LinuxSubject, anchors: Anchors, row: GrantRow) -> Right:
    place = subject.key("system")
    if row.policy:
        place = subject.place(Grant(row.path, Access(row.class_name)))
    notes = [] if row.policy else ["system set"]
    notes += ["where it exists"] if row.optional else []
    style = _style(subject.artifact, row.class_name)
    # A key that is left out needs no mention at every path.
    links = anchors.links((place,)) if place.where else ()
    return right_of(row.class_name, notes, style, links)


def meanings(artifact: Artifact) -> tuple[Meaning, ...]:
    """Say what each class that a path or the program has allows."""
    used = {row.class_name for row in artifact.grants} | {artifact.program_class}
    return tuple(
        meaning_of(entry.name, _actions(entry.rights), _style(artifact, entry.name))
        for entry in artifact.classes
        if entry.name in used
    )


def meaning_of(name: str, deeds: Iterable[str], style: str) -> Meaning:
    """Say what a kind of path allows."""
    return Meaning(
        html_text(_words(name)),
        html_text(", ".join(deeds) or "nothing"),
        html_name(style),
    )


def _actions(mask: int) -> Iterable[str]:
    """Say what rights allow; all that sockets need is no path's to give."""
    return (
        RIGHTS[right.name].deed
        for right in FS_RIGHTS
        if right.bit & mask and right.name in RIGHTS
    )


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def _style(artifact: Artifact, name: str) -> str:
    """Tell by the colour what a class risks: writing, execution, or reading."""
    entry = next(one for one in artifact.classes if one.name == name)
    if entry.write:
        return "writes"
    return "executes" if entry.execute else "reads"
