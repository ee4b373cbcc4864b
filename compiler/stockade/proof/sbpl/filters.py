# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test a context: the filters of a rule, alone, together or turned round.

Each filter knows what it costs, so that no profile makes a decision slow, and which
kinds of filter it is made of, since an operation takes only some.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stockade.proof.sbpl.context import Context, folded
from stockade.proof.sbpl.limits import (
    BYTES_PER_PATTERN,
    MAX_FILTER_DEPTH,
    MAX_SERIALIZED,
    MAX_TESTS,
)
from stockade.proof.sbpl.place import UnreadableArgumentError


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of filter as operations know it: its name and its category."""

    name: str
    category: str


@dataclass(frozen=True, slots=True)
class Filter:
    """A test of a context.

    `tests` counts what a decision may have to try, `depth` filters in filters, and
    `serialized` estimates the bytes of the patterns; `states` are those of expressions.
    `paths` is the test itself where it is only of paths; `within` are paths outside of
    which it never holds, None where that is not known.
    """

    holds: Callable[[Context], bool]
    kinds: tuple[Kind, ...]
    tests: int = 1
    depth: int = 1
    serialized: int = 0
    paths: PathSet | None = None
    states: int = 0
    within: PathSet | None = None


class PathSet:
    """Whole paths and folders with all below them, looked up rather than tried.

    A folder covers itself, which reports doubt: see docs/sbpl.md.
    """

    def __init__(
        self, literals: tuple[str, ...] = (), folders: tuple[str, ...] = ()
    ) -> None:
        self.literals = literals
        self.folders = folders
        self._exact = (frozenset(literals), frozenset(folders))
        self._folded = (
            frozenset(folded(one) for one in literals),
            frozenset(folded(one) for one in folders),
        )

    def holds(self, context: Context) -> bool:
        """Tell whether the path is one of these or below one."""
        literals, folders = self._folded if context.folds else self._exact
        return context.path in literals or not folders.isdisjoint(context.above)


def serialized_size(pattern: str) -> int:
    """Estimate the bytes that one pattern takes in a compiled rule."""
    return len(pattern.encode("utf-8", "surrogateescape")) + BYTES_PER_PATTERN


def path_filter(kind: Kind, paths: PathSet, pattern: str) -> Filter:
    """Make the filter of one path."""
    return Filter(
        paths.holds,
        (kind,),
        serialized=serialized_size(pattern),
        paths=paths,
        within=paths,
    )


def require_any(filters: Sequence[Filter]) -> Filter:
    """Make a filter that holds where any does."""
    if len(filters) == 1:
        return filters[0]
    # Before the paths are copied: a filter of itself twice doubles them each time.
    _check_room(filters)
    sets = [one.paths for one in filters if one.paths]
    others = [one for one in filters if not one.paths]
    tests = [one.holds for one in others]
    joined: PathSet | None = None
    if sets:
        joined = _union(sets)
        tests.insert(0, joined.holds)
    bounds = [one.within for one in filters if one.within]
    return _compound(
        filters,
        lambda context: any(test(context) for test in tests),
        tests=1 + sum(one.tests for one in others),
        paths=None if others else joined,
        within=_union(bounds) if len(bounds) == len(filters) else None,
    )


def _union(sets: Sequence[PathSet]) -> PathSet:
    return PathSet(
        tuple(path for one in sets for path in one.literals),
        tuple(path for one in sets for path in one.folders),
    )


def require_all(filters: Sequence[Filter]) -> Filter:
    """Make a filter that holds where all do."""
    if len(filters) == 1:
        return filters[0]
    tests = [one.holds for one in filters]
    return _compound(
        filters,
        lambda context: all(test(context) for test in tests),
        tests=1 + sum(one.tests for one in filters),
        within=next((one.within for one in filters if one.within), None),
    )


def require_not(one: Filter) -> Filter:
    """Make a filter that holds where another does not."""
    return _compound([one], lambda context: not one.holds(context), tests=1 + one.tests)


def _check_room(filters: Sequence[Filter]) -> None:
    size = sum(one.serialized for one in filters)
    if size > MAX_SERIALIZED:
        raise UnreadableArgumentError(
            f"the patterns of this rule take about {size} bytes; a rule has room for"
            f" {MAX_SERIALIZED}: write several rules"
        )


def _compound(
    filters: Sequence[Filter],
    holds: Callable[[Context], bool],
    *,
    tests: int,
    paths: PathSet | None = None,
    within: PathSet | None = None,
) -> Filter:
    depth = 1 + max((one.depth for one in filters), default=0)
    if depth > MAX_FILTER_DEPTH:
        raise UnreadableArgumentError(
            f"filters are nested more than {MAX_FILTER_DEPTH} deep"
        )
    if tests > MAX_TESTS:
        raise UnreadableArgumentError(f"the filter has more than {MAX_TESTS} tests")
    _check_room(filters)
    return Filter(
        holds,
        tuple(dict.fromkeys(kind for one in filters for kind in one.kinds)),
        tests,
        depth,
        sum(one.serialized for one in filters),
        paths,
        sum(one.states for one in filters),
        within,
    )
