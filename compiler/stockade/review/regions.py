# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Join what two artifacts decide otherwise about paths, region by region.

Decisions change at paths that a policy or the system set names. A change goes from a
path on, but for what lies below and is decided as before; a path below which a
judge answers otherwise stands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from stockade.abi.targets import System
from stockade.model.path_family import family_of, folded, folders_above
from stockade.model.request import (
    FileRequest,
    HardLinkRequest,
    MetadataRequest,
    PathAction,
    PathRequest,
    SeeRequest,
    SetIdRequest,
)
from stockade.render.prose import Sentence, code, sentence
from stockade.render.text import plain
from stockade.review.change import Case, Fact, Kind, Scope, Topic, kind_of
from stockade.review.files import RIGHTS, but_for, region
from stockade.review.request_words import request_text
from stockade.review.sides import Sides

# The entry of no one's, which stands for all in a folder.
_ANY = "x"


@dataclass(frozen=True, slots=True)
class _Way:
    """One thing to do with a path, in words, and how dangerous that is."""

    ask: Callable[[str], FileRequest]
    topic: Topic
    rank: int
    deed: str


def _path_request(action: PathAction, path: str) -> FileRequest:
    return PathRequest(path, action)


_WAYS = (
    *(
        _Way(partial(_path_request, one.action), Topic.FILES, one.rank, one.deed)
        for one in RIGHTS.values()
    ),
    _Way(SetIdRequest, Topic.NAMES, 9, "leave files that run as their owner"),
    _Way(HardLinkRequest, Topic.NAMES, 15, "give files a second name"),
    _Way(MetadataRequest, Topic.NAMES, 30, "change mode, owner, attributes and times"),
    _Way(SeeRequest, Topic.NAMES, 40, "see what is there"),
)


@dataclass(slots=True)
class _Region:
    """Where a decision changes: a path, as far as its scope, but for the spared."""

    top: str
    answers: tuple[str, str]
    scope: Scope
    spared: list[str] = field(default_factory=list)


def file_facts(sides: Sides, paths: Sequence[str]) -> Iterator[Fact]:
    """Give what two artifacts decide otherwise about paths."""
    # Spellings of one file are one path, where names are equal in any case.
    spellings = {folded(path, sides.system): path for path in reversed(paths)}
    ordered = sorted(spellings.values(), key=lambda path: _order(path, sides.system))
    for way in _WAYS:
        for kind, one in _Regions(sides, way, ordered).found():
            request = way.ask(one.top)
            before, after = map(plain, one.answers)
            case = Case(
                plain(one.top),
                request_text(request, ""),
                before,
                after,
                tuple(map(plain, one.spared)),
                scope=one.scope,
            )
            rules = sides.rules(request, request)
            thing = _words(kind, one)
            yield Fact(kind, way.topic, way.rank, way.deed, thing, case, rules)


def _order(path: str, system: System) -> list[tuple[bool, str]]:
    """Put a folder before all in it, and there the entry of no one's first."""
    parts = folded(path, system).split(family_of(path).value)
    return [(part != _ANY, part) for part in parts]


class _Regions:
    """Joins the paths of one way into regions, from the top down."""

    def __init__(self, sides: Sides, way: _Way, ordered: Sequence[str]) -> None:
        self._sides = sides
        self._way = way
        self._answers = {path: sides.answers(way.ask(path)) for path in ordered}
        # The region that holds all below a path that no other path names.
        self._below: dict[str, _Region | None] = {}

    def found(self) -> Iterator[tuple[Kind, _Region]]:
        """Give each region with what happens there."""
        found: list[tuple[Kind, _Region]] = []
        for path, answers in self._answers.items():
            around = self._around(path)
            if around and around.answers == answers:
                self._below[self._key(path)] = around
                continue
            if around:
                around.spared.append(path)
            self._below[self._key(path)] = None
            kind = kind_of(*answers)
            if kind:
                one = _Region(path, answers, self._scope(path))
                found.append((kind, one))
                if one.scope is Scope.BELOW:
                    self._below[self._key(path)] = one
                if one.scope is Scope.FOLDER:
                    self._below[self._key(_folder(path))] = one
                    self._below[self._key(path)] = one
        yield from found

    def _key(self, path: str) -> str:
        return folded(path, self._sides.system)

    def _around(self, path: str) -> _Region | None:
        above = (self._key(one) for one in folders_above(path) if one != path)
        return next((self._below[one] for one in above if one in self._below), None)

    def _scope(self, path: str) -> Scope:
        folder = _folder(path)
        if self._key(folder) in self._below and path == _entry(folder):
            return Scope.FOLDER
        below = self._sides.answers(self._way.ask(_entry(path)))
        return Scope.BELOW if below == self._answers[path] else Scope.ITSELF


def _folder(path: str) -> str:
    """Give the folder that holds a path; of a root, nothing."""
    return next((above for above in folders_above(path) if above != path), "")


def _entry(folder: str) -> str:
    mark = family_of(folder).value
    return f"{folder.rstrip(mark)}{mark}{_ANY}"


def _words(kind: Kind, one: _Region) -> Sentence:
    if one.scope is Scope.ITSELF:
        return sentence(code(one.top), " itself")
    if one.scope is Scope.FOLDER:
        whole = sentence("what lies below ", code(_folder(one.top)))
        return but_for(kind, whole, one.spared)
    return region(kind, one.top, one.spared)
