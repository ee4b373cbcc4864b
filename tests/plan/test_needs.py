# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check which features each line of `check` needs, against a table of its own.

A line without a need that its mechanism rests on would say `enforced` where the
kernel lacks the mechanism.
"""

from __future__ import annotations

import pytest

from policies import KEY_COMBINATIONS, LANDLOCK_ABIS, label
from stockade.model.artifact import Requirement
from stockade.model.policy import Children, Policy, Signals
from stockade.plan.requirements import requirements

_FILTER = {"seccomp-filter"}
_BOTH = {*_FILTER, "landlock-built", "landlock-abi-1"}
# Lines that Landlock holds, alone or with the filter; the filter holds all others.
_BY_LANDLOCK = {
    "filesystem-confined",
    "processes-protected",
    "commands-limited",
    "ip-inbound-denied",
}
# Lines that the launcher holds itself, before the program starts.
_BY_LAUNCHER = {"descriptors-closed", "environment-limited", "enforcement-checked"}


def needed(line: Requirement, policy: Policy, landlock_abi: int) -> set[str]:
    """Say what a line must need: Landlock's scope for signals, where it holds them."""
    if line.name in _BY_LAUNCHER:
        return set()
    if line.name == "signals-isolated" and (
        landlock_abi >= 6 or policy.children is Children.ALLOWED
    ):
        return {*_BOTH, "landlock-abi-6"}
    return _BOTH if line.name in _BY_LANDLOCK else _FILTER


@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_every_line_needs_what_holds_it(policy: Policy) -> None:
    """GL-082 S2-291."""
    for abi in LANDLOCK_ABIS:
        for line in requirements(policy, abi):
            assert {*line.needs} == needed(line, policy, abi), (abi, line.name)


def test_isolated_signals_are_told_from_others() -> None:
    """Control: the table knows of the scope only where it holds."""
    lines = requirements(Policy(signals=Signals.ISOLATED, children=Children.NONE), 5)
    line = next(one for one in lines if one.name == "signals-isolated")
    assert "landlock-abi-6" not in line.needs
