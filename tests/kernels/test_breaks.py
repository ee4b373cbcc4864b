# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test how the matrix is tested: mistakes that matter, verdicts that can be bad."""

from __future__ import annotations

import matrix_plan
import pytest
import run_breaks
from kernel_rows import ROWS
from matrix_breaks import BREAKS, ROUTES, Break, broken
from routes import cases

from stockade.abi.arch import LINUX_TARGETS
from stockade.driver.linux import build_linux
from stockade.policy import read_policy
from stockade.proof.gate import GateRefusedError, judge


def _name(mistake: Break) -> str:
    return mistake.name


@pytest.mark.parametrize("mistake", BREAKS, ids=_name)
def test_the_gate_refuses_what_is_broken(mistake: Break) -> None:
    """S2-398: no such artifact is written; the matrix sees what one would do."""
    refused = set()
    for name in ("confined", "clients", "neighbours"):
        policy = read_policy(matrix_plan.policies()[name], name)
        for target in sorted(LINUX_TARGETS):
            spoilt = broken(mistake, policy, build_linux(policy, name, target))
            try:
                judge(policy, spoilt)
            except GateRefusedError:
                refused.add((name, target))
    assert refused


@pytest.mark.parametrize("mistake", BREAKS, ids=_name)
def test_every_mistake_is_seen_somewhere_and_not_everywhere(mistake: Break) -> None:
    seen = [row for row in ROWS if mistake.seen_on(row)]
    assert 0 < len(seen) < len(ROWS)


def test_routes_of_the_mistakes_exist() -> None:
    assert {route.name for route, _ in cases("x86_64")} >= ROUTES


def test_verdicts_tell_a_blind_matrix_and_an_excited_one() -> None:
    (mistake, *_) = BREAKS
    must, other = (
        next(row for row in ROWS if mistake.seen_on(row) is wanted)
        for wanted in (True, False)
    )

    def verdict(*problems: tuple[str, ...]) -> list[bool]:
        sights = [
            run_breaks.Sight(row, mistake.name, found)
            for row, found in zip((must, other), problems, strict=True)
        ]
        sights.append(run_breaks.Sight(must, run_breaks.WHOLE, ()))
        return [good for good, _ in run_breaks.verdicts(sights, [mistake])]

    assert verdict(("leak",), ()) == [True, True]
    assert verdict((), ()) == [False, True]
    assert verdict(("leak",), ("leak",)) == [False, True]
    failing = [run_breaks.Sight(other, run_breaks.WHOLE, ("leak",))]
    assert [good for good, _ in run_breaks.verdicts(failing, [])] == [False]
