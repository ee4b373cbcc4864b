# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare policies and bundles: read each side, build what is missing, judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.layout import MAGIC
from stockade.diagnostics import Report
from stockade.driver.bundle import claimed_policy
from stockade.driver.compile import build_artifact, targets
from stockade.model.artifact import Artifact
from stockade.model.place import Places
from stockade.model.policy import Policy
from stockade.policy.lower import lower
from stockade.policy.places import places
from stockade.policy.read import read_file
from stockade.proof.comparison import compare_filters
from stockade.review.change import Finding
from stockade.review.difference import differences
from stockade.review.subject import Subject


class NothingInCommonError(Exception):
    """Two sides have no target that both are for."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: its artifact for each target it is for."""

    subjects: dict[str, Subject]


def read_side(data: bytes, name: str, wanted: Iterable[str] = ()) -> Side:
    """Read a bundle, or a policy for every target that is wanted, all by default.

    `name` is what the text is called where rules are placed. Raises BundleRefused or
    PolicyRejected.
    """
    if data.startswith(MAGIC):
        artifact = decode(data)
        subject = Subject(artifact, claimed_policy(artifact), Places())
        return Side({artifact.target: subject})
    report = Report()
    settings = read_file(data, name, report)
    policy = lower(settings, report)
    where = places(settings)
    return Side(
        {
            target: Subject(_built(policy, target), policy, where)
            for target in tuple(wanted) or targets()
        }
    )


def _built(policy: Policy, target: str) -> Artifact:
    # One name for both sides: what a policy is called decides nothing.
    return canonical(build_artifact(policy, "policy", target))


def difference(old: Side, new: Side) -> tuple[Finding, ...]:
    """List what changes between two sides, for every target that both are for.

    Raises NothingInCommonError, and ProofRefusedError where filters cannot be
    compared.
    """
    shared = [target for target in old.subjects if target in new.subjects]
    if not shared:
        raise NothingInCommonError(
            f"one is for {_list(old)}, the other for {_list(new)}"
        )
    return tuple(
        finding
        for target in sorted(shared)
        for finding in differences(
            old.subjects[target], new.subjects[target], compare_filters
        )
    )


def _list(side: Side) -> str:
    return " and ".join(f"`{target}`" for target in sorted(side.subjects))
