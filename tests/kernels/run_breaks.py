# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show that the matrix fails on the rows it should, and only there.

    python tests/kernels/run_breaks.py [--cache DIR] [--row NAME]... [--break NAME]...

Each row is booted once, with whole artifacts and with artifacts broken in every way
of matrix_breaks.py; the commands are those of the matrix, with fewer routes. It
closes on `N as expected, N not, N missing`, one for each row and mistake.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import guest_boot
import guest_content
import guest_image
import matrix_judge
import matrix_plan
from kernel_packages import UnavailableError
from kernel_rows import ROWS, Row
from kernel_store import Stock, stock
from matrix_breaks import BREAKS, ROUTES, Break, broken_bundle
from run_matrix import REPOSITORY, WORKERS, console_tail

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from guest_boot import Transcript
    from matrix_plan import Command

ROW_SECONDS = 300.0
WHOLE = "whole"
Bundles = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Sight:
    """What one row showed of one mistake: the problems that the matrix would tell."""

    row: Row
    mistake: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """The artifacts of one mistake in a guest, and the commands that try them."""

    mistake: str
    bundles: Bundles
    row: Row

    @property
    def folder(self) -> str:
        """Return the guest's folder of the artifacts."""
        return f"{matrix_plan.ARTIFACTS}-{self.mistake}"

    def commands(self) -> list[Command]:
        """Return the matrix's commands under names of this mistake."""
        return [
            dataclasses.replace(command, name=f"{self.mistake}.{command.name}")
            for command in matrix_plan.policy_commands(self.row, self.folder)
        ]

    def entries(self) -> list[guest_image.Entry]:
        """Return the files of the guest."""
        lines = matrix_plan.chosen_suite_lines(
            self.row, self.bundles, self.folder, ROUTES
        )
        return guest_content.artifact_folder(self.folder, self.bundles, lines)


def compile_all(
    rows: Sequence[Row], mistakes: Sequence[Break]
) -> dict[tuple[str, str], Bundles]:
    """Compile every policy, whole and with each mistake, by machine and mistake."""
    jobs = [
        (mistake, name, text, machine)
        for machine in sorted({row.machine for row in rows})
        for mistake in (None, *mistakes)
        for name, text in matrix_plan.policies().items()
    ]
    found: dict[tuple[str, str], Bundles] = {}
    for mistake, name, text, machine in jobs:
        label = mistake.name if mistake else WHOLE
        bundle = broken_bundle(mistake, name, text, f"linux-{machine}")
        found.setdefault((machine, label), {})[name] = bundle
    return found


def run_row(
    row: Row,
    kernels: Stock,
    contents: guest_content.Contents,
    bundles: Mapping[tuple[str, str], Bundles],
) -> list[Sight]:
    """Boot one row with all mistakes in it and see which ones show."""
    cases = [
        Case(label, made, row)
        for (machine, label), made in bundles.items()
        if machine == row.machine
    ]
    facts = matrix_plan.kernel_commands(row)
    plan = [*facts, *(command for case in cases for command in case.commands())]
    kernel = kernels.kernel(row)
    with tempfile.TemporaryDirectory(prefix="stockade-breaks-") as folder:
        image = Path(folder) / "initramfs"
        limit = ROW_SECONDS * guest_boot.patience()
        entries = [*contents.base(row.arch, plan, 0.9 * limit), *contents.own(row)]
        for case in cases:
            entries += case.entries()
        guest_image.write_image(image, entries)
        transcript = guest_boot.boot_patiently(row, kernel, image, limit)
    return [_sight(case, facts, transcript) for case in cases]


def _sight(case: Case, facts: list[Command], transcript: Transcript) -> Sight:
    problems = []
    if complaint := transcript.complaint():
        problems += [complaint, *console_tail(transcript.console, 10)]
    # A kernel that is another one than the row's would fail whole artifacts too.
    wanted = [*facts, *case.commands()] if case.mistake == WHOLE else case.commands()
    for command in wanted:
        problems += matrix_judge.judge_command(command, transcript)
    return Sight(case.row, case.mistake, tuple(problems))


def verdicts(
    sights: Sequence[Sight], mistakes: Sequence[Break]
) -> Iterator[tuple[bool, str]]:
    """Compare what was seen with what must be, one line for each mistake."""
    must = {mistake.name: mistake.seen_on for mistake in mistakes}
    must[WHOLE] = lambda _: False
    for name, seen_on in must.items():
        mine = [sight for sight in sights if sight.mistake == name]
        seen = [sight.row.name for sight in mine if sight.problems]
        wanted = [sight.row.name for sight in mine if seen_on(sight.row)]
        good = seen == wanted
        line = f"{name}: fails on {', '.join(seen) or 'no row'}"
        if not good:
            line += f"; it must fail on {', '.join(wanted) or 'no row'}"
        yield good, line


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--row", action="append", default=[], metavar="NAME")
    parser.add_argument("--break", action="append", default=[], dest="mistakes")
    parser.add_argument(
        "--cache", type=Path, default=REPOSITORY / "build" / "kernels", metavar="DIR"
    )
    return parser


def main() -> int:
    """Run all rows; 0 when every mistake shows where it must and only there."""
    options = arguments().parse_args()
    rows = [row for row in ROWS if not options.row or row.name in options.row]
    mistakes = [
        one for one in BREAKS if not options.mistakes or one.name in options.mistakes
    ]
    rows = [row for row in rows if guest_boot.can_boot(row.arch)]
    kernels = stock(options.cache.resolve(), rows, refresh=False)
    contents = guest_content.Contents(REPOSITORY, kernels)
    bundles = compile_all(rows, mistakes)
    sights: list[Sight] = []
    missing = 0
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        pending = {
            row.name: pool.submit(run_row, row, kernels, contents, bundles)
            for row in rows
        }
        for name, future in pending.items():
            try:
                found = future.result()
            except UnavailableError as error:
                print(f"{name:<20} missing: {error}")
                missing += 1
                continue
            sights += found
            seen = [sight.mistake for sight in found if sight.problems]
            print(f"{name:<20} fails under: {', '.join(seen) or 'nothing'}")
            for sight in found:
                for problem in sight.problems[:3]:
                    print(f"    {sight.mistake}: {problem}")
            sys.stdout.flush()
    results = list(verdicts(sights, mistakes))
    for good, line in results:
        print(f"{'as it must' if good else 'WRONG':<10} {line}")
    bad = sum(not good for good, _ in results)
    print(f"{len(results) - bad} as expected, {bad} not, {missing} missing")
    return 1 if bad or not sights else 0


if __name__ == "__main__":
    sys.exit(main())
