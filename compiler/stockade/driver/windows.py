# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put the stages of a Windows artifact together: plan, target, gate, snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.targets import System
from stockade.artifact.manifest import manifest
from stockade.artifact.windows_snapshot import write_snapshot
from stockade.driver.back_end import BackEnd
from stockade.driver.key_claim import policy_of_keys
from stockade.model.path_family import policy_on
from stockade.model.policy import Policy
from stockade.model.windows_artifact import WindowsArtifact
from stockade.plan.windows import requirements, warnings
from stockade.proof.windows_gate import judge
from stockade.targets.windows.build import build


def build_windows(
    policy: Policy, name: str, target: str, hidden: frozenset[str] = frozenset()
) -> WindowsArtifact:
    """Build the artifact of a policy, unjudged; there is one for every Windows."""
    del target
    own = policy_on(policy, System.WINDOWS)
    return build(
        own,
        name=name,
        requirements=requirements(own),
        warnings=tuple(line for line in warnings(own) if line.id not in hidden),
    )


def _claimed(artifact: WindowsArtifact) -> Policy:
    return policy_of_keys(artifact.keys)


def _verdict(artifact: WindowsArtifact, decided: int) -> tuple[str, ...]:
    found = f"{decided} decisions of the access lists simulated, each as its keys mean"
    return (f"{artifact.target}: {found}; never run on Windows",)


def _disassemble(artifact: WindowsArtifact) -> Iterator[str]:
    yield from manifest(artifact).splitlines()


WINDOWS = BackEnd(
    build_windows, judge, write_snapshot, _claimed, _verdict, _disassemble
)
