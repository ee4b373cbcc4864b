# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Find the keys that make a decision change, by changing one key at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from stockade.abi.targets import SYSTEM_OF, System
from stockade.model.decide import actions
from stockade.model.path_family import folded, folders_above
from stockade.model.place import Place
from stockade.model.policy import Access, Grant, Policy
from stockade.model.request import (
    FileRequest,
    HardLinkRequest,
    MetadataRequest,
    PathRequest,
    SeeRequest,
    SetIdRequest,
)
from stockade.review.subject import AnySubject, changed_fields

_GRANTS, _PATH_RULES = "grants", "filesystem"
# What a policy means, asked as a question to a policy on a Landlock ABI.
_Meant = TypeVar("_Meant")
Meaning = Callable[[Policy, int], _Meant]


@dataclass(frozen=True, slots=True)
class _Toggle:
    """One key alone changed in the old policy, and alone changed back in the new."""

    field: str
    alone: Policy
    back: Policy


class Keys:
    """Names keys of two policies; each decision is asked once a key."""

    def __init__(self, old: AnySubject, new: AnySubject) -> None:
        """Prepare a policy for each key that changed."""
        self._old, self._new = old, new
        self._system = system = SYSTEM_OF[new.artifact.target]
        self._own = (
            (new, _own_grants(new, old, system)),
            (old, _own_grants(old, new, system)),
        )
        self._toggles = [
            _Toggle(
                field,
                replace(old.policy, **{field: getattr(new.policy, field)}),
                replace(new.policy, **{field: getattr(old.policy, field)}),
            )
            for field in changed_fields(old.policy, new.policy)
        ]

    def of(
        self,
        meaning: Meaning[object],
        abis: tuple[int, int],
        path: FileRequest | None = None,
    ) -> tuple[Place, ...]:
        """List the keys whose change alone changes what is meant; path rules by path.

        `abis` are the Landlock ABIs that the two variants are made for.
        """
        before, after = self.sides(meaning, abis)
        found: dict[Place, None] = {}
        for toggle in self._toggles:
            if (
                meaning(toggle.alone, abis[0]) != before
                or meaning(toggle.back, abis[1]) != after
            ):
                grants = self._grants(path) if toggle.field == _GRANTS else ()
                places = grants or (self.written(toggle.field),)
                found |= dict.fromkeys(places)
        return tuple(found)

    def sides(
        self, meaning: Meaning[_Meant], abis: tuple[int, int]
    ) -> tuple[_Meant, _Meant]:
        """Ask both policies."""
        return meaning(self._old.policy, abis[0]), meaning(self._new.policy, abis[1])

    def written(self, field: str) -> Place:
        """Give the place of a key where it is written, of the new side first."""
        if field == _GRANTS:
            # No rule says it by itself, such as of a folder on the way to one.
            return Place(_PATH_RULES)
        place = self._new.key(field)
        return place if place.where else self._old.key(field)

    def _grants(self, request: FileRequest | None) -> tuple[Place, ...]:
        """Find the path rules of one side alone that allow a request."""
        if request is None:
            return ()
        return tuple(
            side.place(grant)
            for side, by_path in self._own
            for above in folders_above(request.path)
            for grant in by_path.get(folded(above, self._system), ())
            if grants(side.policy, grant.access, request)
        )


def grants(policy: Policy, access: Access, request: FileRequest) -> bool:
    """Tell whether path rules of a kind are meant to allow a request below them."""
    match request:
        case PathRequest():
            return request.action in actions(policy, access)
        case MetadataRequest() | HardLinkRequest():
            return access is Access.READ_WRITE
        case SeeRequest():
            return True
        case SetIdRequest():
            return False


def _own_grants(
    side: AnySubject, other: AnySubject, system: System
) -> dict[str, list[Grant]]:
    """Give the path rules that the other side lacks, by path."""
    others = frozenset(other.policy.grants)
    found: dict[str, list[Grant]] = {}
    for grant in side.policy.grants:
        if grant not in others:
            found.setdefault(folded(grant.path, system), []).append(grant)
    return found
