# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare two artifacts of a system without kinds of hosts: decisions, then parts.

INVARIANT: no finding means equal artifacts, names of policies aside. What findings
say of decisions is complete for the requests of `model/sheet`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from stockade.abi.targets import SYSTEM_OF
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.path_family import family_on
from stockade.model.sheet import sheet
from stockade.model.windows_artifact import WindowsArtifact
from stockade.review.change import EVERY_LEVEL, Fact, Finding
from stockade.review.decisions import decision_facts
from stockade.review.gather import changes
from stockade.review.hosts import Host
from stockade.review.judges import MakeDecide
from stockade.review.keys import Keys
from stockade.review.macos_parts import macos_changes
from stockade.review.parts import key_changes, part_fact, requirement_changes
from stockade.review.sides import Sides
from stockade.review.start import start_changes, support_fact
from stockade.review.subject import FlatSubject
from stockade.review.windows_parts import windows_changes

_LEVEL = "base"
# Such artifacts tell no hosts apart; one stands for all.
_HOSTS = (Host(1, ()),)


def sheet_differences(
    old: FlatSubject, new: FlatSubject, make: MakeDecide
) -> Iterator[Finding]:
    """Give what changes from one artifact to another of the same target."""
    if _unnamed(old) == _unnamed(new):
        return
    of_level = (
        *_decisions(old, new, make),
        *requirement_changes(old.artifact.requirements, new.artifact.requirements),
    )
    of_start = (*start_changes(old, new), *_parts(old, new))
    if not (of_level or of_start):
        of_start = tuple(key_changes(old.artifact.keys, new.artifact.keys)) or (
            part_fact(81, "the artifact is laid out otherwise", "order", ("", "")),
        )
    for level, facts in ((EVERY_LEVEL, of_start), (_LEVEL, of_level)):
        for hosts, change in changes(dict.fromkeys(facts, _HOSTS), _HOSTS):
            yield Finding(new.artifact.target, level, hosts, change)


def lone_target(target: str, *, starts: bool) -> Iterator[Finding]:
    """Say that a policy means a target which the other one does not."""
    fact = support_fact(starts=starts)
    for hosts, change in changes({fact: _HOSTS}, _HOSTS):
        yield Finding(target, _LEVEL, hosts, change)


def _unnamed(subject: FlatSubject) -> MacosArtifact | WindowsArtifact:
    return replace(subject.artifact, policy_name="")


def _decisions(old: FlatSubject, new: FlatSubject, make: MakeDecide) -> Iterator[Fact]:
    system = SYSTEM_OF[new.artifact.target]
    sides = Sides(
        system,
        cache(make(old.artifact)),
        cache(make(new.artifact)),
        Keys(old, new),
    )
    requests = sheet((old.policy, new.policy), system)
    yield from decision_facts(sides, requests, family_on(system).value)


def _parts(old: FlatSubject, new: FlatSubject) -> Iterator[Fact]:
    match old.artifact, new.artifact:
        case MacosArtifact() as before, MacosArtifact() as after:
            yield from macos_changes(before, after)
        case WindowsArtifact() as before, WindowsArtifact() as after:
            yield from windows_changes(before, after)
