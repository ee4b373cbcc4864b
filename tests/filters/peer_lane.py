# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what another filter compiler answers, and why where that is not our answer.

A rule set has one reference decision. A peer may depart from it only for a reason
of `REASONS`, and each reason says which answer the peer then gives: a call that is
answered in any other way is nobody's meaning, and fails.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rule_maker import Args, RuleSet, action_value, calls_near

from stockade.abi.arch import AUDIT_ARCH, SKIPPED_CALL
from stockade.model.predicates import (
    All,
    Any_,
    Comparison,
    MaskedEqual,
    Member,
    Predicate,
)
from stockade.proof.interpreter import call_data, run
from stockade.targets.linux.seccomp import Defaults

OTHER_ARCH = "a call of another architecture has an action of the peer's own"
X32 = "an x32 number is like any number without a rule"
NO_CALL = "the number -1 is like any number without a rule"
WIDER = "more of an argument is compared than the kernel keeps"
REASONS = (OTHER_ARCH, X32, NO_CALL, WIDER)

Code: TypeAlias = "list[tuple[int, int, int, int]]"


@dataclass(frozen=True, slots=True)
class Peer:
    """How a peer departs from the reference.

    `other_arch` is the value it returns there; `bits` gives how much of an argument
    of a named call it compares.
    """

    other_arch: int
    bits: Callable[[str, int], int]


def defaults(default: str) -> Defaults:
    """Give one action to all that has no rule, as peers do, and keep our own rest."""
    return Defaults(named=default, unnamed=default, x32="EACCES", other_arch="EACCES")


def compare(
    rule_set: RuleSet, code: Code, peer: Peer, source: random.Random, count: int
) -> Counter[str]:
    """Compare a peer's program with the reference, and count departures by reason."""
    departures: Counter[str] = Counter()
    for audit_arch, number, args, own_pid in calls_near(rule_set, source, count):
        meant = rule_set.meant(audit_arch, number, args, own_pid)
        theirs = run(code, call_data(number, audit_arch, args, 0))
        answer, reason = _expected(rule_set, peer, audit_arch, number, args)
        call = f"{audit_arch:#x} {number:#x} {[hex(value) for value in args]}"
        about = f"{theirs:#x}, not {answer:#x} (ours {meant:#x}): {call} of {rule_set}"
        assert theirs == answer, about
        if theirs != meant:
            departures[reason] += 1
    return departures


def holds(name: str, where: Predicate, args: Sequence[int], peer: Peer) -> bool:
    """Evaluate a predicate with the peer's widths."""
    match where:
        case All(parts=parts):
            return all(holds(name, part, args, peer) for part in parts)
        case Any_(parts=parts):
            return any(holds(name, part, args, peer) for part in parts)
    value = args[where.arg] & ((1 << peer.bits(name, where.arg)) - 1)
    match where:
        case MaskedEqual(mask=mask, value=wanted):
            return value & mask == wanted
        case Member(values=values, negated=negated):
            return (value in values) != negated
        case Comparison(operator=operator, value=int(other)):
            return {
                "==": value == other,
                "!=": value != other,
                "<": value < other,
                "<=": value <= other,
                ">": value > other,
                ">=": value >= other,
            }[operator]
    raise AssertionError(where)


def _expected(
    rule_set: RuleSet, peer: Peer, audit_arch: int, number: int, args: Args
) -> tuple[int, str]:
    """Give the peer's answer, and why should the reference have another."""
    default = action_value(rule_set.defaults.unnamed)
    if audit_arch != AUDIT_ARCH[rule_set.arch]:
        return peer.other_arch, OTHER_ARCH
    if number in rule_set.calls:
        name, rules = rule_set.calls[number]
        for rule in rules:
            assert not isinstance(rule.where, tuple)
            if holds(name, rule.where, args, peer):
                return action_value(rule.action), WIDER
        return default, WIDER
    return default, NO_CALL if number == SKIPPED_CALL else X32
