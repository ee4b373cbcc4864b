# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fuzz by coverage for a few seconds; `make fuzz` does the same for minutes."""

from __future__ import annotations

import random
from pathlib import Path

import bundle_fuzzer
import policy_fuzzer
import policy_mutation
import pytest
import whole_compiles

from stockade.diagnostics import PolicyRejected
from stockade.driver.compile import targets
from stockade.policy import read_policy

_SECONDS = 8


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the parser under libFuzzer."""
    return bundle_fuzzer.build(tmp_path_factory.mktemp("fuzzer"))


@pytest.mark.needs("clang")
def test_parser_survives_what_coverage_finds(program: Path, tmp_path: Path) -> None:
    """S2-378 no stray access and no undefined behaviour, whatever the bytes."""
    outcome = bundle_fuzzer.run(program, tmp_path / "corpus", tmp_path, _SECONDS)
    assert outcome.report == ""
    # It gets past the checksum and into every table: far fewer otherwise.
    assert outcome.inputs > 5_000
    assert outcome.places > 300


@pytest.mark.needs("atheris")
def test_policy_reading_survives_what_coverage_finds(tmp_path: Path) -> None:
    """S1-022 S1-033 a policy or diagnostics, whatever the bytes."""
    outcome = policy_fuzzer.run(tmp_path / "corpus", tmp_path, _SECONDS)
    assert outcome.report == ""
    assert outcome.inputs > 300
    assert outcome.places > 800


@pytest.mark.needs("clang")
def test_run_that_breaks_a_limit_is_a_finding(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: no run is sound because its end was misread."""
    monkeypatch.setattr(bundle_fuzzer, "_LIMITS", ("-rss_limit_mb=1",))
    outcome = bundle_fuzzer.run(program, tmp_path / "corpus", tmp_path, 5)
    assert "out-of-memory" in outcome.report
    assert list(tmp_path.glob("oom-*")) != []


def test_changes_reach_behind_the_reader_of_toml() -> None:
    """Some changed policies are sound, and the others are refused for many reasons."""
    chance = random.Random(1)
    seeds, sound, codes = policy_mutation.seeds(), 0, set()
    for _ in range(600):
        try:
            read_policy(policy_mutation.changed(chance.choice(seeds), chance), "p")
            sound += 1
        except PolicyRejected as rejected:
            codes.update(one.code for one in rejected.diagnostics)
    assert sound > 60
    assert len(codes) > 10


def test_what_is_read_is_made_or_refused_by_name() -> None:
    """S1-001: for each target, and no stage behind the reader knows better."""
    ends = whole_compiles.run(60, seed=5)
    for target in targets():
        assert ends[f"{target}: made"] > 0
    assert ends["linux-x86_64: refused"] > 0
