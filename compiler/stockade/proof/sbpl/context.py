# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe one thing a program does, as a profile's filters see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from stockade.proof.sbpl.limits import MAX_FOLLOWED

# Longer than any path or name that macOS takes (PATH_MAX is 1024).
MAX_FACT = 4_096


# What facts are called elsewhere, and here.
_OTHER_NAMES = {
    "iokit-user-client-class": "iokit-registry-entry-class",
    "mode": "file-mode",
    "vnode": "vnode-type",
}


@dataclass(frozen=True, slots=True)
class Address:
    """One end of an IP socket."""

    host: str
    port: int
    protocol: str = "tcp"


Fact: TypeAlias = str | int | Address
Facts: TypeAlias = Mapping[str, Fact | Sequence[Fact]]


class TooCostlyError(ValueError):
    """A decision would take longer than any that a real profile asks for."""


@dataclass(slots=True)
class Budget:
    """Count the work of decisions about one context."""

    left: int = MAX_FOLLOWED

    def spend(self, states: int) -> None:
        """Count states that an expression followed."""
        self.left -= states
        if self.left < 0:
            raise TooCostlyError(
                f"expressions follow more than {MAX_FOLLOWED} states for one request"
            )


@dataclass(frozen=True, slots=True)
class Context:
    """The facts of one request, each a list: a process is `self` and `same-sandbox`.

    What is not told matches no filter. `above` holds the path and the folders above
    it; where names of files are equal in any case, both are folded.
    """

    facts: Mapping[str, tuple[Fact, ...]]
    folds: bool
    path: str | None
    above: frozenset[str]
    budget: Budget = field(default_factory=Budget)

    def values(self, name: str) -> tuple[Fact, ...]:
        """Give what is told of one thing."""
        return self.facts.get(name, ())


def context_of(facts: Facts, *, folds: bool = False) -> Context:
    """Make a context; `path` is the resolved path, as the kernel would give it."""
    told = {
        _OTHER_NAMES.get(name, name): (value,)
        if isinstance(value, (str, int, Address))
        else tuple(value)
        for name, value in facts.items()
    }
    for values in told.values():
        for value in values:
            if isinstance(value, str) and len(value) > MAX_FACT:
                raise ValueError(f"a name has more than {MAX_FACT} characters")
    path = told.get("path", (None,))[0]
    if not isinstance(path, str):
        return Context(told, folds, None, frozenset())
    path = folded(path) if folds else path
    return Context(told, folds, path, frozenset(ancestors(path)) | {path})


def folded(path: str) -> str:
    """Give what all spellings of a path have in common on a volume that folds."""
    return path.casefold()


def ancestors(path: str) -> Iterator[str]:
    """Give the folders above an absolute path, nearest first, `/` last."""
    while path.rpartition("/")[0]:
        path = path.rpartition("/")[0]
        yield path
    if path.startswith("/") and path != "/":
        yield "/"
