# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let a Windows artifact pass only where its parts and its decisions are as meant.

The judge reads the artifact's own text and decides on a described host; it knows how a
policy is meant, not how an artifact is made. A disagreement is a fault of the
compiler, never of the policy. What it says is simulated: docs/acl.md.
"""

from __future__ import annotations

from stockade.abi.sid import NameNotDerivableError
from stockade.abi.targets import System
from stockade.model.calls import ALLOW
from stockade.model.deviation import expect
from stockade.model.intent import DENY
from stockade.model.path_family import policy_on
from stockade.model.policy import Policy
from stockade.model.request import (
    Decision,
    NeutralRequest,
    PathAction,
    PathRequest,
)
from stockade.model.sheet import sheet
from stockade.model.windows_artifact import WindowsArtifact
from stockade.model.windows_deviations import WINDOWS_DEVIATIONS
from stockade.proof.gate import GateRefusedError
from stockade.proof.windows_acl.sddl import SddlError
from stockade.proof.windows_acl.tree import PathRefusedError
from stockade.proof.windows_evaluator import WindowsEvaluator
from stockade.proof.windows_structure import faults


def judge(policy: Policy, artifact: WindowsArtifact) -> int:
    """Judge an artifact; give the number of requests that were decided as meant.

    Raises GateRefusedError with what is wrong, or with the request and both answers.
    """
    own = policy_on(policy, System.WINDOWS)
    try:
        for fault in faults(own, artifact):
            raise GateRefusedError(f"{artifact.target}: {fault}")
        return _judge_decisions(own, artifact)
    except (NameNotDerivableError, SddlError, PathRefusedError) as fault:
        raise GateRefusedError(f"{artifact.target}: {fault}") from fault


def _judge_decisions(policy: Policy, artifact: WindowsArtifact) -> int:
    evaluator = WindowsEvaluator(artifact)
    decided = 0
    for request in sheet((policy,), System.WINDOWS):
        wanted, _ = expect(policy, System.WINDOWS, request, WINDOWS_DEVIATIONS)
        _compare(artifact, request, evaluator.decide(request), wanted)
        decided += 1
    return decided + _judge_private_folder(evaluator)


def _judge_private_folder(evaluator: WindowsEvaluator) -> int:
    """Demand that the container's own folder is written and never executed."""
    path = f"{evaluator.host.private_folder}\\x"
    for action, wanted in (
        (PathAction.WRITE, Decision(ALLOW, "the private folder is writable")),
        (PathAction.EXECUTE, Decision(DENY, "what is written is not executed")),
    ):
        request = PathRequest(path, action)
        _compare(evaluator.artifact, request, evaluator.decide(request), wanted)
    return 2


def _compare(
    artifact: WindowsArtifact,
    request: NeutralRequest,
    decided: Decision,
    wanted: Decision,
) -> None:
    if decided.action != wanted.action:
        raise GateRefusedError(
            f"{artifact.target}: {request} is `{decided.action}` ({decided.rule}) and"
            f" should be `{wanted.action}` ({wanted.rule})"
        )
