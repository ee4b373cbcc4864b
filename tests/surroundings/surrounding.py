# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe surroundings: how they are arranged, and how a start in them ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

# A name and arguments of `enter.py`; `USER` stands for the number of the user, and
# the arguments of `filter` and `supervised` for filters of `outer_filters.py`.
Step: TypeAlias = tuple[object, ...]

BECOME: Step = ("become", "USER")
# What an arrangement by root needs of the host the tests run on.
AS_ROOT = ("root-user", "namespaces")
# Where `/proc/self/mountinfo` cannot be read.
NO_MOUNTS = "cannot open `/proc/self/mountinfo`, which a policy with a writable path"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around a start, and the one way it may end there.

    Without `refused` and `ended` the program must run, and must be all that is
    seen. `refused` stands in the only line of a refusal, `ended` is the signal that
    ends the launcher before it can write one. `policy` is one of the policies of
    the test; with `memory_file` the artifact comes as a descriptor, with `through`
    the start is made inside sandboxes of these policies. `unheard` means that
    nobody can hear what the program prints, `undecided` that `--check` has no process
    to try a start in.
    """

    name: str
    title: str
    steps: tuple[Step, ...]
    refused: str = ""
    ended: str = ""
    policy: str = "writing"
    memory_file: bool = False
    through: tuple[str, ...] = ()
    unheard: bool = False
    undecided: bool = False
    needs: tuple[str, ...] = ()


def under(name: str, title: str, *filters: str, **how: object) -> Surroundings:
    """Describe a start under filters that others attached."""
    steps = (BECOME, ("filter", *filters))
    return Surroundings(name, title, steps, **how)  # type: ignore[arg-type]


def among(name: str, title: str, *steps: Step, **how: object) -> Surroundings:
    """Describe a start in a mount namespace that root arranged."""
    arranged = (("new-mounts",), *steps, BECOME)
    return Surroundings(name, title, arranged, needs=AS_ROOT, **how)  # type: ignore[arg-type]


def by_user(name: str, title: str, *steps: Step, **how: object) -> Surroundings:
    """Describe a start by a caller who arranged something for himself."""
    return Surroundings(name, title, (BECOME, *steps), **how)  # type: ignore[arg-type]
