# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keep a profile's rules and decide by them, as Apple's own compiler stub says.

Every operation has a list. A rule with a filter goes to its front, so that the one
written last is asked first. A rule without a filter replaces the list's tail, wherever
it stands. The tail is at first the operation's own answer, or a jump to its parent.
So the rules of an operation come before all rules of its wildcard, whatever their
order: "the last rule wins" is wrong twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from stockade.proof.sbpl.context import Context, folded
from stockade.proof.sbpl.filters import Filter
from stockade.proof.sbpl.limits import MAX_RULES, MAX_SERIALIZED, MAX_TESTS
from stockade.proof.sbpl.modifiers import Modifier, check_modifiers
from stockade.proof.sbpl.operations import EVERYWHERE, OPERATIONS, operation_named
from stockade.proof.sbpl.place import Place, Remark, UnreadableArgumentError


class UnknownOperationError(ValueError):
    """No operation of macOS has this name, as far as is known here."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as written; without a filter it is its operations' new tail."""

    action: str
    operations: tuple[str, ...]
    filter: Filter | None
    modifiers: tuple[Modifier, ...]
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer; without a rule it is the operation's own, or the default's.

    `operation` is the one whose list answered: the asked one or one above it.
    """

    allowed: bool
    operation: str
    rule: Rule | None

    def __str__(self) -> str:
        """Name what decided."""
        if self.rule is None:
            return f"what `{self.operation}` answers by itself"
        return f"{self.rule.place}: {self.rule.text}"


@dataclass(slots=True)
class RuleBook:
    """The rules of a profile while it is read, by operation, the oldest first."""

    filtered: dict[str, list[Rule]] = field(default_factory=dict)
    tails: dict[str, Rule] = field(default_factory=dict)
    order: list[Rule] = field(default_factory=list)
    tests: int = 0
    # The bytes of the longest rule where equal neighbours are joined into one, and by
    # operation those of the neighbours that stand at the front.
    longest: int = 0
    _joined: dict[str, int] = field(default_factory=dict)

    def add(self, rule: Rule) -> None:
        """Add a rule; raises UnreadableArgumentError on one that Apple refuses."""
        for name in rule.operations:
            check_modifiers(rule.action, name, rule.modifiers)
            if rule.filter:
                _check_kinds(rule.filter, name)
        if rule.filter and rule.filter.serialized > MAX_SERIALIZED:
            raise UnreadableArgumentError(
                f"the patterns of this rule take about {rule.filter.serialized} bytes;"
                f" a rule has room for {MAX_SERIALIZED}: write several rules"
            )
        self.order.append(rule)
        for name in dict.fromkeys(rule.operations):
            if not rule.filter:
                self.tails[name] = rule
                continue
            listed = self.filtered.setdefault(name, [])
            self._join(rule, listed[-1] if listed else None, name)
            listed.append(rule)
            self.tests += rule.filter.tests
            if len(listed) > MAX_RULES or self.tests > MAX_TESTS:
                raise UnreadableArgumentError("the profile has too many rules")

    def _join(self, rule: Rule, before: Rule | None, operation: str) -> None:
        """Count equal neighbours as the one rule that Apple's stub makes of them."""
        assert rule.filter is not None
        size = rule.filter.serialized
        if before and (before.action, before.modifiers) == (
            rule.action,
            rule.modifiers,
        ):
            size += self._joined[operation]
        self._joined[operation] = size
        self.longest = max(self.longest, size)


def _check_kinds(one: Filter, operation: str) -> None:
    taken = (*EVERYWHERE, *OPERATIONS[operation].categories)
    for kind in one.kinds:
        if kind.category not in taken:
            raise UnreadableArgumentError(
                f"the filter `{kind.name}` does not apply to `{operation}`"
            )


class RuleList:
    """The filtered rules of an operation, of which the one written last is asked first.

    Rules that hold on some paths alone are looked up by them, so that a decision takes
    as long in a profile of many paths as in one of few.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(reversed(rules))
        self._exact = _Index(self._rules, str)
        self._folded = _Index(self._rules, folded)

    def first(self, context: Context) -> Rule | None:
        """Give the first rule that holds."""
        index = self._folded if context.folds else self._exact
        for number in index.candidates(context):
            rule = self._rules[number]
            if rule.filter is None or rule.filter.holds(context):
                return rule
        return None


class _Index:
    """Numbers of rules, rising, by the paths outside of which they never hold."""

    def __init__(self, rules: Sequence[Rule], spell: Callable[[str], str]) -> None:
        self._anywhere: list[int] = []
        self._at: dict[str, list[int]] = {}
        self._below: dict[str, list[int]] = {}
        for number, rule in enumerate(rules):
            within = rule.filter.within if rule.filter else None
            if within is None:
                self._anywhere.append(number)
                continue
            for path in within.literals:
                self._at.setdefault(spell(path), []).append(number)
            for path in within.folders:
                self._below.setdefault(spell(path), []).append(number)

    def candidates(self, context: Context) -> list[int]:
        """List the rules that may hold, in the order in which they are asked."""
        found = dict.fromkeys(self._anywhere)
        if context.path is not None:
            found |= dict.fromkeys(self._at.get(context.path, ()))
            for above in sorted(context.above & self._below.keys()):
                found |= dict.fromkeys(self._below[above])
        return sorted(found)


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile that was read whole."""

    version: int | None
    rules: tuple[Rule, ...]
    remarks: tuple[Remark, ...]
    parameters: tuple[str, ...]
    _filtered: dict[str, RuleList]
    _tails: dict[str, Rule]

    def decide(self, operation: str, context: Context) -> Verdict:
        """Decide one operation; raises UnknownOperationError on a name unheard of."""
        known = operation_named(operation)
        if known is None:
            raise UnknownOperationError(f"`{operation}` is no operation known here")
        while True:
            listed = self._filtered.get(known.name)
            rule = listed.first(context) if listed else None
            if rule:
                return Verdict(rule.action == "allow", known.name, rule)
            tail = self._tails.get(known.name)
            if tail:
                return Verdict(tail.action == "allow", known.name, tail)
            if known.own is not None:
                return Verdict(known.own == "allow", known.name, None)
            known = OPERATIONS[known.parent]


def finished(
    book: RuleBook,
    version: int | None,
    remarks: Sequence[Remark],
    parameters: Sequence[str],
) -> Profile:
    """Make the profile of all rules that were read."""
    return Profile(
        version,
        tuple(book.order),
        tuple(remarks),
        tuple(parameters),
        {name: RuleList(rules) for name, rules in book.filtered.items()},
        dict(book.tails),
    )
