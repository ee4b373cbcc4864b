# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge what a row printed, by its plan and by what it stands for."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from guest_boot import Transcript
    from kernel_page import Record
    from kernel_rows import Row
    from matrix_plan import Command

PASSED, FAILED, MISSING = "passed", "failed", "missing"
_SKIP = re.compile(r"^skip (\S+) \S+: needs (\S+) ")

# What no guest has: settings of Debian's kernels, and what is a module there.
_NEVER_THERE = frozenset(
    {
        "file-flags",
        "kernel-log",
        "performance-events",
        "ping-sockets",
        "vsock",
    }
)
# Settings that differ between kernels, by the first series whose guest lacks them.
_GONE_FROM = {"typed-input": (6, 2), "udp-lite": (7, 1)}
# tmpfs has no attributes of users before.
_THERE_FROM = {"user-attributes": (6, 6)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a boot ended: `passed`, `failed` or `missing`, and lines that say so."""

    name: str
    kind: str
    lines: tuple[str, ...]
    record: Record | None = None


def fact(transcript: Transcript, name: str) -> int:
    """Return a number that the guest measured, 0 where it says nothing."""
    for line in transcript.outputs.get("facts", []):
        if match := re.match(rf"^{name} (0x[0-9a-f]+|\d+)$", line):
            return int(match[1], 0)
    return 0


def judge(row: Row, plan: list[Command], transcript: Transcript) -> list[str]:
    """List what is wrong with a row, nothing when it passed."""
    problems = []
    if complaint := transcript.complaint():
        problems.append(complaint)
    elif transcript.misses:
        problems.append(f"the guest counts {transcript.misses} misses")
    abi = fact(transcript, "landlock-abi")
    if abi != row.abi:
        problems.append(f"Landlock ABI {abi}, wanted {row.abi}")
    for command in plan:
        problems += judge_command(command, transcript)
    extra = transcript.statuses.keys() - {command.name for command in plan}
    problems += [f"`{name}` is not in the plan" for name in sorted(extra)]
    return [*problems, *_errata(row, transcript), *_skips(row, transcript)]


def judge_command(command: Command, transcript: Transcript) -> list[str]:
    """List what is wrong with one command."""
    status = transcript.statuses.get(command.name)
    if status is None:
        return [f"`{command.name}` did not run"]
    problems = []
    if status != command.status:
        problems.append(f"`{command.name}` ended with {status}, not {command.status}")
    lines = transcript.outputs.get(command.name, [])

    def found(pattern: str) -> list[str]:
        return [line for line in lines if re.search(pattern, line)]

    problems += [
        f"`{command.name}` does not show `{pattern}`"
        for pattern in command.shows
        if not found(pattern)
    ]
    problems += [
        f"`{command.name}` shows `{line}`"
        for pattern in command.hides
        for line in found(pattern)
    ]
    if command.exact:
        problems += [
            f"`{command.name}` shows `{line}`, which nothing asks for"
            for line in lines
            if not any(re.search(pattern, line) for pattern in command.shows)
        ]
    return problems


def _errata(row: Row, transcript: Transcript) -> Iterator[str]:
    mask = fact(transcript, "landlock-errata")
    for number in row.fixed:
        if not mask & 1 << (number - 1):
            yield f"erratum {number} is not fixed: {mask:#x}"
    for number in row.unfixed:
        if mask & 1 << (number - 1):
            yield f"erratum {number} is fixed: {mask:#x}"


def may_lack(row: Row, feature: str) -> bool:
    """Tell whether a row's kernel is one that has no such feature."""
    version = row.kernel.version
    if match := re.fullmatch(r"linux-(\d+)\.(\d+)", feature):
        return version < (int(match[1]), int(match[2]))
    closed = {
        "x32-calls": not row.x32,
        "i386-calls": not row.int80,
        "user-namespaces": not row.user_namespaces,
        "typed-input": version >= _GONE_FROM["typed-input"],
        "udp-lite": version >= _GONE_FROM["udp-lite"],
        "user-attributes": version < _THERE_FROM["user-attributes"],
    }
    return closed.get(feature, feature in _NEVER_THERE)


def _skips(row: Row, transcript: Transcript) -> Iterator[str]:
    """Doubt a skip for want of what this very row must have."""
    for line in transcript.outputs.get("escapes", []):
        if match := _SKIP.match(line):
            route, features = match[1], match[2].split(",")
            if not any(may_lack(row, feature) for feature in features):
                yield f"`{route}` is skipped, but this kernel has {match[2]}"


def remarks(transcript: Transcript) -> list[str]:
    """Count the routes of a row and say what its kernel lacked for the others."""
    lines = transcript.outputs.get("escapes", [])
    lacking = Counter(match[2] for line in lines if (match := _SKIP.match(line)))
    lacked = ", ".join(f"{name} {count}" for name, count in sorted(lacking.items()))
    return [
        *(line for line in lines if line.startswith("suite: ")),
        *([f"skipped for lack of: {lacked}"] if lacked else []),
    ]
