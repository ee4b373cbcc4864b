# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare policies, bundles and revisions from the command line."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from stockade.artifact.layout import MAGIC
from stockade.cli.main import run
from stockade.driver.linux import build_linux
from stockade.model.artifact import Artifact
from stockade.model.policy import Access, Grant, Policy
from stockade.render.shell import shell_words

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
    linux = "--target=linux-x86_64"
    status, out, err = _diff(capfd, linux, "old.toml", "new.toml")
    assert (status, err) == (0, "")
    assert out.startswith("newly allowed (")
    assert "connect example.com:443: EPERM before, allow now" in out
    assert "call socket 0x2 0x1: EPERM before, allow now" in out
    assert "by `network.ip` (new.toml:5)" in out


def test_a_grant_more_and_a_grant_less(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """S1-373: in words, and on which targets."""
    more = _NARROW.replace('"/srv/in"', '"/srv/in", "/srv/more"')
    (files / "more.toml").write_text(more)
    _, added, _ = _diff(capfd, "old.toml", "more.toml")
    _, removed, _ = _diff(capfd, "more.toml", "old.toml")
    for text, words in ((added, "newly allowed"), (removed, "newly denied")):
        assert text.startswith(f"{words} (")
        assert "/srv/more" in text
        assert "x86_64" in text


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


def test_a_comment_begins_with_what_widens_access(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = _diff(capfd, "--markdown", "old.toml", "new.toml")
    lines = out.splitlines()
    assert status == 0
    assert re.match(r"\*\*Policy change: \d+ newly allowed, ", lines[0])
    assert lines[4].startswith("- `connect example.com:443` is now allowed")
    assert _diff(capfd, "--markdown", "old.toml", "old.toml")[1] == (
        "**Policy change: no decision changes**\n"
    )


def test_odd_paths_are_escaped_once(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "new.toml").write_text(
        'version = 1\n[filesystem]\nread = ["/srv/in", "/srv/a`b|<i>c\\\\d \u202e"]\n'
    )
    _, text, _ = _diff(capfd, "old.toml", "new.toml")
    assert "`/srv/a`b|<i>c\\\\d \\u{202e}` and below" in text
    _, markdown, _ = _diff(capfd, "--markdown", "old.toml", "new.toml")
    assert "``/srv/a`b|<i>c\\\\d \\u{202e}`` and below" in markdown
    _, out, _ = _diff(capfd, "--json", "old.toml", "new.toml")
    case = json.loads(out)["changes"][0]["cases"][0]
    assert case["name"] == "/srv/a`b|<i>c\\\\d \\u{202e}"
    words = shell_words(case["witness"])
    assert words == ("read", "/srv/a`b|<i>c\\d \u202e")


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
    _, _, err = _diff(capfd, "bad.stk", "old.toml")
    assert "the old side `bad.stk` is no bundle" in err
    (files / "wrong.toml").write_text("version = 2\n")
    status, out, err = _diff(capfd, "old.toml", "wrong.toml")
    assert (status, out) == (125, "")
    assert "the new side `wrong.toml` is refused" in err


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (
            lambda artifact: replace(
                artifact,
                classes=tuple(
                    replace(one, name="everything") if one.name == "read" else one
                    for one in artifact.classes
                ),
                grants=tuple(
                    replace(one, class_name="everything")
                    if one.class_name == "read"
                    else one
                    for one in artifact.grants
                ),
            ),
            "class `everything` of a grant is no policy's",
        ),
        (
            lambda artifact: replace(
                artifact, classes=(*artifact.classes, artifact.classes[0])
            ),
            "two classes are called `program`",
        ),
        (
            lambda artifact: replace(
                artifact, levels=(*artifact.levels, artifact.levels[0])
            ),
            "two levels are called `base`",
        ),
    ],
)
def test_a_bundle_that_means_no_policy_is_refused(
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    edit: Callable[[Artifact], Artifact],
    why: str,
) -> None:
    policy = Policy(grants=(Grant("/srv/in", Access.READ),))
    artifact = edit(build_linux(policy, "odd", "linux-x86_64"))
    # Our own encoder would make no such file.
    monkeypatch.setattr("stockade.driver.review.decode", lambda _data: artifact)
    (files / "odd.stk").write_bytes(MAGIC)
    status, out, err = _diff(capfd, "old.toml", "odd.stk")
    assert (status, out) == (125, "")
    assert f"the new side `odd.stk` cannot be compared: {why}" in err
