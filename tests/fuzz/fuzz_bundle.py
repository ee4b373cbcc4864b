#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run the parser over 100,000 random hostile bundles under ASan and UBSan.

Usage: fuzz_bundle.py [CASES [SEED]]. What the parser accepts is decoded, encoded
and decoded again. A bundle that breaks something is kept in build/fuzz/.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "artifact"))

from mutation import mutated  # noqa: E402
from parse_driver import Driver, build_driver  # noqa: E402
from test_random import judge  # noqa: E402

_BATCH = 2000


def main(argv: list[str]) -> int:
    """Fuzz in batches; return 1 at the first finding."""
    cases = int(argv[0]) if argv else 100_000
    seed = int(argv[1]) if len(argv) > 1 else 0
    chance = random.Random(seed)
    accepted = 0
    with tempfile.TemporaryDirectory() as folder:
        driver = build_driver(Path(folder))
        for first in range(0, cases, _BATCH):
            batch = [mutated(chance) for _ in range(min(_BATCH, cases - first))]
            found = [data for data in batch if not _agrees(data)]
            found += _strays(driver, batch)
            if found:
                return _keep(found[0], seed)
            accepted += sum(1 for error in driver.errors(batch) if error == 0)
    print(f"{cases} bundles, seed {seed}: {accepted} sound, the rest refused")
    return 0


def _agrees(data: bytes) -> bool:
    try:
        judge(data)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        print(f"{type(error).__name__}: {error}")
        return False
    return True


def _strays(driver: Driver, batch: list[bytes]) -> list[bytes]:
    """Return the first bundle at which the driver stops, if it stops."""
    try:
        driver.errors(batch)
    except AssertionError:
        for data in batch:
            try:
                driver.errors([data])
            except AssertionError as report:
                print(report)
                return [data]
    return []


def _keep(data: bytes, seed: int) -> int:
    folder = ROOT / "build" / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"bundle-{seed}.stk"
    path.write_bytes(data)
    print(f"seed {seed}: kept in {path}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
