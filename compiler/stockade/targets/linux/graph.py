# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold decision graphs of BPF steps, each distinct step once.

INVARIANT: equal steps are one object, so identity is equality: leaves and whole
tails are shared for nothing, and comparing two graphs costs one comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    """End with an action value; `relocation` names what the launcher fills in."""

    value: int
    note: str
    relocation: str


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """Load a word of the call's data, then go on."""

    offset: int
    then: Node
    note: str


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """Keep the masked bits of the loaded word, then go on."""

    mask: int
    then: Node


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """Compare the loaded word with a constant and go one of two ways."""

    code: int
    constant: int
    yes: Node
    no: Node
    note: str
    relocation: str


Node: TypeAlias = Return | Load | Mask | Branch


class Graph:
    """Make the steps of one program."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Node] = {}

    def give(self, value: int, note: str = "", relocation: str = "") -> Node:
        """Make the end of a path; the note of the first of its kind stays."""
        key = (Return, value, relocation)
        return self._nodes.setdefault(key, Return(value, note, relocation))

    def load(self, offset: int, then: Node, note: str = "") -> Node:
        """Make a load."""
        key = (Load, offset, id(then))
        return self._nodes.setdefault(key, Load(offset, then, note))

    def mask(self, mask: int, then: Node) -> Node:
        """Make a step that keeps the masked bits."""
        return self._nodes.setdefault((Mask, mask, id(then)), Mask(mask, then))

    def branch(  # noqa: PLR0913 - the fields of one step
        self,
        code: int,
        constant: int,
        yes: Node,
        no: Node,
        note: str = "",
        relocation: str = "",
    ) -> Node:
        """Make a comparison; one whose ways are equal is no step at all."""
        if yes is no:
            return yes
        key = (Branch, code, constant, id(yes), id(no), relocation)
        return self._nodes.setdefault(
            key, Branch(code, constant, yes, no, note, relocation)
        )
