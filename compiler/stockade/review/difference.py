# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare two artifacts on every kind of host: what they decide, then how.

INVARIANT: no finding means equal decisions on every host, proved for the filters and
by comparing tables in full for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.model.artifact import Level, Variant
from stockade.review.calls import Compare, call_changes
from stockade.review.change import Change, Finding, Kind
from stockade.review.files import file_changes
from stockade.review.hosts import Host, hosts_of, in_words
from stockade.review.mechanism import artifact_changes, variant_changes
from stockade.review.start import start_changes, support_change
from stockade.review.subject import Subject

_ABI = "landlock-abi-"
_ORDER = tuple(Kind)


def differences(old: Subject, new: Subject, compare: Compare) -> tuple[Finding, ...]:
    """List what changes from one artifact to another of the same target.

    Sorted by kind, the most dangerous first. `compare` finds the calls that two
    filters answer otherwise, and raises where it cannot know.
    """
    every = hosts_of((old.artifact, new.artifact))
    before = {level.name: level for level in old.artifact.levels}
    after = {level.name: level for level in new.artifact.levels}
    target = new.artifact.target
    found = [
        Finding(target, "every level", "every host", one)
        for one in (
            *start_changes(old, new),
            *artifact_changes(old.artifact, new.artifact),
        )
    ]
    for name in dict.fromkeys((*before, *after)):
        # A level that one side lacks is one that starts nowhere there.
        sides = tuple(levels.get(name, Level(name, ())) for levels in (before, after))
        by_change: dict[Change, list[Host]] = {}
        for host, change in _by_host(old, new, sides, every, compare):
            by_change.setdefault(change, []).append(host)
        found += [
            Finding(target, name, in_words(hosts, every), change)
            for change, hosts in by_change.items()
        ]
    return tuple(sorted(found, key=lambda one: _ORDER.index(one.change.kind)))


def _by_host(
    old: Subject,
    new: Subject,
    sides: tuple[Level, ...],
    every: tuple[Host, ...],
    compare: Compare,
) -> Iterator[tuple[Host, Change]]:
    known: dict[tuple[Variant, Variant], tuple[Change, ...]] = {}
    for host in every:
        before, after = (host.variant(side) for side in sides)
        if before is None or after is None:
            if before is not after:
                yield host, support_change(starts=after is not None)
            continue
        if (before, after) not in known:
            known[before, after] = tuple(_of_pair(old, new, before, after, compare))
        for change in known[before, after]:
            yield host, change


def _of_pair(
    old: Subject, new: Subject, before: Variant, after: Variant, compare: Compare
) -> Iterator[Change]:
    """Give what changes where one variant takes the place of another."""
    abis = _abi(before), _abi(after)
    yield from file_changes(old, new, before, after)
    yield from call_changes(old, new, abis, compare(before.filter, after.filter))
    yield from variant_changes(before, after)


def _abi(variant: Variant) -> int:
    """Read from a variant's needs the oldest Landlock it may meet."""
    abis = [one.removeprefix(_ABI) for one in variant.must if one.startswith(_ABI)]
    return max(map(int, abis), default=1)
