# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what a program must answer to every call, as data for the verifier.

A claim covers every architecture, number, argument and process ID. It is built
from the meaning (`model.decide` and the rules it follows), never from what the
generator made of it. The verifier's `claim.rs` describes the bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from stockade.abi.arch import AUDIT_ARCH, SKIPPED_CALL, X32_BIT
from stockade.abi.errno import ERRNO
from stockade.abi.syscalls import call_names
from stockade.model.calls import ArgumentTest, CallRule
from stockade.model.decide import (
    WITNESS_ERRNO,
    WITNESS_NUMBER,
    decide,
    rules_by_call,
)
from stockade.model.policy import Policy
from stockade.model.request import CallRequest, Situation

# Written again, as in `filters`: values of linux/seccomp.h.
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
# The launcher draws the witness's errno; until then a program answers this one.
_WITNESS = _ERRNO | 0xFFF
_ACTIONS = {
    "ALLOW": _ALLOW,
    "LOG": 0x7FFC0000,
    "TRAP": 0x00030000,
    "KILL_PROCESS": 0x80000000,
}

_MAGIC = int.from_bytes(b"SCL1", "little")
_BOTH_WORDS = (1 << 64) - 1
_NUMBERS_END = 1 << 32


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """The masked argument lies in one of the ranges, or is the own process ID."""

    arg: int
    ranges: tuple[tuple[int, int], ...]
    mask: int = _BOTH_WORDS
    own_pid: bool = False
    negated: bool = False

    def holds(self, args: tuple[int, ...], own_pid: int) -> bool:
        """Tell whether the test holds for six 64-bit arguments."""
        value = args[self.arg] & self.mask
        found = any(low <= value <= high for low, high in self.ranges)
        return (found or (self.own_pid and value == own_pid)) != self.negated


@dataclass(frozen=True, slots=True)
class ClaimRule:
    """The action value of calls for which all tests hold."""

    tests: tuple[ClaimTest, ...]
    action: int


@dataclass(frozen=True, slots=True)
class RuleList:
    """Rules of which the first that matches decides, and the action otherwise."""

    rules: tuple[ClaimRule, ...]
    default: int


@dataclass(frozen=True, slots=True)
class Span:
    """Numbers from the first to the last, both included, that follow one list."""

    first: int
    last: int
    rules: RuleList


@dataclass(frozen=True, slots=True)
class ArchClaim:
    """What one architecture's calls get; spans are sorted and apart."""

    audit_arch: int
    spans: tuple[Span, ...]
    default: int


@dataclass(frozen=True, slots=True)
class Claim:
    """What every call gets; `default` is for architectures that are not listed."""

    arches: tuple[ArchClaim, ...]
    default: int

    def action(
        self, audit_arch: int, number: int, args: tuple[int, ...], own_pid: int
    ) -> int:
        """Give the action value claimed for one call."""
        for arch in self.arches:
            if arch.audit_arch == audit_arch:
                for span in arch.spans:
                    if span.first <= number <= span.last:
                        return _decide_by(span.rules, args, own_pid)
                return arch.default
        return self.default


def _decide_by(rules: RuleList, args: tuple[int, ...], own_pid: int) -> int:
    for rule in rules.rules:
        if all(test.holds(args, own_pid) for test in rule.tests):
            return rule.action
    return rules.default


def policy_claim(policy: Policy, situation: Situation) -> Claim:
    """Claim what a policy means on one architecture and Landlock ABI."""
    meaning = _Meaning(policy, situation)
    named = call_names(situation.arch)
    rules = rules_by_call(policy, situation.landlock_abi)
    spans = [
        Span(number, number, meaning.rule_list(number, rules.get(name, ())))
        for number, name in named.items()
    ]
    spans += meaning.areas()
    unnamed = next(n for n in range(_NUMBERS_END) if n not in named)
    foreign = next(arch for arch in AUDIT_ARCH if arch != situation.arch)
    return Claim(
        arches=(
            ArchClaim(
                AUDIT_ARCH[situation.arch],
                tuple(sorted(spans, key=lambda span: span.first)),
                default=meaning.action(unnamed),
            ),
        ),
        default=_action(decide(policy, situation, CallRequest(foreign, 0)).action),
    )


@dataclass(frozen=True, slots=True)
class _Meaning:
    policy: Policy
    situation: Situation

    def action(self, number: int) -> int:
        """Ask for the answer to a number whose arguments do not matter."""
        request = CallRequest(self.situation.arch, number)
        return _action(decide(self.policy, self.situation, request).action)

    def rule_list(self, number: int, rules: tuple[CallRule, ...]) -> RuleList:
        if not rules:
            return RuleList((), self.action(number))
        return RuleList(
            tuple(
                ClaimRule(tuple(map(_test, rule.tests)), _action(rule.action))
                for rule in rules
            ),
            _ALLOW,
        )

    def areas(self) -> Iterator[Span]:
        """Give the numbers beside the table that get an answer of their own."""
        edges = [(WITNESS_NUMBER, WITNESS_NUMBER), (SKIPPED_CALL, SKIPPED_CALL)]
        if self.situation.arch == "x86_64":
            edges.append((X32_BIT, 2 * X32_BIT - 1))
            edges.append((3 * X32_BIT, SKIPPED_CALL - 1))
        for first, last in edges:
            yield Span(first, last, RuleList((), self.action(first)))


def _action(action: str) -> int:
    if action == WITNESS_ERRNO:
        return _WITNESS
    return _ERRNO | ERRNO[action] if action in ERRNO else _ACTIONS[action]


def _test(test: ArgumentTest) -> ClaimTest:
    return ClaimTest(test.arg, test.ranges, test.mask, test.own_pid, test.negated)


@dataclass(slots=True)
class _Tables:
    """Records of each kind, in the order in which the bytes hold them."""

    arches: list[bytes] = field(default_factory=list)
    spans: list[bytes] = field(default_factory=list)
    lists: list[bytes] = field(default_factory=list)
    rules: list[bytes] = field(default_factory=list)
    tests: list[bytes] = field(default_factory=list)
    ranges: list[bytes] = field(default_factory=list)

    def add_rule(self, rule: ClaimRule) -> None:
        first = len(self.tests)
        for test in rule.tests:
            flags = (test.arg, test.negated, test.own_pid, 0)
            part = (len(self.ranges), len(test.ranges), 0)
            self.tests.append(struct.pack("<4B3IQ", *flags, *part, test.mask))
            self.ranges += [struct.pack("<2Q", *pair) for pair in test.ranges]
        self.rules.append(struct.pack("<3I", first, len(rule.tests), rule.action))

    def add_list(self, rules: RuleList) -> None:
        part = (len(self.rules), len(rules.rules))
        for rule in rules.rules:
            self.add_rule(rule)
        self.lists.append(struct.pack("<3I", *part, rules.default))


def encode_claim(claim: Claim) -> bytes:
    """Lay a claim out as the verifier reads it."""
    tables = _Tables()
    indices: dict[RuleList, int] = {}
    for arch in sorted(claim.arches, key=lambda arch: arch.audit_arch):
        part = (len(tables.spans), len(arch.spans))
        tables.arches.append(struct.pack("<4I", arch.audit_arch, arch.default, *part))
        for span in arch.spans:
            if span.rules not in indices:
                indices[span.rules] = len(tables.lists)
                tables.add_list(span.rules)
            index = indices[span.rules]
            tables.spans.append(struct.pack("<3I", span.first, span.last, index))
    kinds = (
        tables.arches,
        tables.spans,
        tables.lists,
        tables.rules,
        tables.tests,
        tables.ranges,
    )
    header = struct.pack("<8I", _MAGIC, claim.default, *map(len, kinds))
    return header + b"".join(b"".join(kind) for kind in kinds)
