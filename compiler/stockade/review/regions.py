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

from stockade.model.path_family import family_of, folders_above
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
from stockade.review.change import Case, Fact, Kind, Topic, kind_of
from stockade.review.files import RIGHTS, region
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
    """Where a decision changes: a path with all below but what is spared."""

    top: str
    answers: tuple[str, str]
    alone: bool
    spared: list[str] = field(default_factory=list)


def file_facts(sides: Sides, paths: Sequence[str]) -> Iterator[Fact]:
    """Give what two artifacts decide otherwise about paths."""
    # A folder sorts before all that is in it.
    ordered = sorted(paths)
    named = frozenset(ordered)
    for way in _WAYS:
        for kind, one in _regions(sides, way, ordered):
            request = way.ask(one.top)
            before, after = map(plain, one.answers)
            case = Case(
                plain(one.top),
                request_text(request, ""),
                before,
                after,
                tuple(map(plain, one.spared)),
                alone=one.alone,
            )
            rules = sides.rules(request, request)
            thing = _words(kind, one, named)
            yield Fact(kind, way.topic, way.rank, way.deed, thing, case, rules)


def _regions(
    sides: Sides, way: _Way, ordered: Sequence[str]
) -> Iterator[tuple[Kind, _Region]]:
    answers = {path: sides.answers(way.ask(path)) for path in ordered}
    found: list[tuple[Kind, _Region]] = []
    holding: dict[str, _Region] = {}
    for path in ordered:
        above = next(
            (one for one in folders_above(path) if one != path and one in holding), ""
        )
        around = holding.get(above)
        if around and around.answers == answers[path]:
            holding[path] = around
            continue
        if around and not _spared_above(path, around):
            around.spared.append(path)
        kind = kind_of(*answers[path])
        if kind:
            below = sides.answers(way.ask(_below(path)))
            one = _Region(path, answers[path], below != answers[path])
            found.append((kind, one))
            if not one.alone:
                holding[path] = one
    yield from found


def _spared_above(path: str, around: _Region) -> bool:
    return any(one in around.spared for one in folders_above(path))


def _below(path: str) -> str:
    mark = family_of(path).value
    return f"{path.rstrip(mark)}{mark}{_ANY}"


def _words(kind: Kind, one: _Region, named: frozenset[str]) -> Sentence:
    folder = next((above for above in folders_above(one.top) if above != one.top), "")
    if folder in named and one.top == _below(folder):
        return sentence("what lies below ", code(folder))
    if one.alone:
        return sentence(code(one.top), " itself")
    return region(kind, one.top, one.spared)
