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
from stockade.model.calls import LOW_WORD, AnyBit, CallRule, In, NonZero
from stockade.targets.linux.assemble import assemble
from stockade.targets.linux.tree import (
    WORD_END,
    Branch,
    Load,
    Mask,
    Node,
    Return,
    Segment,
    search_tree,
)

_ALLOW = Return(bpf.ACTION_ALLOW, "allow")
_WITNESS = Return(bpf.PLACEHOLDER_WITNESS, "the errno drawn at start", "witness")


def refuse(errno: str) -> Return:
    """Build the leaf that answers an error by name."""
    return Return(bpf.ACTION_ERRNO | ERRNO[errno], errno)


def compile_filter(
    target: LinuxTarget,
    rules: dict[str, tuple[CallRule, ...]],
    witness_number: int,
) -> Filter:
    """Compile the rules of each call, by name, for one architecture.

    Raises ProgramTooLongError when the kernel would not take the program.
    """
    numbers = _number_segments(target, rules, witness_number)
    dispatch = Load(bpf.OFFSET_NUMBER, search_tree(numbers), "number")
    return assemble(
        Load(
            bpf.OFFSET_ARCH,
            Branch(
                bpf.JUMP_EQUAL,
                AUDIT_ARCH[target.arch],
                dispatch,
                refuse("EPERM"),
                target.arch,
            ),
            "arch",
        )
    )


def _number_segments(
    target: LinuxTarget, rules: dict[str, tuple[CallRule, ...]], witness: int
) -> list[Segment]:
    leaves: dict[int, Segment] = {
        number: Segment(number, _leaf(rules.get(name, ())), name)
        for number, name in call_names(target.arch).items()
    }
    leaves[witness] = Segment(witness, _WITNESS, "witness")
    segments = [
        segment
        for number, leaf in sorted(leaves.items())
        for segment in (leaf, Segment(number + 1, refuse("ENOSYS"), "not in the table"))
        if segment is leaf or number + 1 not in leaves
    ]
    if 0 not in leaves:
        segments.insert(0, Segment(0, refuse("ENOSYS"), "not in the table"))
    if target.has_x32:
        for start in (X32_BIT, X32_BIT | 1 << 31):
            segments.append(Segment(start, refuse("EPERM"), "x32"))
            segments.append(Segment(start + X32_BIT, refuse("ENOSYS"), "not x32"))
        segments[-1] = Segment(SKIPPED_CALL, refuse("ENOSYS"), "no call")
    return segments


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What the accumulator holds: an argument's word under a mask, or nothing."""

    offset: int = -1
    mask: int = LOW_WORD


def _leaf(rules: tuple[CallRule, ...]) -> Node:
    return _chain(rules, _Loaded())


def _chain(rules: tuple[CallRule, ...], loaded: _Loaded) -> Node:
    """Try the rules in order; allow when none matches."""
    if not rules:
        return _ALLOW
    run = _run_of_one_word(rules)
    if len(run) > 1:
        return _search_word(run, rules[len(run) :], loaded)
    first, rest = rules[0], rules[1:]
    return _all_tests(first, 0, rest, loaded)


def _all_tests(
    rule: CallRule, index: int, rest: tuple[CallRule, ...], loaded: _Loaded
) -> Node:
    """Go through the tests of one rule; on the first that fails try the rest."""
    if index == len(rule.tests):
        return refuse(rule.errno)
    test = rule.tests[index]
    now = _needed(test)
    yes = _all_tests(rule, index + 1, rest, now)
    no = _chain(rest, now)
    match test:
        case NonZero(arg=arg):
            # Either word may hold the bits; the second load must not pass as the
            # first, so what follows knows nothing of the accumulator.
            yes = _all_tests(rule, index + 1, rest, _Loaded())
            no = _chain(rest, _Loaded())
            high = Branch(bpf.JUMP_EQUAL, 0, no, yes)
            low = Branch(
                bpf.JUMP_EQUAL, 0, Load(bpf.offset_high(arg), high, _word(arg, 1)), yes
            )
            return Load(bpf.offset_low(arg), low, _word(arg, 0))
        case AnyBit(mask=mask, negated=negated):
            if negated:
                yes, no = no, yes
            return _load(test, loaded, Branch(bpf.JUMP_ANY_BIT, mask, yes, no))
        case In(ranges=ranges, own_pid=own_pid, negated=negated):
            if negated:
                yes, no = no, yes
            if own_pid:
                no = Branch(
                    bpf.JUMP_EQUAL,
                    bpf.PLACEHOLDER_PID,
                    yes,
                    no,
                    "own process",
                    "own-pid",
                )
            return _load(test, loaded, search_tree(_range_segments(ranges, yes, no)))


def _search_word(
    run: tuple[CallRule, ...], rest: tuple[CallRule, ...], loaded: _Loaded
) -> Node:
    """Decide several rules on one word by one search; the first match wins."""
    test = _in(run[0])
    after = _chain(rest, _needed(test))
    edges = {0}
    for rule in run:
        for low, high in _in(rule).ranges:
            edges |= {low, high + 1}
    segments: list[Segment] = []
    for start in sorted(edge for edge in edges if edge < WORD_END):
        matching = (rule for rule in run if _in_matches(_in(rule), start))
        found = next(matching, None)
        segments.append(
            Segment(start, refuse(found.errno), found.reason)
            if found
            else Segment(start, after)
        )
    return _load(test, loaded, search_tree(segments))


def _run_of_one_word(rules: tuple[CallRule, ...]) -> tuple[CallRule, ...]:
    """Take the leading rules that test the same word, each by ranges alone."""
    run: list[CallRule] = []
    for rule in rules:
        match rule.tests:
            case (In(own_pid=False),):
                if run and _needed(rule.tests[0]) != _needed(run[0].tests[0]):
                    break
                run.append(rule)
            case _:
                break
    return tuple(run)


def _in(rule: CallRule) -> In:
    test = rule.tests[0]
    if not isinstance(test, In):
        message = "only rules on ranges are joined"
        raise TypeError(message)
    return test


def _in_matches(test: In, value: int) -> bool:
    return any(low <= value <= high for low, high in test.ranges) != test.negated


def _range_segments(
    ranges: tuple[tuple[int, int], ...], yes: Node, no: Node
) -> list[Segment]:
    segments = [Segment(0, no)]
    for low, high in sorted(ranges):
        if segments[-1].start == low:
            segments.pop()
        segments.append(Segment(low, yes))
        if high + 1 < WORD_END:
            segments.append(Segment(high + 1, no))
    return segments


def _needed(test: In | AnyBit | NonZero) -> _Loaded:
    """Say what the accumulator holds after a test."""
    match test:
        case In(arg=arg, mask=mask):
            return _Loaded(bpf.offset_low(arg), mask)
        case AnyBit(arg=arg):
            return _Loaded(bpf.offset_low(arg))
        case NonZero():
            return _Loaded()


def _load(test: In | AnyBit, loaded: _Loaded, then: Node) -> Node:
    """Put a load before a test unless the word is there already."""
    needed = _needed(test)
    if needed == loaded:
        return then
    if needed.mask != LOW_WORD:
        then = Mask(needed.mask, then)
    if loaded == _Loaded(needed.offset):
        return then
    return Load(needed.offset, then, _word(test.arg, 0))


def _word(arg: int, word: int) -> str:
    return f"argument {arg}, {'high' if word else 'low'} word"
