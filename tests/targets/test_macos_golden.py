# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the profiles of whole policies with the reviewed ones.

Together they hold every branch of the templates; `make bless` writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from macos_asked import built, loaded

from stage import REPOSITORY
from stockade.policy import read_policy

_CASES = sorted(Path(__file__).parent.glob("cases/macos/*.toml"))
_TEMPLATES = REPOSITORY / "templates" / "macos"
_CODE = re.compile(r"\{[%#].*?[%#]\}|\{\{.*?\}\}")


@pytest.mark.parametrize("case", _CASES, ids=lambda path: path.stem)
def test_profile_is_the_reviewed_one(
    case: Path, request: pytest.FixtureRequest
) -> None:
    """GL-041, GL-051, GL-158, GL-184, S2-402: rules and parameters."""
    policy = read_policy(case.read_text("utf-8"), case.name)
    artifact = built(policy)
    table = "".join(
        f"{one.name} {one.kind} {one.value}".rstrip() + "\n"
        for one in artifact.parameters
    )
    for suffix, text in ((".sb", artifact.profile), (".parameters", table)):
        expected = case.with_suffix(suffix)
        if request.config.getoption("--bless"):
            expected.write_text(text, "utf-8")
        assert text == expected.read_text("utf-8")
    assert loaded(policy).version == 1


def test_profiles_hold_every_line_of_the_templates() -> None:
    """No branch is without a reviewed text."""
    held = "\n".join(path.with_suffix(".sb").read_text("utf-8") for path in _CASES)
    for template in sorted(_TEMPLATES.iterdir()):
        for line in template.read_text("utf-8").splitlines():
            for part in _CODE.split(line):
                assert part.strip() in held, f"{template.name}: {line}"
