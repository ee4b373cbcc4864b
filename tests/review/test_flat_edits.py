# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check on random edits that a report says what they change on macOS and Windows.

Here small artifacts are judged by their keys: what is tried is the report. The edits
of `test_every_target` go through the compiler and the evaluators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from flat_edits import run
from flat_subjects import OBEDIENT, by_keys, subject_of

from stockade.abi.targets import System
from stockade.model.any_artifact import AnyArtifact
from stockade.model.policy import Policy
from stockade.model.request import Decision, NeutralRequest, SpawnRequest
from stockade.plan.support import unbuilt
from stockade.review.change import Finding
from stockade.review.difference import differences
from stockade.review.judges import Decide

_FLAT = (System.MACOS, System.WINDOWS)


_FIRST = Policy(appcontainer_name="Example.App")


def _holds(system: System) -> Callable[[Policy], bool]:
    return lambda policy: not unbuilt(policy, system)


@pytest.mark.parametrize("system", _FLAT)
def test_a_report_says_what_an_edit_changes_and_nothing_else(system: System) -> None:
    def compare(old: Policy, new: Policy) -> tuple[Finding, ...]:
        return differences(subject_of(old, system), subject_of(new, system), OBEDIENT)

    assert list(run(20, 70, system, _FIRST, _holds(system), compare)) == []


@pytest.mark.parametrize("system", _FLAT)
def test_a_judge_that_errs_is_noticed(system: System) -> None:
    """The meaning is asked for, not the judge that the report is made by."""

    def spawning(artifact: AnyArtifact) -> Decide:
        decide = by_keys(artifact)

        def answer(request: NeutralRequest) -> Decision:
            if isinstance(request, SpawnRequest):
                return Decision("ALLOW", "always")
            return decide(request)

        return answer

    judges = replace(OBEDIENT, decide=spawning)

    def compare(old: Policy, new: Policy) -> tuple[Finding, ...]:
        return differences(subject_of(old, system), subject_of(new, system), judges)

    found = list(run(30, 70, system, _FIRST, _holds(system), compare))
    assert found
    assert all("SpawnRequest()" in one for one in found)
