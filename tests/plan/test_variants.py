# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that every kernel gets the best variant it can hold, or none."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from policies import KEY_COMBINATIONS, LANDLOCK_ABIS, label
from stockade.abi.features import FEATURES
from stockade.model.plan import VariantPlan
from stockade.model.policy import Children, Policy, Signals
from stockade.plan.features import FEATURES as FEATURE_TEXTS
from stockade.plan.rights import handled
from stockade.plan.variants import lowest_abi, variants


def _mask(names: tuple[str, ...]) -> int:
    mask = 0
    for name in names:
        mask |= FEATURES[name]
    return mask


def _host(abi: int, errata: int, *others: str) -> int:
    names = tuple(f"landlock-abi-{n}" for n in range(1, abi + 1))
    return _mask((*names, *others)) | errata << 16


def _choose(plans: tuple[VariantPlan, ...], host: int) -> VariantPlan | None:
    for plan in plans:
        must, must_not = _mask(plan.must), _mask(plan.must_not)
        if host & must == must and not host & must_not:
            return plan
    return None


@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_choice_is_total_and_monotone(policy: Policy) -> None:
    """A newer kernel never gets an older kernel's variant, whatever its errata."""
    plans = variants(policy)
    assert len(plans) <= 64
    for errata in itertools.chain([0], range(1, 16)):
        chosen = [
            _choose(plans, _host(abi, errata, "landlock-built", "seccomp-filter"))
            for abi in LANDLOCK_ABIS
        ]
        held = [plan.landlock_abi if plan else 0 for plan in chosen]
        assert held == sorted(held)
        for abi, plan in zip(LANDLOCK_ABIS, chosen, strict=True):
            assert (plan is not None) == (abi >= lowest_abi(policy))
            assert plan is None or plan.landlock_abi <= abi


@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_nothing_starts_without_a_mechanism(policy: Policy) -> None:
    """GL-082, S2-292: no seccomp or no Landlock, no variant."""
    plans = variants(policy)
    assert _choose(plans, _host(11, 0, "landlock-built")) is None
    assert _choose(plans, _host(0, 0, "landlock-built", "seccomp-filter")) is None


@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_every_variant_differs_from_its_neighbour(policy: Policy) -> None:
    """A variant that changes nothing would only lengthen the review."""
    plans = variants(policy)
    for newer, older in itertools.pairwise(plans):
        assert (newer.requirements, handled(policy, newer.landlock_abi)) != (
            older.requirements,
            handled(policy, older.landlock_abi),
        )


def test_isolated_signals_need_the_scope_or_no_children() -> None:
    """S1-149, S2-154."""
    isolated = Policy(signals=Signals.ISOLATED)
    assert lowest_abi(isolated) == 6
    assert lowest_abi(replace(isolated, children=Children.NONE)) == 1
    assert lowest_abi(Policy()) == 1


def test_every_feature_that_can_be_lacking_has_its_text() -> None:
    """A refusal always names a reason: each need is worded, unconditionally."""
    worded = {text.name for text in FEATURE_TEXTS if not text.when}
    for policy in KEY_COMBINATIONS:
        weakest = variants(policy)[-1]
        for line in weakest.requirements:
            assert set(line.needs) <= worded


def test_mechanisms_name_only_what_the_kernel_has() -> None:
    """S2-131 S2-291: the words follow the ABI."""
    for policy in KEY_COMBINATIONS:
        for plan in variants(policy):
            for line in plan.requirements:
                assert ("scope of abstract" in line.mechanism) == (
                    plan.landlock_abi >= 6 and line.name == "unix-sockets-denied"
                )
                assert ("right of path sockets" in line.mechanism) == (
                    plan.landlock_abi >= 9 and line.name == "unix-sockets-denied"
                )
                if "truncation by path held by seccomp" in line.mechanism:
                    assert plan.landlock_abi < 3
