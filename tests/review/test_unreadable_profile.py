# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask of a bundle for macOS whose profile nobody can read: it is refused in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stockade.artifact.write import checked_bytes
from stockade.driver.macos import build_macos
from stockade.driver.review import ClaimRefusedError, read_side
from stockade.model.policy import Policy


def test_a_bundle_with_an_unreadable_profile_is_refused() -> None:
    """Diff and query read bundles of others, and newer ones."""
    artifact = build_macos(Policy(), "p", "macos")
    assert read_side(checked_bytes(artifact), "p").subjects
    broken = replace(artifact, profile=f"{artifact.profile}\n(allow teleport*)\n")
    with pytest.raises(ClaimRefusedError, match=r"profile cannot be read: line \d+"):
        read_side(checked_bytes(broken), "p")
