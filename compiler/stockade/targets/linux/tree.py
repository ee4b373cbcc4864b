# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Search the loaded word over ranges of values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from stockade.abi import bpf
from stockade.targets.linux.graph import Graph, Node

WORD_END = 1 << 32
# Up to this many segments the cheapest search is found by trying all of them.
_SMALL = 7


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Values from `start` up to the next segment's start lead to one node.

    Compared by identity: the search looks runs of the same segments up often.
    """

    start: int
    node: Node
    note: str = ""


def join_equal(segments: list[Segment]) -> list[Segment]:
    """Merge neighbours that lead to the same node."""
    joined: list[Segment] = []
    for segment in segments:
        if not joined or joined[-1].node is not segment.node:
            joined.append(segment)
    return joined


def search_tree(graph: Graph, segments: list[Segment]) -> Node:
    """Build a balanced search of the loaded word over segments.

    The first segment starts at 0 and the last one ends with the word. The upper
    part halves the segments, so no path is longer than another by much; the last
    few tests are chosen for the fewest instructions, since one equality test
    replaces two range tests around a single value.
    """
    return _search(graph, tuple(join_equal(segments)))


def _search(graph: Graph, segments: tuple[Segment, ...]) -> Node:
    if len(segments) <= _SMALL:
        return _build(graph, _cheapest(segments, {})[1])
    middle = len(segments) // 2
    pivot = segments[middle]
    return graph.branch(
        bpf.JUMP_AT_LEAST,
        pivot.start,
        yes=_search(graph, segments[middle:]),
        no=_search(graph, segments[:middle]),
        note=pivot.note,
    )


# A plan is a segment to end at, or a test on one with what follows either way.
_Plan: TypeAlias = "Segment | tuple[int, Segment, _Plan, _Plan]"
_Cost: TypeAlias = tuple[int, int]
_Found: TypeAlias = "dict[tuple[Segment, ...], tuple[_Cost, _Plan]]"


def _build(graph: Graph, plan: _Plan) -> Node:
    if isinstance(plan, Segment):
        return plan.node
    code, at, yes, no = plan
    return graph.branch(code, at.start, _build(graph, yes), _build(graph, no), at.note)


def _cheapest(segments: tuple[Segment, ...], found: _Found) -> tuple[_Cost, _Plan]:
    """Find the search with the fewest tests, then the shortest longest path."""
    if len(segments) == 1:
        return (0, 0), segments[0]
    if segments not in found:
        equalities = tuple(_equalities(segments, found))
        most = min((cost[0] for cost, _ in equalities), default=len(segments))
        found[segments] = min(
            (*_splits(segments, found, most), *equalities),
            key=lambda choice: choice[0],
        )
    return found[segments]


def _splits(
    segments: tuple[Segment, ...], found: _Found, most: int
) -> Iterator[tuple[_Cost, _Plan]]:
    """Try a range test before every segment but the first.

    Left out are those that need more tests than the most: a test leaves at most
    two segments behind, so half as many tests as segments are needed at least.
    """
    for index in range(1, len(segments)):
        least = 1 + (len(segments) - index) // 2
        if index // 2 + least > most:
            continue
        below, no = _cheapest(segments[:index], found)
        if below[0] + least > most:
            continue
        above, yes = _cheapest(segments[index:], found)
        cost = below[0] + above[0] + 1, max(below[1], above[1]) + 1
        most = min(most, cost[0])
        yield cost, (bpf.JUMP_AT_LEAST, segments[index], yes, no)


def _equalities(
    segments: tuple[Segment, ...], found: _Found
) -> Iterator[tuple[_Cost, _Plan]]:
    """Try an equality test on every single value between two equal neighbours."""
    for index in range(1, len(segments) - 1):
        before, island, after = segments[index - 1 : index + 2]
        if island.start == bpf.PLACEHOLDER_PID:
            # An equality with it would be taken for one with the own process.
            continue
        if after.start - island.start == 1 and before.node is after.node:
            rest, no = _cheapest(segments[:index] + segments[index + 2 :], found)
            cost = rest[0] + 1, rest[1] + 1
            yield cost, (bpf.JUMP_EQUAL, island, island, no)
