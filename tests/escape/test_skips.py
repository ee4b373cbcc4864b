# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the rule that no skip is silent, and that nothing is blessed in CI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import host_features
import skips
from stage import REPOSITORY

NOT_HERE = "landlock-abi-99"
IN_CI = {"CI": "true"}


def test_believed() -> None:
    """S2-390 S2-391."""
    assert skips.doubt(f"Skipped: needs {NOT_HERE}", {}) is None
    assert skips.doubt(f"needs {NOT_HERE}: no kernel has it", {}) is None


@pytest.mark.parametrize(
    ("reason", "problem"),
    [
        ("Skipped: not now", "names no feature"),
        ("Skipped: needs", "names no feature"),
        ("Skipped: needs linux-4.0", "this host has `linux-4.0`"),
        ("Skipped: needs good-weather", "nothing measures `good-weather`"),
    ],
)
def test_not_believed(reason: str, problem: str) -> None:
    """S2-392."""
    assert problem in (skips.doubt(reason, {}) or "")


def test_ci_is_bound_by_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2-392: what is not listed fails there, and so does what is listed in vain."""
    expected = tmp_path / "expected_skips.txt"
    expected.write_text("# reasons\n\nlinux-4.0 listed in vain\n")
    monkeypatch.setattr(skips.listed, "__defaults__", (expected,))
    assert "not in" in (skips.doubt(f"needs {NOT_HERE}", IN_CI) or "")
    assert skips.doubt(f"needs {NOT_HERE}", {}) is None
    assert skips.stale(IN_CI) == ("linux-4.0",)
    assert skips.stale({}) == ()


def test_list_names_measured_features() -> None:
    for name in skips.listed():
        host_features.has(name)


def run_pytest(tmp_path: Path, text: str, *options: str, **variables: str) -> str:
    """Run one file of tests in a session of its own; gives status and output."""
    file = tmp_path / "test_inner.py"
    file.write_text(text)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-c", f"{REPOSITORY}/pyproject.toml", f"--rootdir={REPOSITORY}"),
            *("-p", "conftest", *options, str(file)),
        ],
        cwd=REPOSITORY,
        env={**os.environ, "CI": "", "PYTHONPATH": "tests", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return f"status {done.returncode}\n{done.stdout}{done.stderr}"


def test_session_fails_on_a_silent_skip(tmp_path: Path) -> None:
    """S2-392: a session in which all passed still fails."""
    text = "import pytest\ndef test_one():\n    pytest.skip('later')\n"
    output = run_pytest(tmp_path, text)
    assert output.startswith("status 1\n"), output
    assert "is not believed: its reason names no feature" in output


def test_session_passes_on_a_named_skip(tmp_path: Path) -> None:
    text = f"import pytest\n@pytest.mark.needs('{NOT_HERE}')\ndef test_one(): ...\n"
    output = run_pytest(tmp_path, text)
    assert output.startswith("status 0\n"), output
    assert f"skipped for lack of {NOT_HERE}: 1" in output


def test_bless_is_refused_in_ci(tmp_path: Path) -> None:
    text = "def test_one(bless):\n    assert bless\n"
    refused = run_pytest(tmp_path, text, "--bless", CI="true")
    assert refused.startswith("status 4\n"), refused
    assert "`--bless` is refused where CI is set" in refused
    blessed = run_pytest(tmp_path, text, "--bless")
    assert blessed.startswith("status 0\n"), blessed
