# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read a bundle without its policy: repeat its proof, and show what it applies.

A bundle says what it claims: by its requirement lines, or by rows of its policy's keys.
The policy that would make these claims is rebuilt from them, and the gate judges the
bundle by it, as it did when the bundle was compiled. What the gate does not judge,
such as probes and needs, must be what this version makes of the policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from stockade.abi.targets import SYSTEM_OF
from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.diagnostics import quote
from stockade.driver.compile import back_end
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Filter, Level
from stockade.model.key_rows import KeyRowsError
from stockade.model.overlap import overlaps
from stockade.model.path_family import folded
from stockade.model.policy import Policy
from stockade.plan.support import unbuilt
from stockade.proof.gate import GateRefusedError

_NO_FILTER = Filter((), ())


def verify(data: bytes) -> tuple[str, ...]:
    """Judge a bundle; give in lines what was found to hold.

    Raises BundleRefused for what is no bundle, GateRefusedError with the place and a
    counterexample when a judge disagrees with the claims.
    """
    artifact = decode(data)
    stages = back_end(artifact.target)
    proved = stages.judge(_policy_or_refusal(artifact), artifact)
    for part in foreign_parts(artifact):
        message = (
            f"{artifact.target}: {part} is not what this version of stockade makes of"
            " these claims"
        )
        raise GateRefusedError(message)
    return stages.verdict(artifact, proved)


def _policy_or_refusal(artifact: AnyArtifact) -> Policy:
    try:
        policy = back_end(artifact.target).claimed(artifact)
    except KeyError as unknown:
        name = quote(str(unknown.args[0]))
        message = f"{artifact.target}: class {name} of a grant is none of a policy"
        raise GateRefusedError(message) from None
    except KeyRowsError as fault:
        message = f"{artifact.target}: no policy has these keys: {fault}"
        raise GateRefusedError(message) from None
    system = SYSTEM_OF[artifact.target]
    for one in overlaps(policy.grants, lambda path: folded(path, system)):
        how = "overlaps what is executed," if one.executes else "holds"
        what = f"{quote(one.writable.path)} {how} {quote(one.other.path)}"
        raise GateRefusedError(f"{artifact.target}: writable path {what}")
    for lack in unbuilt(policy, system):
        message = f"{artifact.target}: no bundle has this `{lack.field}`: it {lack.why}"
        raise GateRefusedError(message)
    return policy


def foreign_parts(artifact: AnyArtifact) -> Iterator[str]:
    """Name the parts, filters aside, that differ from a bundle compiled here.

    Raises GateRefusedError for an artifact that no policy claims to hold.
    """
    policy = _policy_or_refusal(artifact)
    build = back_end(artifact.target).build
    made: Any = canonical(
        build(policy, artifact.policy_name, artifact.target, frozenset())
    )
    for one in fields(artifact):
        found, expected = getattr(artifact, one.name), getattr(made, one.name)
        if one.name == "levels":
            found, expected = _without_filters(found), _without_filters(expected)
        if one.name == "warnings":
            # Warnings may be left out on request, never added or reworded.
            expected = tuple(line for line in expected if line in found)
        if found != expected:
            yield f"section `{one.name}`"


def _without_filters(levels: tuple[Level, ...]) -> list[object]:
    """Give all of a level but its programs, which the proof has judged."""
    return [
        (level.name, [replace(one, filter=_NO_FILTER) for one in level.variants])
        for level in levels
    ]


def disassemble(data: bytes) -> Iterator[str]:
    """Give what a bundle applies as lines: programs, a profile or a manifest.

    Raises BundleRefused for what is no bundle.
    """
    artifact = decode(data)
    return back_end(artifact.target).disassemble(artifact)
