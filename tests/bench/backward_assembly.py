# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write classic BPF from its end, so that every jump goes to a known place.

The bench writes its own filters with it: the reference, and the linear form of a
compiled one. Neither may share code with the generator that they are a measure of.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

# linux/bpf_common.h
LD, AND, JA, JEQ, JGT, JGE, JSET, RET = (
    *(0x20, 0x54, 0x05),
    *(0x15, 0x25, 0x35, 0x45),
    0x06,
)
NR, ARCH = 0, 4
ALLOW = 0x7FFF0000
_REFUSE = 0x00050000
_REACH = 255  # a conditional jump's offset has eight bits
_SLACK = 4  # instructions that may come between a place and a jump to it

Instruction: TypeAlias = tuple[int, int, int, int]


def refuse_with(errno: int) -> int:
    """Return the action that refuses a call with an error number."""
    return _REFUSE | errno


@dataclass(slots=True)
class Backward:
    """A program under construction; places count from its end."""

    _reversed: list[Instruction] = field(default_factory=list)
    _answers: dict[int, int] = field(default_factory=dict)

    def put(self, code: int, k: int, jt: int = 0, jf: int = 0) -> int:
        """Add an instruction before all others and return its place."""
        self._reversed.append((code, jt, jf, k))
        return len(self._reversed) - 1

    def load(self, offset: int) -> int:
        """Add the load of a word of `struct seccomp_data`."""
        return self.put(LD, offset)

    def answer(self, action: int) -> int:
        """Return a place that gives `action`, near enough for the next jumps."""
        place = self._answers.get(action)
        if place is None or len(self._reversed) - place > _REACH - _SLACK:
            place = self.put(RET, action)
            self._answers[action] = place
        return place

    def branch(self, code: int, k: int, yes: int, no: int) -> int:
        """Add a conditional jump to two places, however far."""
        yes, no = self._near(yes), self._near(no)
        here = len(self._reversed)
        return self.put(code, k, here - yes - 1, here - no - 1)

    def program(self) -> list[Instruction]:
        """Return the instructions in the order in which the kernel takes them."""
        return self._reversed[::-1]

    def _near(self, place: int) -> int:
        distance = len(self._reversed) - place
        return self.put(JA, distance - 1) if distance > _REACH - _SLACK else place


def to_bytes(program: Sequence[Instruction]) -> bytes:
    """Encode a program as an array of `struct sock_filter`."""
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
