# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Choose the faults of a run, and turn what became of them into one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from campaign import Call, Verdict
from harmless import REASONS
from modes import Mode
from plausible import ERRORS, NUMBERS, Fault, faults, main_faults

# Of the thread that limits lookups: when it runs, and whether, is the scheduler's and
# the kernel's caches' business, and not to wake it costs ten seconds.
WATCHER = frozenset({"exit", "futex", "gettid"})
# Calls of the launcher itself, wherever an artifact's probes make them too.
_OWN = {*ERRORS, *NUMBERS, "exit"}
_PROBES = "calls of probes"
_COLUMNS = ("call", "part of the start", "errors", "false answers", "outcome", "why")
_HEAD = """\
# What becomes of a start when a call fails

Every system call that the launcher makes, in each way to start or to be refused, was
left out and given each error that its manual page lets a kernel, a limit or an outer
filter answer; and it was left out and given answers that say it was done. Written by
`make bless TESTS='--long tests/launcher/faults'`, compared by `make test-long`.

*Refused* is status 125 and one line that says why, and the program never ran. *Went
on* is a start whose program then told of itself the same as without the fault: no new
privileges, the filter, the witness, what is denied outside, its descriptors and its
environment; or, where less was granted or seen, no less confined. Those have a reason
in the last column. *Died* is an end by a signal before the program.

The modes: {modes}.

"""


def jobs(mode: Mode, calls: Sequence[Call], *, long: bool) -> list[tuple[Call, Fault]]:
    """Return the faults to try.

    The long run tries every occurrence: the first two of each call in a part with
    every fault, later ones with the main errors and the false answers. The short
    run tries the first.
    """
    seen: dict[tuple[str, str], int] = {}
    chosen: list[tuple[Call, Fault]] = []
    for call in calls:
        if mode.only and call.name not in mode.only:
            continue
        key = call.name, call.phase
        seen[key] = seen.get(key, 0) + 1
        if not long and (seen[key] > 1 or call.name in WATCHER):
            continue
        every = long and seen[key] <= 2 and call.name not in WATCHER
        tried = faults(call.name) if every else main_faults(call.name)
        chosen += [(call, fault) for fault in tried]
    return chosen


def row_key(call: Call) -> tuple[str, str]:
    """Return the row of a call: the artifact says which ones probes make."""
    name = call.name
    if name not in _OWN:
        name = _PROBES
    return name, call.phase


def unexplained(verdicts: Iterable[Verdict]) -> list[str]:
    """Return the calls whose fault a start survives without a reason given."""
    found = {
        row_key(verdict.call)
        for verdict in verdicts
        if verdict.outcome != "refused" and _reason(row_key(verdict.call)) == ""
    }
    return [f"{name} ({phase})" for name, phase in sorted(found)]


def unused(keys: Iterable[tuple[str, str]]) -> list[str]:
    """Return the reasons that no call needs any more."""
    names = {name for name, _ in keys}
    both = {f"{name}: {phase}" for name, phase in keys}
    return [key for key in REASONS if key not in both and key not in names]


def render(verdicts: Sequence[Verdict], modes: Sequence[Mode]) -> str:
    """Return the page."""
    rows: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        rows.setdefault(row_key(verdict.call), []).append(verdict)
    names = ", ".join(f"{mode.name} ({mode.end.value})" for mode in modes)
    lines = [_line(key, rows[key]) for key in sorted(rows)]
    head = ["| " + " | ".join(_COLUMNS) + " |", "| --- " * len(_COLUMNS) + "|"]
    return _HEAD.format(modes=names) + "".join(f"{line}\n" for line in head + lines)


def rows_of(page: str) -> set[tuple[str, str]]:
    """Return the calls of a page, with their parts of the start."""
    lines = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {(line[0].strip("| `"), line[1]) for line in lines[2:]}


def steady(page: str) -> list[str]:
    """Return the lines of a page that do not hang on when a thread runs."""
    starts = tuple(f"| `{name}` " for name in sorted(WATCHER))
    return [line for line in page.splitlines() if not line.startswith(starts)]


def _line(key: tuple[str, str], found: Sequence[Verdict]) -> str:
    errors = {v.fault.label for v in found if v.fault.is_error}
    false = {v.fault.label for v in found if not v.fault.is_error}
    outcomes = {verdict.outcome for verdict in found}
    said = [
        word
        for word, names in (
            ("refused", {"refused"}),
            ("went on", {"the same", "the same, with less"}),
            ("died", {"dies"}),
        )
        if outcomes & names
    ]
    reason = _reason(key) if outcomes != {"refused"} else ""
    cells = (
        *((key[0] if key[0] == _PROBES else f"`{key[0]}`"), key[1]),
        *(", ".join(sorted(errors)), ", ".join(sorted(false))),
        *(", ".join(said), reason),
    )
    return "| " + " | ".join(cells) + " |"


def _reason(key: tuple[str, str]) -> str:
    return REASONS.get(f"{key[0]}: {key[1]}", REASONS.get(key[0], ""))
