# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare policies, bundles and revisions from the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from stockade.cli.main import run

_NARROW = 'version = 1\n[filesystem]\nread = ["/srv/in"]\n'
_WIDE = _NARROW + '[network]\nip = "all"\n'


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.toml").write_text(_NARROW)
    (tmp_path / "new.toml").write_text(_WIDE)
    return tmp_path


def _diff(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(b"stockade", [b"diff", *(word.encode() for word in words)])
    out, err = capfd.readouterr()
    return status, out, err


def test_equal_policies_print_nothing(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "same.toml").write_text("# a comment\n" + _NARROW)
    assert _diff(capfd, "old.toml", "same.toml") == (0, "", "")


def test_a_change_names_its_line_and_a_witness(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, err = _diff(capfd, "old.toml", "new.toml")
    assert (status, err) == (0, "")
    assert out.startswith("newly allowed (")
    assert "call socket 0x2 0x1: EPERM before, allow now" in out
    assert "by `network.ip` (new.toml:5)" in out


def test_a_kind_can_be_a_verdict(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fatal = "--fail-on=newly-allowed"
    assert _diff(capfd, fatal, "old.toml", "new.toml")[0] == 1
    assert _diff(capfd, fatal, "new.toml", "old.toml")[0] == 0
    status, out, err = _diff(capfd, "--fail-on=wider", "old.toml", "new.toml")
    assert (status, out) == (125, "")
    assert "unknown kind of change `wider`" in err


def test_json_is_one_line(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = _diff(capfd, "--json", "old.toml", "new.toml")
    assert (status, out.count("\n")) == (0, 1)
    kinds = {change["kind"] for change in json.loads(out)["changes"]}
    assert kinds == {"newly-allowed", "mechanism-changed"}


def test_a_bundle_stands_for_its_policy(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(b"stockade", [b"compile", b"old.toml"]) == 0
    capfd.readouterr()
    bundle = "old.linux-x86_64.stk"
    assert _diff(capfd, bundle, "old.toml") == (0, "", "")
    _, out, _ = _diff(capfd, bundle, "new.toml")
    assert "call socket 0x2 0x1" in out
    assert "aarch64" not in out
    status, out, err = _diff(capfd, bundle, "old.linux-aarch64.stk")
    assert (status, out) == (125, "")
    assert "nothing to compare" in err


def test_a_revision_is_read_from_git(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ("init", "-q"),
        ("add", "old.toml"),
        ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"),
    ):
        subprocess.run(["git", *words], check=True)
    (files / "old.toml").write_text(_WIDE)
    _, out, _ = _diff(capfd, "HEAD:old.toml", "old.toml")
    assert "by `network.ip` (old.toml:5)" in out
    status, out, err = _diff(capfd, "HEAD:none.toml", "old.toml")
    assert (status, out) == (125, "")
    assert "git has no `HEAD:none.toml`" in err


def test_what_is_neither_policy_nor_bundle_is_refused(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "bad.stk").write_bytes(b"STOCKADE and no more")
    for operand in ("bad.stk", "none.toml"):
        status, out, err = _diff(capfd, operand, "old.toml")
        assert (status, out) == (125, "")
        assert operand in err
