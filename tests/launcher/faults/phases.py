# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tell by the calls of a start which part of the launcher makes them.

The order of a start is fixed (launcher-c/src/linux/main.c), and each part begins
with a call that the one before it never makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

# Task, name, and the arguments in hexadecimal with the texts behind them.
Traced = tuple[int, str, Sequence[str]]

_GET_DESCRIPTOR, _GET_FLAGS = "1", "3"
_NO_NEW_PRIVILEGES = "26"
# Whose children do one thing for them.
_HELPED = {"features", "controls", "proof", "children"}


def phases(calls: Sequence[Traced]) -> Iterator[str]:
    """Yield the part that each call belongs to.

    A trial, which `--check` makes in a child, goes on with the order of a start;
    other children are helpers of the part that started them.
    """
    parts, cloner = {0: "before main"}, 0
    for task, name, words in calls:
        if task not in parts:
            begun = parts[cloner]
            parts[task] = "children" if begun in _HELPED else begun
        if parts[task] != "children":
            parts[task] = _after(parts[task], name, words)
        if name == "clone":
            cloner = task
        # A refusal ignores SIGPIPE first; probes change signals for a while.
        refuses = name == "rt_sigaction" and parts[task] not in _HELPED
        ends = refuses or name in {"exit_group", "write"}
        yield "end" if ends and parts[task] != "children" else parts[task]


def _after(now: str, name: str, words: Sequence[str]) -> str:
    match now, name:
        case "before main", "fcntl" if words[1] == _GET_DESCRIPTOR:
            return "descriptors"
        case "descriptors", "getresuid":
            return "identity"
        case "identity", "capget":
            return "identity"
        case "identity", _:
            return "artifact"
        # Where filters are in force, a child asks.
        case "artifact", "landlock_create_ruleset" | "pipe2":
            return "features"
        case "features", "openat" | "openat2":
            return "paths"
        case "paths", "fcntl" if words[:2] == ["0", _GET_FLAGS]:
            return "streams"
        case (("paths" | "streams"), "landlock_create_ruleset"):
            return "rules"
        case "rules", "prlimit64":
            return "controls"
        case "controls", "prctl" if words[0] == _NO_NEW_PRIVILEGES:
            return "confinement"
        case "confinement", "seccomp":
            return "confinement"
        case "confinement", _ if name not in {"prctl", "landlock_restrict_self"}:
            return "proof"
    return now
