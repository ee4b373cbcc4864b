# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that the comparison of two filters names what changes, and all of it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

import vectors
from policies import KEY_COMBINATIONS, label
from stockade.abi.arch import AUDIT_ARCH, LINUX_TARGETS
from stockade.abi.syscalls import call_numbers
from stockade.driver.linux import build_linux
from stockade.model.artifact import Filter, Instruction
from stockade.model.decide import decide, rules_by_call
from stockade.model.policy import Policy
from stockade.model.request import CallRequest, Situation
from stockade.proof.comparison import compare_filters
from stockade.proof.prover import ProofRefusedError
from stockade.targets.linux.seccomp import action_value

_PAIRS = tuple(itertools.pairwise((*KEY_COMBINATIONS, KEY_COMBINATIONS[0])))
_ALLOW = 0x7FFF0000


def _filters(policy: Policy, target: str) -> dict[int, Filter]:
    artifact = build_linux(policy, "x", target)
    return {
        int(variant.name.removeprefix("abi-")): variant.filter
        for variant in artifact.levels[0].variants
    }


def _answer(policy: Policy, situation: Situation, request: CallRequest) -> int:
    action = decide(policy, situation, request).action
    return 0x00050FFF if action == "WITNESS" else action_value(action)


@pytest.mark.parametrize("target", sorted(LINUX_TARGETS))
@pytest.mark.parametrize(
    "pair", _PAIRS[::3], ids=lambda pair: "->".join(map(label, pair))
)
def test_exactly_the_calls_that_change_are_named(
    pair: tuple[Policy, Policy], target: str
) -> None:
    """Every sampled call that gets another answer lies in a change of that answer."""
    old, new = pair
    arch = LINUX_TARGETS[target].arch
    (old_filters, new_filters) = (_filters(policy, target) for policy in pair)
    for abi in sorted(old_filters.keys() & new_filters.keys())[::3]:
        situation = Situation(arch, abi)
        changes = compare_filters(old_filters[abi], new_filters[abi])
        named = {
            (number, change.before, change.after)
            for change in changes
            for number in range(change.first, change.last + 1)
        }
        seen = set()
        rules = {**rules_by_call(old, abi), **rules_by_call(new, abi)}
        for request in vectors.requests(arch, rules):
            before = _answer(old, situation, request)
            after = _answer(new, situation, request)
            if before != after:
                assert request.arch == arch
                seen.add((request.number, before, after))
        # The samples may miss a change; each one named is confirmed below.
        assert seen <= named
        for change in changes:
            assert change.audit_arch == AUDIT_ARCH[arch]
            request = CallRequest(arch, change.number, change.args, change.own_pid)
            assert _answer(old, situation, request) == change.before
            assert _answer(new, situation, request) == change.after


def test_a_filter_changes_nothing_against_itself_written_otherwise() -> None:
    program = _filters(Policy(), "linux-x86_64")[6]
    # A jump over nothing: other bytes, the same decisions.
    jump = Instruction(0x05, 0, 0, 0)
    longer = replace(
        program,
        instructions=(jump, *program.instructions),
        relocations=tuple(
            replace(one, insn=one.insn + 1) for one in program.relocations
        ),
    )
    assert compare_filters(program, longer) == ()
    assert compare_filters(longer, program) == ()


def test_one_changed_answer_is_one_change() -> None:
    program = _filters(Policy(), "linux-x86_64")[6]
    number = call_numbers("x86_64")["openat2"]
    reply = next(
        at
        for at, insn in enumerate(program.instructions)
        if insn.code == 0x06 and insn.k == action_value("ENOSYS")
    )
    instructions = list(program.instructions)
    instructions[reply] = replace(instructions[reply], k=_ALLOW)
    changes = compare_filters(
        program, replace(program, instructions=tuple(instructions))
    )
    assert {(one.before, one.after) for one in changes} == {
        (action_value("ENOSYS"), _ALLOW)
    }
    assert any(one.first <= number <= one.last for one in changes)
    # Numbers beyond the table change as one run, not as millions.
    assert any(one.last - one.first > 1 << 20 for one in changes)


def test_what_is_no_program_is_not_equal_to_anything() -> None:
    program = _filters(Policy(), "linux-x86_64")[6]
    with pytest.raises(ProofRefusedError, match="not comparable"):
        compare_filters(program, Filter((Instruction(0x16, 0, 0, 0),), ()))
