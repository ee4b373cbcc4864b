# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read a rule set from JSON and compile it: a way to judge filters from outside.

    python tests/filters/rule_set.py RULES.json OUT [--arch ARCH] [--pid N]

writes the raw program (8 bytes an instruction, little-endian). RULES.json:

    {"default": ACTION, "unnamed": ACTION, "x32": ACTION, "other_arch": ACTION,
     "rules": [{"calls": [NAME…], "when": PREDICATE, "action": ACTION}…]}

PREDICATE is absent (always), or one of {"arg": N, "op": OP, "value": V} with OP of
== != < <= > >= and V a number or "own-pid"; {"arg": N, "mask": M, "value": V};
{"arg": N, "in": [V…]}, {"arg": N, "not_in": [V…]}; {"all": [PREDICATE…]};
{"any": [PREDICATE…]}. ACTION is an error's name, ALLOW, LOG, TRAP or KILL_PROCESS.
The first rule that holds decides. Without --pid, comparisons with the own process
keep the placeholder 0x7fffffff.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.errno import ERRNO
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Filter
from stockade.model.calls import ACTIONS, CallRule
from stockade.model.predicates import (
    All,
    Any_,
    Comparison,
    MaskedEqual,
    Member,
    Predicate,
    PredicateError,
    rules_of,
)
from stockade.targets.linux.seccomp import Defaults, compile_filter, table_calls


class RuleSetError(Exception):
    """A rule set is no rule set; says where, why and what to do."""


def read_rules(rule_set: dict[str, Any]) -> dict[str, tuple[CallRule, ...]]:
    """Give the rules of each call by name; raise RuleSetError with a position."""
    grouped: dict[str, tuple[CallRule, ...]] = {}
    for index, entry in enumerate(rule_set.get("rules", ())):
        where = f"rules[{index}]"
        try:
            predicate = _predicate(entry.get("when", {"all": []}), f"{where}.when")
            action = _action(entry["action"], f"{where}.action")
            for rule in rules_of(tuple(entry["calls"]), predicate, action):
                (call,) = rule.calls
                grouped[call] = (*grouped.get(call, ()), rule)
        except PredicateError as error:
            message = f"{where}: {error}; {error.help}"
            raise RuleSetError(message) from None
        except KeyError as error:
            message = f"{where}: {error} is missing"
            raise RuleSetError(message) from None
    return grouped


def _action(name: str, where: str) -> str:
    if name not in ACTIONS and name not in ERRNO:
        message = f"{where}: `{name}` is not an action; use an error's name, ALLOW…"
        raise RuleSetError(message)
    return name


def _predicate(found: dict[str, Any], where: str) -> Predicate:
    match found:
        case {"all": parts}:
            return All(_parts(parts, f"{where}.all"))
        case {"any": parts}:
            return Any_(_parts(parts, f"{where}.any"))
        case {"arg": int(arg), "mask": int(mask), "value": int(value)}:
            return MaskedEqual(arg, mask, value)
        case {
            "arg": int(arg),
            "op": str(operator),
            "value": int() | "own-pid" as value,
        }:
            return Comparison(arg, operator, value)
        case {"arg": int(arg), "in": list(values)}:
            return Member(arg, tuple(values))
        case {"arg": int(arg), "not_in": list(values)}:
            return Member(arg, tuple(values), negated=True)
    message = f"{where}: not a predicate: {json.dumps(found)}"
    raise RuleSetError(message)


def _parts(parts: list[dict[str, Any]], where: str) -> tuple[Predicate, ...]:
    return tuple(
        _predicate(part, f"{where}[{index}]") for index, part in enumerate(parts)
    )


def read_defaults(rule_set: dict[str, Any]) -> Defaults:
    """Give the actions where no rule holds."""
    default = _action(rule_set.get("default", "ALLOW"), "default")
    unnamed = _action(rule_set.get("unnamed", default), "unnamed")
    return Defaults(
        named=default,
        unnamed=unnamed,
        x32=_action(rule_set.get("x32", "EPERM"), "x32"),
        skipped=unnamed,
        other_arch=_action(rule_set.get("other_arch", "EPERM"), "other_arch"),
    )


def compile_rule_set(rule_set: dict[str, Any], arch: str) -> Filter:
    """Compile a rule set for one architecture."""
    rules = read_rules(rule_set)
    for call in rules:
        if call not in call_numbers(arch):
            message = f"{arch} has no call `{call}`"
            raise RuleSetError(message)
    target = LINUX_TARGETS[f"linux-{arch}"]
    calls = table_calls(target, rules)
    return compile_filter(target, calls, None, read_defaults(rule_set))


def encode(program: Filter, own_pid: int | None) -> bytes:
    """Lay out a program as the kernel reads it."""
    words = {entry.insn for entry in program.relocations} if own_pid else set()
    return b"".join(
        insn.code.to_bytes(2, "little")
        + bytes((insn.jt, insn.jf))
        + (own_pid if index in words and own_pid else insn.k).to_bytes(4, "little")
        for index, insn in enumerate(program.instructions)
    )


def main() -> int:
    """Compile the file named on the command line."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("rules", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--arch", choices=("x86_64", "aarch64"), default="x86_64")
    parser.add_argument("--pid", type=int)
    arguments = parser.parse_args()
    try:
        program = compile_rule_set(
            json.loads(arguments.rules.read_text("utf-8")), arguments.arch
        )
    except (RuleSetError, json.JSONDecodeError) as error:
        sys.stderr.write(f"{arguments.rules}: {error}\n")
        return 125
    arguments.out.write_bytes(encode(program, arguments.pid))
    return 0


if __name__ == "__main__":
    sys.exit(main())
