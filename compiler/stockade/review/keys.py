# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Find the keys that make a decision change, by changing one key at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from stockade.model.decide import actions, folders_above
from stockade.model.place import Place
from stockade.model.policy import Grant, Policy
from stockade.model.request import PathRequest
from stockade.review.subject import Subject, changed_fields

_GRANTS = "grants"
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

    def __init__(self, old: Subject, new: Subject) -> None:
        """Prepare a policy for each key that changed."""
        self._old, self._new = old, new
        self._own = (
            (new, _own_grants(new, old)),
            (old, _own_grants(old, new)),
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
        path: PathRequest | None = None,
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
        place = self._new.key(field)
        return place if place.where else self._old.key(field)

    def _grants(self, request: PathRequest | None) -> tuple[Place, ...]:
        """Find the path rules of one side alone that allow a request."""
        if request is None:
            return ()
        return tuple(
            side.place(grant)
            for side, by_path in self._own
            for above in folders_above(request.path)
            for grant in by_path.get(above, ())
            if request.action in actions(side.policy, grant.access)
        )


def _own_grants(side: Subject, other: Subject) -> dict[str, list[Grant]]:
    """Give the path rules that the other side lacks, by path."""
    others = frozenset(other.policy.grants)
    found: dict[str, list[Grant]] = {}
    for grant in side.policy.grants:
        if grant not in others:
            found.setdefault(grant.path, []).append(grant)
    return found
