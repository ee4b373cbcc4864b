# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe rules on system calls: which call, under which tests, answers what.

The first rule of a call that holds decides; a rule holds when all of its tests
hold. docs/filters.md explains overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

LOW_WORD = 0xFFFFFFFF
BOTH_WORDS = (1 << 64) - 1

# Actions beside errors by name. The kernel's own names without their prefix.
ALLOW = "ALLOW"
ACTIONS = (ALLOW, "KILL_PROCESS", "TRAP", "LOG")


@dataclass(frozen=True, slots=True)
class ArgumentTest:
    """The masked argument lies in one of the ranges, both ends included.

    The mask never holds more bits than the kernel keeps of the argument: a wider
    comparison could be passed by setting a bit the kernel drops. `own_pid` adds
    the program's process ID to the ranges; `negated` turns the answer.
    """

    arg: int
    ranges: tuple[tuple[int, int], ...]
    mask: int = LOW_WORD
    own_pid: bool = False
    negated: bool = False


def is_(arg: int, *values: int, mask: int = LOW_WORD) -> ArgumentTest:
    """Build the test that an argument is one of the values."""
    return within(arg, *((value, value) for value in sorted(values)), mask=mask)


def is_not(arg: int, *values: int, mask: int = LOW_WORD) -> ArgumentTest:
    """Build the test that an argument is none of the values."""
    return negate(is_(arg, *values, mask=mask))


def within(arg: int, *ranges: tuple[int, int], mask: int = LOW_WORD) -> ArgumentTest:
    """Build the test that an argument lies in one of the ranges."""
    return ArgumentTest(arg, ranges, mask)


def any_bit(arg: int, mask: int) -> ArgumentTest:
    """Build the test that some bit of the mask is set."""
    return is_not(arg, 0, mask=mask)


def no_bit(arg: int, mask: int) -> ArgumentTest:
    """Build the test that no bit of the mask is set."""
    return is_(arg, 0, mask=mask)


def not_null(arg: int) -> ArgumentTest:
    """Build the test that a pointer is not null, both words counted."""
    return is_not(arg, 0, mask=BOTH_WORDS)


def not_own_process(arg: int, *also: int) -> ArgumentTest:
    """Build the test that an argument names another process."""
    ranges = tuple((value, value) for value in sorted(also))
    return ArgumentTest(arg, ranges, own_pid=True, negated=True)


def negate(test: ArgumentTest) -> ArgumentTest:
    """Build the test that holds where another does not."""
    return ArgumentTest(
        test.arg, test.ranges, test.mask, test.own_pid, not test.negated
    )


@dataclass(frozen=True, slots=True)
class CallRule:
    """Answer calls by name with an action where every test holds.

    `action` is an error's name or one of ACTIONS; `when` names the conditions that
    together put the rule in force (see `call_rules.CONDITIONS`); `requirement` is
    what it serves.
    """

    calls: tuple[str, ...]
    action: str
    reason: str
    requirement: str = ""
    when: str = "always"
    tests: tuple[ArgumentTest, ...] = ()


def refuse(
    calls: str,
    errno: str,
    reason: str,
    requirement: str,
    *tests: ArgumentTest,
    when: str = "always",
) -> CallRule:
    """Build the rule that answers calls, named in one text, with an error."""
    return CallRule(tuple(calls.split()), errno, reason, requirement, when, tests)


def holds(test: ArgumentTest, args: tuple[int, ...], own_pid: int) -> bool:
    """Tell whether a test holds for six 64-bit arguments."""
    value = args[test.arg] & test.mask
    found = any(low <= value <= high for low, high in test.ranges)
    found = found or (test.own_pid and value == own_pid)
    return found != test.negated


def in_words(test: ArgumentTest) -> str:
    """Write a test as listings show it."""
    word = f"arg{test.arg}"
    if test.mask not in {LOW_WORD, BOTH_WORDS}:
        word += f" & {test.mask:#x}"
    elif test.mask == BOTH_WORDS:
        word += " (64 bits)"
    if test.ranges == ((0, 0),) and not test.own_pid:
        return f"{word} {'!=' if test.negated else '=='} 0"
    values = [
        f"{low:#x}" if low == high else f"{low:#x}-{high:#x}"
        for low, high in test.ranges
    ]
    values += ["own-pid"] if test.own_pid else []
    return f"{word} {'not in' if test.negated else 'in'} {{{' '.join(values)}}}"
