# SPDX-License-Identifier: Apache-2.0 OR MIT
r"""Describe folders, files and junctions of a Windows host, and who may do what there.

Paths are `C:\name\name`, compared without regard to case. Paths of the network and of
devices are refused: what decides there is another machine or a driver.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum

from stockade.proof.windows_acl.check import READINGS, Answer, Token, asked, granted
from stockade.proof.windows_acl.descriptor import (
    AccessList,
    Descriptor,
    Entry,
    with_entries,
)
from stockade.proof.windows_acl.inherit import created_in, updated_below
from stockade.proof.windows_acl.masks import (
    DELETE,
    FILE_DELETE_CHILD,
    FILE_GENERIC_READ,
    FILE_LIST_DIRECTORY,
    FILE_READ_ATTRIBUTES,
)

_PATH = re.compile(
    r"[A-Za-z]:\\(?:[^\\/:*?\"<>|\x00-\x1f]+(?:\\[^\\/:*?\"<>|\x00-\x1f]+)*)?"
)
# As many reparse points as Windows follows in one path.
_MOST_JUNCTIONS = 63


class PathRefusedError(ValueError):
    """A path is not one of a local drive, or leads nowhere."""


class PlaceKind(Enum):
    """What is at a path."""

    FOLDER = "folder"
    FILE = "file"
    JUNCTION = "junction"


@dataclass(frozen=True, slots=True)
class Place:
    """Something at a path; `target` is where a junction leads."""

    path: str
    kind: PlaceKind
    descriptor: Descriptor
    target: str = ""

    @property
    def folder(self) -> bool:
        """Tell whether entries for folders are passed on to it; junctions are."""
        return self.kind is not PlaceKind.FILE


def parent_of(path: str) -> str | None:
    """Give the folder that a path lies in; None for a drive's root."""
    above, _, name = path.rpartition("\\")
    if not name:
        return None
    return above if "\\" in above else above + "\\"


def _folder_of(path: str) -> str:
    """Give the folder above a path; raises PathRefusedError where none can be."""
    _key(path)
    above = parent_of(path)
    if above is None:
        raise PathRefusedError(f"no folder is above `{path}`")
    return above


def _key(path: str) -> str:
    if not _PATH.fullmatch(path) or re.search(r"[ .](\\|$)", path):
        raise PathRefusedError(f"`{path}` is no path of a local drive")
    return path.casefold()


@dataclass(slots=True)
class Tree:
    """What is on a host, by path."""

    owner: str
    group: str
    otherwise: AccessList
    _places: dict[str, Place] = field(default_factory=dict)
    # What lies in each folder, in the order in which it was added.
    _below: dict[str, list[str]] = field(default_factory=dict)

    def add_drive(self, root: str, descriptor: Descriptor) -> None:
        r"""Add a drive by its root, `C:\`."""
        if parent_of(root) is not None:
            raise PathRefusedError(f"`{root}` is no root of a drive")
        self._places[_key(root)] = Place(root, PlaceKind.FOLDER, descriptor)

    def add(
        self,
        path: str,
        kind: PlaceKind = PlaceKind.FOLDER,
        descriptor: Descriptor | None = None,
        target: str = "",
    ) -> Place:
        """Add something in a folder that is there.

        Without a descriptor it has what its folder passes on.
        """
        made = self.would_be(path, kind)
        place = replace(made, descriptor=descriptor or made.descriptor, target=target)
        if path not in self:
            self._below.setdefault(_key(_folder_of(path)), []).append(path)
        self._places[_key(path)] = place
        return place

    def would_be(self, path: str, kind: PlaceKind) -> Place:
        """Tell what something new at a path would be, and leave it out of the tree."""
        parent = self._places.get(_key(_folder_of(path)))
        if parent is None or parent.kind is not PlaceKind.FOLDER:
            raise PathRefusedError(f"no folder is above `{path}`")
        descriptor = created_in(
            parent.descriptor,
            folder=kind is not PlaceKind.FILE,
            owner=self.owner,
            group=self.group,
            otherwise=self.otherwise,
        )
        return Place(path, kind, descriptor)

    def __contains__(self, path: str) -> bool:
        """Tell whether something is at a path."""
        return _key(path) in self._places

    def grant(self, path: str, entries: tuple[Entry, ...]) -> None:
        """Add entries to what is at a path, and pass them on to all below it."""
        place = self._at(path)
        dacl = place.descriptor.dacl
        if dacl is None:
            # Any list in its place would take the access of everyone else away.
            raise PathRefusedError(f"`{path}` has no list to add to")
        self._change(place, with_entries(dacl, entries))

    def revoke(self, path: str, sid: str) -> None:
        """Take a SID's own entries away from what is at a path, and from below it."""
        place = self._at(path)
        dacl = place.descriptor.dacl
        if dacl is not None:
            kept = tuple(one for one in dacl.entries if one.inherited or one.sid != sid)
            self._change(place, replace(dacl, entries=kept))

    def _change(self, place: Place, dacl: AccessList) -> None:
        changed = replace(place.descriptor, dacl=dacl)
        self._places[_key(place.path)] = replace(place, descriptor=changed)
        self._pass_on(place.path)

    def _pass_on(self, path: str) -> None:
        """Update what lies below a folder; never through a junction."""
        parent = self._at(path)
        for name in self._below.get(_key(path), ()):
            place = self._at(name)
            new = updated_below(
                parent.descriptor, place.descriptor, folder=place.folder
            )
            if new != place.descriptor:
                self._places[_key(name)] = replace(place, descriptor=new)
                if place.kind is PlaceKind.FOLDER:
                    self._pass_on(place.path)

    def _at(self, path: str) -> Place:
        place = self._places.get(_key(path))
        if place is None:
            raise PathRefusedError(f"nothing is at `{path}`")
        return place

    def resolve(self, path: str) -> tuple[Place, tuple[Place, ...]]:
        """Find what a path leads to, and the junctions on the way."""
        passed: list[Place] = []
        while len(passed) <= _MOST_JUNCTIONS:
            name = self._first_junction(path)
            if name is None:
                return self._at(path), tuple(passed)
            junction, rest = self._at(name), path[len(name) :]
            passed.append(junction)
            path = junction.target.rstrip("\\") + rest
            path = path if "\\" in path else path + "\\"
        raise PathRefusedError(f"`{path}` goes through too many junctions")

    def _first_junction(self, path: str) -> str | None:
        """Give the part of a path that first names a junction, as it is spelled."""
        found, at = None, path
        while (above := parent_of(at)) is not None:
            place = self._places.get(_key(at))
            if place is not None and place.kind is PlaceKind.JUNCTION:
                found = at
            at = above
        return found

    def rights(self, token: Token, path: str) -> tuple[int, ...]:
        """Give a token's rights on what a path leads to, under each of READINGS."""
        place, passed = self.resolve(path)
        closed = [False] * len(READINGS)
        for junction in passed:
            for at, rights in enumerate(granted(token, junction.descriptor)):
                needs = READINGS[at].junctions_need_read
                closed[at] |= needs and bool(FILE_GENERIC_READ & ~rights)
        found = self.rights_on(token, place)
        return tuple(
            0 if shut else one for shut, one in zip(closed, found, strict=True)
        )

    def rights_on(self, token: Token, place: Place) -> tuple[int, ...]:
        """Give a token's rights on something in a folder of the tree.

        A folder that may be listed shows its children's attributes, and one whose
        children may be deleted has no need of their own right (MS-FSA 2.1.5.1.2).
        """
        found = granted(token, place.descriptor)
        above = parent_of(place.path)
        if above is None:
            return found
        folder = granted(token, self._at(above).descriptor)
        return tuple(
            one | _by_way_of(rights) for one, rights in zip(found, folder, strict=True)
        )

    def check(self, token: Token, path: str, mask: int) -> Answer:
        """Tell whether a token may open what a path leads to for some rights."""
        return asked(self.rights(token, path), mask)


def _by_way_of(folder: int) -> int:
    """Give the rights that those on a folder imply on what lies in it."""
    implied = DELETE if folder & FILE_DELETE_CHILD else 0
    return implied | (FILE_READ_ATTRIBUTES if folder & FILE_LIST_DIRECTORY else 0)
