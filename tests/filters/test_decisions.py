# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check published decisions of another filter compiler, where they are at hand.

STOCKADE_DATA names a directory with `cases/seccomp/decisions.jsonl`: lines of a
default, rules over numbers, and calls with the expected action.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import stage as stages
from stockade.abi.arch import LINUX_TARGETS
from stockade.model.calls import BOTH_WORDS, ArgumentTest, CallRule
from stockade.proof.interpreter import call_data, run
from stockade.targets.linux.seccomp import (
    Defaults,
    NumberedCall,
    action_value,
    compile_filter,
)

_AUDIT_ARCH = 0xC000003E
_NO_CALL = 0xFFFFFFFF


def _action(name: str) -> str:
    return "KILL_PROCESS" if name == "KILL" else name


def _test(entry: dict[str, Any]) -> ArgumentTest:
    """Write one comparison; the other compiler compares all 64 bits."""
    arg, value = entry["arg"], int(entry["a"], 16)
    below = ((0, value - 1),) if value else ()
    match entry["op"]:
        case "EQ":
            return ArgumentTest(arg, ((value, value),), BOTH_WORDS)
        case "NE":
            return ArgumentTest(arg, ((value, value),), BOTH_WORDS, negated=True)
        case "LT":
            return ArgumentTest(arg, below, BOTH_WORDS)
        case "GE":
            return ArgumentTest(arg, below, BOTH_WORDS, negated=True)
        case "LE":
            return ArgumentTest(arg, ((0, value),), BOTH_WORDS)
        case "GT":
            return ArgumentTest(arg, ((0, value),), BOTH_WORDS, negated=True)
        case "MASKED_EQ":
            wanted = int(entry["b"], 16) & value
            return ArgumentTest(arg, ((wanted, wanted),), value)
        case other:
            raise AssertionError(other)


def _program(case: dict[str, Any]) -> list[tuple[int, int, int, int]]:
    default = _action(case["default"])
    calls: dict[int, NumberedCall] = {}
    for rule in case["rules"]:
        number = rule["nr"] & _NO_CALL
        made = CallRule(
            (), _action(rule["action"]), "", tests=tuple(map(_test, rule["args"]))
        )
        before = calls.get(number, NumberedCall(str(rule["syscall"]), ()))
        calls[number] = NumberedCall(before.name, (*before.rules, made))
    defaults = Defaults(default, default, default, default, default)
    program = compile_filter(LINUX_TARGETS["linux-x86_64"], calls, None, defaults)
    return [(i.code, i.jt, i.jf, i.k) for i in program.instructions]


def test_published_decisions_are_ours() -> None:
    stages.require("published-decisions")
    folder = Path(os.environ["STOCKADE_DATA"])
    file = folder / "cases" / "seccomp" / "decisions.jsonl"
    compared = 0
    for line in file.read_text("utf-8").splitlines():
        case = json.loads(line)
        program = _program(case)
        for number, args, expected in case["cases"]:
            words = [int(word, 16) for word in args]
            data = call_data(number & _NO_CALL, _AUDIT_ARCH, words, 0)
            assert run(program, data) == action_value(_action(expected)), case["test"]
            compared += 1
    assert compared > 2000
