# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what each row runs, and what each command must print.

Every refusal inside has the same action outside before it. What the kernel is like
is measured in the guest, by a program that knows nothing of the launcher.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import expected_check
from kernel_rows import AMD64, ROWS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "escape"))

import routes
from route import POLICIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kernel_rows import Row

SUITE = "/etc/stockade/suite"
_ARTIFACTS = "/etc/stockade"
_LAUNCHER = "/bin/stockade-launch"
_ARENA = "/var/tmp/arena"
SECRET = "the secret of this guest"
GRANTED = "the granted text of this guest"

# Policies of the guest by artifact name. `confined` starts on every kernel with
# Landlock; `scoped` needs one that confines the signals of whole process trees.
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
# The commands that print a table of `--check`, by policy, and what each is about.
CHECKS: dict[str, str] = {"confined": "check", "scoped": "scoped-check"}
CHECK_SECTIONS: dict[str, tuple[str, ...]] = {
    "confined": (),
    "scoped": (expected_check.SIGNALS,),
}
CHECK_HEADINGS: dict[str, str] = {
    "confined": "A program without children",
    "scoped": "A program with children",
}


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the guest: its exit status and what its output must hold.

    `shows` and `hides` are regular expressions, each searched in every line; with
    `exact`, every line must be one that `shows` asks for.
    """

    name: str
    shell: str
    status: int = 0
    shows: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    exact: bool = False

    def line(self) -> str:
        """Return the line of the guest's plan."""
        return f"{self.name} {self.status} {self.shell}"


def policies() -> dict[str, str]:
    """Return every policy of the guest by artifact name, the suite's included."""
    suite = {name: routes.policy_text(name, _ARENA) for name in POLICIES}
    return suite | _POLICIES


def suite_lines(row: Row, names: Iterable[str]) -> Iterator[str]:
    """Return what `escape suite` reads on a row's kernel."""
    places = {name: f"{_ARTIFACTS}/{name}.stk" for name in names}
    lines = routes.suite_lines(_ARENA, _LAUNCHER, places, row.machine, row.held_abi)
    return _one_policy_each(lines, [known.name for known in ROWS].index(row.name))


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
    faked = "FAKE_ABI"
    return [
        Command("facts", "hostfacts", shows=_facts(row), exact=True),
        Command("nobody", "cat /root-only", 1, shows=("Permission denied",)),
        Command(
            "version",
            "stockade-launch --version",
            shows=(f"^stockade-launch .*{faked if row.fake_abi is not None else ''}$",),
            hides=(faked,) if row.fake_abi is None else (),
        ),
        Command("outside-granted", "cat /data/granted/text", shows=(GRANTED,)),
        Command("outside-secret", "cat /data/secret/text", shows=(SECRET,)),
        *(_confined(row) if row.held_abi else _refused(row)),
    ]


def _confined(row: Row) -> list[Command]:
    """Try what starts, and every route, where Landlock is there."""
    return [
        Command(
            "check",
            _check("confined"),
            shows=expected_check.confined_lines(row),
            exact=True,
        ),
        Command("inside-granted", _start("confined", "granted"), shows=(GRANTED,)),
        Command(
            "inside-secret",
            _start("confined", "secret"),
            1,
            shows=(r"/data/secret/text.*Permission denied",),
            hides=(SECRET,),
        ),
        *_scoped(row),
        Command(
            "escapes",
            f"mkdir {_ARENA} && escape suite {SUITE}",
            shows=("^suite: [0-9]{3} passed, 0 failed", *_foreign(row)),
            hides=("^FAIL",),
        ),
    ]


def _refused(row: Row) -> list[Command]:
    """Expect that nothing starts where Landlock is missing, whatever the policy."""
    lines = expected_check.confined_lines(row)
    return [
        Command("check", _check("confined"), 1, shows=lines, exact=True),
        Command(
            "scoped-check",
            _check("scoped"),
            1,
            shows=(expected_check.scoped_line(row), *lines[:2]),
        ),
        *(
            Command(
                f"refused-{name}",
                _start(name, "granted"),
                125,
                shows=(expected_check.refusal(row),),
                hides=(GRANTED,),
            )
            for name in policies()
        ),
    ]


def _check(name: str) -> str:
    # Warnings go to standard error, and are not of the table.
    launch = f"stockade-launch --check {_ARTIFACTS}/{name}.stk -- /bin/busybox"
    return f"{launch} 2>/dev/null"


def _start(name: str, folder: str) -> str:
    launch = f"stockade-launch {_ARTIFACTS}/{name}.stk -- /bin/busybox"
    return f"{launch} cat /data/{folder}/text"


def _scoped(row: Row) -> list[Command]:
    """A policy that old kernels cannot hold is named there, and nothing starts."""
    held = row.held_abi >= expected_check.ABI_SCOPES
    refusal = f"^stockade: this host cannot enforce {expected_check.scoped_refusal()}"
    return [
        Command(
            "scoped-check",
            _check("scoped"),
            0 if held else 1,
            shows=(expected_check.scoped_line(row),),
        ),
        Command(
            "scoped-start",
            _start("scoped", "granted"),
            0 if held else 125,
            shows=(GRANTED if held else refusal,),
            hides=() if held else (GRANTED,),
        ),
    ]


def _facts(row: Row) -> tuple[str, ...]:
    """Return what the guest must measure of its kernel, line by line."""
    answer = "EOPNOTSUPP" if row.switched_off else "ENOSYS"
    doors = (("x32", row.x32), ("int80", row.int80)) if row.arch == AMD64 else ()
    return (
        f"^landlock-abi {row.abi}$",
        f"^landlock-answer {'ok' if row.abi else answer}$",
        "^landlock-errata 0x[0-9a-f]+$",
        f"^user-namespaces {'open' if row.user_namespaces else 'closed'}$",
        *(f"^{name} {'open' if is_open else 'closed'}$" for name, is_open in doors),
    )


def _foreign(row: Row) -> tuple[str, ...]:
    """Name routes that the row stands for, lest they be skipped there."""
    calls = ["i386-getpid"] if row.arch == AMD64 and row.int80 else []
    calls += ["x32-open", "x32-socket", "x32-kill"] if row.x32 else []
    return tuple(f"^pass foreign-{call} .*: inside EPERM" for call in calls)
