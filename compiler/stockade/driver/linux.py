# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put the stages of a Linux artifact together: plan, target, gate, snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.targets import System
from stockade.artifact import listing
from stockade.artifact.snapshot import call_lines, named_filters, write_snapshot
from stockade.driver.back_end import BackEnd
from stockade.driver.linux_claim import claimed_policy
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


def _verdict(artifact: Artifact, proved: int) -> tuple[str, ...]:
    variants = sum(len(level.variants) for level in artifact.levels)
    programs = "1 program" if proved == 1 else f"{proved} programs"
    proofs = f"{programs} proved equal to the requirements, {variants} tables compared"
    return (
        f"{artifact.target}: {proofs}",
        *(
            f"{artifact.target}: the policy gives up {word}"
            for word in artifact.concessions
        ),
    )


def _disassemble(artifact: Artifact) -> Iterator[str]:
    arch = LINUX_TARGETS[artifact.target].arch
    yield "[calls]"
    yield from call_lines(claimed_policy(artifact), arch, artifact)
    for program, name in named_filters(artifact).items():
        yield ""
        yield f"[filter {name}: {len(program.instructions)} instructions]"
        yield from listing.disassemble(listing.annotate(program, arch))


LINUX = BackEnd(
    build_linux, _judge, write_snapshot, claimed_policy, _verdict, _disassemble
)
