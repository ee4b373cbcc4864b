# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what is said about wrong policies with what was reviewed.

A case is a folder `CODE-what-is-wrong` with `policy.toml`, or where that would be
long, `recipe.toml`: pieces of text and how often each comes, `{n}` counting.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from stockade.diagnostics import Code, PolicyRejected
from stockade.diagnostics.render import render
from stockade.policy import read_policy

HERE = Path(__file__).resolve().parent
CASES = sorted((HERE / "cases").iterdir())
PAGE = HERE.parents[1] / "docs" / "diagnostics.md"


def _policy(case: Path) -> bytes:
    recipe = case / "recipe.toml"
    if not recipe.exists():
        return (case / "policy.toml").read_bytes()
    pieces = tomllib.loads(recipe.read_text())["pieces"]
    return "".join(
        text.replace("{n}", str(number))
        for text, times in pieces
        for number in range(times)
    ).encode()


def _answer(case: Path) -> str:
    with pytest.raises(PolicyRejected) as caught:
        read_policy(_policy(case), "policy.toml")
    return render(caught.value.diagnostics)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_wrong_policy_is_answered_as_reviewed(case: Path, bless: bool) -> None:
    """S1-022 to S1-062, S1-282, S1-287, S1-288, S1-291, S1-292, S1-368, S1-369.

    S2-001 S2-008.
    Versions other than 1 are S1-024, unknown keys S1-025 and S1-026; that the
    reference's full block has conflicts and no unknown key is S1-061.
    """
    answer = _answer(case)
    expected = case / "expected.txt"
    if bless:
        expected.write_text(answer)
    assert answer == expected.read_text()
    code = case.name.split("-", 1)[0]
    assert f"error[{code}]" in answer


def test_every_code_has_a_case() -> None:
    with_case = {case.name.split("-", 1)[0] for case in CASES}
    assert [code for code in Code if code not in with_case] == []
    assert [name for name in with_case if name not in list(Code)] == []


def test_every_code_has_a_section() -> None:
    sections = re.findall(r"^### (STK\d+) ", PAGE.read_text(), flags=re.MULTILINE)
    assert sections == [str(code) for code in Code]


def test_codes_are_never_taken_twice() -> None:
    """Aliases would be two meanings of one number."""
    assert len(Code.__members__) == len({code.value for code in Code})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_answer_holds_nothing_a_terminal_would_obey(case: Path) -> None:
    answer = _answer(case)
    assert all(line.isprintable() for line in answer.split("\n"))
    assert max(len(line) for line in answer.split("\n")) < 400
