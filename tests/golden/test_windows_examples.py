# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what the Windows examples become with the reviewed manifests and texts.

None was run on Windows: the gate's model of access lists has judged each of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from stage import REPOSITORY
from stockade.artifact.decode import decode
from stockade.artifact.manifest import manifest
from stockade.driver.compile import compile_policy
from stockade.model.windows_artifact import WindowsArtifact
from stockade.policy import read_policy

_EXAMPLES = sorted((REPOSITORY / "docs" / "examples" / "windows").glob("*.toml"))
_REVIEWED = Path(__file__).parent / "windows"


@pytest.mark.parametrize("policy", _EXAMPLES, ids=lambda path: path.stem)
def test_example_is_the_reviewed_one(
    policy: Path, request: pytest.FixtureRequest
) -> None:
    """S2-404 S1-371: a change of what is written on a Windows disk shows."""
    read = read_policy(policy.read_text("utf-8"), policy.name)
    compiled = compile_policy(read, policy.stem, "windows")
    artifact = decode(compiled.bundle)
    assert isinstance(artifact, WindowsArtifact)
    for ending, text in (("json", manifest(artifact)), ("txt", compiled.snapshot)):
        expected = _REVIEWED / f"{policy.stem}.{ending}"
        if request.config.getoption("--bless"):
            expected.write_text(text, "utf-8")
        assert text == expected.read_text("utf-8")


def test_every_reviewed_text_has_an_example() -> None:
    texts = {path.name for path in _REVIEWED.iterdir()}
    assert texts == {
        f"{one.stem}.{end}" for one in _EXAMPLES for end in ("json", "txt")
    }
    assert len(_EXAMPLES) >= 4


@pytest.mark.parametrize("policy", _EXAMPLES, ids=lambda path: path.stem)
def test_example_says_that_it_never_ran(policy: Path) -> None:
    """S2-400: a simulation is never taken for the real thing."""
    assert "# Never run on Windows" in policy.read_text("utf-8")
    text = (_REVIEWED / f"{policy.stem}.txt").read_text("utf-8")
    assert "never run on Windows" in text.splitlines()[2]
