# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile changed policies for every target for a long time.

Usage: fuzz_whole_compiles.py [POLICIES [SEED]].
"""

from __future__ import annotations

import sys

import whole_compiles


def main(argv: list[str]) -> int:
    """Print how the policies ended; a fault ends the run."""
    number = int(argv[0]) if argv else 3_000
    seed = int(argv[1]) if len(argv) > 1 else 1
    for end, times in sorted(whole_compiles.run(number, seed).items()):
        print(f"{times:6} {end}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
