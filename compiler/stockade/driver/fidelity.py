# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write how well each key of a policy is held, host by host, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stockade.model.place import Places
from stockade.model.policy import Policy
from stockade.plan.fidelity import Standing, State, standings
from stockade.policy.read import read_placed
from stockade.render.text import plain

_WORDS = {
    State.ENFORCED: "enforced",
    State.WEAKER: "weaker than the word says",
    State.GRANTED: "nothing to hold, it grants",
    State.REFUSED: "refused: this host cannot hold the policy",
    State.NOT_BUILT: "refused: not built yet",
    State.MEANINGLESS: "means nothing on this system",
}


def fidelity(data: bytes, name: str) -> tuple[str, ...]:
    """Give the lines of a policy's text; raise PolicyRejected."""
    policy, where = read_placed(data, name)
    return tuple(
        f"{_key(where, field)}{_value(policy, field)}, {hosts}: {in_words(one)}"
        for field, by_abi in standings(policy)
        for one, hosts in by_hosts(by_abi)
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
        return "every host"
    least, most = min(abis), max(abis)
    return f"Landlock ABI {least}" + (f" to {most}" if most > least else "")


def in_words(one: Standing) -> str:
    """Write a standing: the state, what holds it, the warnings."""
    by = f" by {'; '.join(one.held_by)}" if one.held_by else ""
    warned = (
        f", see {' '.join(f'[{name}]' for name in one.warned)}" if one.warned else ""
    )
    return f"{_WORDS[one.state]}{warned}{by}"
