# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let an artifact pass only when independent judges agree with its policy.

Every variant's filter is proved equal to the meaning, and every variant's Landlock
table is evaluated against it. A disagreement is a fault
of the compiler, never of the policy.
"""

from __future__ import annotations

from stockade.abi.arch import LINUX_TARGETS
from stockade.model.artifact import Artifact, Filter, Variant
from stockade.model.call_rules import rules_in_force
from stockade.model.calls import CallRule
from stockade.model.policy import Policy
from stockade.model.request import Situation
from stockade.proof.filters import FilterDisagreementError, check_filter
from stockade.proof.landlock import TableDisagreementError, check_table


class GateRefusedError(Exception):
    """No artifact may be written: a judge disagrees with the compiler."""


def judge(policy: Policy, artifact: Artifact) -> int:
    """Judge every variant; give the number of programs proved.

    Raises GateRefusedError with the variant and the counterexample.
    """
    arch = LINUX_TARGETS[artifact.target].arch
    seen: set[tuple[Filter, tuple[CallRule, ...]]] = set()
    for level in artifact.levels:
        for variant in level.variants:
            situation = Situation(arch, _lowest_abi(variant))
            try:
                check_table(policy, situation, artifact, variant)
                # Equal programs under equal rules need one proof.
                rules = rules_in_force(policy, situation.landlock_abi)
                if (variant.filter, rules) not in seen:
                    check_filter(policy, situation, variant.filter)
                    seen.add((variant.filter, rules))
            except (FilterDisagreementError, TableDisagreementError) as fault:
                message = (
                    f"{artifact.target}, level {level.name}, variant"
                    f" {variant.name}: {fault}"
                )
                raise GateRefusedError(message) from fault
    return len(seen)


def _lowest_abi(variant: Variant) -> int:
    """Read from a variant's needs the oldest Landlock it may meet."""
    prefix = "landlock-abi-"
    return max(
        (
            int(name.removeprefix(prefix))
            for name in variant.must
            if name.startswith(prefix)
        ),
        default=1,
    )
