# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Go through the kinds of hosts that artifacts tell apart.

A host is a Landlock ABI and, where a variant asks for or shuns another feature, its
presence or absence. Whatever every variant needs is taken as there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stockade.abi.features import FEATURES, LANDLOCK_ABI_NEWEST
from stockade.model.artifact import Artifact, Level, Variant

_ABI = "landlock-abi-"
# What a host without which is no host of any variant: see plan/features.
_BASIS = ("landlock-built", "seccomp-filter")
_MOST_OTHERS = 6


class TooManyHostsError(Exception):
    """Artifacts ask for more features than could be gone through."""


@dataclass(frozen=True, slots=True)
class Host:
    """One kind of host: its Landlock ABI, and features that only some hosts have."""

    landlock_abi: int
    others: tuple[str, ...]

    @property
    def features(self) -> int:
        """Give the host's feature set as a mask."""
        names = [f"{_ABI}{abi}" for abi in range(1, self.landlock_abi + 1)]
        mask = 0
        for name in (*names, *_BASIS, *self.others):
            mask |= FEATURES[name]
        return mask

    def variant(self, level: Level) -> Variant | None:
        """Choose as the launcher does: the first variant whose needs are met."""
        for variant in level.variants:
            has_all = all(FEATURES[name] & self.features for name in variant.must)
            has_bad = any(FEATURES[name] & self.features for name in variant.must_not)
            if has_all and not has_bad:
                return variant
        return None


def hosts_of(artifacts: Iterable[Artifact]) -> tuple[Host, ...]:
    """List every kind of host that some variant of the artifacts tells apart."""
    named: dict[str, None] = {}
    for artifact in artifacts:
        for level in artifact.levels:
            for variant in level.variants:
                named |= dict.fromkeys((*variant.must, *variant.must_not))
    others = sorted(
        name for name in named if not name.startswith(_ABI) and name not in _BASIS
    )
    if len(others) > _MOST_OTHERS:
        message = f"variants ask for {len(others)} features beside Landlock's version"
        raise TooManyHostsError(message)
    return tuple(
        Host(abi, present)
        for count in range(len(others) + 1)
        for present in itertools.combinations(others, count)
        for abi in range(1, LANDLOCK_ABI_NEWEST + 1)
    )


def in_words(some: Sequence[Host], every: Sequence[Host]) -> str:
    """Name hosts among all, such as `Landlock ABI 1 to 5`."""
    if len(some) == len(every):
        return "every host"
    found: dict[tuple[str, ...], list[int]] = {}
    for host in some:
        found.setdefault(host.others, []).append(host.landlock_abi)
    # Where the other features make no difference they are not named.
    kinds = {host.others: None for host in every}
    spans = tuple(dict.fromkeys(map(_spans, found.values())))
    if len(found) == len(kinds) and len(spans) == 1:
        return f"Landlock ABI {spans[0]}"
    return "; ".join(
        f"Landlock ABI {_spans(abis)} {_with(others, kinds)}"
        for others, abis in found.items()
    )


def _with(others: tuple[str, ...], kinds: dict[tuple[str, ...], None]) -> str:
    if others:
        return f"with {' and '.join(others)}"
    return f"without {' and '.join(list(kinds)[-1])}"


def _spans(abis: list[int]) -> str:
    found: list[list[int]] = []
    for abi in sorted(abis):
        if found and found[-1][1] == abi - 1:
            found[-1][1] = abi
        else:
            found.append([abi, abi])
    return ", ".join(
        str(first) if first == last else f"{first} to {last}" for first, last in found
    )
