# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`query` names the decision on every host, its rule and where that was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stockade.cli.main import run

_POLICY = """\
version = 1
[filesystem]
read = ["/srv/in"]
read_write = ["/srv/out"]
[process]
signals = "isolated"
children = "none"
[environment]
pass = ["LANG"]
set = { A = "b" }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text(_POLICY)
    return tmp_path


def _query(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(b"stockade", [b"query", *(word.encode() for word in words)])
    out, err = capfd.readouterr()
    return status, out, err


_LINUX = ("--target=linux-aarch64", "--target=linux-x86_64")
_BOTH = "base, every host, linux-aarch64 linux-x86_64"


@pytest.mark.parametrize(
    ("request_", "status", "line"),
    [
        (
            "metadata /srv/out/x",
            1,
            (
                f"{_BOTH}: denied EPERM: a step of it is refused; by"
                " `linux.path_metadata`"
            ),
        ),
        ("set-id /srv/out/x", 1, f"{_BOTH}: denied EPERM: a step of it is refused"),
        (
            "hard-link /srv/out/x",
            0,
            (
                f"{_BOTH}: allow: read_write `/srv/out`; by `filesystem.read_write`"
                " (p.toml:4)"
            ),
        ),
        (
            "hard-link /srv/in/x",
            1,
            (
                f"{_BOTH}: denied EACCES: no rule covers it with this access, only read"
                " `/srv/in`; by `filesystem.read` (p.toml:3)"
            ),
        ),
        ("see /nowhere", 0, f"{_BOTH}: allow: no step of it is refused"),
        (
            "read /srv/in/x",
            0,
            f"{_BOTH}: allow: read `/srv/in`; by `filesystem.read` (p.toml:3)",
        ),
        ("read /etc/passwd", 1, f"{_BOTH}: denied EACCES: no rule covers it"),
        (
            "write /srv/in/x",
            1,
            (
                f"{_BOTH}: denied EACCES: no rule covers it with this access, only read"
                " `/srv/in`; by `filesystem.read` (p.toml:3)"
            ),
        ),
        (
            "create-link /srv/out",
            1,
            (
                f"{_BOTH}: denied EACCES: no rule covers it with this access, only"
                " read_write `/srv/out`; by `filesystem.read_write` (p.toml:4),"
                " `filesystem.symlinks`"
            ),
        ),
        (
            "read /usr/lib/x",
            0,
            f"{_BOTH}: allow: system `/usr/lib`; by `filesystem.system`",
        ),
        (
            "connect 192.0.2.1:80",
            1,
            f"{_BOTH}: denied EPERM: a step of it is refused; by `network.ip`",
        ),
        (
            "spawn",
            1,
            (
                f"{_BOTH}: denied EPERM: a step of it is refused; by `process.children`"
                " (p.toml:7)"
            ),
        ),
        (
            "env A",
            0,
            f"{_BOTH}: allow: it is set to `b`; by `environment.set` (p.toml:10)",
        ),
        ("env B", 1, f"{_BOTH}: absent: no rule names it"),
    ],
)
def test_one_answer(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    request_: str,
    status: int,
    line: str,
) -> None:
    words = (*_LINUX, "p.toml", *request_.split())
    assert _query(capfd, *words) == (status, line + "\n", "")


def test_hosts_that_differ_are_told_apart(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = _query(
        capfd, "--target=linux-x86_64", "p.toml", "move", "/srv/out"
    )
    assert status == 1
    assert out.splitlines() == [
        (
            "base, Landlock ABI 1, linux-x86_64: denied EXDEV: Landlock of this ABI"
            " refuses every move"
        ),
        (
            "base, Landlock ABI 2 to 11, linux-x86_64: allow: read_write `/srv/out`;"
            " by `filesystem.read_write` (p.toml:4)"
        ),
    ]


def test_hosts_that_cannot_start_are_named(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.toml").write_text('version = 1\nprocess.signals = "isolated"\n')
    _, out, _ = _query(capfd, "c.toml", "spawn")
    assert "Landlock ABI 1 to 5, linux-aarch64 linux-x86_64: refused: this host" in out


def test_a_bundle_names_rows_and_keys(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(b"stockade", [b"compile", b"p.toml"]) == 0
    capfd.readouterr()
    status, out, _ = _query(capfd, "p.linux-x86_64.stk", "read", "/srv/in/x")
    assert status == 0
    assert out == (
        "base, every host, linux-x86_64: allow: read `/srv/in`; by `filesystem.read`\n"
    )


def test_json_is_one_line(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = _query(capfd, "--json", *_LINUX, "p.toml", "read", "/srv/in/x")
    assert (status, out.count("\n")) == (0, 1)
    (answer,) = json.loads(out)["answers"]
    assert answer == {
        "targets": ["linux-aarch64", "linux-x86_64"],
        "simulated": [],
        "level": "base",
        "hosts": "every host",
        "allowed": True,
        "decision": "allow",
        "reason": "read `/srv/in`",
        "rules": [{"key": "filesystem.read", "where": "p.toml:3"}],
    }


def test_a_call_that_one_target_lacks(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = _query(capfd, "p.toml", "call", "open", "0x1000")
    assert (status, "aarch64" in out) == (0, False)
    status, _, err = _query(capfd, "p.toml", "call", "nothing")
    assert (status, "is no call" in err) == (125, True)


@pytest.mark.parametrize("words", [["p.toml"], ["none.toml", "spawn"], ["p.toml", "x"]])
def test_what_cannot_be_answered_is_refused(
    folder: Path, capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    status, out, err = _query(capfd, *words)
    assert (status, out) == (125, "")
    assert err.startswith("stockade: ")
