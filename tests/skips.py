# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge skips: one counts when the feature it names was measured and is missing.

Where CI is set the feature must also stand in `expected_skips.txt`, and what stands
there must be missing, so that a runner that changes is noticed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import host_features

EXPECTED = Path(__file__).resolve().parent / "expected_skips.txt"
_NEEDS = re.compile(r"(?:Skipped: )?needs ([a-z0-9._-]+)(?:[:;,]? .*)?")


def feature_of(reason: str) -> str | None:
    """Return the feature that a skip's reason names, None where it names none."""
    match = _NEEDS.fullmatch(reason.strip())
    return match[1] if match else None


def listed(path: Path = EXPECTED) -> tuple[str, ...]:
    """Read the features that the CI machine may lack."""
    lines = path.read_text().splitlines()
    return tuple(line.split()[0] for line in lines if line and line[0] != "#")


def doubt(reason: str, environment: Mapping[str, str]) -> str | None:
    """Say why a skip is not believed; None for one that is."""
    name = feature_of(reason)
    if name is None:
        return f"its reason names no feature: `{reason}`"
    try:
        if host_features.has(name):
            return f"this host has `{name}`"
    except host_features.UnknownFeatureError:
        return f"nothing measures `{name}`"
    if environment.get("CI") and name not in listed():
        return f"`{name}` is not in `{EXPECTED.name}`"
    return None


def stale(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Name what is listed as missing and is here; binds CI only."""
    if not environment.get("CI"):
        return ()
    return tuple(name for name in listed() if host_features.has(name))
