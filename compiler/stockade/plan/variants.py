# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the variants of a level over the table of kernels, best first.

A variant is made for each Landlock ABI at which something changes: a rule of the
filter, a right, or the words of a mechanism. Kernels in between take the next
lower one, so the choice is total over all kernels that can hold the policy.
"""

from __future__ import annotations

from stockade.abi.features import LANDLOCK_ABI_NEWEST
from stockade.model.call_rules import ABI_SCOPES, rules_in_force
from stockade.model.plan import VariantPlan
from stockade.model.policy import Children, Policy, Signals
from stockade.plan.requirements import requirements
from stockade.plan.rights import handled

_ALWAYS_NEEDED = ("landlock-built", "seccomp-filter")


def variants(policy: Policy) -> tuple[VariantPlan, ...]:
    """Plan the variants of one level, from the newest kernels to the oldest."""
    plans: list[VariantPlan] = []
    for abi in range(LANDLOCK_ABI_NEWEST, lowest_abi(policy) - 1, -1):
        below = abi - 1
        if below >= lowest_abi(policy) and _holds(policy, abi) == _holds(policy, below):
            continue
        plans.append(
            VariantPlan(
                name=f"abi-{abi}",
                landlock_abi=abi,
                must=(f"landlock-abi-{abi}", *_ALWAYS_NEEDED),
                must_not=(),
                handled=handled(policy, abi),
                requirements=requirements(policy, abi),
            )
        )
    return tuple(plans)


def lowest_abi(policy: Policy) -> int:
    """Give the lowest Landlock ABI on which a policy can be held.

    Below the signal scope, only a program without children can be kept from
    signalling others: the filter knows one process ID.
    """
    if policy.signals is Signals.ISOLATED and policy.children is not Children.NONE:
        return ABI_SCOPES
    return 1


def _holds(policy: Policy, abi: int) -> tuple[object, ...]:
    """Collect all that a variant for this ABI would be made of."""
    return (
        requirements(policy, abi),
        rules_in_force(policy, abi),
        handled(policy, abi),
    )
