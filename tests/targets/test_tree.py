# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check search trees and their layout on random segments."""

from __future__ import annotations

from bisect import bisect_right

from hypothesis import given, settings
from hypothesis import strategies as st

from stockade.abi import bpf
from stockade.proof.interpreter import run
from stockade.targets.linux.assemble import (
    LONGEST_PROGRAM,
    ProgramTooLongError,
    assemble,
)
from stockade.targets.linux.tree import Branch, Load, Node, Return, Segment, search_tree

_STARTS = st.lists(
    st.one_of(st.integers(0, 64), st.integers(0, 0xFFFFFFFF), st.just(0xFFFFFFFF)),
    max_size=60,
    unique=True,
)


def _segments(starts: list[int], answers: int) -> list[Segment]:
    edges = sorted({0, *starts})
    return [
        Segment(edge, Return(bpf.ACTION_ERRNO | (index * 7 % answers)))
        for index, edge in enumerate(edges)
    ]


def _run(root: Node, word: int) -> int:
    program = assemble(root)
    code = [(i.code, i.jt, i.jf, i.k) for i in program.instructions]
    return run(code, word.to_bytes(4, "little") + bytes(60))


@given(
    starts=_STARTS,
    answers=st.integers(1, 9),
    words=st.lists(st.integers(0, 0xFFFFFFFF)),
)
@settings(max_examples=300, derandomize=True, deadline=None)
def test_search_finds_the_segment_of_every_word(
    starts: list[int], answers: int, words: list[int]
) -> None:
    segments = _segments(starts, answers)
    edges = [segment.start for segment in segments]
    root = Load(0, search_tree(segments))
    borders = {edge + step for edge in edges for step in (-1, 0, 1)}
    for word in sorted({word & 0xFFFFFFFF for word in [*words, *borders]}):
        expected = segments[bisect_right(edges, word) - 1].node
        assert isinstance(expected, Return)
        assert _run(root, word) == expected.value


def test_jumps_over_more_than_255_instructions_are_bridged() -> None:
    segments = [Segment(n * 2, Return(bpf.ACTION_ERRNO | n)) for n in range(900)]
    root = Load(0, search_tree(segments))
    for word in (0, 1, 2, 511, 512, 1023, 1797, 1798, 0xFFFFFFFF):
        answer = bpf.ACTION_ERRNO | min(word // 2, 899)
        assert _run(root, word) == answer


def test_equal_leaves_are_one_instruction() -> None:
    segments = [
        Segment(n, Return(bpf.ACTION_ALLOW if n % 2 else bpf.ACTION_ERRNO | 1))
        for n in range(40)
    ]
    program = assemble(Load(0, search_tree(segments)))
    returns = [insn for insn in program.instructions if insn.code == bpf.RETURN]
    assert len(returns) == 2


def test_programs_beyond_the_kernels_limit_are_refused() -> None:
    segments = [Segment(n, Return(bpf.ACTION_ERRNO | n % 4000)) for n in range(5000)]
    try:
        assemble(Load(0, search_tree(segments)))
    except ProgramTooLongError as error:
        assert error.length > LONGEST_PROGRAM
    else:
        raise AssertionError


def test_bridges_hold_when_both_ways_are_far() -> None:
    far = [Segment(n, Return(bpf.ACTION_ERRNO | n)) for n in range(300)]
    tree = search_tree(far)
    root = Load(0, Branch(bpf.JUMP_ANY_BIT, 1 << 31, tree, Return(bpf.ACTION_ALLOW)))
    assert _run(root, 5) == bpf.ACTION_ALLOW
    assert _run(root, 1 << 31) == bpf.ACTION_ERRNO | 299
