# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Boot the kernels of the matrix and try launcher and escapes on each.

    python tests/kernels/run_matrix.py [--small] [--cache DIR] [--row NAME]... [--page]

With `--page` it writes docs/kernels.md, when every row was run and passed. It closes
on `N passed, N failed, N missing`. A kernel or an emulator that cannot be had is
missing, with its reason; a row that ran nothing is a failure.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import guest_boot
import guest_content
import guest_image
import kernel_page
import matrix_controls
import matrix_judge
import matrix_plan
from guest_build import BuildError
from kernel_packages import UnavailableError
from kernel_rows import ROWS, SMALL, Row
from kernel_store import Stock, stock
from matrix_judge import FAILED, MISSING, PASSED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from matrix_plan import Command

REPOSITORY = Path(__file__).resolve().parent.parent.parent
# The emulator is some 25 times slower than the machine, and two rows share two cores.
ROW_SECONDS = 200.0
# The tests of the launcher, and the image of Python that is unpacked into memory.
TESTS_SECONDS = 400.0
TESTS_MEMORY = 1024
WORKERS = 2


def run_row(row: Row, kernels: Stock, contents: guest_content.Contents) -> Outcome:
    """Boot one row and judge it."""
    plan = matrix_plan.commands(row)
    found = _booted(row, kernels, plan, contents.full, ROW_SECONDS, guest_boot.MEMORY)
    if isinstance(found, Outcome):
        return found
    record = kernel_page.measured(row, found)
    problems = [
        *matrix_judge.judge(row, plan, found),
        *kernel_page.differences(record, contents.foretold[row.name]),
    ]
    ran = _told(row, kernels, found)
    if problems:
        lines = (ran, *problems, *console_tail(found.console))
        return Outcome(row.name, FAILED, lines)
    return Outcome(row.name, PASSED, (ran, *matrix_judge.remarks(found)), record)


def run_tests(row: Row, kernels: Stock, contents: guest_content.Contents) -> Outcome:
    """Boot a row with Python in it and run the tests of the launcher there."""
    name = f"tests: {row.name}"
    plan = matrix_plan.python_commands(row)
    found = _booted(row, kernels, plan, contents.python, TESTS_SECONDS, TESTS_MEMORY)
    if isinstance(found, Outcome):
        return dataclasses.replace(found, name=name)
    ran = _told(row, kernels, found)
    if problems := matrix_judge.judge(row, plan, found):
        lines = (ran, *problems, *console_tail(found.console, 200))
        return Outcome(name, FAILED, lines)
    printed = found.outputs.get("root-tests", [])
    last = [line for line in printed if re.match(r"^([0-9]+ passed|skipped)", line)]
    return Outcome(name, PASSED, (ran, *last))


def _booted(
    row: Row,
    kernels: Stock,
    plan: list[Command],
    entries: Callable[[Row, list[Command], float], list[guest_image.Entry]],
    seconds: float,
    memory: int,
) -> guest_boot.Transcript | Outcome:
    """Boot a row with some files; an outcome where that cannot be done."""
    try:
        guest_boot.emulator(row.arch)
        kernel = kernels.kernel(row)
        with tempfile.TemporaryDirectory(prefix="stockade-row-") as folder:
            image = Path(folder) / "initramfs"
            limit = seconds * guest_boot.patience()
            guest_image.write_image(image, entries(row, plan, 0.9 * limit))
            return guest_boot.boot_patiently(row, kernel, image, limit, memory)
    except UnavailableError as error:
        return Outcome(row.name, MISSING, (str(error),))
    except BuildError as error:
        return Outcome(row.name, FAILED, tuple(str(error).splitlines()))


def _told(row: Row, kernels: Stock, found: guest_boot.Transcript) -> str:
    ran = f"{kernels.versions[row.kernel.name]}, Landlock ABI"
    ran += f" {matrix_judge.fact(found, 'landlock-abi')}"
    ran += f", {found.seconds:.1f} s, {len(found.statuses)} commands"
    return ran + (f", boot {found.attempts}" if found.attempts > 1 else "")


def console_tail(console: str, most: int = 60) -> list[str]:
    """Return the end of a console, for a person to read."""
    return ["console: " + line.rstrip("\r") for line in console.splitlines()[-most:]]


def report(outcome: Outcome) -> None:
    """Print one row."""
    print(f"{outcome.name:<20} {outcome.kind}: {outcome.lines[0]}")
    for line in outcome.lines[1:]:
        print(f"    {line}")
    sys.stdout.flush()


def chosen_rows(names: list[str], *, small: bool) -> list[Row]:
    """Return the rows to run; a name that is none raises ValueError."""
    unknown = set(names) - {row.name for row in ROWS}
    if unknown:
        raise ValueError(f"no row `{min(unknown)}`")
    if names:
        return [row for row in ROWS if row.name in names]
    return list(SMALL if small else ROWS)


def write_page(outcomes: list[Outcome]) -> bool:
    """Write the page of a whole run that passed; say so where there is none."""
    records = {one.name: one.record for one in outcomes if one.record is not None}
    if any(row.name not in records for row in ROWS):
        print(f"{kernel_page.PAGE.name} is not written: not every row passed")
        return False
    found = [records[row.name] for row in ROWS]
    kernel_page.PAGE.write_text(kernel_page.page(found), encoding="utf-8")
    return True


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", action="store_true", help="five rows only")
    parser.add_argument("--row", action="append", default=[], metavar="NAME")
    parser.add_argument(
        "--tests", action="store_true", help="only the tests of the launcher"
    )
    parser.add_argument("--page", action="store_true", help="write docs/kernels.md")
    parser.add_argument("--refresh", action="store_true", help="fetch kernels anew")
    parser.add_argument(
        "--cache", type=Path, default=REPOSITORY / "build" / "kernels", metavar="DIR"
    )
    return parser


def run_all(
    rows: list[Row],
    tests: list[Row],
    controls: tuple[matrix_controls.Control, ...],
    kernels: Stock,
    contents: guest_content.Contents,
) -> list[Outcome]:
    """Run rows and controls, two at a time, and report each as it ends."""
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        pending = [
            *(
                pool.submit(matrix_controls.run, one, kernels, contents)
                for one in controls
            ),
            *(pool.submit(run_tests, row, kernels, contents) for row in tests),
            *(pool.submit(run_row, row, kernels, contents) for row in rows),
        ]
        for future in concurrent.futures.as_completed(pending):
            outcomes.append(future.result())
            report(outcomes[-1])
    return outcomes


def main() -> int:
    """Run the matrix; 0 when nothing failed."""
    parser = arguments()
    options = parser.parse_args()
    try:
        rows = chosen_rows(options.row, small=options.small)
    except ValueError as error:
        parser.error(str(error))
    started = time.monotonic()
    bootable = [row for row in rows if guest_boot.can_boot(row.arch)]
    tests = [row for row in bootable if row.python and not options.small]
    cache = options.cache.resolve()
    kernels = stock(cache, bootable, tests, refresh=options.refresh)
    fetching = time.monotonic() - started
    contents = guest_content.Contents(REPOSITORY, kernels)
    contents.compile(bootable)
    controls = () if options.row or options.tests else matrix_controls.CONTROLS
    if options.tests:
        rows = []
    outcomes = run_all(rows, tests, controls, kernels, contents)
    written = not options.page or write_page(outcomes)
    state = "cold" if kernels.fetched else "warm"
    total = time.monotonic() - started
    print(f"{total:.0f} s in all, {state} cache, {fetching:.0f} s for kernels")
    kinds = [outcome.kind for outcome in outcomes]
    print(
        ", ".join(f"{kinds.count(kind)} {kind}" for kind in (PASSED, FAILED, MISSING))
    )
    return 1 if FAILED in kinds or not written else 0


if __name__ == "__main__":
    sys.exit(main())
