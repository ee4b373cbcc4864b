# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check search trees and their layout on random segments."""

from __future__ import annotations

from bisect import bisect_right

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stockade.abi import bpf
from stockade.proof.interpreter import run
from stockade.targets.linux.assemble import (
    LONGEST_PROGRAM,
    ProgramTooLongError,
    assemble,
)
from stockade.targets.linux.graph import Graph, Node
from stockade.targets.linux.tree import Segment, search_tree

_STARTS = st.lists(
    st.one_of(st.integers(0, 64), st.integers(0, 0xFFFFFFFF), st.just(0xFFFFFFFF)),
    max_size=60,
    unique=True,
)
_WORDS = st.lists(st.integers(0, 0xFFFFFFFF))


def _errno(graph: Graph, number: int) -> Node:
    return graph.give(bpf.ACTION_ERRNO | number)


def _run(root: Node, word: int) -> int:
    program = assemble(root)
    code = [(i.code, i.jt, i.jf, i.k) for i in program.instructions]
    return run(code, word.to_bytes(4, "little") + bytes(60))


@given(starts=_STARTS, answers=st.integers(1, 9), words=_WORDS)
@settings(max_examples=300, derandomize=True, deadline=None)
def test_search_finds_the_segment_of_every_word(
    starts: list[int], answers: int, words: list[int]
) -> None:
    graph = Graph()
    edges = sorted({0, *starts})
    numbers = [index * 7 % answers for index in range(len(edges))]
    segments = [
        Segment(edge, _errno(graph, number))
        for edge, number in zip(edges, numbers, strict=True)
    ]
    root = graph.load(0, search_tree(graph, segments))
    borders = {edge + step for edge in edges for step in (-1, 0, 1)}
    for word in sorted({word & 0xFFFFFFFF for word in [*words, *borders]}):
        expected = bpf.ACTION_ERRNO | numbers[bisect_right(edges, word) - 1]
        assert _run(root, word) == expected


def test_jumps_over_more_than_255_instructions_are_bridged() -> None:
    graph = Graph()
    segments = [Segment(n * 2, _errno(graph, n)) for n in range(900)]
    root = graph.load(0, search_tree(graph, segments))
    for word in (0, 1, 2, 511, 512, 1023, 1797, 1798, 0xFFFFFFFF):
        assert _run(root, word) == bpf.ACTION_ERRNO | min(word // 2, 899)


def test_equal_leaves_are_one_instruction() -> None:
    graph = Graph()
    segments = [Segment(n, _errno(graph, n % 2)) for n in range(40)]
    program = assemble(graph.load(0, search_tree(graph, segments)))
    returns = [insn for insn in program.instructions if insn.code == bpf.RETURN]
    assert len(returns) == 2


def test_a_single_value_costs_one_test() -> None:
    graph = Graph()
    around, inside = _errno(graph, 0), _errno(graph, 1)
    segments = [Segment(0, around), Segment(5, inside), Segment(6, around)]
    program = assemble(graph.load(0, search_tree(graph, segments)))
    assert [insn.code for insn in program.instructions] == [
        bpf.LOAD,
        bpf.JUMP_EQUAL,
        bpf.RETURN,
        bpf.RETURN,
    ]


def test_programs_beyond_the_kernels_limit_are_refused() -> None:
    graph = Graph()
    segments = [Segment(n, _errno(graph, n % 4000)) for n in range(5000)]
    with pytest.raises(ProgramTooLongError, match=f"at most {LONGEST_PROGRAM}"):
        assemble(graph.load(0, search_tree(graph, segments)))


def test_bridges_hold_when_both_ways_are_far() -> None:
    graph = Graph()
    tree = search_tree(graph, [Segment(n, _errno(graph, n)) for n in range(300)])
    allow = graph.give(bpf.ACTION_ALLOW)
    root = graph.load(0, graph.branch(bpf.JUMP_ANY_BIT, 1 << 31, tree, allow))
    assert _run(root, 5) == bpf.ACTION_ALLOW
    assert _run(root, 1 << 31) == bpf.ACTION_ERRNO | 299


def test_a_chain_of_thousands_of_tests_is_laid_out() -> None:
    """The depth of a graph is not bounded by the interpreter's stack."""
    graph = Graph()
    node = graph.give(bpf.ACTION_ALLOW)
    for value in range(1500):
        node = graph.branch(bpf.JUMP_EQUAL, value, _errno(graph, value % 7), node)
    root = graph.load(0, node)
    assert _run(root, 1499) == bpf.ACTION_ERRNO | 1499 % 7
    assert _run(root, 5000) == bpf.ACTION_ALLOW
