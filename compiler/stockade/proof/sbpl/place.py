# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say where in a profile something stands, and refuse it there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column, both from 1; `text` names an imported file, or nothing."""

    line: int
    column: int
    text: str = ""

    def __str__(self) -> str:
        """Write the place as compilers do."""
        spot = f"line {self.line}, column {self.column}"
        return f"`{self.text}`, {spot}" if self.text else spot


class ProfileRefusedError(Exception):
    """A profile that cannot be read, or that Apple's compiler is known to refuse."""

    def __init__(self, place: Place, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place = place
        self.why = why


class UnreadableArgumentError(Exception):
    """A word, an address or an expression that does not mean anything.

    Whoever knows where it stands turns this into ProfileRefusedError.
    """


@dataclass(frozen=True, slots=True)
class Remark:
    """Something read although nobody can say for sure what Apple makes of it."""

    place: Place
    text: str

    def __str__(self) -> str:
        """Write the remark with its place."""
        return f"{self.place}: {self.text}"
