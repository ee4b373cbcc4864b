# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove random rule sets, and compare them with their meaning call by call.

`make fuzz` tries fifty times as many.
"""

from __future__ import annotations

import random

import pytest
from rule_maker import RuleSet, Written, check, random_rule_set

from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Filter
from stockade.model.calls import BOTH_WORDS, LOW_WORD, ArgumentTest
from stockade.proof.prover import ProofRefusedError, prove

_SETS, _BATCH, _VECTORS = 2000, 250, 12


@pytest.mark.parametrize("first", range(0, _SETS, _BATCH))
def test_random_rule_sets_are_compiled_as_they_are_meant(first: int) -> None:
    """Compile, prove against the meaning, and ask the interpreter near the borders."""
    for seed in range(first, first + _BATCH):
        source = random.Random(seed)
        check(random_rule_set(source), source, _VECTORS)


def _checked(*tests: ArgumentTest, call: str = "ptrace") -> Filter:
    number = call_numbers("x86_64")[call]
    rule_set = RuleSet("x86_64", {number: (call, (Written(tests, "EPERM"),))})
    return check(rule_set, random.Random(1), 200)


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize("mask", [BOTH_WORDS, LOW_WORD, 0xFF, 0xFF0000000F])
@pytest.mark.parametrize("ranges", [(), ((0, 0),), ((1, 1 << 32), (7, 9))])
def test_the_own_process_is_found_in_arguments_of_any_width(
    ranges: tuple[tuple[int, int], ...], mask: int, *, negated: bool
) -> None:
    """A bit above the low word is never part of a process ID."""
    program = _checked(ArgumentTest(1, ranges, mask, own_pid=True, negated=negated))
    assert [entry.kind for entry in program.relocations] == ["own-pid"]


def test_ranges_overlap_in_any_order() -> None:
    """The same values written otherwise are the same program."""
    program = _checked(ArgumentTest(1, ((7, 30), (0, 8), (9, 9), (20, 40)), BOTH_WORDS))
    assert program == _checked(ArgumentTest(1, ((0, 40),), BOTH_WORDS))


def test_a_value_like_the_placeholder_is_no_process() -> None:
    """A comparison with 0x7fffffff must not wait for a process ID."""
    for mask in (LOW_WORD, BOTH_WORDS):
        program = _checked(ArgumentTest(1, ((0x7FFFFFFF, 0x7FFFFFFF),), mask))
        assert program.relocations == ()


def test_another_meaning_is_refused() -> None:
    """The claim of one rule set is not proved of another's program."""
    number = call_numbers("x86_64")["ptrace"]
    wide, narrow = (
        RuleSet("x86_64", {number: ("ptrace", (Written((test,), "EPERM"),))})
        for test in (
            ArgumentTest(1, ((5, 1 << 40),), BOTH_WORDS),
            ArgumentTest(1, ((5, (1 << 40) - 1),), BOTH_WORDS),
        )
    )
    with pytest.raises(ProofRefusedError) as refused:
        prove(narrow.compile(), wide.claim())
    assert refused.value.counterexample is not None
    assert refused.value.counterexample.args[1] == 1 << 40
