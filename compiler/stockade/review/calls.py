# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the changed answers of a filter into facts that name rules and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.errno import ERRNO_NAMES
from stockade.abi.syscalls import call_names
from stockade.model.call_rules import CALL_RULES
from stockade.model.calls import CallRule, holds
from stockade.model.decide import rules_by_call
from stockade.model.difference import CallChange
from stockade.model.policy import Policy
from stockade.model.request import CallRequest
from stockade.render.prose import sentence
from stockade.render.text import plain
from stockade.review.change import ALLOWED, Case, Fact, Kind, Topic, kind_of
from stockade.review.keys import Keys
from stockade.review.request_words import request_text

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
# What a call may do that a requirement refuses, and how dangerous that is. Where
# another change says it as a whole, what is left are the calls.
DEEDS: Mapping[str, tuple[int, str]] = {
    "no-privilege-escalation": (50, "use the kernel's calls for more privilege"),
    "filesystem-confined": (50, "use calls that go past the rules on paths"),
    "processes-protected": (51, "reach what other processes have or share"),
    "signals-isolated": (52, "act on other processes by number"),
    "others-fixed": (53, "see or change other processes by number"),
    "ioctl-input-denied": (54, "hand data to devices and file systems by requests"),
    "metadata-protected": (
        30,
        "change mode, owner, attributes and times of any file of this user",
    ),
    "open-metadata-protected": (31, "change mode and times of files it has open"),
    "no-setid-files": (50, "leave files that run as their owner"),
    "children-denied": (60, "make the calls that start processes"),
    "ip-network-denied": (60, "make the calls for networks"),
    "ip-inbound-denied": (60, "make the calls that take connections"),
    "unix-sockets-denied": (60, "make the calls for Unix sockets"),
    "socket-families-limited": (60, "make sockets of further kinds"),
    "sockets-denied": (60, "make the calls for sockets"),
}
_OTHER_DEED = (55, "make further calls")


def call_changes(
    arch: str, abis: tuple[int, int], found: tuple[CallChange, ...], keys: Keys
) -> Iterator[Fact]:
    """Give the changes of two filters, one a call.

    `abis` are the Landlock ABIs that the two variants are made for.
    """
    facts = (
        _fact(arch, abis, *one, keys) for one in _each_name(found, call_names(arch))
    )
    # As the rules stand, whose authors put first what matters first.
    yield from (fact for _, fact in sorted(facts, key=lambda one: one[0]))


def _fact(
    arch: str, abis: tuple[int, int], one: CallChange, name: str, keys: Keys
) -> tuple[int, Fact]:
    """Make the fact of one call, and say where its rule stands."""
    answers = answer(one.before), answer(one.after)
    kind = kind_of(*answers)
    if kind is None:
        # Two actions with one name would hide a change.
        raise ValueError(f"no change: {one}")
    meaning = _meaning(name, one)
    sides = keys.sides(meaning, abis)
    rules = keys.of(meaning, abis) if name else ()
    rule = next((side for side in _most_telling(kind, sides) if side), None)
    rank, deed = DEEDS.get(rule.requirement, _OTHER_DEED) if rule else _OTHER_DEED
    text = request_text(request_of(one), arch)
    before, after = map(plain, answers)
    reason = rule.reason if rule else ""
    case = Case(plain(name or _numbers(one)), text, before, after, reason=reason)
    at = CALL_RULES.index(rule) if rule else len(CALL_RULES)
    return at, Fact(kind, Topic.CALLS, rank, deed, sentence(), case, rules)


def _most_telling(
    kind: Kind, sides: tuple[CallRule | None, ...]
) -> tuple[CallRule | None, ...]:
    """Put the side first whose rule refuses."""
    return sides if kind is Kind.NEWLY_ALLOWED else sides[::-1]


def request_of(one: CallChange) -> CallRequest:
    """Make the call that shows a change."""
    arches = {number: name for name, number in AUDIT_ARCH.items()}
    arch = arches.get(one.audit_arch, f"{one.audit_arch:#x}")
    return CallRequest(arch, one.number, one.args, one.own_pid)


def _each_name(
    found: tuple[CallChange, ...], names: Mapping[int, str]
) -> Iterator[tuple[CallChange, str]]:
    """Part runs of numbers into calls with a name and runs without."""
    for one in found:
        first = one.first
        # Names end far below the number space, so this is short.
        for number in sorted(n for n in names if one.first <= n <= one.last):
            if first < number:
                yield replace(one, first=first, last=number - 1, number=first), ""
            yield replace(one, first=number, last=number, number=number), names[number]
            first = number + 1
        if first <= one.last:
            yield replace(one, first=first, number=first), ""


def _meaning(name: str, call: CallChange) -> Callable[[Policy, int], CallRule | None]:
    return lambda policy, abi: deciding_rule(policy, abi, name, call)


def deciding_rule(
    policy: Policy, landlock_abi: int, name: str, call: CallChange
) -> CallRule | None:
    """Find the rule that decides a call; None when no rule refuses it."""
    for rule in rules_by_call(policy, landlock_abi).get(name, ()):
        if all(holds(test, call.args, call.own_pid) for test in rule.tests):
            return rule
    return None


def _numbers(one: CallChange) -> str:
    if one.first == one.last:
        return f"number {one.first:#x}"
    return f"numbers {one.first:#x} to {one.last:#x}"


def answer(action: int) -> str:
    """Name an answer: `allow`, an error's name, or the action's number."""
    if action == _ALLOW:
        return ALLOWED
    if action & 0xFFFF0000 == _ERRNO:
        number = action & 0xFFFF
        return ERRNO_NAMES.get(number, f"errno {number}")
    return f"action {action:#x}"
