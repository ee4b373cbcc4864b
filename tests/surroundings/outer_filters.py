# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rebuild the filters that containers and services put around a program.

Each is a rule set of this project's own compiler, so that it is a plain program
that any process can attach; the lists of calls stand in `outer_calls.txt`. The
conditions on arguments follow Docker's default profile and systemd.exec(5).
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

from rule_set import compile_rule_set, encode

from stockade.abi.syscalls import call_numbers

_TABLE = Path(__file__).resolve().parent / "outer_calls.txt"
_ARCH = os.uname().machine
# The first call that came with Linux 5.1. Docker's lists before version 20.10 end
# below, and its runtime of then answered whatever they lack with EPERM.
_LINUX_5_1 = 424
_NAMESPACES = 0x7E020000
_NAMESPACES_AND_TIME = _NAMESPACES | 0x80
_PERSONALITIES = (0, 8, 0x20000, 0x20008, 0xFFFFFFFF)
_WRITE_AND_EXECUTE, _EXECUTE, _MAP_EXECUTABLE = 6, 4, 0o100000
_UNIX, _INET, _INET6, _ALG, _VSOCK = 1, 2, 10, 38, 40
_PROTECT = ("mprotect", "pkey_mprotect")
_SET_ID = 0o6000
# RET instructions, which give up a call to the log or to a supervisor.
_LOG, _NOTIFY = (
    b"\x06\0\0\0" + action.to_bytes(4, "little") for action in (0x7FFC0000, 0x7FC00000)
)
_LANDLOCK = (
    "landlock_create_ruleset",
    "landlock_add_rule",
    "landlock_restrict_self",
)

# Docker and systemd filter the other tables of numbers as well, each by its own list;
# those are not rebuilt here, and what they would refuse is let through.
_OTHER_TABLES = {"other_arch": "ALLOW", "x32": "ALLOW"}

Rules = list[dict[str, Any]]


@functools.cache
def _lists() -> dict[str, frozenset[str]]:
    rows = [
        line.split()
        for line in _TABLE.read_text("ascii").splitlines()
        if not line.startswith("#")
    ]
    names = {name for _, *lists in rows for name in lists}
    return {
        name: frozenset(call for call, *lists in rows if name in lists)
        for name in names
    }


def _known(calls: frozenset[str] | tuple[str, ...]) -> list[str]:
    """Keep what this architecture has, in the order of the numbers."""
    return [name for name in call_numbers(_ARCH) if name in calls]


def _rule(calls: tuple[str, ...], action: str, **when: object) -> Rules:
    known = _known(calls)
    rule: dict[str, Any] = {"calls": known, "action": action}
    if when:
        rule["when"] = when
    return [rule] if known else []


def _docker() -> dict[str, Any]:
    return {
        "default": "EPERM",
        # What is newer than every call that the list names.
        "unnamed": "ENOSYS",
        **_OTHER_TABLES,
        "rules": [
            *_rule(tuple(_lists()["docker"]), "ALLOW"),
            *_rule(("socket",), "ALLOW", arg=0, not_in=[_ALG, _VSOCK]),
            *_rule(("personality",), "ALLOW", **{"arg": 0, "in": list(_PERSONALITIES)}),
            *_rule(("clone",), "ALLOW", arg=0, mask=_NAMESPACES, value=0),
            *_rule(("clone3",), "ENOSYS"),
        ],
    }


def _old_docker() -> dict[str, Any]:
    numbers = call_numbers(_ARCH)
    old = [name for name in _lists()["docker"] if numbers.get(name, 0) < _LINUX_5_1]
    return {
        "default": "EPERM",
        **_OTHER_TABLES,
        "rules": [
            *_rule((*old, "socket"), "ALLOW"),
            *_rule(("personality",), "ALLOW", **{"arg": 0, "in": list(_PERSONALITIES)}),
            *_rule(("clone",), "ALLOW", arg=0, mask=_NAMESPACES, value=0),
        ],
    }


def _service(default: str, *more: str) -> dict[str, Any]:
    """SystemCallFilter=@system-service, with further calls allowed."""
    return {
        "default": default,
        "unnamed": "ENOSYS",
        **_OTHER_TABLES,
        "rules": _rule((*_lists()["system-service"], *more), "ALLOW"),
    }


def _without(*lists: str, action: str = "EPERM") -> dict[str, Any]:
    """SystemCallFilter=~LIST, which refuses what is on the lists."""
    calls = tuple(call for name in lists for call in _lists()[name])
    return {**_OTHER_TABLES, "rules": _rule(calls, action)}


def _hardening() -> dict[str, Rules]:
    """Give what each setting of a service adds, by its name; the first rule wins."""
    setid = {"mask": _SET_ID, "value": 0}
    both = _WRITE_AND_EXECUTE
    return {
        "RestrictNamespaces": [
            *_rule(("clone3",), "ENOSYS"),
            *_rule(("setns", "unshare"), "EPERM"),
            *_rule(("clone",), "ALLOW", arg=0, mask=_NAMESPACES_AND_TIME, value=0),
            *_rule(("clone",), "EPERM"),
        ],
        "RestrictAddressFamilies": [
            *_rule(("socket",), "ALLOW", **{"arg": 0, "in": [_UNIX, _INET, _INET6]}),
            *_rule(("socket",), "EAFNOSUPPORT"),
        ],
        "MemoryDenyWriteExecute": [
            *_rule(("mmap",), "EPERM", arg=2, mask=both, value=both),
            *_rule(_PROTECT, "EPERM", arg=2, mask=_EXECUTE, value=_EXECUTE),
            *_rule(
                ("shmat",), "EPERM", arg=2, mask=_MAP_EXECUTABLE, value=_MAP_EXECUTABLE
            ),
        ],
        "LockPersonality": [
            *_rule(("personality",), "ALLOW", **{"arg": 0, "in": [0, 0xFFFFFFFF]}),
            *_rule(("personality",), "EPERM"),
        ],
        "RestrictRealtime": [
            *_rule(("sched_setscheduler",), "ALLOW", **{"arg": 1, "in": [0, 3, 5]}),
            *_rule(("sched_setscheduler", "sched_setattr"), "EPERM"),
        ],
        "RestrictSUIDSGID": [
            *_rule(("chmod", "fchmod"), "ALLOW", arg=1, **setid),
            *_rule(("fchmodat",), "ALLOW", arg=2, **setid),
            *_rule(("chmod", "fchmod", "fchmodat", "fchmodat2"), "EPERM"),
            *_rule(("openat2",), "ENOSYS"),
        ],
        "SystemCallFilter=~": _rule(
            (*_lists()["privileged"], *_lists()["resources"]), "EPERM"
        ),
    }


def _hardened() -> dict[str, Any]:
    """What `systemd-analyze security` asks of a service, in one."""
    made = _service("KILL_PROCESS", *_LANDLOCK, "seccomp")
    added = [rule for rules in _hardening().values() for rule in rules]
    return {**made, "rules": [*added, *made["rules"]]}


def _native() -> dict[str, Any]:
    """SystemCallArchitectures=native."""
    return {"other_arch": "KILL_PROCESS", "x32": "KILL_PROCESS"}


def _answering(action: str, *calls: str) -> dict[str, Any]:
    return {**_OTHER_TABLES, "rules": _rule(calls, action)}


def rule_set(name: str) -> dict[str, Any]:
    """Return the rules of a filter; `ACTION:CALL,CALL…` answers single calls."""
    if ":" in name:
        action, _, calls = name.partition(":")
        return _answering(action, *calls.split(","))
    named = {
        "docker": _docker,
        "old-docker": _old_docker,
        "service": lambda: _service("EPERM"),
        "service-killing": lambda: _service("KILL_PROCESS"),
        "service-sandbox": lambda: _service("KILL_PROCESS", *_LANDLOCK, "seccomp"),
        "privileged": lambda: _without("privileged", "resources", "mount"),
        "privileged-killing": lambda: _without(
            "privileged", "resources", "mount", action="KILL_PROCESS"
        ),
        "hardened": _hardened,
        "native": _native,
    }
    return named[name]()


@functools.cache
def program(name: str) -> bytes:
    """Compile a filter to the bytes that the kernel reads.

    `NOTIFY` is no action of the compiler's: its value takes the place of LOG's.
    """
    asked = rule_set(name.replace("NOTIFY:", "LOG:"))
    made = encode(compile_rule_set(asked, _ARCH), None)
    return made.replace(_LOG, _NOTIFY) if name.startswith("NOTIFY:") else made
