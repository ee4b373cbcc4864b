# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn what an author says about arguments into tests of the right width.

    predicate = comparison | masked | member | all of predicates | any of them

An author names values and never widths: the table of arguments says how many bits
the kernel keeps, and only those are compared. Comparisons are unsigned. A
predicate becomes alternatives, each a conjunction of tests; rules of the same
action stand for the alternatives, in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TypeAlias, assert_never

from stockade.abi.arguments import argument_widths
from stockade.abi.syscalls import ARCHES, call_numbers
from stockade.model.calls import ArgumentTest, CallRule, negate

OWN_PID = "own-pid"
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
# Alternatives multiply where `any` stands below `all`.
MOST_ALTERNATIVES = 4096


class PredicateError(Exception):
    """A predicate cannot be what its author meant; says why and what to do."""

    def __init__(self, message: str, help_: str) -> None:
        """Keep the message and the help apart."""
        super().__init__(message)
        self.help = help_


@dataclass(frozen=True, slots=True)
class Comparison:
    """An argument compared with a value; `value` may be the own process ID."""

    arg: int
    operator: str
    value: int | str


@dataclass(frozen=True, slots=True)
class MaskedEqual:
    """The bits of an argument under a mask equal a value."""

    arg: int
    mask: int
    value: int


@dataclass(frozen=True, slots=True)
class Member:
    """An argument is one of the values, or none of them when negated."""

    arg: int
    values: tuple[int, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds; without parts it always does."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Any_:  # noqa: N801 - `Any` is a type of its own
    """Some part holds; without parts it never does."""

    parts: tuple[Predicate, ...]


Predicate: TypeAlias = Comparison | MaskedEqual | Member | All | Any_
_Conjunction: TypeAlias = tuple[ArgumentTest, ...]


def rules_of(
    calls: tuple[str, ...], predicate: Predicate, action: str, reason: str = ""
) -> tuple[CallRule, ...]:
    """Build the rules that answer calls with an action where a predicate holds.

    Raises PredicateError for an unknown call, an argument it does not have, a value
    wider than the kernel keeps, and a predicate that can never hold.
    """
    rules: list[CallRule] = []
    for call in calls:
        widths = _widths(call)
        alternatives = [
            merged
            for tests in _alternatives(call, widths, predicate)
            if (merged := _without_contradiction(tests)) is not None
        ]
        if not alternatives:
            message = f"the condition on `{call}` can never hold"
            raise PredicateError(message, "remove the rule, or mend the condition")
        rules += [
            CallRule((call,), action, reason, tests=tests) for tests in alternatives
        ]
    return tuple(rules)


def _widths(call: str) -> tuple[int, ...]:
    if not any(call in call_numbers(arch) for arch in ARCHES):
        message = f"`{call}` is not a call of Linux"
        raise PredicateError(message, "name a call as its manual page does")
    # Calls that Linux only numbers have no arguments to test.
    return argument_widths().get(call, ())


def _alternatives(
    call: str, widths: tuple[int, ...], predicate: Predicate
) -> list[_Conjunction]:
    match predicate:
        case All(parts=parts):
            lists = [_alternatives(call, widths, part) for part in parts]
            found = 1
            for alternatives in lists:
                found *= len(alternatives)
            if found > MOST_ALTERNATIVES:
                message = f"the condition on `{call}` has {found} alternatives"
                help_ = f"split the rule; at most {MOST_ALTERNATIVES} are tried"
                raise PredicateError(message, help_)
            return [
                tuple(test for tests in choice for test in tests)
                for choice in product(*lists)
            ]
        case Any_(parts=parts):
            return [
                tests for part in parts for tests in _alternatives(call, widths, part)
            ]
        case _:
            return [(_test(call, widths, predicate),)]


def _test(
    call: str, widths: tuple[int, ...], predicate: Comparison | MaskedEqual | Member
) -> ArgumentTest:
    if not 0 <= predicate.arg < len(widths):
        message = f"`{call}` has no argument {predicate.arg}"
        help_ = f"it has {len(widths)}, counted from 0"
        raise PredicateError(message, help_)
    kept = (1 << widths[predicate.arg]) - 1
    match predicate:
        case Comparison(arg=arg, operator=operator, value=value):
            if isinstance(value, str):
                return _own_process(arg, operator, kept)
            _check_fits(call, arg, value, kept)
            return _ordered(arg, operator, value, kept)
        case MaskedEqual(arg=arg, mask=mask, value=value):
            _check_fits(call, arg, mask | value, kept)
            if value & ~mask:
                message = f"value {value:#x} has bits outside mask {mask:#x}"
                raise PredicateError(message, "give a value within the mask")
            return ArgumentTest(arg, ((value, value),), mask)
        case Member(arg=arg, values=values, negated=negated):
            for value in values:
                _check_fits(call, arg, value, kept)
            ranges = tuple((value, value) for value in sorted(set(values)))
            return ArgumentTest(arg, ranges, kept, negated=negated)
        case _:
            assert_never(predicate)


def _own_process(arg: int, operator: str, kept: int) -> ArgumentTest:
    test = ArgumentTest(arg, (), kept, own_pid=True)
    match operator:
        case "==":
            return test
        case "!=":
            return negate(test)
    message = f"`{operator}` cannot order process IDs"
    raise PredicateError(message, "compare with `==` or `!=`")


def _check_fits(call: str, arg: int, value: int, kept: int) -> None:
    if not 0 <= value <= kept:
        message = f"value {value:#x} is too wide for argument {arg} of `{call}`"
        help_ = f"the kernel keeps {kept.bit_length()} bits of it"
        raise PredicateError(message, help_)


def _ordered(arg: int, operator: str, value: int, kept: int) -> ArgumentTest:
    below = ((0, value - 1),) if value else ()
    match operator:
        case "==" | "!=":
            test = ArgumentTest(arg, ((value, value),), kept)
        case "<" | ">=":
            test = ArgumentTest(arg, below, kept)
        case "<=" | ">":
            test = ArgumentTest(arg, ((0, value),), kept)
        case _:
            message = f"`{operator}` is not a comparison"
            raise PredicateError(message, f"use one of {' '.join(COMPARISONS)}")
    return negate(test) if operator in {"!=", ">=", ">"} else test


def _without_contradiction(tests: _Conjunction) -> _Conjunction | None:
    """Merge the tests on one value; None when they leave no value.

    Tests under different masks are not weighed against each other: the filter is
    right either way, and the proof finds out what it means.
    """
    merged: dict[tuple[int, int, bool], ArgumentTest] = {}
    for test in tests:
        key = (test.arg, test.mask, test.own_pid)
        if test.own_pid or key not in merged:
            merged.setdefault((*key[:2], test.own_pid), test)
            if test.own_pid and merged[key] != test:
                return None
            continue
        merged[key] = _both(merged[key], test)
    if any(_is_empty(test) for test in merged.values()):
        return None
    return tuple(test for test in merged.values() if not _is_full(test))


def _positive(test: ArgumentTest) -> tuple[tuple[int, int], ...]:
    """Write a test's ranges without negation, within its mask's highest value."""
    if not test.negated:
        return test.ranges
    found: list[tuple[int, int]] = []
    start = 0
    for low, high in test.ranges:
        if start < low:
            found.append((start, low - 1))
        start = high + 1
    if start <= test.mask:
        found.append((start, test.mask))
    return tuple(found)


def _both(one: ArgumentTest, other: ArgumentTest) -> ArgumentTest:
    ranges = [
        (max(low, from_), min(high, to))
        for low, high in _positive(one)
        for from_, to in _positive(other)
        if max(low, from_) <= min(high, to)
    ]
    return ArgumentTest(one.arg, tuple(sorted(ranges)), one.mask)


def _is_empty(test: ArgumentTest) -> bool:
    return not test.own_pid and not _positive(test)


def _is_full(test: ArgumentTest) -> bool:
    return not test.own_pid and _positive(test) == ((0, test.mask),)
