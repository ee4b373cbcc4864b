# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write rule sets in minijail's policy language, and have its tool compile them.

STOCKADE_MINIJAIL names a checkout, or the folder with compile_seccomp_policy.py.
The tool reads the numbers of calls from a file that its build makes; here the file
is made from our own table, so that a checkout is enough. One child compiles all.
"""

from __future__ import annotations

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
from stockade.abi.syscalls import call_numbers
from stockade.model.predicates import (
    All,
    Any_,
    Comparison,
    MaskedEqual,
    Predicate,
)

VARIABLE = "STOCKADE_MINIJAIL"
_TOOL = "compile_seccomp_policy"
_WORDS = {
    "ALLOW": "allow",
    "KILL_PROCESS": "kill-process",
    "LOG": "log",
    "TRAP": "trap",
}
# Compiles the command lines that it reads, in the tool's own folder.
_CHILD = f"""
import json, sys
sys.path.insert(0, sys.argv[1])
import {_TOOL}
for line in sys.stdin:
    {_TOOL}.main(json.loads(line))
"""


@dataclass(frozen=True, slots=True)
class Job:
    """A policy for an architecture, and how the tool is to compile it."""

    arch: str
    text: str
    options: tuple[str, ...]


class MinijailError(Exception):
    """The tool is not where the variable says, or refused a policy."""


def policy(rule_set: RuleSet, *, deny: bool) -> str:
    """Write a rule set whose predicates are clauses of comparisons, or comparisons.

    A list of what is denied has no default of its own: it allows.
    """
    default = rule_set.defaults.unnamed
    lines = ["@denylist" if deny else f"@default {_WORDS[default]}"]
    for name, rules in rule_set.calls.values():
        filters = []
        for rule in rules:
            assert not isinstance(rule.where, tuple)
            filters.append(f"{_any(rule.where)}; {_action(rule.action)}")
        lines.append(f"{name}: {{ {', '.join(filters)} }}")
    return "\n".join(lines) + "\n"


def _action(action: str) -> str:
    if action in ERRNO:
        return f"return {action_value(action) & 0xFFFF}"
    return _WORDS[action]


def _any(where: Predicate) -> str:
    parts = where.parts if isinstance(where, Any_) else (where,)
    return " || ".join(map(_all, parts))


def _all(where: Predicate) -> str:
    parts = where.parts if isinstance(where, All) else (where,)
    return " && ".join(map(_atom, parts))


def _atom(where: Predicate) -> str:
    match where:
        case Comparison(arg=arg, operator=operator, value=int(value)):
            return f"arg{arg} {operator} {value:#x}"
        case MaskedEqual(arg=arg, mask=mask, value=0):
            # All flags are among those outside the mask.
            return f"arg{arg} in ~{mask:#x}"
        case MaskedEqual(arg=arg, mask=mask, value=value) if value == mask & -mask:
            # One flag is set: that any of a mask is.
            return f"arg{arg} & {value:#x}"
    raise AssertionError(where)


def compile_jobs(
    jobs: Sequence[Job], folder: Path
) -> list[list[tuple[int, int, int, int]]]:
    """Compile policies in one child; files go to a folder."""
    found = Path(os.environ[VARIABLE])
    tools = found if (found / f"{_TOOL}.py").is_file() else found / "tools"
    if not (tools / f"{_TOOL}.py").is_file():
        message = f"{VARIABLE}: no `{tools / _TOOL}.py`; name a checkout of minijail"
        raise MinijailError(message)
    lines = []
    for at, job in enumerate(jobs):
        table = _table(job.arch, folder)
        written, made = folder / f"{at}.policy", folder / f"{at}.bpf"
        written.write_text(job.text, "ascii")
        options = ["--arch-json", str(table), *job.options]
        lines.append(json.dumps([*options, str(written), str(made)]))
    # This variable would make the tool log what it is to refuse.
    environment = {**os.environ}
    environment.pop("MINIJAIL_DEFAULT_RET_LOG", None)
    child = subprocess.run(
        [sys.executable, "-B", "-c", _CHILD, tools.resolve()],
        input="\n".join(lines),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if child.returncode:
        raise MinijailError(child.stderr[-2000:])
    return [_read(folder / f"{at}.bpf") for at in range(len(jobs))]


def _table(arch: str, folder: Path) -> Path:
    """Write what the tool wants to know of an architecture."""
    path = folder / f"{arch}.json"
    if not path.exists():
        known = {
            "arch_nr": AUDIT_ARCH[arch],
            "arch_name": arch,
            "bits": 64,
            "syscalls": call_numbers(arch),
            "constants": dict(ERRNO),
        }
        path.write_text(json.dumps(known), "ascii")
    return path


def _read(path: Path) -> list[tuple[int, int, int, int]]:
    raw = path.read_bytes()
    return [
        (
            int.from_bytes(raw[at : at + 2], "little"),
            raw[at + 2],
            raw[at + 3],
            int.from_bytes(raw[at + 4 : at + 8], "little"),
        )
        for at in range(0, len(raw), 8)
    ]
