# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare two Linux artifacts on every kind of host: what they decide, then how.

INVARIANT: no finding means equal decisions on every host, proved for the filters and
by comparing tables in full for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from stockade.abi.arch import LINUX_TARGETS
from stockade.model.artifact import Filter, Level, Variant
from stockade.review.calls import call_changes
from stockade.review.change import EVERY_LEVEL, Fact, Finding
from stockade.review.files import file_changes
from stockade.review.gather import changes
from stockade.review.hosts import Host, hosts_of
from stockade.review.judges import Judges
from stockade.review.keys import Keys
from stockade.review.mechanism import artifact_changes, variant_changes
from stockade.review.reach import CALLS
from stockade.review.reach_changes import reach_changes
from stockade.review.start import start_changes, support_fact
from stockade.review.subject import LinuxSubject
from stockade.review.walls import Answers, VariantWalls

_ABI = "landlock-abi-"


def linux_differences(
    old: LinuxSubject, new: LinuxSubject, judges: Judges
) -> Iterator[Finding]:
    """Give what changes from one artifact to another of the same target."""
    every = hosts_of((old.artifact, new.artifact))
    target = new.artifact.target
    of_all: dict[Fact, Sequence[Host]] = dict.fromkeys(
        (*start_changes(old, new), *artifact_changes(old.artifact, new.artifact)),
        every,
    )
    for hosts, change in changes(of_all, every):
        yield Finding(target, EVERY_LEVEL, hosts, change)
    before = {level.name: level for level in old.artifact.levels}
    after = {level.name: level for level in new.artifact.levels}
    for name in dict.fromkeys((*before, *after)):
        # A level that one side lacks is one that starts nowhere there.
        sides = tuple(levels.get(name, Level(name, ())) for levels in (before, after))
        by_fact: dict[Fact, list[Host]] = {}
        for host, fact in _Comparison(old, new, judges).by_host(sides, every):
            by_fact.setdefault(fact, []).append(host)
        for hosts, change in changes(by_fact, every):
            yield Finding(target, name, hosts, change)


class _Comparison:
    """Compares variants, each pair and each filter once."""

    def __init__(self, old: LinuxSubject, new: LinuxSubject, judges: Judges) -> None:
        self._subjects = old, new
        self._judges = judges
        self._keys = Keys(old, new)
        self._arch = LINUX_TARGETS[new.artifact.target].arch
        self._known: dict[tuple[Variant, Variant, bool], tuple[Fact, ...]] = {}
        self._loaded: dict[Filter, Answers] = {}

    def by_host(
        self, sides: tuple[Level, ...], every: tuple[Host, ...]
    ) -> Iterator[tuple[Host, Fact]]:
        """Give every fact of a level with each host where it holds."""
        for host in every:
            before, after = (host.variant(side) for side in sides)
            if before is None or after is None:
                if before is not after:
                    yield host, support_fact(starts=after is not None)
                continue
            # Of a kernel's age files know whether it can move between folders.
            pair = before, after, host.landlock_abi < 2
            if pair not in self._known:
                self._known[pair] = tuple(
                    self._of_pair(before, after, host.landlock_abi)
                )
            for fact in self._known[pair]:
                yield host, fact

    def _of_pair(self, before: Variant, after: Variant, abi: int) -> Iterator[Fact]:
        """Give what changes where one variant takes the place of another."""
        abis = _abi(before), _abi(after)
        walls = (
            self._walls(self._subjects[0], before),
            self._walls(self._subjects[1], after),
        )
        yield from file_changes(walls, abi, abis, self._keys)
        found = self._judges.compare(before.filter, after.filter)
        calls = tuple(call_changes(self._arch, abis, found, self._keys))
        alike = walls[0].beside_filter() == walls[1].beside_filter()
        if not alike or any(fact.case.name in CALLS for fact in calls):
            yield from reach_changes(walls, abis, self._keys)
        yield from calls
        yield from variant_changes(
            before, after, lambda one: self._judges.probe_text(self._arch, one)
        )

    def _walls(self, subject: LinuxSubject, variant: Variant) -> VariantWalls:
        """Put up the walls of a variant; each filter is loaded once."""
        program = variant.filter
        if program not in self._loaded:
            self._loaded[program] = cache(self._judges.load(program))
        return VariantWalls(
            subject.artifact, variant, self._arch, self._loaded[program]
        )


def _abi(variant: Variant) -> int:
    """Read from a variant's needs the oldest Landlock it may meet."""
    abis = [one.removeprefix(_ABI) for one in variant.must if one.startswith(_ABI)]
    return max(map(int, abis), default=1)
