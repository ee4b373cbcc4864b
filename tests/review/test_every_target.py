# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check on random edits of macOS and Windows that a report says what they change.

Artifacts come from the compiler, the report from the evaluators, and what an edit
changes is computed a second time from the meaning and its named deviations. The edits
of Linux are in `test_edits`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import pytest
from flat_edits import run

from stockade.abi.targets import System
from stockade.driver.fidelity import PLANS
from stockade.driver.review import JUDGES
from stockade.model.overlap import overlaps
from stockade.model.path_family import folded
from stockade.model.policy import Policy
from stockade.plan.support import unbuilt
from stockade.review.change import Finding
from stockade.review.difference import differences
from stockade.review.subject import AnySubject, Subject
from stockade.targets.macos.build import build as build_macos
from stockade.targets.windows.build import build as build_windows

_FLAT = (System.MACOS, System.WINDOWS)
_BUILD = {System.MACOS: build_macos, System.WINDOWS: build_windows}
_FIRST = Policy(appcontainer_name="Example.App")


def edit_faults(number: int, seed: int, system: System) -> Iterator[str]:
    """Try so many edits on macOS or Windows; give the faults."""
    plan, build = PLANS[system], _BUILD[system]

    @lru_cache(maxsize=4)
    def subject(policy: Policy) -> AnySubject:
        lines = plan.requirements(policy), plan.warnings(policy)
        made = build(policy, name="x", requirements=lines[0], warnings=lines[1])
        return Subject(made, policy)

    def compare(old: Policy, new: Policy) -> tuple[Finding, ...]:
        return differences(subject(old), subject(new), JUDGES)

    def holds(policy: Policy) -> bool:
        # The reader refuses what is written and executed.
        clash = next(overlaps(policy.grants, lambda path: folded(path, system)), None)
        return clash is None and not unbuilt(policy, system)

    return run(number, seed, system, _FIRST, holds, compare)


@pytest.mark.parametrize("system", _FLAT)
def test_a_report_says_what_an_edit_changes_and_nothing_else(system: System) -> None:
    assert list(edit_faults(40, 80, system)) == []


@pytest.mark.long
@pytest.mark.parametrize("system", _FLAT)
def test_two_hundred_edits_are_said_as_they_are_meant(system: System) -> None:
    assert list(edit_faults(200, 7, system)) == []
