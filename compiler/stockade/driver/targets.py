# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Choose the targets of a policy, and say why it cannot have others.

One choice for every command that takes targets, so that they agree on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stockade.abi.targets import SYSTEM_OF, System
from stockade.diagnostics import quote
from stockade.driver.compile import targets
from stockade.model.path_family import family_of, family_on
from stockade.model.place import Place, Places
from stockade.model.policy import Policy
from stockade.plan.support import Lack, Unbuilt, unbuilt
from stockade.source.visible import visible

NO_PLACES = Places()


@dataclass(frozen=True, slots=True)
class Lacking:
    """A value that targets cannot hold."""

    unbuilt: Unbuilt
    targets: tuple[str, ...]


class TargetsRefusedError(Exception):
    """Targets cannot hold a policy: the reasons, and the targets that can."""

    def __init__(self, reasons: tuple[str, ...], working: tuple[str, ...]) -> None:
        super().__init__(reasons[0])
        self.reasons = reasons
        self.working = working


def chosen_targets(
    policy: Policy,
    wanted: Iterable[str] = (),
    places: Places = NO_PLACES,
    name: str = "",
) -> tuple[str, ...]:
    """Give the wanted targets, or the policy's own, sorted and each once.

    `name` is what the policy is called where nothing is written to point at. Raises
    TargetsRefusedError where one of them cannot hold the policy.
    """
    asked = dict.fromkeys(wanted) or dict.fromkeys(default_targets(policy))
    lacks = tuple(_lacks(policy, sorted(asked)))
    if lacks:
        working = [one for one in targets() if not unbuilt(policy, SYSTEM_OF[one])]
        reasons = tuple(_reason(one, places, name) for one in lacks)
        raise TargetsRefusedError(reasons, tuple(working))
    return tuple(sorted(asked))


def default_targets(policy: Policy) -> tuple[str, ...]:
    """List the targets of a policy for which none is asked.

    No "this machine" among them: what is written must not depend on the host. Windows
    joins where the policy names what only Windows needs, and a system whose paths the
    policy does not have is none of its own.
    """
    return tuple(one for one in targets() if _is_meant(policy, SYSTEM_OF[one]))


def _is_meant(policy: Policy, system: System) -> bool:
    if system is System.WINDOWS and not policy.appcontainer_name:
        return False
    families = [family_of(grant.path) for grant in policy.grants]
    return not families or family_on(system) in families


def _lacks(policy: Policy, asked: Iterable[str]) -> Iterator[Lacking]:
    """Give every lack once, with all targets of its system."""
    by_system: dict[System, list[str]] = {}
    for one in asked:
        by_system.setdefault(SYSTEM_OF[one], []).append(one)
    found: dict[Unbuilt, list[str]] = {}
    for system, names in by_system.items():
        for lack in unbuilt(policy, system):
            found.setdefault(lack, []).extend(names)
    for lack, names in found.items():
        yield Lacking(lack, tuple(names))


def _reason(one: Lacking, places: Places, name: str) -> str:
    lack = one.unbuilt
    listed = ", ".join(f"`{name}`" for name in one.targets)
    place = _place(lack, places)
    where = place.where or name
    where = f"{visible(where)}: " if where else ""
    preposition = "on" if lack.lack is Lack.IMPOSSIBLE else "for"
    return (
        f"{where}{_subject(lack, place)} {lack.lack.value} {preposition} {listed}:"
        f" it {visible(lack.why)}"
    )


def _place(lack: Unbuilt, places: Places) -> Place:
    if lack.grant is not None:
        return places.grants.get(lack.grant, Place(""))
    return places.keys.get(lack.field, Place(lack.field))


def _subject(lack: Unbuilt, place: Place) -> str:
    if lack.grant is not None:
        return f"path {quote(lack.grant.path)}"
    if lack.field == "grants":
        return "a path"
    return f"`{place.key}`" + (f" {quote(lack.word)}" if lack.word else "")
