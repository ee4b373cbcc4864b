# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say of each key how well its value is held on each Landlock ABI.

A requirement or a warning belongs to a key where another of its values alone would
have another one; what no value changes belongs to the keys that are named below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum, StrEnum
from typing import Any, get_args, get_type_hints

from stockade.abi.features import LANDLOCK_ABI_NEWEST
from stockade.abi.targets import System
from stockade.model.policy import Policy
from stockade.plan.requirements import requirements
from stockade.plan.support import NOTHING, unbuilt
from stockade.plan.variants import lowest_abi
from stockade.plan.warnings import warnings

_ALWAYS_HELD_BY = {
    "system": "filesystem-confined",
    "grants": "filesystem-confined",
    "symlinks": "filesystem-confined",
    "environment_base": "environment-limited",
    "pass_names": "environment-limited",
    "set_values": "environment-limited",
}
_EMPTY: dict[str, tuple[str, ...]] = {
    "grants": (),
    "pass_names": (),
    "set_values": (),
    "mach_services": (),
}


class State(Enum):
    """How well a value is held."""

    ENFORCED = "enforced"
    WEAKER = "weaker"
    GRANTED = "nothing to hold"
    REFUSED = "refused"
    NOT_BUILT = "not built yet"
    MEANINGLESS = "means nothing"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a value is held: the requirements that do it, and the warnings on it."""

    state: State
    held_by: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()


def standings(policy: Policy) -> Iterator[tuple[str, dict[int, Standing]]]:
    """Give each field of a policy with its standing on each Landlock ABI."""
    for one in fields(Policy):
        others = _others(policy, one.name)
        warned = _warned(policy, others)
        yield (
            one.name,
            {
                abi: _standing(policy, one.name, others, warned, abi)
                for abi in range(1, LANDLOCK_ABI_NEWEST + 1)
            },
        )


def _standing(
    policy: Policy,
    field: str,
    others: tuple[Policy, ...],
    warned: tuple[str, ...],
    abi: int,
) -> Standing:
    lacks = unbuilt(policy, System.LINUX)
    if lacks:
        own = any(one.field == field for one in lacks)
        return Standing(State.NOT_BUILT if own else State.REFUSED)
    if abi < lowest_abi(policy):
        return Standing(State.REFUSED)
    if field in NOTHING[System.LINUX]:
        return Standing(State.MEANINGLESS, warned=warned)
    lines = requirements(policy, abi)
    always = _ALWAYS_HELD_BY.get(field)
    apart = [requirements(other, abi) for other in others]
    held_by = tuple(
        f"{line.name}: {line.mechanism}"
        for line in lines
        if line.name == always or any(line not in other for other in apart)
    )
    if warned:
        return Standing(State.WEAKER, held_by, warned)
    return Standing(State.ENFORCED if held_by else State.GRANTED, held_by)


def _warned(policy: Policy, others: tuple[Policy, ...]) -> tuple[str, ...]:
    apart = [warnings(other) for other in others]
    return tuple(
        line.id
        for line in warnings(policy)
        if any(line not in other for other in apart)
    )


def _others(policy: Policy, field: str) -> tuple[Policy, ...]:
    """Give the policy with each other value of one field, or with none of a list."""
    now = getattr(policy, field)
    kind = get_type_hints(Policy)[field]
    words = [
        word
        for one in (kind, *get_args(kind))
        if isinstance(one, type) and issubclass(one, StrEnum)
        for word in one
    ]
    values: list[object] = [word for word in words if word is not now]
    if now and field in _EMPTY:
        values = [_EMPTY[field]]
    changes: list[dict[str, Any]] = [{field: value} for value in values]
    found = (replace(policy, **change) for change in changes)
    # What this system cannot hold has no requirements to compare with.
    return tuple(one for one in found if not unbuilt(one, System.LINUX))
