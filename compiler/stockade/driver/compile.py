# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a policy through every stage: plan, target, gate, bundle, snapshot.

INVARIANT: nothing is returned, so nothing is written, before the gate and the
launcher's own parser have agreed with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stockade.abi.arch import LINUX_TARGETS
from stockade.artifact.snapshot import write_snapshot
from stockade.artifact.write import checked_bytes, checksum_of, write_all
from stockade.model.artifact import Artifact, WarningLine
from stockade.model.policy import Policy
from stockade.plan.features import FEATURES
from stockade.plan.variants import variants
from stockade.plan.warnings import warnings
from stockade.proof.gate import judge
from stockade.targets.linux.build import build


@dataclass(frozen=True, slots=True)
class CompiledBundle:
    """One target's artifact: the bundle's bytes and its text twin."""

    bundle: bytes
    snapshot: str


def targets() -> tuple[str, ...]:
    """List the targets that can be compiled for, sorted."""
    return tuple(sorted(LINUX_TARGETS))


def compile_policy(
    policy: Policy,
    name: str,
    target: str,
    *,
    hidden_warnings: frozenset[str] = frozenset(),
) -> CompiledBundle:
    """Compile one policy for one target.

    Raises GateRefusedError when a judge disagrees (a fault of the compiler),
    ProgramTooLongError or a limit error of the bundle when the policy is too big.
    """
    artifact = build_artifact(policy, name, target, hidden_warnings)
    judge(policy, artifact)
    bundle = checked_bytes(artifact)
    return CompiledBundle(bundle, write_snapshot(policy, artifact, checksum_of(bundle)))


def build_artifact(
    policy: Policy,
    name: str,
    target: str,
    hidden_warnings: frozenset[str] = frozenset(),
) -> Artifact:
    """Build the artifact that `compile_policy` judges and encodes."""
    return build(
        LINUX_TARGETS[target],
        policy,
        name=name,
        plans=variants(policy),
        features=FEATURES,
        warnings=_shown(warnings(policy), hidden_warnings),
    )


def _shown(
    found: tuple[WarningLine, ...], hidden: frozenset[str]
) -> tuple[WarningLine, ...]:
    return tuple(warning for warning in found if warning.id not in hidden)


def write_bundles(
    directory: Path,
    name: str,
    compiled: dict[str, CompiledBundle],
    *,
    bundles: bool = True,
) -> tuple[Path, ...]:
    """Write `NAME.TARGET.stk` and `.txt` for every target, whole or not at all.

    Without `bundles` the texts alone are written.
    """
    files: dict[str, bytes] = {}
    for target, result in sorted(compiled.items()):
        if bundles:
            files[f"{name}.{target}.stk"] = result.bundle
        files[f"{name}.{target}.txt"] = result.snapshot.encode()
    write_all(directory, files)
    return tuple(directory / file for file in files)
