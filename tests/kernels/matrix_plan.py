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
import guest_python
from kernel_rows import AMD64, ROWS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "escape"))

import routes
from route import POLICIES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from kernel_rows import Row

# Where a guest has its artifacts, and the file beside them that lists its routes.
ARTIFACTS = "/etc/stockade"
SUITE = "suite"
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
    "clients": f'{_FOLDERS}[network]\nip = "client"\n',
    "neighbours": f'{_FOLDERS}[network]\nunix_sockets = "all"\n',
}
# The commands that print a table of `--check`, by policy, and what each is about.
CHECKS: dict[str, str] = {
    "confined": "check",
    "scoped": "scoped-check",
    "clients": "clients-check",
    "neighbours": "neighbours-check",
}
CHECK_HEADINGS: dict[str, str] = {
    "confined": "A program without children",
    "scoped": "A program with children",
    "clients": "A client of the network",
    "neighbours": "A client of local services",
}
# The lines that differ from those of the first; none for all of them.
CHECK_SECTIONS: dict[str, tuple[str, ...]] = {
    "confined": (),
    "scoped": (expected_check.SIGNALS,),
    "clients": (expected_check.INBOUND,),
    "neighbours": (expected_check.FILES, expected_check.NO_IP),
}

# Files of tests/launcher that say most about a kernel; all of them would take longer
# in the emulator than the rest of the row.
_TESTS = (
    *("check", "enforcement", "enforcement_paths", "enforcement_processes"),
    *("grants", "start", "descriptors", "false_answers"),
)
_TESTS_WITHOUT_LANDLOCK = ("command_line",)


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
    lines = _all_suite_lines(row, names, ARTIFACTS)
    return _one_policy_each(lines, [known.name for known in ROWS].index(row.name))


def chosen_suite_lines(
    row: Row, names: Iterable[str], folder: str, chosen: Collection[str]
) -> Iterator[str]:
    """Return the same for some routes, each under the first of its policies."""
    for line in _one_policy_each(_all_suite_lines(row, names, folder), 0):
        if not line.startswith("route ") or line.split()[1] in chosen:
            yield line


def _all_suite_lines(row: Row, names: Iterable[str], folder: str) -> Iterator[str]:
    places = {name: f"{folder}/{name}.stk" for name in names}
    return routes.suite_lines(_ARENA, _LAUNCHER, places, row.machine, row.held_abi)


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
    return [*kernel_commands(row), *policy_commands(row)]


def python_commands(row: Row) -> list[Command]:
    """Run the tests of the launcher, as root, who gives that up for each start."""
    chosen = _TESTS if row.held_abi else _TESTS_WITHOUT_LANDLOCK
    return [
        Command("facts", "hostfacts", shows=_facts(row), exact=True),
        Command(
            "root-tests",
            guest_python.command([f"tests/launcher/test_{name}.py" for name in chosen]),
            shows=("^[0-9]+ passed",),
            hides=(" failed",),
        ),
    ]


def kernel_commands(row: Row) -> list[Command]:
    """Measure the kernel, and show that what is to be denied works outside."""
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
    ]


def policy_commands(row: Row, folder: str = ARTIFACTS) -> list[Command]:
    """Try the artifacts in a folder of the guest."""
    if not row.held_abi:
        return _refused(row, folder)
    return [
        Command(
            "check",
            _check(folder, "confined"),
            shows=expected_check.confined_lines(row),
            exact=True,
        ),
        Command("inside-granted", _start(folder, "confined"), shows=(GRANTED,)),
        Command(
            "inside-secret",
            _start(folder, "confined", "secret"),
            1,
            shows=(r"/data/secret/text.*Permission denied",),
            hides=(SECRET,),
        ),
        *_scoped(row, folder),
        *_networked(row, folder),
        escapes(row, folder),
    ]


def escapes(row: Row, folder: str = ARTIFACTS) -> Command:
    """Try the routes that the folder's suite lists."""
    return Command(
        "escapes",
        f"mkdir -p {_ARENA} && escape suite {folder}/{SUITE}",
        shows=("^suite: [0-9]+ passed, 0 failed", *_foreign(row)),
        hides=("^FAIL",),
    )


def _refused(row: Row, folder: str) -> list[Command]:
    """Expect that nothing starts where Landlock is missing, whatever the policy."""
    lines = expected_check.confined_lines(row)
    return [
        Command("check", _check(folder, "confined"), 1, shows=lines, exact=True),
        Command(
            "scoped-check",
            _check(folder, "scoped"),
            1,
            shows=(expected_check.scoped_line(row), *lines[:2]),
        ),
        *_networked(row, folder),
        *(
            Command(
                f"refused-{name}",
                _start(folder, name),
                125,
                shows=(expected_check.refusal(row),),
                hides=(GRANTED,),
            )
            for name in policies()
        ),
    ]


def _check(folder: str, name: str) -> str:
    # Warnings go to standard error, and are not of the table.
    launch = f"stockade-launch --check {folder}/{name}.stk -- /bin/busybox"
    return f"{launch} 2>/dev/null"


def _start(folder: str, name: str, data: str = "granted") -> str:
    launch = f"stockade-launch {folder}/{name}.stk -- /bin/busybox"
    return f"{launch} cat /data/{data}/text"


def _scoped(row: Row, folder: str) -> list[Command]:
    """A policy that old kernels cannot hold is named there, and nothing starts."""
    held = row.held_abi >= expected_check.ABI_SCOPES
    refusal = f"^stockade: this host cannot enforce {expected_check.scoped_refusal()}"
    return [
        Command(
            "scoped-check",
            _check(folder, "scoped"),
            0 if held else 1,
            shows=(expected_check.scoped_line(row),),
        ),
        Command(
            "scoped-start",
            _start(folder, "scoped"),
            0 if held else 125,
            shows=(GRANTED if held else refusal,),
            hides=() if held else (GRANTED,),
        ),
    ]


def _networked(row: Row, folder: str) -> list[Command]:
    """Ask for the mechanisms that hold what a network or local services leave."""
    lines = {
        "clients": (expected_check.client_line(row),),
        "neighbours": expected_check.services_lines(row),
    }
    status = 1 if expected_check.lacking(row) else 0
    return [
        Command(CHECKS[name], _check(folder, name), status, shows=shows)
        for name, shows in lines.items()
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
