# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say why something is decided: the rule in words, and the keys that make it.

A key makes a decision where one of its other values alone would make another. A
bundle's policy is the one that it claims, so its keys have no place in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from stockade.abi.syscalls import ARCHES, call_names
from stockade.abi.targets import SYSTEM_OF
from stockade.model.artifact import GrantRow
from stockade.model.calls import CallRule, holds
from stockade.model.decide import covers, decide, rules_by_call
from stockade.model.environment import Origin, folded_name, variables
from stockade.model.place import Place
from stockade.model.policy import Policy
from stockade.model.request import (
    CallRequest,
    EnvironmentRequest,
    PathRequest,
    Situation,
    StartRequest,
    StreamRequest,
)
from stockade.review.reach import Reach
from stockade.review.reach import answer as reach
from stockade.review.request_words import PROGRAM
from stockade.review.rows import listed, places_of
from stockade.review.subject import (
    AnySubject,
    LinuxSubject,
    on_linux,
    taken_streams,
)
from stockade.review.walls import PolicyWalls

ALLOWED, REFUSED, ABSENT = "allow", "refused", "absent"
_BY_ORIGIN = {
    Origin.BASE: "environment_base",
    Origin.PASS: "pass_names",
    Origin.SET: "set_values",
}


# Why a path is decided whatever the rules on paths say.
_BESIDE_RULES = {
    ALLOWED: "nothing refuses it here",
    "EXDEV": "Landlock of this ABI refuses every move",
    "EPERM": "the filter refuses it on every path, for want of a Landlock right",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is decided: in words, and the keys that make it."""

    text: str
    keys: tuple[Place, ...] = ()


def path_reason(
    subject: LinuxSubject,
    situation: Situation,
    request: PathRequest,
    said: str,
    rows: tuple[GrantRow, ...],
) -> Reason:
    """Name the rows that allow an action on a path, or that cover it in vain."""
    if request.path == PROGRAM:
        return Reason(f"the program itself is granted as {PROGRAM.lower()}")
    if rows and said == ALLOWED:
        return Reason(listed(rows), _of_rows(subject, situation, request, rows))
    keys = deciding(subject, lambda policy: decide(policy, situation, request).allowed)
    if said in _BESIDE_RULES:
        return Reason(_BESIDE_RULES[said], keys)
    covering = tuple(
        row for row in subject.artifact.grants if covers(row.path, request.path)
    )
    if not covering:
        return Reason("no rule covers it", keys)
    words = f"no rule covers it with this access, only {listed(covering)}"
    return Reason(words, (*places_of(subject, covering), *keys))


def _of_rows(
    subject: LinuxSubject,
    situation: Situation,
    request: PathRequest,
    rows: tuple[GrantRow, ...],
) -> tuple[Place, ...]:
    """Give the places of rows; of the system set, the keys that bring them."""
    own = places_of(subject, rows)
    if all(row.policy for row in rows):
        return own
    keys = deciding(subject, lambda policy: decide(policy, situation, request).allowed)
    return (*own, *(keys or (subject.key("system"),)))


def call_reason(
    subject: LinuxSubject, situation: Situation, request: CallRequest
) -> Reason:
    """Name the rule that decides a call, and the keys that put it in force."""
    rule = _rule(subject.policy, situation, request)
    keys = deciding(subject, lambda policy: _rule(policy, situation, request))
    if rule is None:
        return Reason(decide(subject.policy, situation, request).rule, keys)
    serves = f"{rule.requirement}: " if rule.requirement else ""
    return Reason(f"{serves}{rule.reason}", keys)


def _rule(
    policy: Policy, situation: Situation, request: CallRequest
) -> CallRule | None:
    if request.arch != situation.arch or request.arch not in ARCHES:
        return None
    name = call_names(request.arch).get(request.number, "")
    for rule in rules_by_call(policy, situation.landlock_abi).get(name, ()):
        if all(holds(test, request.args, request.own_pid) for test in rule.tests):
            return rule
    return None


def reach_reason(
    subject: LinuxSubject, situation: Situation, request: Reach, said: str
) -> Reason:
    """Name the keys that decide what takes several calls or walls."""

    def meaning(policy: Policy) -> str:
        return reach(
            PolicyWalls(policy, situation.arch, situation.landlock_abi), request
        )

    words = "no step of it is refused" if said == ALLOWED else "a step of it is refused"
    return Reason(words, deciding(subject, meaning))


def deciding(
    subject: AnySubject, meaning: Callable[[Policy], object]
) -> tuple[Place, ...]:
    """List the keys of which another value alone makes another meaning."""
    now = meaning(subject.policy)
    return tuple(
        subject.key(name)
        for name, others in _others(subject.policy)
        if any(meaning(other) != now for other in others)
    )


def _others(policy: Policy) -> Iterator[tuple[str, tuple[Policy, ...]]]:
    for name, kind in get_type_hints(Policy).items():
        # A key that is not written takes its value from others.
        for words in (kind, *get_args(kind)):
            if isinstance(words, type) and issubclass(words, StrEnum):
                now = getattr(policy, name)
                others = (other for other in words if other is not now)
                changes: list[dict[str, Any]] = [{name: one} for one in others]
                yield name, tuple(replace(policy, **one) for one in changes)


def start_decision(
    subject: AnySubject, request: EnvironmentRequest | StreamRequest | StartRequest
) -> tuple[str, Reason]:
    """Decide what is the same on every host, from the artifact's tables."""
    match request:
        case EnvironmentRequest():
            return _variable(subject, request.name)
        case StreamRequest():
            allowed = request.kind in taken_streams(subject)
            words = "may be" if allowed else "may not be"
            return (
                ALLOWED if allowed else REFUSED,
                Reason(f"a standard stream {words} of this kind"),
            )
        case StartRequest():
            return _start(subject, request)


def _variable(subject: AnySubject, name: str) -> tuple[str, Reason]:
    system = SYSTEM_OF[subject.artifact.target]
    asked = folded_name(name, system)
    origins = {
        folded_name(one.name, system): one.origin
        for one in variables(subject.policy, system)
    }
    for row in subject.artifact.environment:
        if folded_name(row.name, system) == asked:
            # What the system itself needs no key brings.
            field = _BY_ORIGIN.get(origins[asked])
            words = (
                "the caller's value is passed on, if it is set"
                if row.value is None
                else f"it is set to `{row.value}`"
            )
            return ALLOWED, Reason(words, (subject.key(field),) if field else ())
    return ABSENT, Reason("no rule names it")


def needed(subject: AnySubject) -> Iterator[tuple[str, str, tuple[Place, ...]]]:
    """Give the paths that a start refuses to do without: how granted, and where."""
    if on_linux(subject):
        for row in subject.artifact.grants:
            if not row.optional:
                yield row.class_name, row.path, places_of(subject, (row,))
    else:
        # Every path that a policy names itself.
        for grant in subject.policy.grants:
            yield str(grant.access), grant.path, (subject.place(grant),)


def _start(subject: AnySubject, request: StartRequest) -> tuple[str, Reason]:
    for access, path, places in needed(subject):
        if path == request.without:
            return REFUSED, Reason(f"the path of {access} `{path}` must exist", places)
    for place in subject.artifact.trusted:
        if (place.base, place.path) == request.writing:
            return REFUSED, Reason(
                f"no writable path may reach {place.base} `{place.path}`"
            )
    if on_linux(subject):
        return ALLOWED, Reason("nothing refuses the start")
    return ALLOWED, Reason(
        "the artifact refuses no start; the launcher of this system starts nothing yet"
    )
