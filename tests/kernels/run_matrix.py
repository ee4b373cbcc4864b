# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Boot the kernels of the matrix and try launcher and escapes on each.

    python tests/kernels/run_matrix.py --small [--cache DIR] [--row NAME]...

Closes on `N passed, N failed, N skipped`. A kernel or an emulator that cannot be
had is a skip with its reason; a row that ran nothing is a failure.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import sys
import tempfile
import time
from pathlib import Path

import guest_boot
import guest_content
import guest_image
import matrix_controls
import matrix_plan
from guest_build import BuildError
from kernel_packages import UnavailableError
from kernel_rows import SMALL, Row
from kernel_store import Stock, stock
from matrix_plan import Outcome

REPOSITORY = Path(__file__).resolve().parent.parent.parent
# The emulator is some 25 times slower than the machine, and two rows share two cores.
ROW_SECONDS = 170.0
WORKERS = 2


def run_row(row: Row, kernels: Stock, contents: guest_content.Contents) -> Outcome:
    """Boot one row and judge it."""
    try:
        guest_boot.emulator(row.arch)
        kernel = kernels.kernel(row)
        plan = matrix_plan.commands(row)
        with tempfile.TemporaryDirectory(prefix="stockade-row-") as folder:
            image = Path(folder) / "initramfs"
            guest_image.write_image(image, contents.full(row, plan))
            transcript = guest_boot.boot(row, kernel, image, ROW_SECONDS)
    except UnavailableError as error:
        return Outcome(row.name, "skipped", (str(error),))
    except BuildError as error:
        return Outcome(row.name, "failed", tuple(str(error).splitlines()))
    problems = matrix_plan.judge(row, plan, transcript)
    ran = f"{kernels.versions[row.name]}, Landlock ABI"
    ran += f" {matrix_plan.landlock_abi(transcript)}, {transcript.seconds:.1f} s"
    ran += f", {len(transcript.statuses)} commands"
    if problems:
        lines = (ran, *problems, *console_tail(transcript.console))
        return Outcome(row.name, "failed", lines)
    return Outcome(row.name, "passed", (ran, *matrix_plan.remarks(transcript)))


def console_tail(console: str, most: int = 60) -> list[str]:
    """Return the end of a console, for a person to read."""
    return ["console: " + line.rstrip("\r") for line in console.splitlines()[-most:]]


def report(outcome: Outcome) -> None:
    """Print one row."""
    print(f"{outcome.name:<16} {outcome.kind}: {outcome.lines[0]}")
    for line in outcome.lines[1:]:
        print(f"    {line}")
    sys.stdout.flush()


def chosen_rows(names: list[str]) -> list[Row]:
    """Return the rows to run; a name that is none raises ValueError."""
    unknown = set(names) - {row.name for row in SMALL}
    if unknown:
        raise ValueError(f"no row `{min(unknown)}`")
    return [row for row in SMALL if not names or row.name in names]


def main() -> int:
    """Run the matrix; 0 when nothing failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", action="store_true", help="the five rows (default)")
    parser.add_argument("--row", action="append", default=[], metavar="NAME")
    parser.add_argument("--refresh", action="store_true", help="fetch kernels anew")
    parser.add_argument(
        "--cache", type=Path, default=REPOSITORY / "build" / "kernels", metavar="DIR"
    )
    options = parser.parse_args()
    try:
        rows = chosen_rows(options.row)
    except ValueError as error:
        parser.error(str(error))
    started = time.monotonic()
    bootable = [row for row in rows if guest_boot.can_boot(row.arch)]
    kernels = stock(options.cache.resolve(), bootable, refresh=options.refresh)
    fetching = time.monotonic() - started
    contents = guest_content.Contents(REPOSITORY, kernels)
    contents.compile({row.arch for row in bootable if row.name in kernels.kernels})
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        pending = [
            pool.submit(matrix_controls.run, control, kernels, contents)
            for control in matrix_controls.CONTROLS
            if not options.row
        ]
        pending += [pool.submit(run_row, row, kernels, contents) for row in rows]
        for future in concurrent.futures.as_completed(pending):
            outcome = future.result()
            report(outcome)
            counts[outcome.kind] += 1
    state = "cold" if kernels.fetched else "warm"
    total = time.monotonic() - started
    print(f"{total:.0f} s in all, {state} cache, {fetching:.0f} s for kernels")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
