# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the compiler to the reviewed table of refused calls, row by row.

Every call of both architectures is asked with words near every border that the table
or the compiler's rules know: `decide`, and the compiled program by the interpreter,
must answer as the table does, refused where a row holds and allowed where none does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from refused_calls import BOTH, NEVER_REFUSED, PID, ROWS, WHEN, Row, Where

from policies import KEY_COMBINATIONS, LANDLOCK_ABIS, label
from stockade.abi.arch import AUDIT_ARCH, LINUX_TARGETS
from stockade.abi.errno import ERRNO
from stockade.abi.syscalls import ARCHES, call_numbers
from stockade.model.call_rules import CALL_RULES
from stockade.model.decide import WITNESS_NUMBER, decide, rules_by_call
from stockade.model.policy import Policy
from stockade.model.request import CallRequest, Situation
from stockade.plan.variants import lowest_abi, variants
from stockade.proof.interpreter import call_data, run
from stockade.targets.linux.seccomp import compile_filter, table_calls

_OWN = 4242
_ALLOW = 0x7FFF0000
_WORDS = tuple[int, int, int, int, int, int]
_PLAIN = (0, 1, _OWN, _OWN + 1, 0xFFFFFFFF, 1 << 32, BOTH)


def _in_force(row: Row, policy: Policy, abi: int) -> bool:
    return all(WHEN[name](policy, abi) for name in row.when)


def _expected(rows: list[Row], args: _WORDS) -> str | None:
    for row in rows:
        if all(test.holds(args, _OWN) for test in row.tests):
            return row.errno
    return None


def _borders(arg: int) -> Iterator[tuple[str, int]]:
    """Give words near each border of an argument, with the calls they matter to."""
    for row in ROWS:
        for test in row.tests:
            if test.arg == arg:
                for word in _near(test):
                    yield from ((call, word) for call in row.calls)
    for rule in CALL_RULES:
        for found in rule.tests:
            if found.arg == arg:
                table = Where(arg, found.ranges, found.mask)
                for word in _near(table):
                    yield from ((call, word) for call in rule.calls)


def _near(test: Where) -> Iterator[int]:
    edges = [edge for value in test.values for edge in _edges(value)]
    for edge in edges:
        for word in (edge - 1, edge, edge + 1):
            yield word & BOTH
            # The kernel drops the high word of an `int`; a filter must as well.
            yield (word & 0xFFFFFFFF) | 1 << 32
    for bit in range(64):
        if test.mask >> bit & 1 and test.mask not in {0xFFFFFFFF, BOTH}:
            yield 1 << bit
    yield test.mask
    yield ~test.mask & BOTH


def _edges(value: object) -> tuple[int, ...]:
    if isinstance(value, tuple):
        return value
    return (_OWN if value == PID else int(str(value)),)


@cache
def _vectors(call: str) -> tuple[_WORDS, ...]:
    """Combine the words of a call's arguments: one freely, the others few."""
    words = [
        dict.fromkeys(
            (*_PLAIN, *(word for name, word in _borders(arg) if name == call))
        )
        for arg in range(6)
    ]
    judged = [arg for arg in range(6) if len(words[arg]) > len(_PLAIN)]
    bases: list[list[int]] = [[0] * 6]
    for arg in judged:
        few = [word for word in words[arg] if word not in _PLAIN][:3]
        bases += [
            [*base[:arg], word, *base[arg + 1 :]] for base in bases for word in few
        ]
    found: dict[_WORDS, None] = {}
    for base in bases[:60]:
        for arg in judged or [0]:
            for word in words[arg]:
                vector = [*base]
                vector[arg] = word
                found[tuple(vector)] = None  # type: ignore[index]
    return tuple(found)


def _questions(
    arch: str, policy: Policy, abi: int
) -> Iterator[tuple[str, int, _WORDS, str | None]]:
    """Give each call with words and the table's answer."""
    rows = [row for row in ROWS if _in_force(row, policy, abi)]
    for name, number in call_numbers(arch).items():
        mine = [row for row in rows if name in row.calls]
        for words in _vectors(name):
            yield name, number, words, _expected(mine, words)


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_meaning_is_the_table(policy: Policy, arch: str) -> None:
    """GL-067 GL-066 GL-070: on every kernel, also that nothing else is refused."""
    seen: set[object] = set()
    for abi in LANDLOCK_ABIS[lowest_abi(policy) - 1 :]:
        rules = rules_by_call(policy, abi)
        rows = tuple(row for row in ROWS if _in_force(row, policy, abi))
        case = (tuple(rules.items()), rows)
        if case in seen:
            continue
        seen.add(case)
        situation = Situation(arch, abi)
        wrong = [
            (name, [f"{word:#x}" for word in words], expected)
            for name, number, words, expected in _questions(arch, policy, abi)
            if decide(policy, situation, CallRequest(arch, number, words, _OWN)).errno
            != expected
        ]
        assert not wrong, (abi, wrong[:5])
    assert seen


@pytest.mark.parametrize("target", sorted(LINUX_TARGETS))
@pytest.mark.parametrize("policy", KEY_COMBINATIONS[::3], ids=label)
def test_programs_answer_by_the_table(policy: Policy, target: str) -> None:
    """GL-067 GL-068: the compiled program, run, refuses with an errno and no more."""
    arch = LINUX_TARGETS[target].arch
    for plan in (variants(policy)[0], variants(policy)[-1]):
        grouped = rules_by_call(policy, plan.landlock_abi)
        calls = table_calls(LINUX_TARGETS[target], grouped)
        program = compile_filter(LINUX_TARGETS[target], calls, WITNESS_NUMBER)
        own = {entry.insn for entry in program.relocations if entry.kind == "own-pid"}
        code = [
            (insn.code, insn.jt, insn.jf, _OWN if index in own else insn.k)
            for index, insn in enumerate(program.instructions)
        ]
        wrong = []
        for name, number, words, expected in _questions(
            arch, policy, plan.landlock_abi
        ):
            answer = run(code, call_data(number, AUDIT_ARCH[arch], words, 0))
            meant = 0x50000 | ERRNO[expected] if expected else _ALLOW
            if answer != meant:
                wrong.append((name, words, expected, hex(answer)))
        assert not wrong, (plan.name, wrong[:5])


def test_every_row_is_in_force_and_not_for_some_policy() -> None:
    """A condition that always or never holds is a slip of the table."""
    for name, holds in WHEN.items():
        found = {
            holds(policy, abi) for policy in KEY_COMBINATIONS for abi in LANDLOCK_ABIS
        }
        assert found == ({True} if name == "always" else {True, False}), name
    known = {name for arch in ARCHES for name in call_numbers(arch)}
    named = {call for row in ROWS for call in row.calls}
    assert named <= known
    assert not named & set(NEVER_REFUSED)
    assert set(NEVER_REFUSED) <= known


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.calls[0]}-{row.when[0]}")
def test_every_row_decides_something(row: Row) -> None:
    """Without the row the table answers otherwise, on words that are asked."""
    for policy in KEY_COMBINATIONS:
        for abi in (1, 4, 11):
            if _in_force(row, policy, abi):
                force = [one for one in ROWS if _in_force(one, policy, abi)]
                for call in row.calls:
                    mine = [one for one in force if call in one.calls]
                    less = [one for one in mine if one is not row]
                    if any(
                        _expected(mine, words) != _expected(less, words)
                        for words in _vectors(call)
                    ):
                        return
    pytest.fail(f"nothing asked depends on {row}")


# Siblings of calls that the table refuses bear such names, and must be named by it.
_KINDS = (
    ("chmod", "chown", "setxattr", "removexattr", "setattr", "utime", "utimens"),
    ("mount", "fsopen", "fsconfig", "fspick", "open_tree", "pivot", "chroot"),
    ("sigqueue", "kill", "shm", "msg", "sem", "mq_", "key", "module", "kexec"),
    ("process_", "ptrace", "io_uring", "handle_at", "fanotify", "bpf"),
)
# They bear such a name and are another kind: their words or their own rows say so.
_OTHER_KINDS = (
    *("sched_setattr", "lsm_set_self_attr", "statmount", "listmount"),
    # Numbers without code, and a list of security modules.
    *("getpmsg", "putpmsg", "lsm_list_modules"),
    *("pkey_mprotect", "pkey_alloc", "pkey_free"),
    *("sendmsg", "recvmsg", "recvmmsg", "sendmmsg"),
)


def _unnamed(names: list[str]) -> list[str]:
    named = {call for row in ROWS for call in row.calls}
    return [
        name
        for name in names
        if any(kind in name for kinds in _KINDS for kind in kinds)
        and name not in named
        and name not in _OTHER_KINDS
    ]


@pytest.mark.parametrize("arch", ARCHES)
def test_no_sibling_of_a_refused_call_is_without_a_row(arch: str) -> None:
    """GL-066: a new kernel's `fchmodat3` is noticed with the next table."""
    assert _unnamed(list(call_numbers(arch))) == []
    assert _unnamed(["fchmodat3", "getpid"]) == ["fchmodat3"]
