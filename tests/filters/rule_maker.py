# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make rule sets at random, compile them, and say what they mean.

A rule is written either as tests on whole registers or as a predicate on the
arguments of a named call. Its meaning is worked out here from what was written:
neither the rules that `model.predicates` makes of a predicate nor anything of the
generator is asked. Values sit on borders and near each other, ranges and masks
overlap, and neighbouring rules often test the same value.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from claim_maker import BOTH_WORDS, LOW_WORD, Values

from stockade.abi.arch import AUDIT_ARCH, LINUX_TARGETS, SKIPPED_CALL, X32_BIT
from stockade.abi.arguments import argument_widths
from stockade.abi.errno import ERRNO
from stockade.abi.syscalls import call_names
from stockade.model.artifact import Filter
from stockade.model.calls import ArgumentTest, CallRule
from stockade.model.decide import WITNESS_NUMBER
from stockade.model.predicates import (
    OWN_PID,
    All,
    Any_,
    Comparison,
    MaskedEqual,
    Member,
    Predicate,
    PredicateError,
    rules_of,
)
from stockade.proof.claim import (
    ArchClaim,
    Claim,
    ClaimRule,
    ClaimTest,
    RuleList,
    Span,
)
from stockade.proof.prover import Counterexample, cacheable_calls, prove, run_program
from stockade.targets.linux.seccomp import Defaults, NumberedCall, compile_filter

ACTIONS = ("EPERM", "ENOSYS", "EACCES", "ALLOW", "LOG", "TRAP", "KILL_PROCESS")
_VALUES = {
    "ALLOW": 0x7FFF0000,
    "LOG": 0x7FFC0000,
    "TRAP": 0x00030000,
    "KILL_PROCESS": 0x80000000,
}
_WITNESS = 0x00050FFF
# The second is kept for the own process, so a comparison with it needs care.
_NEAR = (0, 0x7FFFFFFF, 1 << 31, LOW_WORD, 1 << 32, BOTH_WORDS)
_MASKS = (BOTH_WORDS, LOW_WORD, 0xFFFF, 0xFF, 0x6000, 1 << 40, 0xFF << 28, 0)
_ARCHES = ("x86_64", "aarch64")
# The kernel keeps a bit for each number of its own table, and no further.
_CACHED_END = 512

_Where: TypeAlias = "tuple[ArgumentTest, ...] | Predicate"
Args: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """One rule as its author wrote it: where this holds, that action."""

    where: _Where
    action: str


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Rules of numbered calls of one architecture, and what else is answered."""

    arch: str
    calls: dict[int, tuple[str, tuple[Written, ...]]]
    defaults: Defaults = field(default_factory=Defaults)
    witness: bool = False

    def compile(self) -> Filter:
        """Compile with the project's generator.

        A condition that it takes for impossible is left out; the claim keeps it,
        so that a wrong opinion shows.
        """
        calls = {
            number: NumberedCall(
                name, tuple(rule for one in rules for rule in _call_rules(name, one))
            )
            for number, (name, rules) in self.calls.items()
        }
        witness = WITNESS_NUMBER if self.witness else None
        target = LINUX_TARGETS[f"linux-{self.arch}"]
        return compile_filter(target, calls, witness, self.defaults)

    def meant(self, audit_arch: int, number: int, args: Args, own_pid: int) -> int:
        """Decide one call: slow and obvious."""
        defaults = self.defaults
        if audit_arch != AUDIT_ARCH[self.arch]:
            return action_value(defaults.other_arch)
        if number in self.calls:
            name, rules = self.calls[number]
            for rule in rules:
                if _holds(name, rule.where, args, own_pid):
                    return action_value(rule.action)
            return action_value(defaults.named)
        if self.witness and number == WITNESS_NUMBER:
            return _WITNESS
        if number == SKIPPED_CALL:
            return action_value(defaults.skipped)
        if self.arch == "x86_64" and number & X32_BIT:
            return action_value(defaults.x32)
        return action_value(defaults.unnamed)

    def claim(self) -> Claim:
        """Claim for every call what `meant` says of one."""
        defaults = self.defaults
        spans = [
            Span(number, number, _rule_list(name, rules, defaults.named))
            for number, (name, rules) in self.calls.items()
        ]
        areas = [(SKIPPED_CALL, SKIPPED_CALL)]
        if self.witness:
            areas.append((WITNESS_NUMBER, WITNESS_NUMBER))
        if self.arch == "x86_64":
            areas += [(X32_BIT, 2 * X32_BIT - 1), (3 * X32_BIT, SKIPPED_CALL - 1)]
        audit_arch = AUDIT_ARCH[self.arch]
        for first, last in areas:
            action = self.meant(audit_arch, first, (0,) * 6, 1)
            spans.append(Span(first, last, RuleList((), action)))
        spans.sort(key=lambda span: span.first)
        inside = ArchClaim(audit_arch, tuple(spans), action_value(defaults.unnamed))
        return Claim((inside,), action_value(defaults.other_arch))


def check(rule_set: RuleSet, source: random.Random, vectors: int) -> Filter:
    """Compile, prove, and compare with the meaning on calls near the borders.

    Calls without a rule must be ones that the kernel will answer by itself.
    """
    program = rule_set.compile()
    claim = rule_set.claim()
    prove(program, claim)
    if rule_set.defaults.named == "ALLOW":
        cached = set(cacheable_calls(program, AUDIT_ARCH[rule_set.arch], _CACHED_END))
        free = {number for number, (_, rules) in rule_set.calls.items() if not rules}
        assert {number for number in free if number < _CACHED_END} <= cached
    for call in calls_near(rule_set, source, vectors):
        meant = rule_set.meant(*call)
        assert claim.action(*call) == meant, call
        arch, number, args, own_pid = call
        asked = Counterexample(arch, number, _six(args), 0, own_pid, meant, meant)
        assert run_program(program, asked) == meant, asked
    return program


def action_value(action: str) -> int:
    """Give the number of an action, from a table of our own."""
    return 0x00050000 | ERRNO[action] if action in ERRNO else _VALUES[action]


def _six(args: Args) -> tuple[int, int, int, int, int, int]:
    one, two, three, four, five, six = args
    return one, two, three, four, five, six


def _call_rules(name: str, written: Written) -> tuple[CallRule, ...]:
    if isinstance(written.where, tuple):
        return (CallRule((name,), written.action, "", tests=written.where),)
    try:
        return rules_of((name,), written.where, written.action)
    except PredicateError as error:
        assert "can never hold" in str(error), (error, written)
        return ()


def _kept(name: str, arg: int) -> int:
    return int((1 << argument_widths()[name][arg]) - 1)


def _holds(name: str, where: _Where, args: Args, own_pid: int) -> bool:
    """Evaluate what was written on one call."""
    match where:
        case tuple():
            return all(_test_holds(test, args, own_pid) for test in where)
        case All(parts=parts):
            return all(_holds(name, part, args, own_pid) for part in parts)
        case Any_(parts=parts):
            return any(_holds(name, part, args, own_pid) for part in parts)
        case MaskedEqual(arg=arg, mask=mask, value=value):
            return args[arg] & mask == value
        case Member(arg=arg, values=values, negated=negated):
            return (args[arg] & _kept(name, arg) in values) != negated
        case Comparison(arg=arg, operator=operator, value=value):
            other = own_pid if isinstance(value, str) else value
            return _compare(args[arg] & _kept(name, arg), operator, other)


def _test_holds(test: ArgumentTest, args: Args, own_pid: int) -> bool:
    value = args[test.arg] & test.mask
    inside = [low <= value <= high for low, high in test.ranges]
    return (any(inside) or (test.own_pid and value == own_pid)) != test.negated


def _compare(value: int, operator: str, other: int) -> bool:
    return {
        "==": value == other,
        "!=": value != other,
        "<": value < other,
        "<=": value <= other,
        ">": value > other,
        ">=": value >= other,
    }[operator]


def _rule_list(name: str, rules: tuple[Written, ...], default: str) -> RuleList:
    return RuleList(
        tuple(
            ClaimRule(tests, action_value(rule.action))
            for rule in rules
            for tests in _alternatives(name, rule.where)
        ),
        action_value(default),
    )


def _alternatives(name: str, where: _Where) -> list[tuple[ClaimTest, ...]]:
    """Write a condition as alternatives of tests, none merged or left out."""
    match where:
        case tuple():
            return [tuple(map(_claim_test, where))]
        case All(parts=parts):
            lists = [_alternatives(name, part) for part in parts]
            return [sum(choice, ()) for choice in product(*lists)]
        case Any_(parts=parts):
            return [tests for part in parts for tests in _alternatives(name, part)]
        case MaskedEqual(arg=arg, mask=mask, value=value):
            return [(ClaimTest(arg, ((value, value),), mask),)]
        case Member(arg=arg, values=values, negated=negated):
            ranges = tuple((value, value) for value in values)
            kept = _kept(name, arg)
            return [(ClaimTest(arg, ranges, kept, negated=negated),)]
        case Comparison():
            return [(_claim_comparison(name, where),)]


def _claim_test(test: ArgumentTest) -> ClaimTest:
    return ClaimTest(test.arg, test.ranges, test.mask, test.own_pid, test.negated)


def _claim_comparison(name: str, one: Comparison) -> ClaimTest:
    kept = _kept(name, one.arg)
    negated = one.operator in {"!=", ">", ">="}
    if isinstance(one.value, str):
        return ClaimTest(one.arg, (), kept, own_pid=True, negated=negated)
    last = one.value - 1 if one.operator in {"<", ">="} else one.value
    first = one.value if one.operator in {"==", "!="} else 0
    ranges = ((first, last),) if first <= last else ()
    return ClaimTest(one.arg, ranges, kept, negated=negated)


def random_rule_set(source: random.Random, arch: str | None = None) -> RuleSet:
    """Draw a rule set: a few calls, now and then the whole table of names."""
    arch = arch or source.choice(_ARCHES)
    names = call_names(arch)
    values = Values(source)
    values._seen += _NEAR
    # Now and then so many that jumps get long.
    most = 80 if source.random() < 0.01 else 6
    chosen = source.sample(sorted(names), source.randint(1, most))
    calls: dict[int, tuple[str, tuple[Written, ...]]] = {}
    if source.random() < 0.02:
        calls = {number: (name, ()) for number, name in names.items()}
    for number in chosen:
        calls[number] = (names[number], random_rules(values, names[number]))
    if source.random() < 0.3:
        # Beside each other, at the ends, and without a name.
        for number in (0, chosen[0] + 1, X32_BIT - 1, source.randrange(X32_BIT)):
            if number != WITNESS_NUMBER:
                calls.setdefault(number, ("", random_rules(values, "")))
    defaults = Defaults(*(source.choice(ACTIONS) for _ in range(5)))
    if source.random() < 0.5:
        defaults = Defaults()
    return RuleSet(arch, calls, defaults, source.random() < 0.5)


def random_rules(
    values: Values, name: str, actions: tuple[str, ...] = ACTIONS
) -> tuple[Written, ...]:
    """Draw the rules of one call; without a name there are only plain tests."""
    source = values.source
    widths = argument_widths().get(name, ())
    common = source.randrange(6), source.choice(_MASKS)
    rules = []
    for _ in range(source.choice((0, 1, 1, 2, 2, 3, 5))):
        where: _Where
        if widths and source.random() < 0.5:
            where = random_predicate(values, widths, 2)
        else:
            count = source.choice((0, 1, 1, 1, 1, 2, 3))
            where = tuple(random_test(values, common) for _ in range(count))
        rules.append(Written(where, source.choice(actions)))
    return tuple(rules)


def random_test(values: Values, common: tuple[int, int]) -> ArgumentTest:
    """Draw a test on a register, often on the value that its neighbours test."""
    source = values.source
    arg, mask = common
    if source.random() < 0.4:
        arg, mask = source.randrange(6), source.choice(_MASKS)
        if source.random() < 0.2:
            mask = values.wide()
    cut = mask if source.random() < 0.8 else BOTH_WORDS
    ranges = []
    for _ in range(source.choice((0, 1, 1, 1, 2, 3, 4))):
        low = values.wide() & cut
        high = source.choice((low, low, min(low + 1, BOTH_WORDS), values.wide() & cut))
        ranges.append((min(low, high), max(low, high)))
    own_pid, negated = source.random() < 0.15, source.random() < 0.3
    return ArgumentTest(arg, tuple(ranges), mask, own_pid, negated)


def random_predicate(values: Values, widths: tuple[int, ...], depth: int) -> Predicate:
    """Draw a predicate of at most a depth over arguments of given widths."""
    source = values.source
    if depth and source.random() < 0.45:
        parts = tuple(
            random_predicate(values, widths, depth - 1)
            for _ in range(source.choice((0, 1, 2, 2, 2, 3)))
        )
        return source.choice((All, Any_))(parts)
    arg = source.randrange(min(source.choice((1, 2, 6)), len(widths)))
    kept = (1 << widths[arg]) - 1
    value = values.wide() & kept
    match source.randrange(6):
        case 0:
            mask = source.choice((*_MASKS, values.wide())) & kept
            return MaskedEqual(arg, mask, value & mask)
        case 1:
            members = (
                value,
                *(values.wide() & kept for _ in range(source.randrange(4))),
            )
            return Member(arg, members, source.random() < 0.3)
        case 2 if source.random() < 0.5:
            return Comparison(arg, source.choice(("==", "!=")), OWN_PID)
    return Comparison(arg, source.choice(("==", "!=", "<", "<=", ">", ">=")), value)


def calls_near(
    rule_set: RuleSet, source: random.Random, count: int
) -> Iterator[tuple[int, int, Args, int]]:
    """Draw calls at the borders of a rule set: arch, number, arguments, own ID."""
    audit_arch = AUDIT_ARCH[rule_set.arch]
    ruled = [number for number, (_, rules) in rule_set.calls.items() if rules]
    edges = [0, X32_BIT - 1, X32_BIT, 2 * X32_BIT, 3 * X32_BIT, SKIPPED_CALL - 1]
    edges += [SKIPPED_CALL, WITNESS_NUMBER]
    edges += [near & LOW_WORD for one in ruled for near in (one - 1, one + 1)]
    for _ in range(count):
        number = source.choice(edges if not ruled or source.random() < 0.2 else ruled)
        borders = border_values(rule_set.calls.get(number, ("", ()))[1])
        args = tuple(source.choice(borders) for _ in range(6))
        own_pid = source.choice((1000, 4194304, *(a & 0x3FFFFF for a in args))) or 1
        if source.random() < 0.3:
            at = source.randrange(6)
            high = source.choice((0, 0, 1, LOW_WORD)) << 32
            args = (*args[:at], own_pid | high, *args[at + 1 :])
        arch = source.choice(sorted(AUDIT_ARCH.values()))
        yield source.choice((audit_arch,) * 9 + (arch,)), number, args, own_pid


def border_values(rules: tuple[Written, ...]) -> list[int]:
    """List the values at which rules may change their mind, in either word."""
    found = {0, 1, LOW_WORD, 1 << 32, BOTH_WORDS}
    for rule in rules:
        for low, high, mask in _bounds(rule.where):
            for value in (low - 1, low, high, high + 1):
                spare = ~mask & BOTH_WORDS
                found |= {value & BOTH_WORDS, (value & mask) | spare}
                found.add((value ^ 1 << 32) & BOTH_WORDS)
            found |= {mask, low ^ mask & -mask}
    return sorted(found)


def _bounds(where: _Where) -> Iterator[tuple[int, int, int]]:
    match where:
        case tuple():
            for test in where:
                for low, high in test.ranges:
                    yield low, high, test.mask
        case All(parts=parts) | Any_(parts=parts):
            for part in parts:
                yield from _bounds(part)
        case MaskedEqual(mask=mask, value=value):
            yield value, value, mask
        case Member(values=values):
            for value in values:
                yield value, value, BOTH_WORDS
        case Comparison(value=int(value)):
            yield value, value, BOTH_WORDS
