# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare reports on random edits with what the policies mean, on every system."""

from __future__ import annotations

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(_TESTS), str(_TESTS / "review")]

import edits  # noqa: E402 - a test's module, found by the path above
from test_every_target import edit_faults  # noqa: E402 - as above

from stockade.abi.targets import System  # noqa: E402 - as above

_EDITS = {System.LINUX: 3000, System.MACOS: 500, System.WINDOWS: 2000}
_SEED = 6000


def main() -> int:
    """Print each fault; return 1 when there is one."""
    found = 0
    for system, number in _EDITS.items():
        if system is System.LINUX:
            faults = edits.run(number, _SEED)
        else:
            faults = edit_faults(number, _SEED, system)
        for fault in faults:
            found += 1
            print(fault)
        print(f"{system}: {number} edits, {found} faults so far")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
