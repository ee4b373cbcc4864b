# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say of each key how well its value is held, on each Landlock ABI or elsewhere.

A requirement or a warning belongs to a key where another of its values alone would
have another one; what no value changes belongs to the keys that are named below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum, StrEnum
from typing import Any, get_args, get_type_hints

from stockade.abi.features import LANDLOCK_ABI_NEWEST
from stockade.abi.targets import System
from stockade.model.artifact import Requirement, WarningLine
from stockade.model.deviation import Deviation, expect
from stockade.model.deviations import DEVIATIONS
from stockade.model.path_family import policy_on
from stockade.model.policy import Policy
from stockade.model.sheet import sheet
from stockade.plan.requirements import requirements
from stockade.plan.support import ALIKE, NOTHING, UNWRITTEN, Lack, unbuilt
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
# Warnings of every policy of a system, told at the key that they are about.
_ALWAYS_WARNED_BY = {"appcontainer_name": "appcontainer-shared"}
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
    STRICTER = "stricter"
    GRANTED = "nothing to hold"
    REFUSED = "refused"
    NOT_BUILT = "not built yet"
    IMPOSSIBLE = "cannot be held"
    MISSING = "must be written"
    MEANINGLESS = "means nothing"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a value is held: the requirements that do it, and the warnings on it.

    `reasons` say where a system does not do what is meant, or why it cannot.
    """

    state: State
    held_by: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a system without kinds of hosts plans for a policy."""

    requirements: Callable[[Policy], tuple[Requirement, ...]]
    warnings: Callable[[Policy], tuple[WarningLine, ...]]


_LACKS = {
    Lack.NOT_BUILT: State.NOT_BUILT,
    Lack.IMPOSSIBLE: State.IMPOSSIBLE,
    Lack.MISSING: State.MISSING,
}


FIELDS = tuple(one.name for one in fields(Policy))


def standings(
    policy: Policy, names: Iterable[str] = FIELDS
) -> Iterator[tuple[str, dict[int, Standing]]]:
    """Give fields of a policy, each with its standing on each Landlock ABI."""
    for name in names:
        others = _others(policy, name, System.LINUX)
        warned = _warned(policy, others, warnings)
        yield (
            name,
            {
                abi: _standing(policy, name, others, warned, abi)
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


def system_standings(
    policy: Policy, system: System, plan: Plan, names: Iterable[str] = FIELDS
) -> Iterator[tuple[str, Standing]]:
    """Give fields of a policy, each with its standing on macOS or Windows.

    `policy` holds the paths of every system. What is enforced there is so in a
    simulation alone.
    """
    lacks = unbuilt(policy, system)
    rows = () if lacks else _deviating(policy_on(policy, system), system)
    for name in names:
        own = [lack for lack in lacks if lack.field == name]
        if own:
            reasons = tuple(f"it {lack.why}" for lack in own)
            yield name, Standing(_LACKS[own[0].lack], reasons=reasons)
        elif lacks:
            yield name, Standing(State.REFUSED)
        else:
            concerned = tuple(row for row in rows if name in row.fields)
            yield name, _on_system(policy, name, system, plan, concerned)


def _on_system(
    policy: Policy,
    field: str,
    system: System,
    plan: Plan,
    rows: tuple[Deviation, ...],
) -> Standing:
    others = _others(policy, field, system)
    own = policy_on(policy, system)
    apart = [plan.requirements(policy_on(other, system)) for other in others]
    always = _ALWAYS_HELD_BY.get(field)
    held_by = tuple(
        f"{line.name}: {line.mechanism}"
        for line in plan.requirements(own)
        if line.name == always or any(line not in other for other in apart)
    )
    warned = _warned(own, [policy_on(other, system) for other in others], plan.warnings)
    told = [row.warning for row in rows if row.warning]
    told += [
        line.id
        for line in plan.warnings(own)
        if line.id == _ALWAYS_WARNED_BY.get(field)
    ]
    warned = tuple(dict.fromkeys((*warned, *told)))
    reasons = tuple(
        f"{'weaker' if row.weaker else 'stricter'}: {row.text}" for row in rows
    )
    state = State.ENFORCED if held_by else State.GRANTED
    if warned or any(row.weaker for row in rows):
        state = State.WEAKER
    elif rows:
        state = State.STRICTER
    elif field in NOTHING[system] and not held_by:
        return Standing(State.MEANINGLESS, reasons=(f"it {NOTHING[system][field]}",))
    elif not held_by and _holds_unwritten(policy, field, system):
        return Standing(State.ENFORCED, reasons=(f"it {UNWRITTEN}",))
    return Standing(state, held_by, warned, reasons)


def _holds_unwritten(policy: Policy, field: str, system: System) -> bool:
    """Tell whether a key that is left out takes as much away as its strictest word.

    No requirement tells of it then.
    """
    found = (why for (name, _), why in ALIKE[system].items() if name == field)
    return getattr(policy, field) is None and UNWRITTEN in found


def _deviating(policy: Policy, system: System) -> tuple[Deviation, ...]:
    """List the deviations that turn some decision of a policy round."""
    found: dict[str, Deviation] = {}
    for request in sheet((policy,), system):
        _, row = expect(policy, system, request, DEVIATIONS[system])
        if row:
            found[row.name] = row
    return tuple(found.values())


def _warned(
    policy: Policy,
    others: Sequence[Policy],
    lines_of: Callable[[Policy], tuple[WarningLine, ...]],
) -> tuple[str, ...]:
    apart = [lines_of(other) for other in others]
    return tuple(
        line.id
        for line in lines_of(policy)
        if any(line not in other for other in apart)
    )


def _others(policy: Policy, field: str, system: System) -> tuple[Policy, ...]:
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
    return tuple(one for one in found if not unbuilt(one, system))
