# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read the policy that a bundle for macOS or Windows says to hold.

A bundle can be made by anybody, of rows that no policy file may say: its lines would
then promise what nothing holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from stockade.model.key_rows import KeyRow, KeyRowsError, policy_of
from stockade.model.policy import Policy
from stockade.policy.conflicts import contradictions


def policy_of_keys(rows: Iterable[KeyRow]) -> Policy:
    """Read a policy back; raises KeyRowsError for one that no file may say."""
    policy = policy_of(rows)
    for fault in contradictions(policy):
        raise KeyRowsError(fault)
    return policy
