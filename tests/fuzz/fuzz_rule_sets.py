# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile random rule sets for a long time; prove each and compare its calls.

    python tests/fuzz/fuzz_rule_sets.py [COUNT [FIRST_SEED]]

One process per processor. A rule set that is compiled otherwise than it is meant
ends the run with its seed.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "filters"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "proof"))

import rule_maker

SETS = 100_000
FIRST_SEED = 20261129
VECTORS = 12
_BATCH = 250


def try_batch(seeds: range) -> tuple[int, int, int]:
    """Check some rule sets; give their number, calls compared, and longest program."""
    longest = 0
    for seed in seeds:
        source = random.Random(seed)
        rule_set = rule_maker.random_rule_set(source)
        try:
            program = rule_maker.check(rule_set, source, VECTORS)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}\n{rule_set}") from error
        longest = max(longest, len(program.instructions))
    return len(seeds), len(seeds) * VECTORS, longest


def main() -> None:
    """Try as many rule sets as asked for; show progress where someone looks."""
    asked = [int(argument) for argument in sys.argv[1:]]
    count, seed = (asked + [SETS, FIRST_SEED][len(asked) :])[:2]
    end = seed + count
    batches = [range(at, min(at + _BATCH, end)) for at in range(seed, end, _BATCH)]
    done = calls = longest = 0
    start = time.perf_counter()
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for sets, compared, length in pool.imap_unordered(try_batch, batches):
            done, calls, longest = done + sets, calls + compared, max(longest, length)
            rate = done / (time.perf_counter() - start)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} of {count} rule sets, {rate:.0f} a second ")
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    seconds = time.perf_counter() - start
    print(
        f"{done} rule sets proved, {calls} calls compared, longest program"
        f" {longest} instructions; {seconds:.0f} s, {done / seconds:.0f} a second"
    )


if __name__ == "__main__":
    main()
