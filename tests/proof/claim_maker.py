# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make claims at random, and programs that answer as a claim says.

The programs come from the plainest generator there is, one test after the other,
so that what the verifier thinks of them says nothing about the compiler. Values
sit on borders: zero, the ends of either word, and beside values drawn before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from stockade.model.artifact import Filter, Instruction, Relocation
from stockade.proof.claim import (
    ArchClaim,
    Claim,
    ClaimRule,
    ClaimTest,
    RuleList,
    Span,
)

X86_64 = 0xC000003E
ARCHES = (X86_64, 0xC00000B7, 0x40000003, 0)
LOW_WORD, BOTH_WORDS = (1 << 32) - 1, (1 << 64) - 1
ACTIONS = (0x7FFF0000, 0x00050001, 0x00050026, 0x80000000, 0x7FFC0000)
PID_PLACEHOLDER = 0x7FFFFFFF
_EDGES = (0, 1, 2, LOW_WORD - 1, LOW_WORD, LOW_WORD + 1, 1 << 63, BOTH_WORDS)
_MASKS = (BOTH_WORDS, LOW_WORD, LOW_WORD, 0xFF, 0xFFFF0000FFFF0000, 1 << 40, 0x6000)


class Values:
    """Draws numbers near borders and near each other."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self._seen = list(_EDGES)

    def wide(self) -> int:
        """Draw 64 bits."""
        source = self.source
        base = source.choice(self._seen)
        value = source.choice(
            (
                base,
                base + source.randint(-2, 2),
                base ^ 1 << source.randrange(64),
                base & LOW_WORD | source.choice(self._seen) >> 32 << 32,
                source.getrandbits(64),
            )
        )
        self._seen.append(value & BOTH_WORDS)
        return self._seen[-1]

    def number(self) -> int:
        """Draw 32 bits, as the number of a call."""
        return self.wide() & LOW_WORD


def random_test(values: Values) -> ClaimTest:
    source = values.source
    mask = source.choice(_MASKS)
    ranges = []
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        low = values.wide() & mask
        high = source.choice((low, low, values.wide()))
        ranges.append((min(low, high), max(low, high)))
    own_pid = source.random() < 0.15
    return ClaimTest(
        arg=source.randrange(6) if source.random() < 0.3 else source.randrange(2),
        ranges=tuple(ranges),
        mask=mask,
        own_pid=own_pid,
        negated=source.random() < 0.3,
    )


def random_list(values: Values, most: int = 4) -> RuleList:
    source = values.source
    rules = tuple(
        ClaimRule(
            tuple(random_test(values) for _ in range(source.choice((0, 1, 1, 2, 3)))),
            source.choice(ACTIONS),
        )
        for _ in range(source.randint(0, most))
    )
    return RuleList(rules, source.choice(ACTIONS))


def random_claim(source: random.Random) -> Claim:
    """Make a claim of up to two architectures and a few spans of numbers each."""
    values = Values(source)
    arches = []
    for audit_arch in sorted(source.sample(ARCHES, source.randint(1, 2))):
        edges = sorted({values.number() for _ in range(source.randint(0, 4))})
        spans = []
        for index, first in enumerate(edges):
            after = [*edges, 1 << 32][index + 1]
            last = source.choice((first, after - 1))
            spans.append(Span(first, last, random_list(values)))
        arches.append(ArchClaim(audit_arch, tuple(spans), source.choice(ACTIONS)))
    return Claim(tuple(arches), source.choice(ACTIONS))


def nested_claim(source: random.Random, calls: Sequence[int], rules: int) -> Claim:
    """Make a claim of many rules over calls, each a range within or across others."""
    lists: dict[int, list[ClaimRule]] = {number: [] for number in calls}
    values = Values(source)
    for index in range(rules):
        low, high = sorted((values.wide(), values.wide()))
        test = ClaimTest(index % 6, ((low, high),))
        rule = ClaimRule((test,), ACTIONS[index % 4])
        lists[calls[index % len(calls)]].append(rule)
    spans = tuple(
        Span(number, number, RuleList(tuple(found), ACTIONS[0]))
        for number, found in sorted(lists.items())
    )
    return Claim((ArchClaim(X86_64, spans, ACTIONS[2]),), ACTIONS[1])


@dataclass(frozen=True, slots=True)
class _Step:
    """One step, and the earlier steps it leads to; `then` is the fallen-through one."""

    code: int
    k: int
    then: int | None = None
    yes: int = 0
    no: int = 0
    own_pid: bool = False


class _Graph:
    """Steps in the order in which they are made: what a step leads to comes first."""

    def __init__(self) -> None:
        self.steps: list[_Step] = []

    def add(self, step: _Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def answer(self, action: int) -> int:
        return self.add(_Step(0x06, action))

    def load(self, offset: int, then: int) -> int:
        return self.add(_Step(0x20, offset, then))

    def branch(self, code: int, k: int, yes: int, no: int) -> int:
        if (code, k) == (0x15, PID_PLACEHOLDER):
            # This constant is kept for the own process.
            return self.branch(0x35, k, self.branch(0x35, k + 1, no, yes), no)
        return self.add(_Step(code, k, None, yes, no))

    def masked_word(self, test: ClaimTest, word: int, then: int) -> int:
        mask = test.mask >> 32 * word & LOW_WORD
        masked = self.add(_Step(0x54, mask, then))
        return self.load(16 + 8 * test.arg + 4 * word, masked)

    def assemble(self, root: int) -> Filter:
        """Emit what the root leads to, last instruction first."""
        reached = {root}
        for place in range(root, -1, -1):
            step = self.steps[place]
            if place in reached and step.code != 0x06:
                reached |= {step.yes, step.no} if step.then is None else {step.then}
        emitted: list[Instruction] = []
        own_pid: list[int] = []
        # The length of the program when a step was emitted.
        places: dict[int, int] = {}
        for place in range(root + 1):
            if place in reached:
                step = self.steps[place]
                emitted += _jumps(step, places, len(emitted))
                yes, no = _distances(step, places, emitted)
                emitted.append(Instruction(step.code, yes, no, step.k))
                places[place] = len(emitted)
                if step.own_pid:
                    own_pid.append(len(emitted))
        return Filter(
            tuple(reversed(emitted)),
            tuple(Relocation(len(emitted) - at, "own-pid") for at in own_pid[::-1]),
        )


def _jumps(step: _Step, places: dict[int, int], here: int) -> list[Instruction]:
    """Give the plain jumps that go before a step: to what is not next, or is far."""
    if step.code == 0x06:
        return []
    if step.then is not None:
        distance = here - places[step.then]
        return [Instruction(0x05, 0, 0, distance)] if distance else []
    far = [here - places[target] for target in (step.yes, step.no)]
    if max(far) < 250:
        return []
    return [Instruction(0x05, 0, 0, far[0]), Instruction(0x05, 0, 0, far[1] + 1)]


def _distances(
    step: _Step, places: dict[int, int], emitted: list[Instruction]
) -> tuple[int, int]:
    if step.code == 0x06 or step.then is not None:
        return 0, 0
    here = len(emitted)
    far = [here - places[target] for target in (step.yes, step.no)]
    return (1, 0) if max(far) >= 250 else (far[0], far[1])


def compile_claim(claim: Claim) -> Filter:
    """Turn a claim into a program, one test after the other."""
    graph = _Graph()
    place = graph.answer(claim.default)
    for arch in claim.arches:
        inside = graph.answer(arch.default)
        for span in arch.spans:
            rules = _rules(graph, span.rules)
            last = graph.branch(0x25, span.last, inside, rules)
            inside = graph.load(0, graph.branch(0x35, span.first, last, inside))
        place = graph.load(4, graph.branch(0x15, arch.audit_arch, inside, place))
    return graph.assemble(place)


def _rules(graph: _Graph, rules: RuleList) -> int:
    place = graph.answer(rules.default)
    for rule in reversed(rules.rules):
        failed = place
        place = graph.answer(rule.action)
        for test in reversed(rule.tests):
            place = _test(graph, test, place, failed)
    return place


def _test(graph: _Graph, test: ClaimTest, yes: int, no: int) -> int:
    if test.negated:
        yes, no = no, yes
    place = no
    if test.own_pid:
        own = graph.add(_Step(0x15, PID_PLACEHOLDER, None, yes, place, own_pid=True))
        low = graph.masked_word(test, 0, own)
        high = graph.branch(0x15, 0, low, place)
        place = graph.masked_word(test, 1, high)
    for bounds in reversed(test.ranges):
        place = _range(graph, test, bounds, yes, place)
    return place


def _range(
    graph: _Graph, test: ClaimTest, bounds: tuple[int, int], yes: int, no: int
) -> int:
    """Compare with both bounds: the high words first, the low ones where equal."""
    low, high = bounds
    last = graph.branch(0x25, high & LOW_WORD, no, yes)
    equal = graph.branch(0x15, high >> 32, graph.masked_word(test, 0, last), yes)
    above = graph.branch(0x25, high >> 32, no, equal)
    below = graph.masked_word(test, 1, above)
    last = graph.branch(0x35, low & LOW_WORD, below, no)
    equal = graph.branch(0x15, low >> 32, graph.masked_word(test, 0, last), below)
    under = graph.branch(0x35, low >> 32, equal, no)
    return graph.masked_word(test, 1, under)


def calls_near(
    claim: Claim, source: random.Random, count: int
) -> Iterator[tuple[int, int, tuple[int, ...], int]]:
    """Draw calls at the borders of a claim: arch, number, arguments, process ID."""
    values = Values(source)
    numbers = [0, LOW_WORD]
    for arch in claim.arches:
        for span in arch.spans:
            numbers += [span.first, span.last, span.last + 1 & LOW_WORD]
            for rule in span.rules.rules:
                for test in rule.tests:
                    for low, high in test.ranges:
                        values._seen += [low, high, high + 1 & BOTH_WORDS]
    for _ in range(count):
        args = tuple(values.wide() for _ in range(6))
        own_pid = source.choice((args[0] & LOW_WORD, args[1] & LOW_WORD, 1000))
        yield source.choice(ARCHES), source.choice(numbers), args, own_pid


def changed_claim(claim: Claim, source: random.Random) -> Claim:
    """Change one rule, span or default of a claim, or nothing that matters."""
    if not claim.arches:
        return claim
    index = source.randrange(len(claim.arches))
    arch = claim.arches[index]
    match source.randrange(4):
        case 0:
            return replace(claim, default=source.choice(ACTIONS))
        case 1:
            other = replace(arch, default=source.choice(ACTIONS))
        case _ if arch.spans:
            at = source.randrange(len(arch.spans))
            span = replace(arch.spans[at], rules=_changed(arch.spans[at].rules, source))
            spans = (*arch.spans[:at], span, *arch.spans[at + 1 :])
            other = replace(arch, spans=spans)
        case _:
            return claim
    return replace(
        claim, arches=(*claim.arches[:index], other, *claim.arches[index + 1 :])
    )


def _changed(rules: RuleList, source: random.Random) -> RuleList:
    if not rules.rules:
        return replace(rules, default=source.choice(ACTIONS))
    index = source.randrange(len(rules.rules))
    rule = rules.rules[index]
    before, after = rules.rules[:index], rules.rules[index + 1 :]
    tests = list(rule.tests)
    match source.randrange(4):
        case 0:
            return replace(rules, rules=(*before, *after))
        case 1:
            rule = replace(rule, action=source.choice(ACTIONS))
        case 2 if tests:
            at = source.randrange(len(tests))
            tests[at] = _changed_test(tests[at], source)
        case _:
            tests.append(random_test(Values(source)))
    return replace(rules, rules=(*before, replace(rule, tests=tuple(tests)), *after))


def _changed_test(test: ClaimTest, source: random.Random) -> ClaimTest:
    ranges = list(test.ranges)
    at = source.randrange(len(ranges))
    low, high = ranges[at]
    match source.randrange(4):
        case 0:
            return replace(test, negated=not test.negated)
        case 1:
            return replace(test, mask=test.mask ^ 1 << source.randrange(64))
        case 2:
            ranges[at] = (low, min(high + 1, BOTH_WORDS))
        case _:
            ranges[at] = (max(low - 1, 0), high)
    return replace(test, ranges=tuple(ranges))
