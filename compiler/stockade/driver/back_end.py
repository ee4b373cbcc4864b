# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the stages that each system has its own of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from stockade.model.policy import Policy

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class BackEnd(Generic[Made]):
    """What makes, judges and shows one kind of artifact.

    `build` takes policy, name, target and the IDs of warnings to leave out; `judge`
    raises GateRefusedError, and gives how many programs it proved (Linux) or decisions
    it simulated (macOS, Windows); `show` takes policy, artifact and the bundle's
    checksum. Each takes the policy as it was written, with the paths of every system.

    Without a policy: `claimed` rebuilds the one that an artifact says to hold, raising
    KeyError or KeyRowsError where none does; `verdict` says in lines what that number
    means; `disassemble` gives what is applied, as lines.
    """

    build: Callable[[Policy, str, str, frozenset[str]], Made]
    judge: Callable[[Policy, Made], int]
    show: Callable[[Policy, Made, int], str]
    claimed: Callable[[Made], Policy]
    verdict: Callable[[Made, int], tuple[str, ...]]
    disassemble: Callable[[Made], Iterator[str]]
