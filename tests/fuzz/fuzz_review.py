# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare reports on 3,000 random edits with what the policies mean."""

from __future__ import annotations

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(_TESTS), str(_TESTS / "review")]

import edits  # noqa: E402 - a test's module, found by the path above

_EDITS = 3000


def main() -> int:
    """Print each fault; return 1 when there is one."""
    found = 0
    for fault in edits.run(_EDITS, seed=6000):
        found += 1
        print(fault)
    print(f"{_EDITS} edits, {found} faults")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
