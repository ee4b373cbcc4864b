# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Emit the decisions of a compiled filter as one comparison after the other.

What the balanced tree is measured against. It is written from the rules that the
reference meaning decides by, and not by taking the tree apart; equal answers of
both are checked before anything is timed.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from backward_assembly import (
    ALLOW,
    AND,
    ARCH,
    JEQ,
    JGE,
    JGT,
    JSET,
    NR,
    Backward,
    refuse_with,
)

from stockade.abi.arch import AUDIT_ARCH, SKIPPED_CALL, X32_BIT
from stockade.abi.syscalls import call_names
from stockade.model.calls import LOW_WORD
from stockade.model.decide import WITNESS_NUMBER, rules_by_call

if TYPE_CHECKING:
    from backward_assembly import Instruction

    from stockade.model.calls import ArgumentTest, CallRule
    from stockade.model.policy import Policy

OWN_PID = 0x7FFFFFFF
WITNESS_ACTION = 0x00050FFF
_FIRST_ARGUMENT, _ARGUMENT_BYTES, _WORD_BYTES = 16, 8, 4


def _offset(argument: int) -> int:
    return _FIRST_ARGUMENT + _ARGUMENT_BYTES * argument


def _test(code: Backward, test: ArgumentTest, yes: int, no: int) -> int:
    """Put one test before two known places."""
    inside, outside = (no, yes) if test.negated else (yes, no)
    if test.ranges != ((0, 0),) or test.own_pid:
        return _membership(code, test, inside, outside)
    if test.mask > LOW_WORD:
        code.branch(JEQ, 0, inside, outside)
        high = code.load(_offset(test.arg) + _WORD_BYTES)
        code.branch(JEQ, 0, high, outside)
    else:
        code.branch(JSET, test.mask, outside, inside)
    return code.load(_offset(test.arg))


def _membership(code: Backward, test: ArgumentTest, inside: int, outside: int) -> int:
    following = outside
    if test.own_pid:
        following = code.branch(JEQ, OWN_PID, inside, following)
    for low, high in reversed(test.ranges):
        if low == high:
            following = code.branch(JEQ, low, inside, following)
        else:
            below_end = code.branch(JGT, high, following, inside)
            following = code.branch(JGE, low, below_end, following)
    if test.mask != LOW_WORD:
        following = code.put(AND, test.mask)
    return code.load(_offset(test.arg))


def _call(code: Backward, rules: tuple[CallRule, ...]) -> int:
    """Put what decides one call; the first rule whose tests hold wins."""
    following = code.answer(ALLOW)
    for rule in reversed(rules):
        yes = code.answer(refuse_with(getattr(errno, rule.action)))
        for test in reversed(rule.tests):
            yes = _test(code, test, yes, following)
        following = yes
    return following


def linear_filter(policy: Policy, landlock_abi: int, arch: str) -> list[Instruction]:
    """Return the program as (code, jt, jf, k), placeholders not filled in."""
    code = Backward()
    names = call_names(arch)
    rules = rules_by_call(policy, landlock_abi)
    no_call = refuse_with(errno.ENOSYS)
    following = code.answer(ALLOW)
    for number in sorted(names, reverse=True):
        refusing = rules.get(names[number], ())
        if refusing:
            decision = _call(code, refusing)
            # Arguments were loaded on the way there, never on the way past.
            following = code.branch(JEQ, number, decision, following)
        if number and number - 1 not in names:
            following = _gap(code, number, names, following)
    following = code.branch(JGT, max(names), code.answer(no_call), following)
    if arch == "x86_64":
        x32 = code.answer(refuse_with(errno.EPERM))
        following = code.branch(JSET, X32_BIT, x32, following)
    following = code.branch(JEQ, SKIPPED_CALL, code.answer(no_call), following)
    witness = code.answer(WITNESS_ACTION)
    code.branch(JEQ, WITNESS_NUMBER, witness, following)
    loaded = code.load(NR)
    code.branch(JEQ, AUDIT_ARCH[arch], loaded, code.answer(refuse_with(errno.EPERM)))
    code.load(ARCH)
    return code.program()


def _gap(code: Backward, end: int, names: dict[int, str], following: int) -> int:
    """Refuse the numbers without a name that lie before `end`."""
    start = end - 1
    while start > 0 and start - 1 not in names:
        start -= 1
    inside = code.branch(JGE, end, following, code.answer(refuse_with(errno.ENOSYS)))
    return code.branch(JGE, start, inside, following)
