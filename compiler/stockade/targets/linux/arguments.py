# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile tests on arguments: 64-bit values, read as two 32-bit words.

A value is searched by its high word first; each part of the high word's range
leads to a search of the low one, or to an end where the low word cannot matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from stockade.abi import bpf
from stockade.model.calls import LOW_WORD, ArgumentTest
from stockade.targets.linux.graph import Graph, Load, Mask, Node
from stockade.targets.linux.tree import WORD_END, Segment, search_tree

VALUE_END = 1 << 64


@dataclass(frozen=True, slots=True)
class _Word:
    """One word of an argument under a mask."""

    offset: int
    mask: int
    note: str


def test_node(graph: Graph, test: ArgumentTest, yes: Node, no: Node) -> Node:
    """Build one test between what follows when it holds and when it does not."""
    if test.negated:
        yes, no = no, yes
    if test.own_pid:
        no = _own_process(graph, test, yes, no)
    segments = [Segment(0, no)]
    for first, last in _joined(test.ranges):
        segments += [Segment(first, yes), Segment(last + 1, no)]
    return search_value(graph, test.arg, test.mask, segments)


def _own_process(graph: Graph, test: ArgumentTest, yes: Node, no: Node) -> Node:
    """Compare with the own process ID, from a load on: whoever comes has none."""
    low = _low(test.arg, test.mask)
    own = graph.branch(
        bpf.JUMP_EQUAL,
        bpf.PLACEHOLDER_PID,
        _skip_load(low, yes),
        _skip_load(low, no),
        "own process",
        "own-pid",
    )
    if low.mask != LOW_WORD:
        own = graph.mask(low.mask, own)
    own = graph.load(low.offset, own, low.note)
    if test.mask > LOW_WORD:
        # A process ID is an `int`: it never has a bit in the high word.
        rest = [Segment(0, own), Segment(1 << 32, no)]
        own = search_value(graph, test.arg, test.mask & ~LOW_WORD, rest)
    return own


def _joined(ranges: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Sort ranges and join those that overlap."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        else:
            joined.append((low, high))
    return joined


def search_value(graph: Graph, arg: int, mask: int, segments: list[Segment]) -> Node:
    """Search an argument's masked value over segments of 64-bit values.

    Segments are sorted by start and cover all values; of several with one start
    the last counts, and a start beyond all values is dropped.
    """
    edges = {segment.start: segment for segment in segments}
    wanted = [segment for start, segment in edges.items() if start < VALUE_END]
    high_mask, low_mask = mask >> 32, mask & LOW_WORD
    low = _low(arg, low_mask)
    if not high_mask:
        return _search_word(graph, low, _below(wanted, WORD_END))
    parts = [
        Segment(start, _search_low(graph, low, _within(wanted, start)), note)
        for start, note in _high_edges(wanted)
    ]
    high = _Word(bpf.offset_high(arg), high_mask, f"argument {arg}, high word")
    return _search_word(graph, high, parts)


def _low(arg: int, mask: int) -> _Word:
    return _Word(bpf.offset_low(arg), mask & LOW_WORD, f"argument {arg}, low word")


def _search_low(graph: Graph, low: _Word, segments: list[Segment]) -> Node:
    """Search the low word unless nothing depends on it."""
    if not low.mask or all(part.node is segments[0].node for part in segments):
        return segments[0].node
    return _search_word(graph, low, segments)


def _high_edges(segments: list[Segment]) -> list[tuple[int, str]]:
    """List the high words at which the answer may change."""
    edges: dict[int, str] = {}
    for segment in segments:
        word = segment.start >> 32
        edges.setdefault(word, segment.note)
        # Beyond the word that holds an edge the low word counts no more.
        if word + 1 < WORD_END:
            edges.setdefault(word + 1, segment.note)
    return sorted(edges.items())


def _within(segments: list[Segment], high: int) -> list[Segment]:
    """Cut segments to the values of one high word, and drop that word."""
    base = high << 32
    inside = [part for part in segments if base < part.start < base + WORD_END]
    first = next(part for part in reversed(segments) if part.start <= base)
    return [
        Segment(0, first.node, first.note),
        *(Segment(part.start - base, part.node, part.note) for part in inside),
    ]


def _below(segments: list[Segment], end: int) -> list[Segment]:
    return [segment for segment in segments if segment.start < end]


def _search_word(graph: Graph, word: _Word, segments: list[Segment]) -> Node:
    """Load a word, mask it where needed, and search it."""
    if [segment.start for segment in segments] == [0, 1] and word.mask != LOW_WORD:
        # "Any of these bits" is one test, without a mask of its own.
        plain = _Word(word.offset, LOW_WORD, word.note)
        none, some = (_skip_load(plain, segment.node) for segment in segments)
        search = graph.branch(bpf.JUMP_ANY_BIT, word.mask, some, none)
        return graph.load(word.offset, search, word.note)
    ready = [
        Segment(segment.start, _skip_load(word, segment.node), segment.note)
        for segment in segments
    ]
    search = search_tree(graph, ready)
    if word.mask != LOW_WORD:
        search = graph.mask(word.mask, search)
    return graph.load(word.offset, search, word.note)


def _skip_load(word: _Word, node: Node) -> Node:
    """Leave out a load of the word that the accumulator holds already."""
    match node:
        case Load(offset=word.offset, then=then) if word.mask == LOW_WORD:
            return then
        case Load(offset=word.offset, then=Mask(mask=word.mask, then=then)):
            return then
    return node
