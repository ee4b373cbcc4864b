# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that a comparison of artifacts finds what changes, and says nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from policies import GRANTS, KEY_COMBINATIONS, label
from stockade.driver.compile import build_artifact, targets
from stockade.model.artifact import Artifact, Variant
from stockade.model.policy import Access, Grant, Ip, Policy
from stockade.proof.comparison import compare_filters
from stockade.review.change import Finding, Kind
from stockade.review.difference import differences
from stockade.review.subject import Subject

_TARGET = "linux-x86_64"


def _subject(policy: Policy) -> Subject:
    return Subject(build_artifact(policy, "x", _TARGET), policy)


def _found(old: Policy, new: Policy) -> tuple[Finding, ...]:
    return differences(_subject(old), _subject(new), compare_filters)


def _witnesses(found: tuple[Finding, ...], kind: Kind) -> list[str]:
    return [
        case.witness
        for one in found
        if one.change.kind is kind
        for case in one.change.cases
    ]


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("policy", KEY_COMBINATIONS[::4], ids=label)
def test_an_artifact_does_not_differ_from_itself(policy: Policy, target: str) -> None:
    subject = Subject(build_artifact(policy, "x", target), policy)
    other = Subject(build_artifact(policy, "another name", target), policy)
    assert differences(subject, other, compare_filters) == ()


def test_a_wider_path_opens_all_but_what_was_open() -> None:
    old = Policy(grants=GRANTS)
    new = replace(old, grants=(*GRANTS, Grant("/srv", Access.READ)))
    (finding,) = _found(old, new)
    assert finding.change.kind is Kind.NEWLY_ALLOWED
    assert finding.hosts == "every host"
    assert "but for `/srv/in` and `/srv/out`" in finding.change.sentence
    assert _witnesses((finding,), Kind.NEWLY_ALLOWED) == ["read /srv", "list /srv"]
    (back,) = _found(new, old)
    assert back.change.kind is Kind.NEWLY_DENIED


def test_a_network_opens_calls_and_gives_up_a_requirement() -> None:
    found = _found(Policy(), Policy(ip=Ip.ALL))
    allowed = _witnesses(found, Kind.NEWLY_ALLOWED)
    assert "call socket 0x2 0x1" in allowed
    assert "read /etc/resolv.conf" in allowed
    assert _witnesses(found, Kind.NEWLY_DENIED) == []
    assert "requirement ip-network-denied" in _witnesses(found, Kind.MECHANISM)


def _without_last_probe(variant: Variant) -> Variant:
    return replace(variant, probes=variant.probes[:-1])


def _without_a_right(variant: Variant) -> Variant:
    return replace(variant, fs_required=variant.fs_required & ~4)


@pytest.mark.parametrize(
    ("edit", "kind"),
    [(_without_last_probe, Kind.MECHANISM), (_without_a_right, Kind.NEWLY_ALLOWED)],
)
def test_an_edited_variant_is_found_on_its_hosts_alone(
    edit: Callable[[Variant], Variant], kind: Kind
) -> None:
    policy = Policy(grants=GRANTS)
    subject = _subject(policy)
    level = subject.artifact.levels[0]
    variants = [edit(one) if one.name == "abi-5" else one for one in level.variants]
    edited: Artifact = replace(
        subject.artifact, levels=(replace(level, variants=tuple(variants)),)
    )
    found = differences(subject, replace(subject, artifact=edited), compare_filters)
    assert {one.hosts for one in found} == {"Landlock ABI 5"}
    assert kind in {one.change.kind for one in found}
