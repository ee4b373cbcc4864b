# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe rules on system calls: which call, under which argument test, answers what.

A rule refuses; a call that no rule matches is allowed if the table names it.
The first matching rule of a call decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

LOW_WORD = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class In:
    """The masked low word of an argument lies in one of the ranges.

    Only the low word counts: the kernel drops the high one of `int` parameters
    (measured for every call this is used on), so a wider comparison could be
    passed by setting a high bit. `own_pid` adds the program's process ID.
    """

    arg: int
    ranges: tuple[tuple[int, int], ...]
    mask: int = LOW_WORD
    own_pid: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AnyBit:
    """Some bit of the mask is set in the low word; negated: none is."""

    arg: int
    mask: int
    negated: bool = False


@dataclass(frozen=True, slots=True)
class NonZero:
    """The argument is not zero, both words counted: it is a pointer."""

    arg: int


ArgumentTest: TypeAlias = In | AnyBit | NonZero


def is_(arg: int, *values: int, mask: int = LOW_WORD) -> In:
    """Build the test that an argument is one of the values."""
    return In(arg, tuple((value, value) for value in sorted(values)), mask)


def is_not(arg: int, *values: int, mask: int = LOW_WORD) -> In:
    """Build the test that an argument is none of the values."""
    ranges = tuple((value, value) for value in sorted(values))
    return In(arg, ranges, mask, negated=True)


def not_own_process(arg: int, *also: int) -> In:
    """Build the test that an argument names another process."""
    ranges = tuple((value, value) for value in sorted(also))
    return In(arg, ranges, own_pid=True, negated=True)


@dataclass(frozen=True, slots=True)
class CallRule:
    """Refuse calls by name where every test holds; `errno` is a name.

    `when` names the condition under which the rule is in force (see
    `call_rules.CONDITIONS`); `requirement` is what it serves.
    """

    calls: tuple[str, ...]
    errno: str
    reason: str
    requirement: str
    when: str = "always"
    tests: tuple[ArgumentTest, ...] = ()


def holds(test: ArgumentTest, args: tuple[int, ...], own_pid: int) -> bool:
    """Tell whether a test holds for six 64-bit arguments."""
    value = args[test.arg]
    match test:
        case NonZero():
            return value != 0
        case AnyBit(mask=mask, negated=negated):
            return bool(value & LOW_WORD & mask) != negated
        case In(ranges=ranges, mask=mask, own_pid=with_pid, negated=negated):
            word = value & mask
            found = any(low <= word <= high for low, high in ranges)
            found = found or (with_pid and word == own_pid)
            return found != negated
