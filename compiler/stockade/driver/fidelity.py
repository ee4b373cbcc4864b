# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write how well each key of a policy is held, system by system, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stockade.abi.targets import System
from stockade.model.place import Places
from stockade.model.policy import Policy
from stockade.plan import macos, windows
from stockade.plan.fidelity import (
    FIELDS,
    Plan,
    Standing,
    State,
    standings,
    system_standings,
)
from stockade.plan.support import unbuilt
from stockade.policy.read import read_placed
from stockade.render.text import plain

PLANS = {
    System.MACOS: Plan(macos.requirements, macos.warnings),
    System.WINDOWS: Plan(windows.requirements, windows.warnings),
}
_WORDS = {
    State.ENFORCED: "enforced",
    State.WEAKER: "weaker than the word says",
    State.GRANTED: "nothing to hold, it grants",
    State.REFUSED: "refused: this host cannot hold the policy",
    State.STRICTER: "stricter than the word says",
    State.NOT_BUILT: "refused: not built yet",
    State.IMPOSSIBLE: "refused: cannot be held",
    State.MISSING: "refused: must be written",
    State.MEANINGLESS: "means nothing on this system",
}


def fidelity(data: bytes, name: str) -> tuple[str, ...]:
    """Give the lines of a policy's text; raise PolicyRejected."""
    policy, where = read_placed(data, name)
    on_systems = {name: dict(one) for name, one in systems(policy)}
    lines = []
    for field, by_abi in standings(policy):
        said = [(hosts, one) for one, hosts in by_hosts(by_abi)]
        said += [
            (name, by_field[field])
            for name, by_field in on_systems.items()
            if field in by_field
        ]
        lines += [
            f"{_key(where, field)}{_value(policy, field)}, {on}: {in_words(one)}"
            for on, one in said
        ]
    return tuple(lines)


def systems(
    policy: Policy, names: Sequence[str] = FIELDS
) -> Iterator[tuple[str, Iterator[tuple[str, Standing]]]]:
    """Give the systems without kinds of hosts by words, each with its standings.

    Of one that cannot hold the policy the reasons alone.
    """
    for system, plan in PLANS.items():
        where = f"{system} (simulated, never run there)"
        found = system_standings(policy, system, plan, names)
        refused = bool(unbuilt(policy, system))
        yield (
            where,
            (
                (field, one)
                for field, one in found
                if not (refused and one.state is State.REFUSED)
            ),
        )


def _key(where: Places, field: str) -> str:
    if field == "grants":
        return "path rules"
    place = where.keys.get(field)
    return plain(str(place)) if place else f"`{field}`"


def _value(policy: Policy, field: str) -> str:
    value = getattr(policy, field)
    return f" {value}" if isinstance(value, str) else ""


def by_hosts(by_abi: dict[int, Standing]) -> Iterator[tuple[Standing, str]]:
    """Join hosts of one standing, the newest first."""
    joined: dict[Standing, list[int]] = {}
    for abi in sorted(by_abi, reverse=True):
        joined.setdefault(by_abi[abi], []).append(abi)
    for one, abis in joined.items():
        yield one, _hosts(abis, len(joined))


def _hosts(abis: Sequence[int], kinds: int) -> str:
    """Name hosts by their Landlock; standings change at an ABI and hold from there."""
    if kinds == 1:
        return "every Linux host"
    least, most = min(abis), max(abis)
    return f"Landlock ABI {least}" + (f" to {most}" if most > least else "")


def in_words(one: Standing) -> str:
    """Write a standing: the state, what holds it, the warnings."""
    by = f" by {'; '.join(one.held_by)}" if one.held_by else ""
    warned = (
        f", see {' '.join(f'[{name}]' for name in one.warned)}" if one.warned else ""
    )
    why = f" ({'; '.join(one.reasons)})" if one.reasons else ""
    return f"{_WORDS[one.state]}{warned}{why}{by}"
