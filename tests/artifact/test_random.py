# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hostile bundles at random; `make fuzz` runs more of the same (S2-378)."""

from __future__ import annotations

import random
import re

from mutation import mutated
from parse_driver import Driver

from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.errors import ArtifactMalformed, BundleRefused

_CASES = 2000


def judge(data: bytes) -> int:
    """Return the parser's answer; what it accepts must be a sound artifact."""
    try:
        artifact = decode(data)
    except BundleRefused as refusal:
        assert 0 <= refusal.offset <= len(data)
        return refusal.error
    try:
        again = encode(artifact)
    except ArtifactMalformed as mistake:
        # Two of one name: nothing to a launcher that goes by number.
        assert re.search("defined exactly once|capabilities of one name", str(mistake))
        return 0
    assert decode(again) == artifact
    return 0


def test_random_changes_are_refused_or_sound(driver: Driver) -> None:
    chance = random.Random(1)
    bundles = [mutated(chance) for _ in range(_CASES)]
    answers = [judge(data) for data in bundles]
    assert driver.errors(bundles) == answers
    # Both happen often enough to mean something, and refusals are of many kinds.
    assert answers.count(0) > _CASES // 50
    assert len(set(answers)) > 15
