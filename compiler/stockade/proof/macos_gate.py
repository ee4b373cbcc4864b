# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let a macOS artifact pass only when its profile decides as its policy means.

Simulated: the judge decides as published facts say that macOS does, and no Mac was
ever asked. A disagreement is a fault of the compiler, never of the policy.
"""

from __future__ import annotations

from stockade.abi.targets import System
from stockade.model.deviation import expect
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.macos_deviations import MACOS_DEVIATIONS
from stockade.model.path_family import policy_on
from stockade.model.policy import Ip, Policy
from stockade.model.policy import System as SystemSet
from stockade.model.request import EnvironmentRequest
from stockade.model.sheet import sheet
from stockade.proof import macos_floor
from stockade.proof.gate import GateRefusedError
from stockade.proof.macos_evaluator import MacosEvaluator
from stockade.proof.macos_structure import (
    StructureDisagreementError,
    check_structure,
)
from stockade.proof.sbpl.context import TooCostlyError
from stockade.proof.sbpl.place import ProfileRefusedError


def judge(policy: Policy, artifact: MacosArtifact) -> int:
    """Judge a profile and every decision that matters; give the number of decisions.

    Raises GateRefusedError with the first fault or request on which both differ.
    """
    try:
        return _judged(policy_on(policy, System.MACOS), artifact)
    except (ProfileRefusedError, StructureDisagreementError, TooCostlyError) as fault:
        raise GateRefusedError(f"{artifact.target}: {fault}") from fault


def _judged(own: Policy, artifact: MacosArtifact) -> int:
    """Judge by a policy with paths of this system alone."""
    evaluator = MacosEvaluator(artifact)
    check_structure(artifact, evaluator.profile)
    _judge_floor(own, artifact, evaluator)
    asked = sheet((own,), System.MACOS)
    # Also every variable of the artifact: the sheet knows those of the policy.
    named = (EnvironmentRequest(row.name) for row in artifact.environment)
    for request in (*asked, *named):
        expected, _ = expect(own, System.MACOS, request, MACOS_DEVIATIONS)
        found = evaluator.decide(request)
        if found.action != expected.action:
            raise GateRefusedError(
                f"{artifact.target}: {request} should be {expected.action}"
                f" ({expected.rule}), but the profile decides {found.action}"
                f" ({found.rule})"
            )
    return len(asked)


def _judge_floor(
    policy: Policy, artifact: MacosArtifact, evaluator: MacosEvaluator
) -> None:
    """Judge what no request asks, for a policy with paths of this system alone."""
    wanted = [(ask, False) for ask in macos_floor.refused(policy)]
    wanted += [(ask, True) for ask in macos_floor.links(artifact)]
    reaches_hosts = policy.ip in (Ip.CLIENT, Ip.ALL)
    wanted += [(ask, reaches_hosts) for ask in macos_floor.of_networks()]
    if policy.system is not SystemSet.NONE:
        wanted += [(ask, True) for ask in macos_floor.allowed(evaluator.program)]
    for ask, is_allowed in wanted:
        found = evaluator.verdict(ask)
        if found.allowed is not is_allowed:
            raise GateRefusedError(
                f"{artifact.target}: every profile must"
                f" {'allow' if is_allowed else 'refuse'} {ask}, but {found}"
            )
