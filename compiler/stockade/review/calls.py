# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the changed answers of a filter into changes that name rules and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.errno import ERRNO_NAMES
from stockade.abi.syscalls import call_names
from stockade.model.artifact import Filter
from stockade.model.calls import CallRule, holds
from stockade.model.decide import rules_by_call
from stockade.model.difference import CallChange
from stockade.model.place import Place
from stockade.model.policy import Policy
from stockade.review.change import Case, Change, Kind
from stockade.review.subject import Subject, changed_fields

Compare = Callable[[Filter, Filter], tuple[CallChange, ...]]
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules that decide a call before and after, and the keys that matter."""

    before: CallRule | None
    after: CallRule | None
    keys: tuple[Place, ...]


def call_changes(
    old: Subject,
    new: Subject,
    abis: tuple[int, int],
    found: tuple[CallChange, ...],
) -> Iterator[Change]:
    """Give the changes of two filters, those with one reason as one.

    `abis` are the Landlock ABIs that the two variants are made for.
    """
    arch = LINUX_TARGETS[new.artifact.target].arch
    names = call_names(arch)
    grouped: dict[tuple[Kind, _Rules, str], list[Case]] = {}
    for one, name in _each_name(found, names):
        rules = _rules(old, new, abis, name, one)
        answers = answer(one.before), answer(one.after)
        case = Case(
            name or _numbers(one), call_text(name, one.number, one.args), *answers
        )
        grouped.setdefault((_kind(one), rules, " ".join(answers)), []).append(case)
    for (kind, rules, _), cases in grouped.items():
        yield Change(kind, _sentence(kind, rules, cases), tuple(cases), rules.keys)


def _each_name(
    found: tuple[CallChange, ...], names: Mapping[int, str]
) -> Iterator[tuple[CallChange, str | None]]:
    """Part runs of numbers into calls with a name and runs without."""
    for one in found:
        first = one.first
        # Names end far below the number space, so this is short.
        for number in sorted(n for n in names if one.first <= n <= one.last):
            if first < number:
                yield replace(one, first=first, last=number - 1, number=first), None
            yield replace(one, first=number, last=number, number=number), names[number]
            first = number + 1
        if first <= one.last:
            yield replace(one, first=first, number=first), None


def _kind(one: CallChange) -> Kind:
    if one.after == _ALLOW:
        return Kind.NEWLY_ALLOWED
    return Kind.NEWLY_DENIED if one.before == _ALLOW else Kind.CHANGED_ERROR


def _rules(
    old: Subject,
    new: Subject,
    abis: tuple[int, int],
    name: str | None,
    one: CallChange,
) -> _Rules:
    if name is None:
        return _Rules(None, None, ())
    before = deciding_rule(old.policy, abis[0], name, one)
    after = deciding_rule(new.policy, abis[1], name, one)
    keys = []
    for field in changed_fields(old.policy, new.policy):
        # A key matters when its change alone changes the deciding rule.
        alone = replace(old.policy, **{field: getattr(new.policy, field)})
        back = replace(new.policy, **{field: getattr(old.policy, field)})
        if (
            deciding_rule(alone, abis[0], name, one) != before
            or deciding_rule(back, abis[1], name, one) != after
        ):
            keys.append(_written(old, new, field))
    return _Rules(before, after, tuple(keys))


def _written(old: Subject, new: Subject, field: str) -> Place:
    """Give the place of a key where it is written, of the new side first."""
    place = new.key(field)
    return place if place.where else old.key(field)


def deciding_rule(
    policy: Policy, landlock_abi: int, name: str, call: CallChange
) -> CallRule | None:
    """Find the rule that decides a call; None when no rule refuses it."""
    for rule in rules_by_call(policy, landlock_abi).get(name, ()):
        if all(holds(test, call.args, call.own_pid) for test in rule.tests):
            return rule
    return None


def _sentence(kind: Kind, rules: _Rules, cases: list[Case]) -> str:
    names = ", ".join(f"`{case.name}`" for case in cases)
    first = cases[0]
    if kind is Kind.NEWLY_ALLOWED:
        return f"{names}: no longer refused{_reason(rules.before)}"
    if kind is Kind.NEWLY_DENIED:
        return f"{names}: now refused with {first.after}{_reason(rules.after)}"
    return (
        f"{names}: refused with {first.after} in place of"
        f" {first.before}{_reason(rules.after)}"
    )


def _reason(rule: CallRule | None) -> str:
    return f" ({rule.requirement}: {rule.reason})" if rule else ""


def _numbers(one: CallChange) -> str:
    if one.first == one.last:
        return f"number {one.first:#x}"
    return f"numbers {one.first:#x} to {one.last:#x}"


def call_text(name: str | None, number: int, args: tuple[int, ...]) -> str:
    """Write a call as `stockade query` takes it, trailing zeros left out."""
    count = max((at + 1 for at, arg in enumerate(args) if arg), default=0)
    words = [name or f"{number:#x}", *(f"{arg:#x}" for arg in args[:count])]
    return f"call {' '.join(words)}"


def answer(action: int) -> str:
    """Name an answer: `allow`, an error's name, or the action's number."""
    if action == _ALLOW:
        return "allow"
    if action & 0xFFFF0000 == _ERRNO:
        number = action & 0xFFFF
        return ERRNO_NAMES.get(number, f"errno {number}")
    return f"action {action:#x}"
