# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Choose the calls on which a filter is compared with the meaning.

Every number from 0 to 1023 and the borders of the number space, on every
architecture; for each call with rules, the borders of every tested value in
both words of the argument, around points that satisfy each rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from stockade.abi.syscalls import call_numbers
from stockade.model.calls import ArgumentTest, CallRule, holds
from stockade.model.request import CallRequest

ARCHES = ("x86_64", "i386", "aarch64", "arm")
EDGE_NUMBERS = (
    *range(1024),
    *(
        edge + step
        for edge in (0x2F5354, 1 << 30, 1 << 31, 3 << 30)
        for step in (-1, 0, 1)
    ),
    (1 << 30) + 59,
    (1 << 30) + 520,
    (1 << 32) - 2,
    (1 << 32) - 1,
)
HIGH_WORDS = (0, 1, 1 << 31, 0xFFFFFFFF)
OWN_PIDS = (1000, 4194304)
_WORD = 0xFFFFFFFF
_BOTH = (1 << 64) - 1
_TRIES = 200_000
_Args = tuple[int, int, int, int, int, int]


def requests(
    arch: str, rules: dict[str, tuple[CallRule, ...]]
) -> Iterator[CallRequest]:
    """Give the calls to compare, in a fixed order."""
    for other in ARCHES:
        for number in EDGE_NUMBERS:
            yield CallRequest(other, number)
            if other == arch:
                yield CallRequest(other, number, (_WORD << 32 | _WORD,) * 6)
    numbers = call_numbers(arch)
    for name, call_rules in sorted(rules.items()):
        if name in numbers:
            for own_pid in OWN_PIDS:
                for args in _argument_vectors(call_rules, own_pid):
                    yield CallRequest(arch, numbers[name], args, own_pid)


def argument_vectors(
    arch: str, name: str, rules: tuple[CallRule, ...]
) -> Iterator[CallRequest]:
    """Give the calls of one name to compare; none where an architecture lacks it."""
    number = call_numbers(arch).get(name)
    if number is not None:
        for args in _argument_vectors(rules, OWN_PIDS[0]):
            yield CallRequest(arch, number, args, OWN_PIDS[0])


def _argument_vectors(rules: tuple[CallRule, ...], own_pid: int) -> Iterator[_Args]:
    """Vary one argument at a time around a point that satisfies each rule."""
    tests = [test for rule in rules for test in rule.tests]
    borders = {
        arg: sorted(
            {v for test in tests if test.arg == arg for v in _borders(test, own_pid)}
        )
        for arg in sorted({test.arg for test in tests})
    }
    bases = [(0,) * 6, *_deciding_points(rules, borders, own_pid)]
    seen: dict[_Args, None] = {}
    for base in bases:
        for arg, values in borders.items():
            for value in values:
                for high in HIGH_WORDS:
                    point = list(base)
                    point[arg] = value ^ (high << 32)
                    seen[tuple(point)] = None  # type: ignore[index]
    yield from seen


def _borders(test: ArgumentTest, own_pid: int) -> Iterator[int]:
    """List the 64-bit values at which a test may change its mind."""
    yield from (0, 1, _WORD)
    spare = ~test.mask & _BOTH
    for low, high in test.ranges:
        for value in (low - 1, low, high, high + 1):
            yield value & _BOTH
            yield (value | spare) & _BOTH
    if test.mask not in {_WORD, _BOTH}:
        # A wrong mask shows only where a single bit decides.
        for low, _high in test.ranges:
            yield from (low ^ (1 << bit) for bit in range(64))
        yield from (test.mask, spare)
    if test.own_pid:
        yield from (own_pid - 1, own_pid, own_pid + 1)


def _deciding_points(
    rules: tuple[CallRule, ...], borders: dict[int, list[int]], own_pid: int
) -> Iterator[_Args]:
    """Find, for each rule and for none, arguments that it is the first to decide.

    Only there does a change of one word show what the rule does. A rule that an
    earlier one hides has no such point; the search ends after a fixed number.
    """
    wanted: list[CallRule | None] = [*rules, None]
    combinations = product(*borders.values())
    for values in islice(combinations, _TRIES):
        point = [0] * 6
        for arg, value in zip(borders, values, strict=True):
            point[arg] = value
        args = tuple(point)
        first = next((rule for rule in rules if _rule_holds(rule, args, own_pid)), None)
        if first in wanted:
            wanted.remove(first)
            yield args  # type: ignore[misc]
            if not wanted:
                return


def _rule_holds(rule: CallRule, args: tuple[int, ...], own_pid: int) -> bool:
    return all(holds(test, args, own_pid) for test in rule.tests)
