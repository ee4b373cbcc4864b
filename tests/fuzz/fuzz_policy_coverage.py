# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fuzz policy reading by coverage for a long time.

Usage: fuzz_policy_coverage.py [SECONDS [SEED]]. The corpus grows in
build/fuzz/policy/; an input that breaks something is kept in build/fuzz/.
"""

from __future__ import annotations

import sys
from pathlib import Path

import policy_fuzzer
from bundle_fuzzer import ROOT


def main(argv: list[str]) -> int:
    """Fuzz, ten minutes unless told; return 1 at a finding."""
    seconds = int(argv[0]) if argv else 600
    seed = int(argv[1]) if len(argv) > 1 else 1
    kept = ROOT / "build" / "fuzz"
    kept.mkdir(parents=True, exist_ok=True)
    outcome = policy_fuzzer.run(Path(kept, "policy"), kept, seconds, seed)
    print(f"{outcome.inputs} policies, {outcome.places} places of the code reached")
    print(outcome.report, end="")
    return 1 if outcome.report else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
