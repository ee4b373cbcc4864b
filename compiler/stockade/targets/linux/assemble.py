# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lay a decision graph out as one classic BPF program.

The program is emitted from its end: what a node leads to already has a place,
so every jump goes forward, as the kernel demands. Where a conditional jump would
reach over more than 255 instructions, an end is written again nearby and anything
else gets an unconditional jump in between; both serve whatever comes near them.
Known weakness: another order of emission could sometimes do without.
"""

from __future__ import annotations

from typing import assert_never

from stockade.abi import bpf
from stockade.model.artifact import Filter, Instruction, Relocation
from stockade.targets.linux.graph import Branch, Load, Mask, Node, Return

LONGEST_BRANCH = 255
LONGEST_PROGRAM = 4096


class ProgramTooLongError(Exception):
    """A filter needs more instructions than the kernel takes."""

    def __init__(self, length: int) -> None:
        """Keep the length for the message."""
        super().__init__(
            f"the filter needs {length} instructions; the kernel takes at most"
            f" {LONGEST_PROGRAM}"
        )
        self.length = length


def assemble(root: Node) -> Filter:
    """Turn a graph into a program; raise ProgramTooLongError over 4,096."""
    emitter = _Emitter()
    first = emitter.place(root)
    if first != len(emitter.reversed) - 1:
        emitter.jump_to(first)
    length = len(emitter.reversed)
    if length > LONGEST_PROGRAM:
        raise ProgramTooLongError(length)
    relocations = sorted(
        (length - 1 - place, kind) for place, kind in emitter.relocations
    )
    return Filter(
        tuple(reversed(emitter.reversed)),
        tuple(Relocation(insn, kind) for insn, kind in relocations),
    )


class _Emitter:
    """Instructions so far, last one first; places count from the end."""

    def __init__(self) -> None:
        self.reversed: list[Instruction] = []
        self.relocations: list[tuple[int, str]] = []
        # Where each node is; of an end that was written again, the last one.
        self._places: dict[Node, int] = {}
        self._bridges: dict[Node, int] = {}

    def place(self, root: Node) -> int:
        """Emit a graph unless it has a place already, and give its place.

        What a node leads to is emitted before it. The nodes to come stand on a
        list of our own: a long chain of tests would exhaust the interpreter's.
        """
        waiting = [root]
        while waiting:
            node = waiting[-1]
            missing = [part for part in _leads_to(node) if part not in self._places]
            if node in self._places:
                waiting.pop()
            elif missing:
                waiting += missing
            else:
                self._places[node] = self._emit_node(node)
                waiting.pop()
        return self._places[root]

    def _emit_node(self, node: Node) -> int:
        match node:
            case Return(value=value, note=note, relocation=relocation):
                place = self._emit(Instruction(bpf.RETURN, 0, 0, value, note))
                self._relocate(place, relocation)
                return place
            case Load(offset=offset, then=then, note=note):
                self._fall_through_to(then)
                return self._emit(Instruction(bpf.LOAD, 0, 0, offset, note))
            case Mask(mask=mask, then=then):
                self._fall_through_to(then)
                return self._emit(Instruction(bpf.AND, 0, 0, mask))
            case Branch():
                return self._branch(node)
            case _:
                assert_never(node)

    def jump_to(self, target: int) -> int:
        """Emit an unconditional jump to a place, and give the jump's place."""
        distance = len(self.reversed) - target - 1
        return self._emit(Instruction(bpf.JUMP, 0, 0, distance))

    def _branch(self, node: Branch) -> int:
        # What is put in for the second way shifts the first one by one.
        no = self._within_reach(node.no, 1)
        yes = self._within_reach(node.yes, 0)
        place = self._emit(
            Instruction(
                node.code,
                self._distance(yes),
                self._distance(no),
                node.constant,
                node.note,
            )
        )
        self._relocate(place, node.relocation)
        return place

    def _within_reach(self, node: Node, spare: int) -> int:
        """Give a place that leads to a node and that a conditional jump reaches."""
        place = self._places[node]
        if self._distance(place) + spare <= LONGEST_BRANCH:
            return place
        if isinstance(node, Return) and not node.relocation:
            self._places[node] = self._emit_node(node)
            return self._places[node]
        bridge = self._bridges.get(node)
        if bridge is None or self._distance(bridge) + spare > LONGEST_BRANCH:
            bridge = self._bridges[node] = self.jump_to(place)
        return bridge

    def _fall_through_to(self, node: Node) -> None:
        target = self._places[node]
        if target != len(self.reversed) - 1:
            self.jump_to(target)

    def _distance(self, target: int) -> int:
        return len(self.reversed) - target - 1

    def _emit(self, instruction: Instruction) -> int:
        self.reversed.append(instruction)
        return len(self.reversed) - 1

    def _relocate(self, place: int, kind: str) -> None:
        if kind:
            self.relocations.append((place, kind))


def _leads_to(node: Node) -> tuple[Node, ...]:
    """List what a node leads to, in the order to emit it: the last one last."""
    match node:
        case Load(then=then) | Mask(then=then):
            return (then,)
        case Branch(yes=yes, no=no):
            return (yes, no)
        case _:
            return ()
