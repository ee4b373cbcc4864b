# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the snapshots of whole policies with the reviewed ones.

Each case also goes through the other judges for nothing: the gate and the
launcher's parser see every artifact before there is a snapshot to compare.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from stage import REPOSITORY
from stockade.abi.targets import SYSTEM_OF
from stockade.artifact.decode import decode
from stockade.artifact.write import checksum_of
from stockade.driver.compile import compile_policy
from stockade.driver.targets import default_targets
from stockade.model.policy import Policy
from stockade.plan.support import unbuilt
from stockade.policy import read_policy

_CASES = sorted(
    path.parent for path in Path(__file__).parent.glob("cases/*/policy.toml")
)


_EXAMPLES = sorted((REPOSITORY / "docs" / "examples").glob("*.toml"))
_EXAMPLE_TEXTS = Path(__file__).parent / "examples"
# The cases above are kept for both targets; what differs between them is the same
# for every policy, so one is enough here.
_EXAMPLE_TARGET = "linux-x86_64"


def _policy(case: Path) -> Policy:
    return read_policy((case / "policy.toml").read_text("utf-8"), "policy.toml")


def _targets(policy: Policy) -> tuple[str, ...]:
    """List the targets of a policy that can hold it."""
    return tuple(
        one for one in default_targets(policy) if not unbuilt(policy, SYSTEM_OF[one])
    )


def test_there_are_cases() -> None:
    assert len(_CASES) >= 4


@pytest.mark.parametrize("policy", _EXAMPLES, ids=lambda path: path.stem)
def test_example_is_the_reviewed_one(
    policy: Path, request: pytest.FixtureRequest
) -> None:
    """S1-371: what the examples grant is reviewed as a user's policies are."""
    read = read_policy(policy.read_text("utf-8"), policy.name)
    compiled = compile_policy(read, policy.stem, _EXAMPLE_TARGET)
    expected = _EXAMPLE_TEXTS / f"{policy.stem}.{_EXAMPLE_TARGET}.txt"
    if request.config.getoption("--bless"):
        expected.write_text(compiled.snapshot, "utf-8")
    assert compiled.snapshot == expected.read_text("utf-8")


def test_every_reviewed_text_has_an_example() -> None:
    texts = {path.name for path in _EXAMPLE_TEXTS.iterdir()}
    assert texts == {f"{one.stem}.{_EXAMPLE_TARGET}.txt" for one in _EXAMPLES}


@pytest.mark.parametrize("case", _CASES, ids=lambda path: path.name)
def test_snapshots_are_the_reviewed_ones(
    case: Path, request: pytest.FixtureRequest
) -> None:
    """S1-371, S2-402, S2-404, GL-067: a change of rules or generated code shows."""
    policy = _policy(case)
    for target in _targets(policy):
        compiled = compile_policy(policy, "golden", target)
        expected = case / f"{target}.txt"
        if request.config.getoption("--bless"):
            expected.write_text(compiled.snapshot, "utf-8")
        assert compiled.snapshot == expected.read_text("utf-8")


@pytest.mark.parametrize("case", _CASES, ids=lambda path: path.name)
def test_every_reviewed_text_is_of_a_target(case: Path) -> None:
    texts = {path.stem for path in case.glob("*.txt")}
    assert texts == {*_targets(_policy(case))}


@pytest.mark.parametrize("case", _CASES, ids=lambda path: path.name)
def test_snapshot_names_its_bundle(case: Path) -> None:
    """A bundle and a snapshot that do not belong together are told apart."""
    policy = _policy(case)
    for target in _targets(policy):
        compiled = compile_policy(policy, "golden", target)
        assert decode(compiled.bundle).target == target
        assert f"\nbundle {checksum_of(compiled.bundle):08x}\n" in compiled.snapshot


@pytest.mark.parametrize("case", _CASES, ids=lambda path: path.name)
def test_snapshot_is_lines_of_one_fact(case: Path) -> None:
    """No line break of a policy reaches the snapshot, and no line trails blanks."""
    for target in _targets(_policy(case)):
        lines = (case / f"{target}.txt").read_text("utf-8").splitlines()
        assert all(line == line.rstrip() for line in lines)
        assert len([line for line in lines if line.startswith("set NOTE=")]) <= 1
