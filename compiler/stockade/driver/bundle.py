# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read a bundle without its policy: repeat its proof, and show its programs.

A bundle's requirement lines say what it claims. The policy that would make these
claims is rebuilt from them, and the gate judges the bundle by it, as it did when
the bundle was compiled. So a bundle that claims less than it does is refused as
well as one that claims more.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.arch import LINUX_TARGETS
from stockade.artifact import listing
from stockade.artifact.decode import decode
from stockade.artifact.snapshot import call_lines, number_filters
from stockade.model.artifact import Artifact
from stockade.model.policy import (
    Access,
    Children,
    Grant,
    Ip,
    PathMetadata,
    Policy,
    Signals,
    System,
)
from stockade.proof.gate import judge


def verify(data: bytes) -> tuple[Artifact, int]:
    """Judge a bundle; give what it holds and the number of programs proved.

    Raises BundleRefused for what is no bundle, GateRefusedError with the variant
    and a counterexample when a judge disagrees with the claims.
    """
    artifact = decode(data)
    return artifact, judge(claimed_policy(artifact), artifact)


def disassemble(data: bytes) -> Iterator[str]:
    """Give a bundle's programs as lines: calls by name, then the instructions.

    Raises BundleRefused for what is no bundle.
    """
    artifact = decode(data)
    arch = LINUX_TARGETS[artifact.target].arch
    filters = number_filters(artifact)
    yield "[calls]"
    yield from call_lines(claimed_policy(artifact), arch, artifact, filters)
    for program, name in filters.items():
        yield ""
        yield f"[filter {name}: {len(program.instructions)} instructions]"
        yield from listing.disassemble(listing.annotate(program, arch))


def claimed_policy(artifact: Artifact) -> Policy:
    """Rebuild the policy that a bundle's requirements and tables claim to hold."""
    names = {
        line.name
        for level in artifact.levels
        for variant in level.variants
        for line in variant.requirements
    }
    accesses = {str(access): access for access in Access}
    return Policy(
        system=(
            System.NONE
            if all(row.policy for row in artifact.grants)
            else System.MINIMAL
        ),
        grants=tuple(
            sorted(
                Grant(row.path, accesses[row.class_name])
                for row in artifact.grants
                if row.policy
            )
        ),
        ip=Ip.NONE if "ip-network-denied" in names else Ip.ALL,
        signals=Signals.ISOLATED if "signals-isolated" in names else Signals.ANY,
        children=Children.NONE if "children-denied" in names else Children.ALLOWED,
        pass_names=tuple(row.name for row in artifact.environment if row.value is None),
        set_values=tuple(
            (row.name, row.value)
            for row in artifact.environment
            if row.value is not None
        ),
        path_metadata=(
            PathMetadata.DENY if "metadata-protected" in names else PathMetadata.ALLOW
        ),
    )
