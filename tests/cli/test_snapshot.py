# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`snapshot` keeps texts beside policies, and notices what does not belong together."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest

from stockade.cli.main import run
from stockade.driver.compile import compile_policy
from stockade.policy import read_policy

_TARGET = "linux-x86_64"
_NARROW = 'version = 1\n[filesystem]\nread = ["/srv/in"]\n'
_WIDE = _NARROW + '[network]\nip = "all"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(_NARROW)
    return tmp_path


def _snapshot(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    options = ("snapshot", f"--target={_TARGET}", *words)
    status = run(b"stockade", [word.encode() for word in options])
    out, err = capfd.readouterr()
    return status, out, err


def test_what_was_written_is_found_again(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = _snapshot(capfd, "one.toml", "two.toml")
    names = [f"{name}.{_TARGET}.{kind}" for name in ("one", "two") for kind in "st"]
    assert status == 0
    assert [line[: len(names[0])] for line in out.splitlines()] == names
    assert _snapshot(capfd, "--check", "one.toml", "two.toml") == (0, "", "")


def test_every_missing_file_is_named(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = _snapshot(capfd, "--check", "one.toml", "two.toml")
    assert status == 1
    assert [line.split(":")[0] for line in out.splitlines()] == [
        f"{name}.{_TARGET}.{kind}" for name in ("one", "two") for kind in ("stk", "txt")
    ]
    assert sorted(path.name for path in folder.iterdir()) == ["one.toml", "two.toml"]


def test_a_changed_policy_is_shown_as_a_difference(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """S2-403 the new lines are printed."""
    _snapshot(capfd, "one.toml", "two.toml")
    (folder / "two.toml").write_text(_WIDE)
    status, out, _ = _snapshot(capfd, "--check", "one.toml", "two.toml")
    lines = out.splitlines()
    assert status == 1
    assert "does not belong to two.toml" in lines[0]
    assert "nor to" not in lines[0]
    assert "does not belong to two.toml" in lines[1]
    assert lines[2:4] == [f"--- two.{_TARGET}.txt", "+++ two.toml as it is now"]
    assert "-base/*: socket EPERM (no family is granted)" in lines
    assert not [line for line in lines if "one." in line]


def test_one_changed_grant_is_found(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """S1-372: nothing changed is 0, a path more is not."""
    _snapshot(capfd, "one.toml")
    assert _snapshot(capfd, "--check", "one.toml") == (0, "", "")
    more = _NARROW.replace('"/srv/in"', '"/srv/in", "/srv/more"')
    (folder / "one.toml").write_text(more)
    status, out, _ = _snapshot(capfd, "--check", "one.toml")
    assert (status, "/srv/more" in out) == (1, True)


def test_a_bundle_of_another_policy_is_told_from_its_text(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _snapshot(capfd, "one.toml")
    bundle = folder / f"one.{_TARGET}.stk"
    bundle.write_bytes(compile_policy(read_policy(_WIDE, "x"), "one", _TARGET).bundle)
    status, out, _ = _snapshot(capfd, "--check", "one.toml")
    assert (status, out.count("\n")) == (1, 1)
    assert "does not belong to one.toml" in out
    assert f"nor to one.{_TARGET}.txt" in out
    bundle.write_bytes(bundle.read_bytes()[:-1] + b"x")
    status, out, _ = _snapshot(capfd, "--check", "one.toml")
    assert (status, "is no bundle" in out) == (1, True)
    bundle.unlink()
    assert _snapshot(capfd, "--check", "one.toml")[0] == 1
    assert _snapshot(capfd, "--check", "--text-only", "one.toml") == (0, "", "")


def test_a_text_that_was_edited_is_found(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _snapshot(capfd, "one.toml")
    text = folder / f"one.{_TARGET}.txt"
    whole = text.read_text()
    text.write_text(whole.replace("base/*: accept allow\n", ""))
    status, out, _ = _snapshot(capfd, "--check", "one.toml")
    assert (status, "is not the text of it" in out) == (1, True)
    assert "+base/*: accept allow" in out
    text.write_text("\x1b[31m nothing")
    status, out, _ = _snapshot(capfd, "--check", "one.toml")
    assert (status, "it names no bundle" in out, "\x1b" in out) == (1, True, False)


def test_one_bad_policy_does_not_hide_the_others(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.toml").write_text("version = 2\n")
    words = ("--check", "bad.toml", "none.toml", "one.toml")
    status, out, err = _snapshot(capfd, *words)
    assert status == 125
    assert "one." in out
    assert "bad.toml" in err
    assert "none.toml" in err


@pytest.mark.parametrize(
    ("old", "new", "most"),
    [
        ('read = ["/srv/in"]', 'read = ["/srv/in", "/srv/more"]', 2),
        ('read = ["/srv/in"]', 'read_write = ["/srv/in"]', 80),
        ("[filesystem]", '[process]\nchildren = "none"\n[filesystem]', 40),
        ("[filesystem]", '[network]\nip = "client"\n[filesystem]', 80),
    ],
    ids=["path", "writable", "children", "network"],
)
def test_a_small_change_is_a_small_difference(old: str, new: str, most: int) -> None:
    """A path is its line and the checksum; a key is what it changes."""
    texts = [
        compile_policy(read_policy(text, "x"), "x", _TARGET).snapshot.splitlines()
        for text in (_NARROW, _NARROW.replace(old, new))
    ]
    changed = [
        line
        for line in difflib.unified_diff(*texts, lineterm="", n=0)
        if line[0] in "+-" and line[:3] not in ("+++", "---")
    ]
    added = [line for line in changed if line[0] == "+"]
    assert len(added) <= most, "\n".join(changed)
