# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what policies mean on macOS with what their profiles decide there.

Simulated: a profile decides as published facts say, and no Mac took part.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import Phase, given, settings
from macos_policies import NAMED, policies

from stockade.abi.targets import System
from stockade.model.deviation import expect
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.macos_deviations import MACOS_DEVIATIONS
from stockade.model.path_family import policy_on
from stockade.model.policy import Policy
from stockade.model.sheet import sheet
from stockade.plan.support import unbuilt
from stockade.proof.macos_evaluator import UNSURE, MacosEvaluator
from stockade.proof.macos_gate import judge
from stockade.targets.macos.build import build


def _built(policy: Policy) -> MacosArtifact:
    own = policy_on(policy, System.MACOS)
    return build(own, name="p", requirements=(), warnings=())


@pytest.mark.parametrize("name", NAMED)
def test_profiles_decide_what_policies_mean(name: str) -> None:
    policy = NAMED[name]
    assert unbuilt(policy, System.MACOS) == ()
    assert judge(policy, _built(policy)) > 100


# Without looking for the smallest example, which would take minutes.
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
)
@given(policies())
def test_profiles_of_any_policy_decide_what_it_means(policy: Policy) -> None:
    assert judge(policy, _built(policy)) > 100


def test_every_deviation_is_needed_by_some_request() -> None:
    """A row that no request needs tells of a difference that is not there."""
    used: dict[str, None] = {}
    for policy in NAMED.values():
        own = policy_on(policy, System.MACOS)
        for request in sheet((own,), System.MACOS):
            _, row = expect(own, System.MACOS, request, MACOS_DEVIATIONS)
            if row:
                used[row.name] = None
    assert [row.name for row in MACOS_DEVIATIONS if row.name not in used] == []


@pytest.mark.parametrize("name", ["plain", "odd names", "protected projects"])
def test_whether_names_fold_changes_no_decision_on_the_sheet(name: str) -> None:
    """Paths are asked as policies spell them, so both kinds of volume answer alike."""
    own = policy_on(NAMED[name], System.MACOS)
    artifact = _built(own)
    both = [MacosEvaluator(artifact, folds=folds) for folds in (True, False)]
    for request in sheet((own,), System.MACOS):
        first, second = (one.decide(request).action for one in both)
        assert first == second != UNSURE, request


def test_the_gate_is_quick() -> None:
    """Generous: a tenth of a second where nothing else runs."""
    policy = NAMED["plain"]
    artifact = _built(policy)
    before = time.process_time()
    judge(policy, artifact)
    assert time.process_time() - before < 2
