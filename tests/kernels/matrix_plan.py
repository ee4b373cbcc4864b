# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what each row runs, and judge what it printed.

Expectations follow from the lowest Landlock ABI that the row admits, and the guest
measures its own: a kernel outside the row's range fails it. Every refusal inside
has the same action outside before it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kernel_rows import AMD64, MACHINES, SMALL

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "escape"))

import routes
from route import POLICIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from guest_boot import Transcript
    from kernel_rows import Row

SUITE = "/etc/stockade/suite"
_ARTIFACTS = "/etc/stockade"
_LAUNCHER = "/bin/stockade-launch"
_ARENA = "/var/tmp/arena"
SECRET = "the secret of this guest"
GRANTED = "the granted text of this guest"

# Policies of the guest by artifact name. `confined` starts on every kernel;
# `scoped` needs a kernel that confines the signals of whole process trees.
_FOLDERS = """\
version = 1
[filesystem]
read = ["/data/granted"]
read_exec = ["/bin"]
read_write = ["/data/out"]
"""
_POLICIES: dict[str, str] = {
    "confined": f'{_FOLDERS}[process]\nsignals = "isolated"\nchildren = "none"\n',
    "scoped": f'{_FOLDERS}[process]\nsignals = "isolated"\n',
}

ABI_TRUNCATE = 3
ABI_IOCTL_DEV = 5
ABI_SCOPES = 6
ABI_RESOLVE_UNIX = 9
ABI_UDP = 10


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the guest: its exit status and what its output must hold.

    `shows` and `hides` are regular expressions, each searched in every line.
    """

    name: str
    shell: str
    status: int = 0
    shows: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()

    def line(self) -> str:
        """Return the line of the guest's plan."""
        return f"{self.name} {self.status} {self.shell}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a boot ended: `passed`, `failed` or `skipped`, and the lines that say so."""

    name: str
    kind: str
    lines: tuple[str, ...]


def policies() -> dict[str, str]:
    """Return every policy of the guest by artifact name, the suite's included."""
    suite = {name: routes.policy_text(name, _ARENA) for name in POLICIES}
    return suite | _POLICIES


def suite_lines(row: Row, names: Iterable[str]) -> Iterator[str]:
    """Return what `escape suite` reads on a row's kernel."""
    places = {name: f"{_ARTIFACTS}/{name}.stk" for name in names}
    arch = MACHINES[row.arch]
    lines = routes.suite_lines(_ARENA, _LAUNCHER, places, arch, row.abi[0])
    return _one_policy_each(lines, [known.name for known in SMALL].index(row.name))


def _one_policy_each(lines: Iterable[str], turn: int) -> Iterator[str]:
    """Keep each route once, under another of its policies from row to row.

    All of them on every kernel would take longer than a change can wait for.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for line in lines:
        words = line.split()
        if words[0] == "route":
            _, name, _, outside, inside, *_ = words
            groups.setdefault((name, outside, inside), []).append(line)
        else:
            yield line
    for group in groups.values():
        yield group[turn % len(group)]


def commands(row: Row) -> list[Command]:
    """List what a row runs, in order."""
    abi = row.abi[0]
    launch = f"stockade-launch {_ARTIFACTS}"
    return [
        Command("facts", "hostfacts", shows=_facts(row)),
        Command("nobody", "cat /root-only", 1, shows=("Permission denied",)),
        Command("outside-granted", "cat /data/granted/text", shows=(GRANTED,)),
        Command("outside-secret", "cat /data/secret/text", shows=(SECRET,)),
        Command("check", _check("confined"), shows=confined_lines(abi)),
        Command(
            "inside-granted",
            f"{launch}/confined.stk -- /bin/busybox cat /data/granted/text",
            shows=(GRANTED,),
        ),
        Command(
            "inside-secret",
            f"{launch}/confined.stk -- /bin/busybox cat /data/secret/text",
            1,
            shows=(r"/data/secret/text.*Permission denied",),
            hides=(SECRET,),
        ),
        *_scoped(launch, abi),
        Command(
            "escapes",
            f"mkdir {_ARENA} && escape suite {SUITE}",
            shows=("^suite: [0-9]{3} passed, 0 failed", *_foreign(row)),
            hides=("^FAIL",),
        ),
    ]


def _check(name: str) -> str:
    return f"stockade-launch --check {_ARTIFACTS}/{name}.stk -- /bin/busybox"


def _scoped(launch: str, abi: int) -> list[Command]:
    """A policy that old kernels cannot hold is named there, and nothing starts."""
    start = f"{launch}/scoped.stk -- /bin/busybox cat /data/granted/text"
    title = "signals limited to the sandbox"
    if abi >= ABI_SCOPES:
        held = f"^enforced +{title}: Landlock's signal scope"
        return [
            Command("scoped-check", _check("scoped"), shows=(held,)),
            Command("scoped-start", start, shows=(GRANTED,)),
        ]
    return [
        Command(
            "scoped-check",
            _check("scoped"),
            1,
            shows=(rf"^UNAVAILABLE +{title}: .*Linux 6\.12",),
        ),
        Command(
            "scoped-start",
            start,
            125,
            shows=(rf"^stockade: this host cannot enforce {title}: .*Linux 6\.12",),
            hides=(GRANTED,),
        ),
    ]


def _facts(row: Row) -> tuple[str, ...]:
    return ("^x32 open$", "^int80 open$") if row.x32 else ()


def _foreign(row: Row) -> tuple[str, ...]:
    """Name routes that the row stands for, lest they be skipped there."""
    calls = ["i386-getpid"] if row.arch == AMD64 else []
    calls += ["x32-open", "x32-socket", "x32-kill"] if row.x32 else []
    return tuple(f"^pass foreign-{call} .*: inside EPERM" for call in calls)


def confined_lines(abi: int) -> tuple[str, ...]:
    """Return a pattern for each line of `--check`: the title and its mechanism."""
    rights = "seccomp refuses.*; landlock rights 0x[0-9a-f]+$"
    truncation = "truncation by path held by seccomp; " if abi < ABI_TRUNCATE else ""
    listed = "device requests cut to a list by seccomp; "
    devices = listed if abi < ABI_IOCTL_DEV else ""
    ports = ""
    if abi >= ABI_UDP:
        ports = "; Landlock refuses TCP and UDP ports"
    elif abi >= ABI_IOCTL_DEV:
        ports = "; Landlock refuses TCP ports"
    unix = "; Landlock's scope of abstract sockets" if abi >= ABI_SCOPES else ""
    unix += " and right of path sockets" if abi >= ABI_RESOLVE_UNIX else ""
    steps = (ABI_RESOLVE_UNIX, ABI_IOCTL_DEV, ABI_TRUNCATE, 2, 1)
    step = next(step for step in steps if step <= abi)
    signals = (
        "Landlock's signal scope"
        if abi >= ABI_SCOPES
        else "seccomp lets signals reach the own process only"
    )
    held = (
        (
            "filesystem confined to policy paths",
            f"Landlock file rights of ABI {step}; {truncation}{devices}{rights}",
        ),
        ("no privilege escalation", "no_new_privs; seccomp refuses"),
        ("other processes cannot be debugged or read", "Landlock's ptrace scope"),
        ("only standard input, output and error inherited", "every other descriptor"),
        ("environment limited to policy", "execve"),
        ("no set-user-ID or set-group-ID files left behind", "seccomp"),
        ("IP networking denied", f"seccomp refuses every socket family{ports}$"),
        (
            "Unix sockets outside writable paths denied",
            f"seccomp refuses Unix sockets and datagram pairs{unix}$",
        ),
        ("metadata of files outside policy paths protected", "seccomp"),
        ("signals limited to the sandbox", signals),
        ("no other processes started", "seccomp refuses fork"),
    )
    enforced = (f"^enforced +{title}: {mechanism}" for title, mechanism in held)
    return ("^backend: linux$", *enforced)


def landlock_abi(transcript: Transcript) -> int:
    """Return the ABI that the guest measured, 0 where it says nothing."""
    for line in transcript.outputs.get("facts", []):
        if match := re.match(r"^landlock-abi (\d+)$", line):
            return int(match[1])
    return 0


def judge(row: Row, plan: list[Command], transcript: Transcript) -> list[str]:
    """List what is wrong with a row, nothing when it passed."""
    problems = []
    if complaint := transcript.complaint():
        problems.append(complaint)
    elif transcript.misses:
        problems.append(f"the guest counts {transcript.misses} misses")
    least, most = row.abi
    abi = landlock_abi(transcript)
    if not least <= abi <= most:
        problems.append(f"Landlock ABI {abi}, wanted {least} to {most}")
    for command in plan:
        problems += _judge_command(command, transcript)
    extra = transcript.statuses.keys() - {command.name for command in plan}
    problems += [f"`{name}` is not in the plan" for name in sorted(extra)]
    return problems


def _judge_command(command: Command, transcript: Transcript) -> list[str]:
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
    return problems


def remarks(transcript: Transcript) -> list[str]:
    """Count the routes of a row and say what its kernel lacked for the others."""
    lines = transcript.outputs.get("escapes", [])
    lacking = Counter(
        match[1]
        for line in lines
        if (match := re.match(r"^skip .*: needs (\S+)", line))
    )
    lacked = ", ".join(f"{name} {count}" for name, count in sorted(lacking.items()))
    return [
        *(line for line in lines if line.startswith("suite: ")),
        *([f"skipped for lack of: {lacked}"] if lacked else []),
    ]
