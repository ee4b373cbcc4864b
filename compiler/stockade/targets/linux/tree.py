# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build decision graphs of BPF steps, and search trees over ranges of a word.

Nodes are frozen and compared by value, so equal parts of a graph are one part
once assembled: leaves and whole tails are shared for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from stockade.abi import bpf

WORD_END = 1 << 32


@dataclass(frozen=True, slots=True)
class Return:
    """End with an action value; `relocation` names what the launcher fills in."""

    value: int
    note: str = field(default="", compare=False)
    relocation: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """Load a word of the call's data, then go on."""

    offset: int
    then: Node
    note: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Mask:
    """Keep the masked bits of the loaded word, then go on."""

    mask: int
    then: Node


@dataclass(frozen=True, slots=True)
class Branch:
    """Compare the loaded word with a constant and go one of two ways."""

    code: int
    constant: int
    yes: Node
    no: Node
    note: str = field(default="", compare=False)
    relocation: str = ""


Node: TypeAlias = Return | Load | Mask | Branch


@dataclass(frozen=True, slots=True)
class Segment:
    """Values from `start` up to the next segment's start lead to one node."""

    start: int
    node: Node
    note: str = ""


def join_equal(segments: list[Segment]) -> list[Segment]:
    """Merge neighbours that lead to the same node."""
    joined: list[Segment] = []
    for segment in segments:
        if joined and joined[-1].node == segment.node:
            continue
        joined.append(segment)
    return joined


# Below this many segments the cheapest search is found by trying all of them.
_SMALL = 7


def search_tree(segments: list[Segment]) -> Node:
    """Build a balanced search of the loaded word over segments.

    The first segment starts at 0 and the last one ends with the word. The upper
    part halves the segments, so no path is longer than another by much; the last
    few tests are chosen for the fewest instructions, since one equality test
    replaces two range tests around a single value.
    """
    joined = join_equal(segments)
    # Nodes are whole graphs: numbering them once spares comparing them again.
    numbers: dict[Node, int] = {}
    spans = [
        _Span(segment, numbers.setdefault(segment.node, len(numbers)))
        for segment in joined
    ]
    return _search(tuple(spans))


@dataclass(frozen=True, slots=True)
class _Span:
    """A segment and the number of its node; compared by start and number."""

    segment: Segment = field(compare=False)
    node: int
    start: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", self.segment.start)


def _search(spans: tuple[_Span, ...]) -> Node:
    if len(spans) <= _SMALL:
        return _cheapest(spans, {})[1]
    middle = len(spans) // 2
    return _branch(
        bpf.JUMP_AT_LEAST,
        spans[middle],
        yes=_search(spans[middle:]),
        no=_search(spans[:middle]),
    )


def _branch(code: int, at: _Span, yes: Node, no: Node) -> Branch:
    return Branch(code, at.start, yes, no, at.segment.note)


_Cost: TypeAlias = tuple[int, int]
_Found: TypeAlias = dict[tuple[_Span, ...], tuple[_Cost, Node]]


def _cheapest(spans: tuple[_Span, ...], found: _Found) -> tuple[_Cost, Node]:
    """Find the search with the fewest tests, then the shortest longest path."""
    if len(spans) == 1:
        return (0, 0), spans[0].segment.node
    if spans not in found:
        found[spans] = min(
            (*_splits(spans, found), *_equalities(spans, found)),
            key=lambda choice: choice[0],
        )
    return found[spans]


def _splits(spans: tuple[_Span, ...], found: _Found) -> Iterator[tuple[_Cost, Node]]:
    """Try a range test before every segment but the first."""
    for index in range(1, len(spans)):
        below, no = _cheapest(spans[:index], found)
        above, yes = _cheapest(spans[index:], found)
        cost = below[0] + above[0] + 1, max(below[1], above[1]) + 1
        yield cost, _branch(bpf.JUMP_AT_LEAST, spans[index], yes, no)


def _equalities(
    spans: tuple[_Span, ...], found: _Found
) -> Iterator[tuple[_Cost, Node]]:
    """Try an equality test on every single value between two equal neighbours."""
    for index in range(1, len(spans) - 1):
        before, island, after = spans[index - 1 : index + 2]
        if after.start - island.start == 1 and before.node == after.node:
            rest, no = _cheapest(spans[:index] + spans[index + 2 :], found)
            cost = rest[0] + 1, rest[1] + 1
            yield cost, _branch(bpf.JUMP_EQUAL, island, island.segment.node, no)
