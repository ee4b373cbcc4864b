# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put the stages of a Linux artifact together: plan, target, gate, snapshot."""

from __future__ import annotations

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.targets import System
from stockade.artifact.snapshot import write_snapshot
from stockade.driver.back_end import BackEnd
from stockade.model.artifact import Artifact
from stockade.model.path_family import policy_on
from stockade.model.policy import Policy
from stockade.plan.features import FEATURES
from stockade.plan.variants import variants
from stockade.plan.warnings import warnings
from stockade.proof.gate import judge
from stockade.targets.linux.build import build


def build_linux(
    policy: Policy, name: str, target: str, hidden: frozenset[str] = frozenset()
) -> Artifact:
    """Build the artifact of a policy for one architecture, unjudged."""
    own = policy_on(policy, System.LINUX)
    return build(
        LINUX_TARGETS[target],
        own,
        name=name,
        plans=variants(own),
        features=FEATURES,
        warnings=tuple(line for line in warnings(own) if line.id not in hidden),
    )


def _judge(policy: Policy, artifact: Artifact) -> int:
    return judge(policy_on(policy, System.LINUX), artifact)


LINUX = BackEnd(Artifact, build_linux, _judge, write_snapshot)
