# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare the paths of a Linux artifact for a page, as a tree of folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stockade.abi.landlock import FS_RIGHTS
from stockade.model.artifact import Artifact, GrantRow
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
    rows: list[GrantRow] = field(default_factory=list)
    inner: dict[str, _Folder] = field(default_factory=dict)


def tree(subject: LinuxSubject, anchors: Anchors) -> tuple[Node, ...]:
    """Give the granted paths of an artifact as a tree, a chain of folders as one."""
    root = _Folder()
    for row in sorted(subject.artifact.grants, key=lambda row: row.path):
        folder = root
        for name in row.path.strip("/").split("/"):
            if name:
                folder = folder.inner.setdefault(name, _Folder())
        folder.rows.append(row)
    make = _Maker(subject, anchors)
    if root.rows:
        return (make.node("/", "", root),)
    return make.nodes("", root)


@dataclass(frozen=True, slots=True)
class _Maker:
    subject: LinuxSubject
    anchors: Anchors

    def nodes(self, above: str, folder: _Folder) -> tuple[Node, ...]:
        return tuple(
            self.node(f"/{name}", f"{above}/{name}", inner)
            for name, inner in sorted(folder.inner.items())
        )

    def node(self, label: str, path: str, folder: _Folder) -> Node:
        while not folder.rows and len(folder.inner) == 1:
            ((name, folder),) = folder.inner.items()
            label, path = f"{label}/{name}", f"{path}/{name}"
        return Node(
            html_text(label),
            html_text(path or "/"),
            tuple(map(self.right, folder.rows)),
            self.nodes(path, folder),
        )

    def right(self, row: GrantRow) -> Right:
        place = self.subject.key("system")
        if row.policy:
            place = self.subject.place(Grant(row.path, Access(row.class_name)))
        notes = [] if row.policy else ["system set"]
        notes += ["where it exists"] if row.optional else []
        return Right(
            html_text(_words(row.class_name)),
            html_text(", ".join(notes)),
            html_name(_style(self.subject.artifact, row.class_name)),
            # A key that is left out needs no mention at every path.
            self.anchors.links((place,)) if place.where else (),
        )


def meanings(artifact: Artifact) -> tuple[Meaning, ...]:
    """Say what each class that a path or the program has allows."""
    used = {row.class_name for row in artifact.grants} | {artifact.program_class}
    return tuple(
        Meaning(
            html_text(_words(entry.name)),
            html_text(", ".join(_actions(entry.rights)) or "nothing"),
            html_name(_style(artifact, entry.name)),
        )
        for entry in artifact.classes
        if entry.name in used
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
