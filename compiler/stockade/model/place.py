# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name where a part of a policy was written, for those who explain a decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from stockade.model.policy import Access, Grant


@dataclass(frozen=True, slots=True)
class Place:
    """A key of a policy, and where it was written: `FILE:LINE`, or nothing."""

    key: str
    where: str = ""

    def __str__(self) -> str:
        """Write both as one."""
        return f"`{self.key}` ({self.where})" if self.where else f"`{self.key}`"


@dataclass(frozen=True, slots=True)
class Places:
    """Where a policy's keys and path rules were written.

    `keys` goes by the fields of Policy, and has every key, also those left out.
    """

    keys: Mapping[str, Place] = field(default_factory=dict)
    grants: Mapping[Grant, Place] = field(default_factory=dict)


def grant_key(access: Access) -> str:
    """Name the key that holds path rules of a kind."""
    return "commands.allow" if access is Access.COMMAND else f"filesystem.{access}"
