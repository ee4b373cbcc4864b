# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measure what a confined start adds, and what attaching the filter costs.

    python tests/bench/run_bench.py [--rounds N]

Prints ratios beside the times they come from. Nothing here fails for being slow:
absolute times move with the machine, so they bind nobody.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# As a script it finds only what lies beside it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from backward_assembly import to_bytes
from bench_stage import REPOSITORY, BenchError, BenchStage, checked, open_stage
from compiled_filter import (
    compile_bundle,
    compile_read,
    disagreement,
    filter_of,
    host_landlock_abi,
    read_bench_policy,
    variant_of,
)
from linear_filter import linear_filter
from reference_filter import reference_filter

BUILD = REPOSITORY / "build"
LAUNCHER = BUILD / "stockade-launch"
# The figures are quoted from at least this many interleaved rounds.
ROUNDS = 1000
LEAST_ROUNDS = 500
COMMAND_ROUNDS = 20
GRANTS = (10, 100, 1000, 10_000)
_LABEL_WIDTH = 54


@dataclass(frozen=True, slots=True)
class Figure:
    """Minimum and median of one series, in microseconds."""

    minimum: float
    median: float

    def __sub__(self, other: Figure) -> Figure:
        return Figure(self.minimum - other.minimum, self.median - other.median)

    def __truediv__(self, other: Figure) -> Figure:
        return Figure(self.minimum / other.minimum, self.median / other.median)


def _figures(listing: str) -> list[Figure]:
    """Read what the C programs print: nanoseconds, one command a line."""
    pairs = [line.split()[:2] for line in listing.splitlines()]
    return [Figure(int(least) / 1000, int(middle) / 1000) for least, middle in pairs]


def _heading(text: str) -> None:
    print(f"{text:<{_LABEL_WIDTH}}{'minimum':>9}{'median':>9}")


def _row(label: str, figure: Figure, unit: str = "us") -> None:
    digits = 1 if unit == "us" else 2
    cells = f"{figure.minimum:>9.{digits}f}{figure.median:>9.{digits}f}"
    print(f"  {label:<{_LABEL_WIDTH - 2}}{cells}")


def measure_launch(stage: BenchStage, rounds: int) -> None:
    """Time the four starts, interleaved, and print what the launcher adds."""
    true = stage.program("true")
    bundle = stage.add_file("bench.stk", compile_bundle(stage.policy()))
    if not LAUNCHER.is_file():
        raise BenchError(f"no launcher at `{LAUNCHER}`; run `make build`")
    stage.add_program(LAUNCHER, "stockade-launch")
    commands = {
        "a  static `true`": [true],
        "b  an extra exec, then a": [stage.program("extra_exec"), true],
        "c  bare reference, then a": [stage.program("reference"), true, *stage.rules()],
        "d  launcher with its check, then a": [
            *(stage.program("stockade-launch"), bundle, "--", true),
        ],
    }
    line = [stage.program("spawner"), str(rounds)]
    for command in commands.values():
        line += [*command, "+"]
    figures = _figures(checked(line[:-1], stage.home))
    mounts = len(Path("/proc/self/mountinfo").read_text().splitlines())
    # The launcher reads them all, for the one writable grant.
    _heading(f"launch, us, {rounds} interleaved rounds, {mounts} mounts")
    for label, figure in zip(commands, figures, strict=True):
        _row(label, figure)
    plain, _, reference, launcher = figures
    _row("(d - a) / (c - a)", (launcher - plain) / (reference - plain), "ratio")


def measure_growth(stage: BenchStage, rounds: int) -> None:
    """Time starts and compiles with more and more grants, and their memory."""
    true = stage.program("true")
    command, compiled = [], []
    for grants in GRANTS:
        policy = stage.policy(stage.add_folders(grants))
        start = time.process_time()
        read = read_bench_policy(policy)
        middle = time.process_time()
        bundle = compile_read(read)
        compiled.append((middle - start, time.process_time() - middle))
        path = stage.add_file(f"grants-{grants}.stk", bundle)
        command += [stage.program("stockade-launch"), path, "--", true, "+"]
    spawner = [stage.program("spawner"), str(rounds), *command[:-1]]
    listing = checked(spawner, stage.home)
    figures = _figures(listing)
    _heading(f"launch by grants, us, {rounds} interleaved rounds")
    for grants, figure, line in zip(GRANTS, figures, listing.splitlines(), strict=True):
        _row(f"{grants} grants, {line.split()[2]} KiB at most", figure)
    steps = zip(GRANTS, GRANTS[1:], figures, figures[1:], strict=False)
    for fewer, more, less, rest in steps:
        each = (rest - less) / Figure(more - fewer, more - fewer)
        _row(f"for each grant from {fewer} to {more}", each)
    print("compile of one target by grants, ms of processor time")
    for grants, (reading, compiling) in zip(GRANTS, compiled, strict=True):
        cells = f"read {reading * 1000:.1f}, compile and prove {compiling * 1000:.1f}"
        print(f"  {f'{grants} grants':<{_LABEL_WIDTH - 2}}{cells}")


def measure_command(rounds: int) -> None:
    """Time the command that compiles, from cold, beside an empty Python."""
    command = [REPOSITORY / ".venv" / "bin" / "stockade", "compile"]
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder) / "bench.toml"
        policy.write_text("version = 1\n")
        commands = {
            "python3 -c pass": [sys.executable, "-c", "pass"],
            "stockade --version": [*command[:1], "--version"],
            "stockade compile, all targets": [*command, policy],
        }
        times: dict[str, list[float]] = {label: [] for label in commands}
        for _ in range(rounds):
            for label, line in commands.items():
                start = time.perf_counter()
                checked(line)
                times[label].append((time.perf_counter() - start) * 1000)
    _heading(f"commands, ms, {rounds} interleaved rounds")
    figures = [
        Figure(min(taken), sorted(taken)[len(taken) // 2]) for taken in times.values()
    ]
    for label, figure in zip(commands, figures, strict=True):
        _row(label, figure)
    _row("compile / pass", figures[-1] / figures[0], "ratio")


def measure_attach(stage: BenchStage, rounds: int) -> None:
    """Time attaching one filter as a tree and in a line, alternated."""
    policy = read_bench_policy(stage.policy())
    abi = host_landlock_abi()
    variant = variant_of(compile_bundle(stage.policy()), abi)
    tree = filter_of(variant)
    linear = linear_filter(policy, abi, os.uname().machine)
    difference = disagreement(tree, linear, policy, abi)
    if difference is not None:
        raise BenchError(f"tree and linear filter differ: {difference}")
    programs = {"tree": tree, "linear": linear, "reference's tree": reference_filter()}
    files = [
        stage.add_file(f"filter-{number}", to_bytes(program))
        for number, program in enumerate(programs.values())
    ]
    line = [stage.program("attach"), str(rounds), *files]
    figures = _figures(checked(line, stage.home))
    _heading(f"attach, us, {rounds} alternated rounds, Landlock ABI {abi}")
    for (label, program), figure in zip(programs.items(), figures, strict=True):
        _row(f"{label}, {len(program)} instructions", figure)
    _row("tree / linear", figures[0] / figures[1], "ratio")


def main() -> int:
    """Run both measurements in a stage that is removed in the end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N")
    options = parser.parse_args()
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"at least {LEAST_ROUNDS} rounds")
    if os.uname().machine != "x86_64":
        print("bench: skipped: the reference's filter is for x86_64")
        return 0
    try:
        with open_stage(BUILD / "bench") as stage:
            measure_launch(stage, options.rounds)
            measure_attach(stage, options.rounds)
            measure_growth(stage, options.rounds // 10)
        measure_command(COMMAND_ROUNDS)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
