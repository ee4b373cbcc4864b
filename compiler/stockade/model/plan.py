# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what the plan hands to a target: a variant before it has mechanisms."""

from __future__ import annotations

from dataclasses import dataclass

from stockade.model.artifact import Requirement


@dataclass(frozen=True, slots=True)
class Handled:
    """Masks of what a ruleset handles: what a requirement rests on, and the rest."""

    fs_required: int
    fs_optional: int
    net_required: int
    net_optional: int
    scope_required: int
    scope_optional: int


@dataclass(frozen=True, slots=True)
class VariantPlan:
    """One way to hold a level: the kernels it is for and what it promises there.

    `landlock_abi` is the lowest ABI that `must` admits: the variant uses just
    what every kernel from there on has.
    """

    name: str
    landlock_abi: int
    must: tuple[str, ...]
    must_not: tuple[str, ...]
    handled: Handled
    requirements: tuple[Requirement, ...]
