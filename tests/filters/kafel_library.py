# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write rule sets in kafel's language, and have its library compile them.

STOCKADE_KAFEL names the library that kafel's build makes, libkafel.so, or the
folder it lies in. The library runs in a child, because it ends a process that asks
for what its author took for impossible. The calls are those of its header, kafel.h.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rule_maker import RuleSet, action_value

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.errno import ERRNO
from stockade.model.predicates import (
    All,
    Any_,
    Comparison,
    MaskedEqual,
    Member,
    Predicate,
)

VARIABLE = "STOCKADE_KAFEL"
# The library's words for actions; it has no bare TRAP.
_ACTIONS = {"TRAP": "TRAP(0)"}


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the library made of a policy: a program, or what it complains of."""

    code: list[tuple[int, int, int, int]]
    complaint: str = ""


class KafelError(Exception):
    """The library is not where the variable says, or ended on a policy."""


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def policy(rule_set: RuleSet, names: dict[str, tuple[str, ...]]) -> str:
    """Write a rule set whose predicates are trees, first rule first.

    Arguments go by the library's names where `names` has the call's; otherwise the
    policy declares names of its own, which the library takes for 64 bits wide.
    """
    lines = [f"DEFAULT {_action(rule_set.defaults.unnamed)}"]
    blocks = []
    for name, rules in rule_set.calls.values():
        known = names.get(name)
        called = name if known else f"{name}(a0, a1, a2, a3, a4, a5)"
        words = known or tuple(f"a{arg}" for arg in range(6))
        for rule in rules:
            assert not isinstance(rule.where, tuple)
            where = expression(rule.where, words)
            blocks.append(f"{_action(rule.action)} {{ {called} {{ {where} }} }}")
    return "\n".join((",\n".join(blocks), *lines)) + "\n"


def expression(where: Predicate, words: Sequence[str]) -> str:
    """Write a predicate over arguments of these names."""
    match where:
        case All(parts=parts):
            inner = " && ".join(expression(part, words) for part in parts)
            return f"({inner or '0 == 0'})"
        case Any_(parts=parts):
            inner = " || ".join(expression(part, words) for part in parts)
            return f"({inner or '0 == 1'})"
        case MaskedEqual(arg=arg, mask=mask, value=value):
            return f"({words[arg]} & {mask:#x}) == {value:#x}"
        case Member(arg=arg, values=values, negated=negated):
            inner = " || ".join(f"{words[arg]} == {value:#x}" for value in values)
            return f"!({inner})" if negated else f"({inner})"
        case Comparison(arg=arg, operator=operator, value=int(value)):
            return f"{words[arg]} {operator} {value:#x}"
    raise AssertionError(where)


def _action(action: str) -> str:
    if action in ERRNO:
        return f"ERRNO({action_value(action) & 0xFFFF})"
    return _ACTIONS.get(action, action)


def compile_policies(policies: Sequence[tuple[str, str]]) -> list[Compiled]:
    """Compile policies, each with its architecture, in one child."""
    found = Path(os.environ[VARIABLE])
    library = found / "libkafel.so" if found.is_dir() else found
    if not library.is_file():
        message = f"{VARIABLE}: no `{library}`; build kafel, and name its folder"
        raise KafelError(message)
    asked = "".join(
        json.dumps((AUDIT_ARCH[arch], text)) + "\n" for arch, text in policies
    )
    child = subprocess.run(
        [sys.executable, __file__, library.resolve()],
        input=asked,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    answers = child.stdout.splitlines()
    if child.returncode or len(answers) != len(policies):
        message = f"ended with {child.returncode}: {child.stderr[-500:]}\n"
        raise KafelError(message + str(policies[len(answers) : len(answers) + 1]))
    return [
        Compiled([(a, b, c, d) for a, b, c, d in code], complaint)
        for code, complaint in map(json.loads, answers)
    ]


def _open(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    library.kafel_ctxt_create.restype = ctypes.c_void_p
    library.kafel_error_msg.restype = ctypes.c_char_p
    library.kafel_error_msg.argtypes = [ctypes.c_void_p]
    library.kafel_set_target_arch.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    library.kafel_set_input_string.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.kafel_compile.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Program)]
    library.kafel_ctxt_destroy.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
    return library


def _compile(
    library: ctypes.CDLL, audit_arch: int, text: str
) -> tuple[list[tuple[int, ...]], str]:
    context = ctypes.c_void_p(library.kafel_ctxt_create())
    program, source = _Program(), text.encode("ascii")
    library.kafel_set_target_arch(context, audit_arch)
    library.kafel_set_input_string(context, source)
    try:
        if library.kafel_compile(context, program) != 0:
            return [], library.kafel_error_msg(context).decode() or "no reason given"
        # The memory is ours then; the child ends soon.
        raw = ctypes.string_at(program.instructions, 8 * program.length)
    finally:
        library.kafel_ctxt_destroy(context)
    return [
        (
            int.from_bytes(raw[at : at + 2], "little"),
            raw[at + 2],
            raw[at + 3],
            int.from_bytes(raw[at + 4 : at + 8], "little"),
        )
        for at in range(0, len(raw), 8)
    ], ""


def _serve() -> None:
    """Compile each line of the input, and write a line for it at once."""
    library = _open(sys.argv[1])
    for line in sys.stdin:
        audit_arch, text = json.loads(line)
        sys.stdout.write(json.dumps(_compile(library, audit_arch, text)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
