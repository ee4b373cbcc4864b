# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read small profiles and ask them, in one line each."""

from __future__ import annotations

import pytest

from stockade.proof.sbpl.context import Fact, context_of
from stockade.proof.sbpl.place import ProfileRefusedError
from stockade.proof.sbpl.profile import read_profile
from stockade.proof.sbpl.rules import Verdict

HEAD = "(version 1)(deny default)"


def verdict(
    profile: str, operation: str, path: str | None = None, **facts: Fact | list[Fact]
) -> Verdict:
    """Decide one operation by a profile; a fact's `_` stands for `-`."""
    told = {name.replace("_", "-"): value for name, value in facts.items()}
    if path is not None:
        told["path"] = path
    return read_profile(HEAD + profile, strict=True).decide(operation, context_of(told))


def allows(
    profile: str, operation: str, path: str | None = None, **facts: Fact | list[Fact]
) -> bool:
    return verdict(profile, operation, path, **facts).allowed


def refusal(profile: str, **parameters: str) -> ProfileRefusedError:
    """Read a profile that must be refused, as it stands."""
    with pytest.raises(ProfileRefusedError) as caught:
        read_profile(profile, parameters, strict=True)
    return caught.value
