# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read policies under a coverage-guided fuzzer, in a process that it owns.

Usage: policy_target.py [LIBFUZZER-ARGUMENT...]. Any bytes end in a policy or in
diagnostics that name a place, within the time and memory that the arguments give;
whatever else happens ends the process.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["stockade", "tomlkit"]):
    from stockade.diagnostics import PolicyRejected
    from stockade.diagnostics.render import render
    from stockade.model.policy import Policy
    from stockade.policy import read_policy

sys.path.insert(0, str(Path(__file__).resolve().parent))

import policy_mutation

_NAME = "policy.toml"


def judge(data: bytes) -> None:
    """Read one text; raise unless it ends as it must."""
    try:
        policy = read_policy(data, _NAME)
    except PolicyRejected as rejected:
        answer = render(rejected.diagnostics)
        assert rejected.diagnostics
        assert answer.startswith(f"{_NAME}:")
        assert all(line.isprintable() for line in answer.split("\n"))
        return
    assert isinstance(policy, Policy)


def mutate(data: bytes, limit: int, seed: int) -> bytes:
    """Change a text by its grammar, or as bytes."""
    chance = random.Random(seed)
    if chance.random() < 0.5:
        return bytes(atheris.Mutate(data, limit))
    return policy_mutation.changed(data, chance)[:limit]


def main() -> None:
    """Hand the process over; it ends with the fuzzer's status."""
    atheris.Setup(sys.argv, judge, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
