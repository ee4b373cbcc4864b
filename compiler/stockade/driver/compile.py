# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a policy through every stage: plan, target, gate, bundle, snapshot.

INVARIANT: nothing is returned, so nothing is written, before the gate and the
launcher's own parser have agreed with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stockade.abi.targets import SYSTEM_OF, System
from stockade.artifact.write import checked_bytes, checksum_of, write_all
from stockade.driver.back_end import BackEnd
from stockade.driver.linux import LINUX
from stockade.driver.macos import MACOS
from stockade.driver.windows import WINDOWS
from stockade.model.policy import Policy
from stockade.plan.support import unbuilt

_BACK_ENDS: dict[System, BackEnd[Any]] = {
    System.LINUX: LINUX,
    System.MACOS: MACOS,
    System.WINDOWS: WINDOWS,
}


@dataclass(frozen=True, slots=True)
class CompiledBundle:
    """One target's artifact: the bundle's bytes and its text twin."""

    bundle: bytes
    snapshot: str


class UnheldError(Exception):
    """A policy holds what a target cannot; `targets.chosen_targets` says so first."""


def targets() -> tuple[str, ...]:
    """List the targets that can be compiled for, in the order of their names."""
    return tuple(SYSTEM_OF)


def back_end(target: str) -> BackEnd[Any]:
    """Give the stages of a target's own."""
    return _BACK_ENDS[SYSTEM_OF[target]]


def compile_policy(
    policy: Policy,
    name: str,
    target: str,
    *,
    hidden_warnings: frozenset[str] = frozenset(),
) -> CompiledBundle:
    """Compile one policy for one of its `targets.chosen_targets`.

    Raises UnheldError for another target, GateRefusedError when a judge disagrees (a
    fault of the compiler), ProgramTooLongError or a limit error of the bundle when the
    policy is too big.
    """
    lacks = unbuilt(policy, SYSTEM_OF[target])
    if lacks:
        raise UnheldError(f"{target}: {lacks[0].field} {lacks[0].why}")
    stages = back_end(target)
    artifact = stages.build(policy, name, target, hidden_warnings)
    stages.judge(policy, artifact)
    bundle = checked_bytes(artifact)
    return CompiledBundle(bundle, stages.show(policy, artifact, checksum_of(bundle)))


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
