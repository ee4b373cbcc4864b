# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say of which targets nothing was ever run: evaluators alone judge their artifacts."""

from __future__ import annotations

from collections.abc import Iterable

from stockade.abi.targets import SYSTEM_OF, System

NEVER_RUN = (System.MACOS, System.WINDOWS)


def simulated(targets: Iterable[str]) -> tuple[str, ...]:
    """List the targets among some whose decisions come from an evaluator alone."""
    return tuple(one for one in dict.fromkeys(targets) if SYSTEM_OF[one] in NEVER_RUN)


def note(targets: Iterable[str]) -> str:
    """Say so in a line; empty where it is so of none."""
    some = simulated(targets)
    if not some:
        return ""
    names, is_ = (
        " and ".join(f"`{one}`" for one in some),
        "is" if len(some) == 1 else "are",
    )
    return f"{names} {is_} simulated: decided by evaluators, never run there"
