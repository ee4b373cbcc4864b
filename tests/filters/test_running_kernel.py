# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare filters with the running kernel, in children of an unprivileged user.

The calls have no effect: they take a file descriptor that is never open, or no
argument at all. Errors are drawn that none of them gives by itself, and a first
child without a filter says what each call answers by itself: that is `allow`.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from dataclasses import dataclass, replace
from typing import Any

import pytest
from claim_maker import Values
from rule_maker import (
    Args,
    RuleSet,
    action_value,
    border_values,
    random_rules,
)

import stage as stages
from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Filter
from stockade.proof.prover import encode_program, prove
from stockade.targets.linux.seccomp import Defaults

_MACHINE = os.uname().machine
_SETS, _CALLS = 300, 40
# The first argument is a file descriptor, looked up before anything happens.
_ON_A_DESCRIPTOR = [
    "lseek",
    "fchmod",
    "ftruncate",
    "fcntl",
    "ioctl",
    "flock",
    "fsync",
    "fdatasync",
    "getdents64",
    "pread64",
    "pwrite64",
    "readv",
    "writev",
    "fallocate",
    "readahead",
    "getsockopt",
    "recvfrom",
    "sendto",
    "sync_file_range",
    "inotify_rm_watch",
    "timerfd_gettime",
    "fchown",
    "fstatfs",
]
_WITHOUT_ARGUMENT = ["getuid", "getgid", "getegid", "getppid", "gettid"]
# No call above gives one of these by itself.
_ERRORS = [
    "EXFULL",
    "ENOANO",
    "EBADRQC",
    "EBADSLT",
    "EL3HLT",
    "EDOTDOT",
    "ENOTUNIQ",
    "ERFKILL",
]
_NEVER_OPEN = 1 << 30
_OWN = "own"


@dataclass(frozen=True, slots=True)
class _Case:
    rule_set: RuleSet
    program: Filter
    calls: list[list[int | str]]

    def for_runner(self, *, attached: bool) -> dict[str, Any]:
        own = [entry.insn for entry in self.program.relocations]
        code = encode_program(self.program).hex() if attached else None
        return {"program": code, "own": own, "calls": self.calls}


def _case(seed: int, actions: tuple[str, ...], calls: int) -> _Case:
    source = random.Random(seed)
    values = Values(source)
    numbers = call_numbers(_MACHINE)
    chosen = source.sample(_ON_A_DESCRIPTOR, 3) + source.sample(_WITHOUT_ARGUMENT, 2)
    rules = {
        numbers[name]: (name, random_rules(values, name, actions)) for name in chosen
    }
    named = {number: (name, ()) for name, number in numbers.items()}
    rule_set = RuleSet(_MACHINE, {**named, **rules}, Defaults())
    program = rule_set.compile()
    prove(program, rule_set.claim())
    made: list[list[int | str]] = []
    for _ in range(calls):
        name = source.choice(chosen)
        borders = border_values(rules[numbers[name]][1])
        args: list[int | str] = [source.choice(borders) for _ in range(6)]
        if name in _WITHOUT_ARGUMENT:
            if source.random() < 0.3:
                args[source.randrange(6)] = _OWN
        else:
            args[0] = int(args[0]) | _NEVER_OPEN
        made.append([numbers[name], *args])
    return _Case(rule_set, program, made)


def _ask(stage: stages.Stage, cases: list[dict[str, Any]]) -> list[list[Any]]:
    runner = stage.install(stages.REPOSITORY / "tests/filters/kernel_runner.py")
    python = shutil.which("python3", path="/usr/bin:/bin")
    assert python is not None
    asked = json.dumps(cases).encode()
    done = stage.run([python, "-I", runner], input=asked)
    assert (done.returncode, done.stderr) == (0, b"")
    answers: list[list[Any]] = json.loads(done.stdout)
    return answers


def _disagreements(
    case: _Case, filtered: list[Any], plain: list[Any]
) -> tuple[dict[int, int], list[str]]:
    """Count the meant actions; list the calls that the kernel answered otherwise."""
    counts: dict[int, int] = {}
    found = []
    for call, answer, natural in zip(case.calls, filtered, plain, strict=True):
        own_pid = answer[0]
        words = [own_pid if word == _OWN else int(word) for word in call]
        args: Args = tuple(words[1:])
        meant = case.rule_set.meant(AUDIT_ARCH[_MACHINE], words[0], args, own_pid)
        counts[meant] = counts.get(meant, 0) + 1
        if meant == action_value("ALLOW"):
            # The only natural answer that differs from child to child.
            expected = own_pid if natural[1] == natural[0] else natural[1]
            right = answer[1:] == [expected, natural[2]]
        elif meant in {action_value("KILL_PROCESS"), action_value("TRAP")}:
            right = answer[1:] == ["signal", signal.SIGSYS]
        else:
            right = answer[1:] == [-1, meant & 0xFFFF]
        if not right:
            found.append(f"{call}: meant {meant:#x}, {answer}, by itself {natural}")
    return counts, found


@pytest.mark.parametrize(
    ("actions", "sets", "calls"),
    [
        ((*_ERRORS, "ALLOW"), _SETS, _CALLS),
        ((*_ERRORS, "ALLOW", "KILL_PROCESS", "TRAP"), 30, 12),
    ],
    ids=["errors", "ends"],
)
def test_the_kernel_answers_as_it_is_meant(
    stage: stages.Stage, actions: tuple[str, ...], sets: int, calls: int
) -> None:
    """Every action shows: an error by its number, an end by its signal."""
    cases = [_case(seed, actions, calls) for seed in range(sets)]
    asked = [case.for_runner(attached=on) for case in cases for on in (False, True)]
    answers = _ask(stage, asked)
    counts: dict[int, int] = {}
    for case, plain, filtered in zip(cases, answers[::2], answers[1::2], strict=True):
        meant, found = _disagreements(case, filtered, plain)
        assert not found, (case.rule_set, found)
        for action, number in meant.items():
            counts[action] = counts.get(action, 0) + number
    assert set(counts) == {action_value(action) for action in actions}
    assert counts[action_value("ALLOW")] > sum(counts.values()) / 20


def test_a_wrong_filter_shows_in_the_kernel_too(stage: stages.Stage) -> None:
    """The comparison finds a program whose returns are exchanged."""
    case = _case(1, tuple(_ERRORS), 40)
    exchanged = replace(
        case.program,
        instructions=tuple(
            replace(insn, k=insn.k ^ 3)
            if insn.code == 0x06 and insn.k & 0xFFFF0000 == 0x00050000
            else insn
            for insn in case.program.instructions
        ),
    )
    wrong = replace(case, program=exchanged)
    asked = [wrong.for_runner(attached=on) for on in (False, True)]
    plain, filtered = _ask(stage, asked)
    assert _disagreements(case, filtered, plain)[1]
