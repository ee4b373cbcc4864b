# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keep a profile's rules and decide by them, as Apple's own compiler stub says.

Every operation has a list. A rule with a filter goes to its front, so that the one
written last is asked first. A rule without a filter replaces the list's tail, wherever
it stands. The tail is at first the operation's own answer, or a jump to its parent.
So the rules of an operation come before all rules of its wildcard, whatever their
order: "the last rule wins" is wrong twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from stockade.proof.sbpl.context import Context
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


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile that was read whole."""

    version: int | None
    rules: tuple[Rule, ...]
    remarks: tuple[Remark, ...]
    parameters: tuple[str, ...]
    _filtered: dict[str, tuple[Rule, ...]]
    _tails: dict[str, Rule]

    def decide(self, operation: str, context: Context) -> Verdict:
        """Decide one operation; raises UnknownOperationError on a name unheard of."""
        known = operation_named(operation)
        if known is None:
            raise UnknownOperationError(f"`{operation}` is no operation known here")
        while True:
            for rule in self._filtered.get(known.name, ()):
                if rule.filter is None or rule.filter.holds(context):
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
        {name: tuple(reversed(rules)) for name, rules in book.filtered.items()},
        dict(book.tails),
    )
