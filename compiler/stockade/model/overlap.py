# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Find grants that contradict each other by their names alone.

Links, mounts and second names are the launcher's to find, by identity, at every
start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from stockade.model.path_family import family_of
from stockade.model.policy import Access, Grant

EXECUTING = (Access.READ_EXEC, Access.COMMAND)
# Only the kernel adds and removes entries of devpts, so nothing in it can be
# replaced by a link before the next start.
_PSEUDO_TERMINALS = "/dev/pts"


@dataclass(frozen=True, slots=True)
class Overlap:
    """A writable grant, and one that it would change: its own path, above or below.

    `executes` where the other one makes the shared part executable; else the other
    one lies inside the writable path.
    """

    writable: Grant
    other: Grant
    executes: bool


@dataclass(slots=True)
class _Place:
    """One path under all its spellings, and the nearest grants of paths above it."""

    grants: dict[Access, Grant] = field(default_factory=dict)
    above: dict[Access, Grant] = field(default_factory=dict)


def overlaps(grants: Iterable[Grant], fold: Callable[[str], str]) -> Iterator[Overlap]:
    """Give every contradiction, at most one for each path.

    Paths that `fold` makes equal are one path; of equal grants the first counts.
    """
    places: dict[str, _Place] = {}
    for grant in grants:
        key = _as_folder(fold(grant.path), family_of(grant.path).value)
        places.setdefault(key, _Place()).grants.setdefault(grant.access, grant)
    _link(places)
    for place in places.values():
        found = _overlap(place)
        if found is not None:
            yield found


def _as_folder(path: str, mark: str) -> str:
    return path if path.endswith(mark) else f"{path}{mark}"


def _link(places: dict[str, _Place]) -> None:
    """Tell each place which places above it grant what, in one pass."""
    # Sorted with their closing mark, places below one follow it directly.
    chain: list[tuple[str, _Place]] = []
    for key, place in sorted(places.items(), key=lambda item: item[0]):
        while chain and not key.startswith(chain[-1][0]):
            chain.pop()
        if chain:
            _, upper = chain[-1]
            place.above = {**upper.above, **upper.grants}
        chain.append((key, place))


def _overlap(place: _Place) -> Overlap | None:
    here_write = place.grants.get(Access.READ_WRITE)
    here_execute = _executing(place.grants)
    if here_write:
        execute = here_execute or _executing(place.above)
        if execute:
            return Overlap(here_write, execute, executes=True)
    writable = place.above.get(Access.READ_WRITE)
    if writable is None:
        return None
    if here_execute:
        return Overlap(writable, here_execute, executes=True)
    if writable.path == _PSEUDO_TERMINALS:
        return None
    return Overlap(writable, next(iter(place.grants.values())), executes=False)


def _executing(grants: dict[Access, Grant]) -> Grant | None:
    return next((grants[access] for access in EXECUTING if access in grants), None)
