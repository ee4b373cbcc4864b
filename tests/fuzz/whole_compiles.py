# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile changed policies for every target: what is read is refused by name or made.

A policy that passes the reader and then meets an error of a later stage was judged by
two rules that differ.
"""

from __future__ import annotations

import random
from collections import Counter

import policy_mutation

from stockade.abi.targets import SYSTEM_OF
from stockade.artifact.errors import LimitExceeded
from stockade.diagnostics import PolicyRejected
from stockade.driver.compile import compile_policy, targets
from stockade.model.policy import Policy
from stockade.plan.support import unbuilt
from stockade.policy import read_policy


def run(number: int, seed: int) -> Counter[str]:
    """Go through changed policies and count how they end; raise for a fault."""
    chance, seeds = random.Random(seed), policy_mutation.seeds()
    # These are few, and the only ones that Windows can hold.
    seeds += [text.encode() for text in policy_mutation.OF_SYSTEMS] * (len(seeds) // 2)
    ends: Counter[str] = Counter()
    for _ in range(number):
        text = policy_mutation.changed(chance.choice(seeds), chance)
        try:
            policy = read_policy(text, "policy.toml")
        except PolicyRejected:
            ends["rejected"] += 1
            continue
        for target in targets():
            ends[f"{target}: {_end(policy, target)}"] += 1
    return ends


def _end(policy: Policy, target: str) -> str:
    if unbuilt(policy, SYSTEM_OF[target]):
        return "refused"
    try:
        compile_policy(policy, "x", target)
    except LimitExceeded:
        return "too big"
    return "made"
