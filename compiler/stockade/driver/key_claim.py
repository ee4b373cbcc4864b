# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read the policy that a bundle for macOS or Windows says to hold.

A bundle can be made by anybody, of rows that no policy file may say: its lines would
then promise what nothing holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from stockade.abi.targets import System
from stockade.model.key_rows import KeyRow, KeyRowsError, policy_of
from stockade.model.policy import Policy
from stockade.plan.support import unbuilt
from stockade.policy.conflicts import contradictions


def policy_of_keys(rows: Iterable[KeyRow], system: System) -> Policy:
    """Read a policy back; raises KeyRowsError for one that is never compiled."""
    policy = policy_of(rows)
    for fault in contradictions(policy):
        raise KeyRowsError(fault)
    for lack in unbuilt(policy, system):
        message = f"`{lack.word or lack.field}` {lack.lack.value}: it {lack.why}"
        raise KeyRowsError(message)
    return policy
