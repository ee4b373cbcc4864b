# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile rules on calls into one seccomp program.

    load arch; not ours → EPERM
    load number; balanced search over ranges of numbers
        named and without rule → ALLOW      (a path the kernel caches)
        refused whatever the arguments → ERRNO
        else → load arguments, tests in the order of the rules

Arguments are loaded in leaves only: one load before the search would cost every
call its place in the kernel's bitmap of always-allowed calls
(seccomp_cache_prepare).
"""

from __future__ import annotations

from dataclasses import dataclass

from stockade.abi import bpf
from stockade.abi.arch import AUDIT_ARCH, SKIPPED_CALL, X32_BIT, LinuxTarget
from stockade.abi.errno import ERRNO
from stockade.abi.syscalls import call_names
from stockade.model.artifact import Filter
from stockade.model.calls import ArgumentTest, CallRule
from stockade.targets.linux.arguments import VALUE_END, search_value, test_node
from stockade.targets.linux.assemble import assemble
from stockade.targets.linux.graph import Graph, Node
from stockade.targets.linux.tree import Segment, search_tree


@dataclass(frozen=True, slots=True)
class Defaults:
    """Actions where no rule holds: of named calls, other numbers, other entries."""

    named: str = "ALLOW"
    unnamed: str = "ENOSYS"
    x32: str = "EPERM"
    skipped: str = "ENOSYS"
    other_arch: str = "EPERM"


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """One call of the table: its name and its rules, the first that holds decides."""

    name: str
    rules: tuple[CallRule, ...]


def table_calls(
    target: LinuxTarget, rules: dict[str, tuple[CallRule, ...]]
) -> dict[int, NumberedCall]:
    """Give every numbered call of a target its name and its rules."""
    return {
        number: NumberedCall(name, rules.get(name, ()))
        for number, name in call_names(target.arch).items()
    }


def compile_filter(
    target: LinuxTarget,
    calls: dict[int, NumberedCall],
    witness_number: int | None,
    defaults: Defaults = Defaults(),
) -> Filter:
    """Compile the rules of every numbered call for one architecture.

    Raises ProgramTooLongError when the kernel would not take the program.
    """
    return _Compiler(target, defaults).compile(calls, witness_number)


class _Compiler:
    """The graph of one program and the actions it ends in."""

    def __init__(self, target: LinuxTarget, defaults: Defaults) -> None:
        self._target = target
        self._defaults = defaults
        self._graph = Graph()

    def compile(self, calls: dict[int, NumberedCall], witness: int | None) -> Filter:
        numbers = search_tree(self._graph, self._numbers(calls, witness))
        dispatch = self._graph.load(bpf.OFFSET_NUMBER, numbers, "number")
        ours = self._graph.branch(
            bpf.JUMP_EQUAL,
            AUDIT_ARCH[self._target.arch],
            dispatch,
            self._end(self._defaults.other_arch),
            self._target.arch,
        )
        return assemble(self._graph.load(bpf.OFFSET_ARCH, ours, "arch"))

    def _end(self, action: str) -> Node:
        return self._graph.give(action_value(action), action)

    def _numbers(
        self, calls: dict[int, NumberedCall], witness: int | None
    ) -> list[Segment]:
        """Lay out the whole space of numbers: calls, gaps, x32, no call."""
        unnamed = self._end(self._defaults.unnamed)
        edges: dict[int, Segment] = {0: Segment(0, unnamed, "not in the table")}
        if self._target.has_x32:
            x32 = self._end(self._defaults.x32)
            for start in (X32_BIT, X32_BIT | 1 << 31):
                edges[start] = Segment(start, x32, "x32")
            edges[1 << 31] = Segment(1 << 31, unnamed, "not x32")
        skipped = self._end(self._defaults.skipped)
        edges[SKIPPED_CALL] = Segment(SKIPPED_CALL, skipped, "no call")
        leaves = {
            number: Segment(number, self._leaf(call.rules), call.name)
            for number, call in calls.items()
        }
        if witness is not None:
            drawn = self._graph.give(
                bpf.PLACEHOLDER_WITNESS, "the errno drawn at start", "witness"
            )
            leaves[witness] = Segment(witness, drawn, "witness")
        for number, leaf in leaves.items():
            edges[number] = leaf
            if number + 1 not in leaves:
                after = Segment(number + 1, unnamed, "not in the table")
                edges.setdefault(number + 1, after)
        return [edges[start] for start in sorted(edges)]

    def _leaf(self, rules: tuple[CallRule, ...]) -> Node:
        """Build the rules of one call from the last to the first."""
        node = self._end(self._defaults.named)
        for run in reversed(_runs(rules)):
            join = self._search if len(run) > 1 else self._single
            node = join(run, node)
        return node

    def _single(self, run: tuple[CallRule, ...], otherwise: Node) -> Node:
        (rule,) = run
        node = self._end(rule.action)
        for test in reversed(rule.tests):
            node = test_node(self._graph, test, node, otherwise)
        return node

    def _search(self, run: tuple[CallRule, ...], otherwise: Node) -> Node:
        """Decide several rules on one value by one search; the first match wins."""
        first = run[0].tests[0]
        edges = {0}
        for rule in run:
            for low, high in rule.tests[0].ranges:
                edges |= {low, high + 1}
        segments = []
        for start in sorted(edges):
            if start < VALUE_END:
                found = next((rule for rule in run if _matches(rule, start)), None)
                node = self._end(found.action) if found else otherwise
                note = found.reason if found else ""
                segments.append(Segment(start, node, note))
        return search_value(self._graph, first.arg, first.mask, segments)


def action_value(action: str) -> int:
    """Give the number of an action, or of an error by name or as `ERRNO(N)`."""
    if action in ERRNO:
        return bpf.ACTION_ERRNO | ERRNO[action]
    if action.startswith("ERRNO("):
        return bpf.ACTION_ERRNO | int(action[len("ERRNO(") : -1])
    return bpf.ACTIONS[action]


def _runs(rules: tuple[CallRule, ...]) -> list[tuple[CallRule, ...]]:
    """Group neighbours that test the same value by ranges alone.

    Rules after one that always holds decide nothing and are left out.
    """
    runs: list[tuple[CallRule, ...]] = []
    for rule in rules:
        if runs and _joins(runs[-1][-1], rule):
            runs[-1] = (*runs[-1], rule)
        else:
            runs.append((rule,))
        if not rule.tests:
            break
    return runs


def _joins(before: CallRule, rule: CallRule) -> bool:
    one, other = _only_range_test(before), _only_range_test(rule)
    if one is None or other is None:
        return False
    return (one.arg, one.mask) == (other.arg, other.mask)


def _only_range_test(rule: CallRule) -> ArgumentTest | None:
    match rule.tests:
        case (ArgumentTest(own_pid=False) as test,):
            return test
    return None


def _matches(rule: CallRule, value: int) -> bool:
    test = rule.tests[0]
    found = any(low <= value <= high for low, high in test.ranges)
    return found != test.negated
