# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a mode with each fault of each call, and judge every outcome."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from modes import End, Mode, Props
from phases import phases
from plausible import Fault

from stockade.abi.syscalls import call_names, call_numbers

ARCH = os.uname().machine
REFUSED = 125
_HUNG = -1000
_WORKERS = 2


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a start: whose, the how many-th of its number, in which phase."""

    task: int
    number: int
    nth: int
    name: str
    phase: str


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: status, less than 0 for a signal, and what it printed."""

    status: int
    output: str
    errors: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one fault, and why that is wrong if it is."""

    mode: Mode
    call: Call
    fault: Fault
    outcome: str
    wrong: str


def trace(props: Props, mode: Mode) -> tuple[list[Call], Ended]:
    """Return the calls of a start without a fault, and how it ended."""
    lines = _inject(props, mode, ["trace"])
    names = call_names(ARCH)
    rows = [line.split() for line in lines if line.startswith("call ")]
    traced = [(int(row[1]), names.get(int(row[3]), ""), row[4:]) for row in rows]
    found = [
        Call(task, int(row[3]), int(row[2]), name, phase)
        for row, (task, name, _), phase in zip(
            rows, traced, phases(traced), strict=True
        )
    ]
    return found, _ended(lines[-1])


def run(
    props: Props, mode: Mode, usual: Ended, jobs: Sequence[tuple[Call, Fault]]
) -> list[Verdict]:
    """Run each fault, in two processes, and judge it."""
    parts = [jobs[first::_WORKERS] for first in range(_WORKERS)]
    with ThreadPoolExecutor(_WORKERS) as pool:
        done = list(pool.map(lambda part: _run_part(props, mode, part), parts))
    return [
        Verdict(mode, call, fault, *judge(mode, usual, call, ended))
        for part, ends in zip(parts, done, strict=True)
        for (call, fault), ended in zip(part, ends, strict=True)
    ]


def judge(mode: Mode, usual: Ended, call: Call, ended: Ended) -> tuple[str, str]:
    """Return what a run came to, and why it is wrong, empty where it is not."""
    lines = ended.errors.splitlines()
    if ended.status == REFUSED:
        one_line = len(lines) == 1 and lines[0].startswith("stockade: ")
        # The line itself may be what failed; a report puts it where it prints.
        silent = call.name in {"write", "exit_group"} and len(lines) <= 1
        conflict = re.search(r"^(CONFLICT|UNDECIDED) ", ended.output, re.MULTILINE)
        if mode.end is End.REPORT:
            # Warnings may stand before the reason.
            cut = call.name == "write"
            clean = cut or silent or conflict or lines[-1].startswith("stockade: ")
        else:
            clean = (one_line or silent) and ended.output == ""
        return "refused", "" if clean else "refused without one line"
    if ended.status == _HUNG:
        return "hangs", "does not end"
    if ended.status < 0:
        wrong = "" if ended.output == "" or mode.end is End.REPORT else "prints, dies"
        return "dies", wrong
    if mode.end is End.REFUSAL:
        return "starts", "starts what must be refused"
    if mode.end is End.REPORT:
        return _judge_report(usual, ended)
    return _judge_program(usual, ended)


def _judge_report(usual: Ended, ended: Ended) -> tuple[str, str]:
    if ended == usual:
        return "the same", ""
    # By what a kernel claims to be, the same is enforced by other means.
    known = [line.partition(":")[0] for line in usual.output.splitlines()]
    said = [line.partition(":")[0] for line in ended.output.splitlines()]
    lacking = [line for line in said if line.startswith("UNAVAILABLE")]
    false = [line for line in said if line not in known and line not in lacking]
    if ended.status == 1 and lacking and not false:
        return "the same, with less", ""
    if ended.status == 0 and not lacking and not false and len(said) == len(known):
        return "the same, with less", ""
    return "reports", f"reports otherwise: {false or ended}"


def _judge_program(usual: Ended, ended: Ended) -> tuple[str, str]:
    """Compare what two witnesses say: no less confined, by none of its words."""
    if ended == usual:
        return "the same", ""
    if ended.status != usual.status or ended.errors != usual.errors:
        # The loader, before the witness says a word.
        if ended.status == 127 and "shared libraries" in ended.errors:
            return "the same, with less", ""
        return "starts", f"ends otherwise: {ended}"
    before, after = _facts(usual), _facts(ended)
    wrong = [
        f"{name}: {before.get(name)} became {after.get(name)}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name) and not _may_differ(name, before, after)
    ]
    return "the same, with less" if not wrong else "starts", "; ".join(wrong)


def _facts(ended: Ended) -> dict[str, str]:
    pairs = (line.rpartition(" ") for line in ended.output.splitlines())
    return {name: value for name, _, value in pairs}


def _may_differ(name: str, before: dict[str, str], after: dict[str, str]) -> bool:
    """Tell whether a difference takes nothing of the confinement away."""
    kind = name.split(" ", maxsplit=1)[0]
    if kind == "deny":
        # Another filter or table may refuse with another error.
        return after.get(name, "0") != "0"
    return kind in {"give", "limit", "signal"}


def _run_part(
    props: Props, mode: Mode, part: Iterable[tuple[Call, Fault]]
) -> list[Ended]:
    jobs = [
        f"{call.task} {call.number} {call.nth} {fault.kind} {fault.value}"
        for call, fault in part
    ]
    return [_ended(line) for line in _inject(props, mode, jobs)] if jobs else []


def _ended(line: str) -> Ended:
    status, output, errors = line.split(" ")
    texts = (
        "" if word == "-" else bytes.fromhex(word).decode(errors="replace")
        for word in (output, errors)
    )
    return Ended(int(status), *texts)


def _inject(props: Props, mode: Mode, jobs: list[str]) -> list[str]:
    """Run the injector and return its lines."""
    numbers = call_numbers(ARCH)
    options: list[str | Path] = ["-e", str(mode.execs)]
    options += ["-c"] if mode.close_input else []
    options += ["-l", props.secret] if mode.leave_open else []
    for name, mask, error in mode.always:
        options += ["-a", f"{numbers[name]}:{mask}:{error}"]
    stdin = mode.stdin() if mode.stdin else os.open("/dev/null", os.O_RDONLY)
    with tempfile.TemporaryDirectory(dir=props.scene.root) as name:
        folder = props.scene.stage.give(Path(name))
        asked, answered = folder / "jobs", folder / "results"
        asked.write_text("".join(f"{job}\n" for job in jobs))
        answered.touch()
        props.scene.stage.give(folder)
        words = [props.tools, *options, asked, answered, "--", *mode.command]
        who = (
            {"preexec_fn": mode.become} if mode.become else props.scene.stage.identity()
        )
        try:
            subprocess.run(
                words,
                check=True,
                stdin=stdin,
                cwd=props.scene.root,
                env={"HOME": str(props.home), "PASSED": "yes", "TOKEN": "secret"},
                pass_fds=mode.passed,
                umask=0o022,
                **who,  # type: ignore[arg-type]
            )
        finally:
            os.close(stdin)
        return answered.read_text().splitlines()
