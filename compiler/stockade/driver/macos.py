# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put the stages of a macOS artifact together: plan, target, gate, snapshot."""

from __future__ import annotations

from stockade.abi.targets import System
from stockade.artifact.errors import LimitExceeded
from stockade.artifact.macos_listing import disassemble_macos
from stockade.artifact.macos_snapshot import write_snapshot
from stockade.driver.back_end import BackEnd
from stockade.driver.key_claim import policy_of_keys
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.path_family import policy_on
from stockade.model.policy import Policy
from stockade.plan.macos import requirements
from stockade.plan.macos_warnings import warnings
from stockade.proof.macos_gate import judge
from stockade.proof.sbpl.limits import MAX_TEXT
from stockade.targets.macos.build import build


def build_macos(
    policy: Policy, name: str, target: str, hidden: frozenset[str] = frozenset()
) -> MacosArtifact:
    """Build the artifact of a policy, unjudged; there is one for all Macs.

    Raises LimitExceeded for a profile that the judge would not read.
    """
    del target
    own = policy_on(policy, System.MACOS)
    made = build(
        own,
        name=name,
        requirements=requirements(own),
        warnings=tuple(line for line in warnings(own) if line.id not in hidden),
    )
    if len(made.profile) > MAX_TEXT:
        raise LimitExceeded("characters of a profile", len(made.profile), MAX_TEXT)
    return made


def _claimed(artifact: MacosArtifact) -> Policy:
    return policy_of_keys(artifact.keys)


def _verdict(artifact: MacosArtifact, decided: int) -> tuple[str, ...]:
    found = f"{decided} decisions of the profile simulated, each as its keys mean"
    return (f"{artifact.target}: {found}; never run on macOS",)


MACOS = BackEnd(
    build_macos, judge, write_snapshot, _claimed, _verdict, disassemble_macos
)
