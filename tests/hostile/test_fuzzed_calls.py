# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let random system calls loose inside, beside a watcher that would see any reach.

The same fuzzer without a sandbox, in the same namespaces, must be noticed for every
kind of thing watched: a kind that nothing outside can trip proves nothing inside.
A seed makes the same calls again, as the report says:

    make test TESTS='tests/hostile -s'
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from grounds import GROUNDS, Camp, Ground, Hunt

import stage as stages
from stage import Stage

pytestmark = pytest.mark.needs("root-user", "namespaces", "posix-queues", "keyrings")

SECONDS = 3.0
LONG_SECONDS = 120.0
# Of the table's numbers and the gaps among and after them, by the native entry.
LEAST_NUMBERS = 300
LEAST_CALLS = 1000
CONTROL_SCENES = 12
LONG_CONTROL_SCENES = 240
# What a few runs without a sandbox reach; the rest takes more of them.
SOON = {
    *("file-names", "file-content", "file-metadata", "granted-metadata"),
    *("process-signal", "process-priority", "process-affinity"),
    *("system-v", "posix-queue", "keys"),
}
REFUSALS = (1, 13, 38)  # EPERM EACCES ENOSYS


@pytest.fixture(scope="module")
def camp(stage: Stage) -> Camp:
    return Camp(stage)


def count(seen: dict[str, object]) -> dict[str, int]:
    """Sum the calls of a run: how many, of how many numbers, with what outcome."""
    calls = seen["calls"]
    assert isinstance(calls, list)
    outcomes: Counter[int] = Counter()
    for _, _, error, times in calls:
        outcomes[error] += times
    return {
        "runs": int(str(seen["runs"])),
        "calls": sum(outcomes.values()),
        "succeeded": outcomes[0],
        "refused": sum(outcomes[error] for error in REFUSALS),
        **{
            f"{name} numbers": len({row[1] for row in calls if row[0] == entry})
            for entry, name in (("n", "native"), ("x", "x32"), ("i", "i386"))
        },
    }


def judge(camp: Camp, name: str, hunt: Hunt) -> dict[str, int]:
    """Fuzz under one policy and hold the watcher to having seen nothing new."""
    ground: Ground = GROUNDS[name]
    stages.require(*ground.needs)
    seen = camp.watch(ground, hunt)
    assert "lost" not in seen, seen
    noticed = seen["noticed"]
    assert isinstance(noticed, dict)
    reached = {
        kind: text for kind, text in noticed.items() if kind not in ground.granted
    }
    assert not reached, f"seeds from {hunt.seed}: {json.dumps(reached, indent=1)}"
    return count(seen)


@pytest.mark.parametrize("name", GROUNDS)
def test_nothing_outside_is_reached(camp: Camp, name: str) -> None:
    """S2-380 S2-383: a few thousand calls under each policy."""
    counted = judge(camp, name, Hunt(SECONDS, run_seconds=0.5))
    print(f"{name}, seeds from 1: {counted}")
    assert counted["calls"] >= LEAST_CALLS
    assert counted["native numbers"] >= LEAST_NUMBERS
    # A sandbox that answers nothing, or a fuzzer that asks nothing, shows nothing.
    assert counted["succeeded"] > 0
    assert counted["refused"] > 0


@pytest.mark.long
@pytest.mark.parametrize("name", GROUNDS)
def test_nothing_outside_is_reached_for_long(camp: Camp, name: str) -> None:
    """S2-380 S2-383: the same for minutes, from another seed."""
    counted = judge(camp, name, Hunt(LONG_SECONDS, seed=1_000_000, run_seconds=0.5))
    print(f"{name}, seeds from 1000000: {counted}")
    assert counted["native numbers"] >= LEAST_NUMBERS


def reach_without_sandbox(
    camp: Camp, scenes: int, wanted: set[str]
) -> tuple[set[str], set[str]]:
    """Fuzz outside until all that is wanted was noticed; gives noticed, watched."""
    noticed: set[str] = set()
    watched: set[str] = set()
    for scene in range(scenes):
        hunt = Hunt(1.0, calls=800, seed=1 + 4 * scene, most_runs=4, run_seconds=0.4)
        seen = camp.watch(None, hunt)
        # Where the watcher was ended or stopped, nobody is left to tell the rest.
        if "lost" in seen:
            continue
        watched |= {*seen["watched"]}  # type: ignore[misc]
        noticed |= {*seen["noticed"]}  # type: ignore[misc]
        if noticed >= (wanted or watched):
            break
    return noticed, watched


def test_watcher_sees_it_without_a_sandbox(camp: Camp) -> None:
    """S2-390: by the same calls most kinds of what is watched are reached outside."""
    noticed, _ = reach_without_sandbox(camp, CONTROL_SCENES, SOON)
    assert noticed >= SOON


@pytest.mark.long
def test_watcher_sees_all_of_it_without_a_sandbox(camp: Camp) -> None:
    """S2-390: and every kind, by more of them."""
    noticed, watched = reach_without_sandbox(camp, LONG_CONTROL_SCENES, set())
    assert watched
    assert noticed == watched


def test_same_seed_makes_the_same_calls(camp: Camp) -> None:
    """A reach that was noticed can be found: the calls hang on the seed alone."""

    def numbers(seed: int) -> list[list[str]]:
        hunt = Hunt(5.0, calls=20, seed=seed, most_runs=1, trace=True)
        (output,) = camp.watch(GROUNDS["strictest"], hunt)["traces"]  # type: ignore[misc]
        lines = [line.split()[1:4] for line in output.splitlines()]
        return [words for words in lines if words and words[0].startswith("0.")]

    first = numbers(11)
    assert len(first) > 1
    again = numbers(11)
    assert first[: len(again)] == again[: len(first)]
    assert numbers(12)[:5] != first[:5]
