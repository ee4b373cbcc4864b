# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Try hostile texts in policies for a long time: they are data in all that is made.

Usage: fuzz_injection.py [POLICIES [SEED]].
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings

_TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(_TESTS), str(_TESTS / "injection")]

from hostile_text import (  # noqa: E402 - a test's module, found by the path above
    Twins,
    twins,
)
from injection_judges import (  # noqa: E402 - the same
    judge_manifest,
    judge_profile,
    judge_snapshot,
)

from stockade.driver.compile import targets  # noqa: E402 - after the path is set

_POSIX, _WINDOWS = "/x/", "C:\\x\\"


def main(argv: list[str]) -> int:
    """Go through the judges; a failure ends with its smallest policy."""
    policies = int(argv[0]) if argv else 20_000
    first = int(argv[1]) if len(argv) > 1 else 1
    _try(judge_profile, (_POSIX,), policies, first)
    _try(judge_manifest, (_WINDOWS,), policies, first)
    for target in targets():
        show = partial(judge_snapshot, target=target)
        _try(show, (_POSIX, _WINDOWS), policies // 40, first)
    return 0


def _try(
    judge: Callable[[Twins], None], roots: tuple[str, ...], number: int, first: int
) -> None:
    most = settings(
        max_examples=number,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )

    def one(pair: Twins) -> None:
        judge(pair)

    seed(first)(most(given(pair=twins(*roots))(one)))()
    print(f"{number} policies: texts stay data")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
