# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold one side of a comparison: an artifact, what it means, where it was written."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from stockade.model.artifact import Artifact
from stockade.model.place import Place, Places, grant_key
from stockade.model.policy import Grant, Policy


@dataclass(frozen=True, slots=True)
class Subject:
    """An artifact beside the policy it claims to hold.

    Where only a bundle is at hand, no place is known.
    """

    artifact: Artifact
    policy: Policy
    places: Places = field(default_factory=Places)

    def key(self, name: str) -> Place:
        """Give the place of a field of the policy."""
        return self.places.keys.get(name, Place(name))

    def place(self, grant: Grant) -> Place:
        """Give the place of a path rule of the policy."""
        return self.places.grants.get(grant, Place(grant_key(grant.access)))


def changed_fields(old: Policy, new: Policy) -> tuple[str, ...]:
    """List the fields in which two policies differ, in their order."""
    return tuple(
        one.name
        for one in fields(Policy)
        if getattr(old, one.name) != getattr(new, one.name)
    )
