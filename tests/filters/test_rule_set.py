# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check rule sets: widths, overlap, bad input, and the size of a common policy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from common_policy import REFUSED, common_policy
from rule_set import RuleSetError, compile_rule_set, encode, read_rules

from stockade.abi.arguments import argument_widths
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Filter
from stockade.proof.interpreter import call_data, run

_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
_X86_64, _I386 = 0xC000003E, 0x40000003
_SCRIPT = Path(__file__).parent / "rule_set.py"


def _code(program: Filter, own_pid: int = 4242) -> list[tuple[int, int, int, int]]:
    raw = encode(program, own_pid)
    return [
        (
            int.from_bytes(raw[at : at + 2], "little"),
            raw[at + 2],
            raw[at + 3],
            int.from_bytes(raw[at + 4 : at + 8], "little"),
        )
        for at in range(0, len(raw), 8)
    ]


def _ask(
    code: list[tuple[int, int, int, int]], name: str, *args: int, arch: int = _X86_64
) -> int:
    number = call_numbers("x86_64")[name]
    six = (*args, 0, 0, 0, 0, 0, 0)[:6]
    return run(code, call_data(number, arch, six, 0))


def _path(code: list[tuple[int, int, int, int]], number: int, *args: int) -> int:
    """Count the instructions that one call runs."""
    data = call_data(number, _X86_64, (*args, 0, 0, 0, 0, 0, 0)[:6], 0)
    at = steps = word = 0
    while True:
        operation, jt, jf, k = code[at]
        steps += 1
        at += 1
        if operation == 0x06:
            return steps
        if operation == 0x20:
            word = int.from_bytes(data[k : k + 4], "little")
        elif operation == 0x54:
            word &= k
        elif operation == 0x05:
            at += k
        else:
            taken = {0x15: word == k, 0x35: word >= k, 0x45: bool(word & k)}
            at += jt if taken[operation] else jf


def test_common_policy_is_at_the_attainable_bound() -> None:
    """At most 94 instructions, 13 on the longest path and 10 for `read`."""
    code = _code(compile_rule_set(common_policy(), "x86_64"))
    assert len(code) <= 94
    longest = max(
        _path(code, number, *args)
        for number in (*range(512), 1 << 30, (1 << 32) - 1)
        for args in ((), (4242, 0x5412), (0x10000, 0x5413), (1, 0x541C))
    )
    assert longest <= 13
    assert _path(code, call_numbers("x86_64")["read"]) <= 10


def test_common_policy_answers_as_it_says() -> None:
    code = _code(compile_rule_set(common_policy(), "x86_64"))
    for name in call_numbers("x86_64"):
        if name not in {"clone", "clone3", "kill", "tgkill", "ioctl"}:
            expected = _EPERM if name in REFUSED else _ALLOW
            assert _ask(code, name) == expected, name
    assert _ask(code, "clone3") == _ENOSYS
    assert _ask(code, "clone", 0x10000) == _ALLOW
    assert _ask(code, "clone", 0x10000 << 32) == _EPERM
    assert _ask(code, "kill", 4242) == _ask(code, "kill", 1 << 32 | 4242) == _ALLOW
    assert _ask(code, "kill", 4243) == _EPERM
    assert _ask(code, "ioctl", 0, 1 << 32 | 0x5412) == _EPERM
    assert _ask(code, "ioctl", 0, 0x5413) == _ALLOW
    assert _ask(code, "read", arch=_I386) == _EPERM
    assert run(code, call_data(1 << 30, _X86_64, (), 0) + bytes(48)) == _EPERM


def _rule(call: str, when: dict[str, Any]) -> dict[str, Any]:
    return {"rules": [{"calls": [call], "when": when, "action": "EPERM"}]}


@pytest.mark.parametrize(
    ("call", "when", "held", "not_held"),
    [
        ("ioctl", {"arg": 1, "op": "==", "value": 7}, 1 << 32 | 7, 8),
        ("ioctl", {"arg": 2, "op": "==", "value": 7}, 7, 1 << 32 | 7),
        ("mmap", {"arg": 1, "op": "<", "value": 1 << 33}, (1 << 33) - 1, 1 << 33),
        ("mmap", {"arg": 1, "op": "<=", "value": 1 << 33}, 1 << 33, (1 << 33) + 1),
        ("mmap", {"arg": 1, "op": ">", "value": 1 << 33}, (1 << 33) + 1, 1 << 33),
        ("mmap", {"arg": 1, "op": ">=", "value": 1 << 33}, 1 << 33, (1 << 33) - 1),
        ("mmap", {"arg": 1, "op": "!=", "value": 1 << 33}, 1, 1 << 33),
        ("mmap", {"arg": 1, "mask": 3 << 32, "value": 1 << 32}, 1 << 32, 3 << 32),
        ("chmod", {"arg": 1, "op": "==", "value": 0o777}, 0o777 | 1 << 16, 0o776),
        ("mmap", {"arg": 1, "not_in": [1, 2]}, 3, 2),
    ],
)
def test_only_the_bits_the_kernel_keeps_are_compared(
    call: str, when: dict[str, Any], held: int, not_held: int
) -> None:
    """The width comes from the call's prototype, never from the author."""
    code = _code(compile_rule_set(_rule(call, when), "x86_64"))
    arg = when["arg"]
    args = [0] * 6
    args[arg] = held
    assert _ask(code, call, *args) == _EPERM
    args[arg] = not_held
    assert _ask(code, call, *args) == _ALLOW


def test_the_first_rule_that_holds_decides() -> None:
    rules = [
        {
            "calls": ["ioctl"],
            "when": {"arg": 1, "op": "<", "value": 100},
            "action": "EACCES",
        },
        {
            "calls": ["ioctl"],
            "when": {"any": [{"arg": 1, "op": "==", "value": 50}, {"all": []}]},
            "action": "ENOSYS",
        },
    ]
    code = _code(compile_rule_set({"rules": rules}, "x86_64"))
    assert _ask(code, "ioctl", 0, 50) == 0x0005000D
    assert _ask(code, "ioctl", 0, 100) == _ENOSYS


@pytest.mark.parametrize(
    ("rule_set", "message"),
    [
        (_rule("opne", {"all": []}), "`opne` is not a call"),
        (_rule("ioctl", {"arg": 3, "op": "==", "value": 1}), "no argument 3"),
        (_rule("ioctl", {"arg": 1, "op": "==", "value": 1 << 32}), "too wide"),
        (_rule("ioctl", {"arg": 1, "op": "==", "value": -1}), "too wide"),
        (_rule("ioctl", {"arg": 1, "op": "=~", "value": 1}), "not a comparison"),
        (_rule("ioctl", {"arg": 1, "op": "<", "value": 0}), "can never hold"),
        (
            _rule(
                "ioctl",
                {
                    "all": [
                        {"arg": 1, "op": "<", "value": 5},
                        {"arg": 1, "op": ">", "value": 5},
                    ]
                },
            ),
            "can never hold",
        ),
        (_rule("ioctl", {"arg": 1, "mask": 1, "value": 2}), "outside mask"),
        (_rule("ioctl", {"any": []}), "can never hold"),
        (_rule("kill", {"arg": 0, "op": "<", "value": "own-pid"}), "cannot order"),
        (_rule("ioctl", {"some": []}), r"rules\[0\].when: not a predicate"),
        ({"rules": [{"calls": ["read"], "action": "EPRM"}]}, "not an action"),
        ({"rules": [{"calls": ["read"]}]}, "'action' is missing"),
    ],
)
def test_bad_rules_are_refused_with_their_place(
    rule_set: dict[str, Any], message: str
) -> None:
    with pytest.raises(RuleSetError, match=message) as refused:
        read_rules(rule_set)
    assert "rules[0]" in str(refused.value)


def test_the_script_writes_a_program_or_nothing(tmp_path: Path) -> None:
    rules, out = tmp_path / "rules.json", tmp_path / "program"
    rules.write_text(json.dumps(common_policy()), "utf-8")
    command = [sys.executable, str(_SCRIPT), str(rules), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(out.read_bytes()) % 8 == 0
    out.unlink()
    rules.write_text(json.dumps(_rule("opne", {"all": []})), "utf-8")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 125
    assert "`opne` is not a call" in done.stderr
    assert not out.exists()


def test_widths_cover_every_call_that_has_code() -> None:
    """Only numbers without code, and a few of old x86, have no prototype."""
    missing = [name for name in call_numbers("x86_64") if name not in argument_widths()]
    assert len(missing) <= 16
    assert all(len(widths) <= 6 for widths in argument_widths().values())
