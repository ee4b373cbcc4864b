# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare the calls of a Linux artifact for a page, grouped by what refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.syscalls import call_names
from stockade.model.artifact import Artifact
from stockade.model.call_rules import rules_in_force
from stockade.model.calls import CallRule, in_words
from stockade.model.place import Place
from stockade.model.policy import Policy
from stockade.render.text import HtmlText, html_text
from stockade.review import hosts
from stockade.review.page_text import Anchors, Link
from stockade.review.subject import LinuxSubject


@dataclass(frozen=True, slots=True)
class Refusal:
    """Calls that one rule answers: with what, under which tests, and where."""

    calls: HtmlText
    answer: HtmlText
    tests: HtmlText
    hosts: HtmlText


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason to refuse calls, with the keys that put it in force."""

    text: HtmlText
    refusals: tuple[Refusal, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class CallGroup:
    """What is refused for one requirement."""

    name: HtmlText
    title: HtmlText
    number: HtmlText
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Calls:
    """Every call of a target: those that some rule refuses, and all others."""

    groups: tuple[CallGroup, ...]
    free: tuple[HtmlText, ...]


def rules_by_hosts(subject: LinuxSubject) -> dict[CallRule, str]:
    """Give the rules of a policy with the hosts on which each is in force."""
    every = hosts.hosts_of((subject.artifact,))
    found: dict[CallRule, list[hosts.Host]] = {}
    for level in subject.artifact.levels:
        for host in every:
            if host.variant(level):
                for rule in rules_in_force(subject.policy, host.landlock_abi):
                    found.setdefault(rule, []).append(host)
    return {rule: hosts.in_words(some, every) for rule, some in found.items()}


def keys_of_rules(subject: LinuxSubject) -> dict[CallRule, tuple[Place, ...]]:
    """Name for each rule the written keys without which it would not be in force."""
    found: dict[CallRule, dict[Place, None]] = {}
    policy, default = subject.policy, Policy()
    every = hosts.hosts_of((subject.artifact,))
    for abi in sorted({host.landlock_abi for host in every}):
        rules = rules_in_force(policy, abi)
        for field in fields(Policy):
            place = subject.key(field.name)
            value = getattr(default, field.name)
            if not place.where or getattr(policy, field.name) == value:
                continue
            without = rules_in_force(replace(policy, **{field.name: value}), abi)
            for rule in rules:
                if rule not in without:
                    found.setdefault(rule, {})[place] = None
    return {rule: tuple(places) for rule, places in found.items()}


def links_by_requirement(
    keys: dict[CallRule, tuple[Place, ...]], anchors: Anchors
) -> dict[str, tuple[Link, ...]]:
    """Give for each requirement the keys that put a rule of it in force."""
    found: dict[str, dict[Place, None]] = {}
    for rule, places in keys.items():
        found.setdefault(rule.requirement, {}).update(dict.fromkeys(places))
    return {name: anchors.links(places) for name, places in found.items()}


def calls_view(
    subject: LinuxSubject, keys: dict[CallRule, tuple[Place, ...]], anchors: Anchors
) -> Calls:
    """Give every call of a subject's target."""
    arch = LINUX_TARGETS[subject.artifact.target].arch
    known = frozenset(call_names(arch).values())
    rules = {
        rule: where
        for rule, where in rules_by_hosts(subject).items()
        if any(call in known for call in rule.calls)
    }
    refused = {call for rule in rules for call in rule.calls}
    titles = _titles(subject.artifact)
    by_requirement: dict[str, dict[str, list[CallRule]]] = {}
    for rule in rules:
        reasons = by_requirement.setdefault(rule.requirement, {})
        reasons.setdefault(rule.reason, []).append(rule)
    # Requirements in their order, then rules that serve none with a line.
    ordered = [name for name in titles if name in by_requirement]
    ordered += [name for name in by_requirement if name not in titles]
    return Calls(
        tuple(
            CallGroup(
                html_text(name),
                html_text(titles.get(name, "without a requirement of its own")),
                html_text(_number(by_requirement[name], known)),
                tuple(
                    Reason(
                        html_text(reason),
                        tuple(_refusals(some, rules, known)),
                        anchors.links(
                            dict.fromkeys(
                                place for rule in some for place in keys.get(rule, ())
                            )
                        ),
                    )
                    for reason, some in by_requirement[name].items()
                ),
            )
            for name in ordered
        ),
        tuple(map(html_text, sorted(known - refused))),
    )


def _titles(artifact: Artifact) -> dict[str, str]:
    """Give the requirements of an artifact in their order, with their titles."""
    return {
        line.name: line.title
        for level in artifact.levels
        for variant in level.variants
        for line in variant.requirements
    }


def _number(reasons: dict[str, list[CallRule]], known: frozenset[str]) -> str:
    count = len(
        {c for rules in reasons.values() for rule in rules for c in rule.calls} & known
    )
    return "1 call" if count == 1 else f"{count} calls"


def _refusals(
    some: list[CallRule], where: dict[CallRule, str], known: frozenset[str]
) -> Iterator[Refusal]:
    for rule in some:
        yield Refusal(
            html_text(" ".join(call for call in rule.calls if call in known)),
            html_text(rule.action),
            html_text(" and ".join(map(in_words, rule.tests)) or "always"),
            html_text(where[rule]),
        )
