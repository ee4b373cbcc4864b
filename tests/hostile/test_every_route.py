# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start one hostile program that tries every way out, one after the other.

Each route alone, with its control outside, is in `tests/escape`; here all come from
one confined start, so that what one leaves behind may help the next. Two watchers
look on: the arena's own victim and services, and the outside of `watcher.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from arenas import Outcome, read_outcome
from grounds import Camp
from route import POLICIES, POLICY_NEEDS, Route
from routes import cases, policy_text
from routes_granted import GRANTED

import host_features
import stage as stages
from stage import Stage

pytestmark = pytest.mark.needs("root-user", "namespaces")

MACHINE = os.uname().machine
# These tighten the sandbox for all that comes after them; under a listener of its own
# the program waits for itself.
LAST = (
    "kernel-loosen-domain",
    "kernel-loosen-filter",
    "kernel-loosen-listener",
)
# These end the program that tries them.
ENDING = ("write-core", "kernel-exec-again")
LEAST_ROUTES = 120
# What the arena's own watcher must see of them outside.
EFFECTS = {
    *("outside-changed", "granted-changed", "special-file"),
    *("victim-signal", "victim-memory", "victim-priority", "victim-limits"),
    *("connection", "datagram", "message", "terminal-changed"),
}


def denied(policy: str) -> Iterator[Route]:
    """Yield the routes that a policy denies and this host has, in a good order."""
    routes = [
        route
        for route, under in cases(MACHINE)
        if under == policy
        and route not in GRANTED
        and route.name not in ENDING
        and not host_features.missing(route.needs)
    ]
    yield from (route for route in routes if route.name not in LAST)
    ending = [route for route in routes if route.name in LAST]
    yield from sorted(ending, key=lambda route: LAST.index(route.name))


@pytest.fixture(scope="module")
def camp(stage: Stage, probe: Path) -> Camp:
    assert probe.exists()
    return Camp(stage)


def tried(
    camp: Camp, policy: str, how: str, *, sandboxed: bool = True
) -> tuple[dict[str, Outcome], set[str], dict[str, object]]:
    """Try what a policy denies; gives the answers, the effects, the noticed."""
    arena = camp.stage.folder("tried")
    text = policy_text(policy, str(arena / "arranged")) if sandboxed else None
    names = [route.name for route in denied(policy)]
    seen = camp.try_routes(text, how, names, arena)
    assert "lost" not in seen, seen
    (output,) = seen["traces"]  # type: ignore[misc]
    assert "tried all" in output, output[-2000:]
    answers = {name: read_outcome(name, output) for name in names}
    effects = set(answers[names[0]].effects)
    noticed = dict(seen["noticed"])  # type: ignore[call-overload]
    # The arena's own ring of keys outlives it for a moment; routes guard its key.
    noticed.pop("keys", None)
    return answers, effects, noticed


@pytest.mark.parametrize("policy", [name for name in POLICIES if [*denied(name)]])
def test_all_in_one_start(camp: Camp, policy: str) -> None:
    """S2-380 S2-383: no answer but the named one, and nothing outside changed."""
    stages.require(*POLICY_NEEDS.get(policy, ()))
    alone = 'children = "none"' in POLICIES[policy]
    answers, effects, noticed = tried(camp, policy, "--here" if alone else "--apart")
    abi = host_features.landlock_abi()
    wrong = {
        route.name: (answers[route.name].answer, route.inside_at(abi))
        for route in denied(policy)
        if answers[route.name].answer != route.inside_at(abi)
    }
    assert not wrong
    assert effects <= {route.left for route in denied(policy)}
    assert not noticed


def test_all_without_a_sandbox(camp: Camp) -> None:
    """S2-390: the same program reaches all of it where nothing is in its way."""
    answers, effects, noticed = tried(camp, "alone", "--apart", sandboxed=False)
    through = [name for name, one in answers.items() if one.answer == "ok"]
    assert len(through) >= LEAST_ROUTES, answers
    assert effects >= EFFECTS
    # A signal to everyone reaches the other watcher's victims as well.
    assert "process-signal" in noticed
