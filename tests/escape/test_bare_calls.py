# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Try refused calls by number: one answer outside, the refusal inside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from arenas import Outcome, read_outcome
from bare_calls import PASSED, REFUSED, UNDER, BareCall, on

from stage import Stage
from stockade.abi.syscalls import call_numbers

NUMBERS = call_numbers(os.uname().machine)
POLICY = 'version = 1\n[process]\nsignals = "isolated"\nchildren = "none"\n'


@pytest.fixture(scope="module")
def bundle(stage: Stage) -> Path:
    return stage.compile(POLICY, "bare")


def tries(
    stage: Stage, program: Path, bundle: Path, call: BareCall
) -> tuple[Outcome, Outcome]:
    """Make one call outside and inside."""
    text = call.text(NUMBERS)
    command: list[str | Path] = [program, "try", text, "/"]
    outside = stage.run(command)
    inside = stage.launch(bundle, program, *command[1:])
    return (
        read_outcome(text, outside.stdout.decode()),
        read_outcome(text, (inside.stdout + inside.stderr).decode()),
    )


@pytest.mark.parametrize("call", list(on(REFUSED, NUMBERS)), ids=BareCall.label)
def test_refused(stage: Stage, probe: Path, bundle: Path, call: BareCall) -> None:
    """GL-063 GL-070 GL-154 GL-067 GL-068 GL-073 GL-074 S2-014 S2-016 S2-251 S2-307."""
    outside, inside = tries(stage, probe, bundle, call)
    assert outside.answer not in {call.refusal, "none"}, outside.text
    assert inside.answer == call.refusal, (outside.text, inside.text)


@pytest.mark.parametrize("call", list(on(PASSED, NUMBERS)), ids=BareCall.label)
def test_passed(stage: Stage, probe: Path, bundle: Path, call: BareCall) -> None:
    """GL-154 GL-064 S2-254."""
    outside, inside = tries(stage, probe, bundle, call)
    assert outside.answer != "none", outside.text
    assert inside.answer == outside.answer, (outside.text, inside.text)


@pytest.mark.parametrize("policy", UNDER)
def test_under_policies_of_their_own(stage: Stage, probe: Path, policy: str) -> None:
    """GL-043 GL-047 GL-048 GL-053 GL-060 GL-062 GL-064 GL-076 GL-168."""
    text, calls = UNDER[policy]
    made = stage.compile(f"version = 1\n{text}", f"bare-{policy}")
    wrong = []
    for call in on(calls, NUMBERS):
        outside, inside = tries(stage, probe, made, call)
        if call.refusal:
            good = outside.answer not in {call.refusal, "none"}
            good = good and inside.answer == call.refusal
        else:
            good = inside.answer == outside.answer != "none"
        if not good:
            wrong.append((call.label(), outside.answer, inside.answer))
    assert not wrong
