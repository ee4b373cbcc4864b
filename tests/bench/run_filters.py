# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measure our filters beside libseccomp's, and how compile and proof grow.

    python tests/bench/run_filters.py [--rounds N]

Prints, for one common policy, sizes, times of attaching and of an inspected call,
compile times in process, and ratios; then rule sets of 10, 100 and 1,000 rules; then
the stages of one policy and target. Nothing here fails for being slow.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "filters"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "proof"))

from backward_assembly import to_bytes
from bench_stage import REPOSITORY, BenchError, BenchStage, checked, open_stage
from common_policy import common_policy
from filter_growth import SIZES, nested_rule_set
from rule_maker import RuleSet, Written, action_value
from rule_set import read_defaults, read_rules
from seccomp_library import LINEAR, TREE, LibraryRule, LibraryTest, compile_rules

import host_features
from stockade.abi.syscalls import call_names, call_numbers
from stockade.artifact.snapshot import write_snapshot
from stockade.artifact.write import checked_bytes, checksum_of
from stockade.driver.compile import compile_policy
from stockade.driver.linux import build_linux
from stockade.model.policy import Policy
from stockade.model.request import Situation
from stockade.proof.filters import check_filter
from stockade.proof.gate import judge
from stockade.proof.prover import encode_program, prove
from stockade.proof.structure import longest_path

ROUNDS = 1000
LEAST_ROUNDS = 500
# A call costs little, and each round makes thousands.
_CALL_ROUNDS_SHARE = 5
_REPEATS = 20
_PID_TO_COMPARE = 4242
_LABEL, _CELL = 44, 12


def _times(judged: Callable[[], object], repeats: int = _REPEATS) -> list[float]:
    """Give the times of repeated runs, in milliseconds, the first one left out."""
    judged()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        judged()
        times.append(1000 * (time.perf_counter() - start))
    return times


def _row(label: str, *cells: str) -> None:
    print(f"  {label:<{_LABEL}}" + "".join(f"{cell:>{_CELL}}" for cell in cells))


def _pair(least: float, middle: float, digits: int = 1) -> str:
    return f"{least:.{digits}f}/{middle:.{digits}f}"


def own_rule_set() -> RuleSet:
    """Write the common policy as a rule set."""
    grouped = read_rules(common_policy())
    calls: dict[int, tuple[str, tuple[Written, ...]]] = {}
    for number, name in call_names("x86_64").items():
        rules = grouped.get(name, ())
        written = tuple(Written(rule.tests, rule.action) for rule in rules)
        calls[number] = name, written
    return RuleSet("x86_64", calls, read_defaults(common_policy()))


def library_rules() -> list[LibraryRule]:
    """Write the common policy as the library takes it."""
    numbers = call_numbers("x86_64")
    rules = []
    for entry in common_policy()["rules"]:
        for call in entry["calls"]:
            for tests in _library_tests(entry.get("when")):
                action = action_value(entry["action"])
                rules.append(LibraryRule(numbers[call], action, tests))
    return rules


def _library_tests(
    when: dict[str, object] | None,
) -> list[tuple[LibraryTest, ...]]:
    match when:
        case None:
            return [()]
        case {"arg": int(arg), "mask": int(mask), "value": int(value)}:
            return [(LibraryTest(arg, "", value, mask),)]
        case {"arg": int(arg), "op": str(operator), "value": "own-pid"}:
            return [(LibraryTest(arg, operator, _PID_TO_COMPARE),)]
        case {"arg": int(arg), "in": list(values)}:
            return [(LibraryTest(arg, "==", value),) for value in values]
    raise BenchError(f"no such condition: {when}")


def _library(optimize: int) -> bytes:
    allow, refuse = action_value("ALLOW"), action_value("EPERM")
    return to_bytes(compile_rules(library_rules(), allow, refuse, optimize))


def _with_proof(rule_set: RuleSet) -> None:
    prove(rule_set.compile(), rule_set.claim())


def measure_common_policy(stage: BenchStage, rounds: int) -> None:
    """Print our row and the library's two, and their ratios."""
    rule_set = own_rule_set()
    programs = {"ours": encode_program(rule_set.compile())}
    compiled: dict[str, list[float]] = {}
    compiled["ours, with proof"] = _times(lambda: _with_proof(own_rule_set()))
    compiled["ours"] = _times(lambda: own_rule_set().compile())
    if host_features.has("libseccomp"):
        programs["libseccomp, linear"] = _library(LINEAR)
        programs["libseccomp, optimize=2"] = _library(TREE)
        compiled["libseccomp, linear"] = _times(lambda: _library(LINEAR))
        compiled["libseccomp, optimize=2"] = _times(lambda: _library(TREE))
    else:
        print("libseccomp is not on this host: our row alone")
    files = [
        stage.add_file(f"common-{number}", program)
        for number, program in enumerate(programs.values())
    ]
    attach = _lines(stage, "attach", rounds, files)
    cost = _lines(stage, "call_cost", rounds // _CALL_ROUNDS_SHARE, files)
    print(f"one common policy, {rounds} interleaved rounds, minimum/median")
    _row("", "length", "path", "attach us", "ioctl ns", "compile ms")
    print("  ratios are of medians; an ioctl counts for what a filter adds to it")
    bare = cost.pop(0)
    _row("no filter", "", "", "", _pair(*bare, 0))
    for index, (label, program) in enumerate(programs.items()):
        times = compiled[label]
        _row(
            label,
            str(len(program) // 8),
            str(longest_path(program)),
            _pair(*attach[index]),
            _pair(*cost[index], 0),
            _pair(min(times), statistics.median(times)),
        )
    proved = compiled["ours, with proof"]
    _row("ours, with proof", *[""] * 4, _pair(min(proved), statistics.median(proved)))
    for label in (label for label in programs if label != "ours"):
        index = list(programs).index(label)
        _row(
            f"ratio: {label} / ours",
            f"{len(programs[label]) / len(programs['ours']):.2f}",
            f"{longest_path(programs[label]) / longest_path(programs['ours']):.2f}",
            f"{attach[index][1] / attach[0][1]:.2f}",
            f"{(cost[index][1] - bare[1]) / (cost[0][1] - bare[1]):.2f}",
            "",
        )
        print(
            f"  compile with proof / {label}:"
            f" {statistics.median(proved) / statistics.median(compiled[label]):.1f}"
        )


def _lines(
    stage: BenchStage, program: str, rounds: int, files: list[str]
) -> list[tuple[float, float]]:
    """Run one of the C programs; give minimum and median, in thousandths."""
    listing = checked([stage.program(program), str(rounds), *files], stage.home)
    pairs = [line.split() for line in listing.splitlines()]
    return [(int(least) / 1000, int(middle) / 1000) for least, middle in pairs]


def measure_growth() -> None:
    """Print how compile and proof grow with the rules."""
    print("rules of nested 64-bit ranges over all calls, ms, median of 5")
    _row("", "length", "path", "compile", "proof")
    for arch in ("x86_64", "aarch64"):
        for size in SIZES:
            rule_set = nested_rule_set(size, arch)
            program, claim = rule_set.compile(), rule_set.claim()
            compiled = statistics.median(_times(rule_set.compile, 5))
            proved = statistics.median(_times(lambda: prove(program, claim), 5))  # noqa: B023
            _row(
                f"{arch}, {size} rules",
                str(len(program.instructions)),
                str(longest_path(encode_program(program))),
                f"{compiled:.1f}",
                f"{proved:.1f}",
            )


def measure_stages() -> None:
    """Print where the time of one policy and target goes."""
    policy, name, target = Policy(), "bench", "linux-x86_64"
    artifact = build_linux(policy, name, target)
    bundle = checked_bytes(artifact)
    programs = {
        variant.filter: next(
            int(need.rpartition("-")[2])
            for need in sorted(variant.must, reverse=True)
            if need.startswith("landlock-abi-")
        )
        for variant in artifact.levels[0].variants
    }

    def proofs() -> None:
        for program, abi in programs.items():
            check_filter(policy, Situation("x86_64", abi), program)

    stages: dict[str, Callable[[], object]] = {
        "whole": lambda: compile_policy(policy, name, target),
        "build": lambda: build_linux(policy, name, target),
        "gate": lambda: judge(policy, artifact),
        f"  of it the proofs of {len(programs)} filters": proofs,
        "bundle": lambda: checked_bytes(artifact),
        "text twin": lambda: write_snapshot(policy, artifact, checksum_of(bundle)),
    }
    print(f"the default policy for {target} in process, ms, minimum/median")
    found = {label: _times(stage) for label, stage in stages.items()}
    for label, times in found.items():
        share = (
            f"{100 * statistics.median(times) / statistics.median(found['whole']):.0f}%"
        )
        _row(label, _pair(min(times), statistics.median(times)), share)


def main() -> int:
    """Run all measurements in a stage that is removed in the end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N")
    options = parser.parse_args()
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"at least {LEAST_ROUNDS} rounds")
    try:
        if os.uname().machine == "x86_64":
            with open_stage(REPOSITORY / "build" / "bench") as stage:
                measure_common_policy(stage, options.rounds)
        else:
            print("bench: skipped: the common policy is for x86_64")
        measure_growth()
        measure_stages()
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
