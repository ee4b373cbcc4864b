# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the options: those of policy keys from the key table, and those of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stockade.policy.format import KEYS, Key, Kind

_ENTRIES = {
    "network.expose": "ADDRESS=PORT",
    "network.forward": "PORT=ADDRESS",
    "network.egress": "PORT[=REACH]",
}
_PLACEHOLDERS = {
    Kind.PATHS: "PATH",
    Kind.NAMES: "NAME",
    Kind.TEXT: "NAME",
    Kind.VALUES: "NAME=VALUE",
}
# Options of one kind of start; where an option is for both, either serves.
_START = ("run", "check")


@dataclass(frozen=True, slots=True)
class Option:
    """One option: what its value is, empty for a flag, and where it may stand."""

    name: str
    placeholder: str = ""
    commands: tuple[str, ...] = _START
    repeatable: bool = False
    key: Key | None = None
    built: bool = True


def _of_key(key: Key) -> Option:
    return Option(
        key.option,
        "|".join(key.words)
        or _ENTRIES.get(key.path)
        or _PLACEHOLDERS.get(key.kind, ""),
        repeatable=key.kind not in (Kind.WORD, Kind.TEXT, Kind.FLAG, Kind.ENTRY),
        key=key,
        # A word may be the default, which holds already; the key's reader decides.
        built=key.kind is Kind.WORD or bool(key.built),
    )


_OF_RUNS = (
    Option("--policy", "FILE"),
    Option("--hide-warning", "ID", repeatable=True),
    Option("--no-warnings"),
    Option("--show-warning", "ID", repeatable=True),
    Option("--level", "NAME", built=False),
    Option("--json", commands=("check", "diff", "query")),
    Option("--markdown", commands=("diff",)),
    Option("--parent-pid", "PID", built=False),
    Option("--parent-start", "TOKEN", built=False),
    Option("--status-fd", "N", commands=("run",)),
    Option("--status-file", "PATH", commands=("run",)),
    Option("--explain", commands=("run",), built=False),
    Option("--explain-path", "PATH", commands=("check",)),
    Option("--cwd", "DIR"),
)
_OF_COMPILE = (
    Option("-o", "DIR", commands=("compile", "snapshot")),
    Option(
        "--target",
        "TARGET",
        commands=("compile", "snapshot", "diff", "query", "report"),
        repeatable=True,
    ),
)
_OF_REVIEW = (
    Option("--fail-on", "KIND", commands=("diff",), repeatable=True),
    Option("--html", "FILE", commands=("diff", "report")),
    Option("--check", commands=("snapshot",)),
    Option("--text-only", commands=("snapshot",)),
)
# The whole command is not built; its options are known all the same.
_OF_SETUP = (
    Option("--remove", commands=("setup",), built=False),
    Option("--install-copy", commands=("setup",), built=False),
    Option("--elevate", commands=("setup",), built=False),
)

OPTIONS: Mapping[str, Option] = {
    option.name: option
    for option in (
        *(_of_key(key) for key in KEYS.values() if key.option),
        *_OF_RUNS,
        *_OF_COMPILE,
        *_OF_REVIEW,
        *_OF_SETUP,
    )
}
