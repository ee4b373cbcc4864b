# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Join the facts that people read as one change, and put them into words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from stockade.model.place import Place
from stockade.render.prose import Piece, Sentence, listed, sentence
from stockade.review.change import Case, Change, Fact, Kind, Topic
from stockade.review.hosts import Host, in_words

_SHOWN = 3
_MOST_DEEDS = 20
# Topics whose changes are the same for several things, which are then listed.
_LISTED = (Topic.FILES, Topic.NAMES, Topic.VARIABLES, Topic.START)
# Topics whose deeds on one thing are said together.
_TOGETHER = (Topic.FILES, Topic.NAMES, Topic.VARIABLES)
_INTROS = {
    Kind.NEWLY_ALLOWED: "the program may now ",
    Kind.NEWLY_DENIED: "the program may no longer ",
    Kind.CHANGED_ERROR: "the program gets another error when it tries to ",
    Kind.MECHANISM: "the program may, by other values, ",
}


@dataclass(frozen=True, slots=True)
class _Group:
    """Facts of one topic on one thing, by one set of keys."""

    kind: Kind
    topic: Topic
    things: tuple[Sentence, ...]
    facts: tuple[Fact, ...]


def changes(
    facts: Mapping[Fact, Sequence[Host]], every: Sequence[Host]
) -> Iterator[tuple[str, Change]]:
    """Give the changes that facts make, each with the hosts where it holds."""
    for group in _groups(facts):
        order = sorted(group.facts, key=lambda fact: fact.rank)
        hosts = {host: None for fact in order for host in facts[fact]}
        # As the hosts stand among all, so that equal sets have one order.
        some = [host for host in every if host in hosts]
        cases = tuple(_case(fact, facts[fact], some, every) for fact in order)
        rules = {rule: None for fact in order for rule in fact.rules}
        change = Change(
            group.kind, _words(group, order), cases, tuple(rules), order[0].rank
        )
        yield in_words(some, every), change


def _case(
    fact: Fact, hosts: Sequence[Host], some: Sequence[Host], every: Sequence[Host]
) -> Case:
    if len(hosts) == len(some):
        return fact.case
    return replace(fact.case, hosts=in_words(hosts, every))


_Key: TypeAlias = tuple[Kind, Topic, str, Sentence, tuple[str, ...]]


def _groups(facts: Mapping[Fact, Sequence[Host]]) -> Iterator[_Group]:
    by_thing: dict[_Key, list[Fact]] = {}
    for fact in facts:
        deed = "" if fact.topic in _TOGETHER else fact.deed
        key = (fact.kind, fact.topic, deed, fact.thing, _names(fact.rules))
        by_thing.setdefault(key, []).append(fact)
    joined: dict[tuple[object, ...], list[list[Fact]]] = {}
    for key, some in by_thing.items():
        kind, topic, _, thing, names = key
        alike: tuple[object, ...] = (thing, some[0].rank)
        if topic in _LISTED:
            alike = tuple(
                (fact.deed, fact.case.before, fact.case.after, tuple(facts[fact]))
                for fact in some
            )
        joined.setdefault((kind, topic, names, alike), []).append(some)
    for lists in joined.values():
        first = lists[0][0]
        things = tuple(dict.fromkeys(some[0].thing for some in lists))
        flat = tuple(fact for some in lists for fact in some)
        yield _Group(first.kind, first.topic, things, flat)


def _names(rules: Iterable[Place]) -> tuple[str, ...]:
    return tuple(sorted({rule.key for rule in rules}))


def _words(group: _Group, facts: Sequence[Fact]) -> Sentence:
    if group.topic is Topic.MECHANISM:
        return group.things[0]
    intro = _INTROS[group.kind]
    deeds: list[Piece | Sentence] = list(
        dict.fromkeys(fact.deed for fact in facts if fact.deed)
    )
    things = listed(group.things, _SHOWN)
    if group.topic is Topic.REACH:
        return sentence(intro, listed(deeds, _MOST_DEEDS), things)
    said = sentence(intro, listed(deeds, _MOST_DEEDS))
    return sentence(said, ": ", things) if things.pieces else said
