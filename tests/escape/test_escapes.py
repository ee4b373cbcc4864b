# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Try every route outside, where it works, and then inside, where it must not.

S2-390: a route that does not work outside proves nothing: it is skipped, and only
for a feature that this host was measured to lack.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from arenas import Arenas
from route import POLICY_NEEDS, Route
from routes import DENIED, X86_ONLY, cases, suite_lines
from routes_granted import GRANTED

import host_features
from stage import Stage, require, status_lines

MACHINE = os.uname().machine
# What the product promises to try; parameters of a route do not count.
LEAST_ROUTES = 60


@pytest.fixture(scope="module")
def arenas(stage: Stage, probe: Path) -> Arenas:
    return Arenas(stage, probe)


@pytest.fixture(scope="module")
def terminal_routes(stage: Stage, probe: Path) -> set[str]:
    lines = stage.run([probe, "list"]).stdout.decode().splitlines()
    return {line.split()[0] for line in lines if line.endswith(" terminal")}


def _label(case: tuple[Route, str]) -> str:
    return f"{case[0].name}-{case[1]}"


@pytest.mark.parametrize("case", list(cases(MACHINE)), ids=_label)
def test_route(
    case: tuple[Route, str], arenas: Arenas, terminal_routes: set[str]
) -> None:
    """S2-390 S2-380 S2-155 S2-168 S2-174 S2-248 S2-304 GL-068."""
    route, policy = case
    terminal = route.name in terminal_routes
    lacking = host_features.missing(route.needs)
    outside = arenas.outside(route.name, policy, terminal=terminal)
    if lacking:
        assert outside.answer in route.natural, outside.text
        require(*lacking)
    assert outside.answer == route.outside, outside.text
    assert not route.effect or route.effect in outside.effects, outside.text
    require(*POLICY_NEEDS.get(policy, ()))

    inside = arenas.inside(route.name, policy, terminal=terminal)
    assert inside.answer == route.inside_at(host_features.landlock_abi()), inside.text
    assert inside.effects == ((route.left,) if route.left else ()), inside.text
    assert not inside.notes, inside.text


def test_every_route_has_a_row(stage: Stage, probe: Path) -> None:
    """A route that nobody expects anything of would never be run."""
    lines = stage.run([probe, "list"]).stdout.decode().splitlines()
    names = {line.split()[0] for line in lines}
    assert names == {route.name for route, _ in cases(MACHINE)}


def test_rows_differ() -> None:
    keys = [(route.name, policy) for route, policy in cases("x86_64")]
    assert len(keys) == len(set(keys))
    names = {route.name for route in (*DENIED, *GRANTED)}
    assert names >= X86_ONLY
    assert names >= {route.same_as for route in DENIED if route.same_as}
    assert not [route for route in DENIED if route.needs and not route.natural]


def test_number_of_routes() -> None:
    """Routes that work outside count once each, whatever their arguments."""
    counted = {route.name for route in DENIED if not route.same_as}
    assert len(counted) >= LEAST_ROUTES
    on_this_host = {
        route.name
        for route in DENIED
        if not route.same_as and not host_features.missing(route.needs)
    }
    assert len(on_this_host) >= LEAST_ROUTES


def test_identity(stage: Stage) -> None:
    """What `stage.run` starts has no right that root or a service would have."""
    secret = stage.root / "root-only"
    secret.write_text("for root")
    secret.chmod(0o600)
    done = stage.run(["cat", "/proc/self/status"])
    lines = status_lines(done.stdout)
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(lines[name], 16) == 0
    assert lines["NoNewPrivs"] == "0"
    assert lines["Seccomp"] == "0"
    assert lines["Uid"].split() == [str(stage.user)] * 4
    assert lines["Gid"].split() == [str(stage.group)] * 4
    assert stage.user != 0
    if stage.drop:
        assert lines["Groups"].split() == []
        read = stage.run(["cat", secret])
        assert (read.returncode, read.stdout) == (1, b"")


def test_suite_without_python(stage: Stage, arenas: Arenas, probe: Path) -> None:
    """The program judges the same rows by itself, and knows a missing sandbox."""
    chosen = {"read-openat", "write-openat", "signal-kill", "works-read"}
    arena, bundle = arenas.place("alone")
    bundles = {"alone": str(bundle)}
    abi = host_features.landlock_abi()

    def verdict(launcher: Path) -> tuple[int, str]:
        rows = suite_lines(str(arena), str(launcher), bundles, MACHINE, abi)
        kept = [
            line
            for line in rows
            if not line.startswith("route ") or line.split()[1] in chosen
        ]
        file = stage.root / "suite"
        file.write_text("".join(f"{line}\n" for line in kept))
        done = stage.run([probe, "suite", file])
        return done.returncode, done.stdout.decode()

    status, text = verdict(stage.launcher)
    assert status == 0, text
    assert text.splitlines()[-1] == "suite: 4 passed, 0 failed, 0 skipped"
    open_door = stage.root / "bin" / "open-door"
    open_door.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    open_door.chmod(0o755)
    status, text = verdict(open_door)
    assert status == 1
    assert text.splitlines()[-1] == "suite: 1 passed, 3 failed, 0 skipped"
