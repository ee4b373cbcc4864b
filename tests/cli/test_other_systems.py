# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Review policies and bundles of macOS and Windows from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stockade.cli.main import run

_NOTE = "`windows` is simulated: decided by evaluators, never run there"
_OLD = """\
version = 1
[filesystem]
read = ["/srv/in", 'C:\\srv\\in']
[windows]
appcontainer_name = "Example.App"
"""
_NEW = _OLD.replace("'C:\\srv\\in'", "'C:\\srv'") + '[network]\nip = "client"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.toml").write_text(_OLD)
    (tmp_path / "new.toml").write_text(_NEW)
    (tmp_path / "linux.toml").write_text('version = 1\nfilesystem.read = ["/srv/in"]\n')
    return tmp_path


def _run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(b"stockade", [word.encode() for word in words])
    out, err = capfd.readouterr()
    return status, out, err


def test_a_difference_names_the_keys_and_says_what_is_simulated(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("diff", "--target=windows", "old.toml", "new.toml")
    status, out, err = _run(capfd, *words)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert "  connect example.com:443: deny before, allow now" in lines[2]
    assert "by `network.ip` (new.toml:7); base, every host, windows" in out
    assert "read $'C:\\\\srv': deny before, allow now" in out
    assert lines[-1] == _NOTE
    status, out, _ = _run(capfd, "diff", "--markdown", *words[1:])
    assert out.splitlines()[-1] == _NOTE
    status, out, _ = _run(
        capfd, "diff", "--json", "--fail-on=newly-allowed", *words[1:]
    )
    assert (status, json.loads(out)["simulated"]) == (1, ["windows"])


def test_a_bundle_is_compared_with_a_policy(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _run(capfd, "compile", "--target=windows", "old.toml")[0] == 0
    assert _run(capfd, "diff", "old.windows.stk", "old.toml") == (0, "", "")
    status, out, _ = _run(capfd, "diff", "old.windows.stk", "new.toml")
    assert (status, "newly allowed" in out) == (0, True)
    status, _, err = _run(capfd, "diff", "old.windows.stk", "linux.toml")
    assert (status, "nothing to compare" in err) == (125, True)


def test_a_target_that_one_side_lacks_is_a_change(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = _run(capfd, "diff", "linux.toml", "old.toml")
    assert status == 0
    assert "start: refused before, allow now\n    base, every host, windows" in out
    status, out, _ = _run(capfd, "diff", "old.toml", "linux.toml")
    assert "start: allow before, refused now\n    base, every host, windows" in out
    # What is asked for is compared, and no more.
    words = ("--target=linux-x86_64", "old.toml", "linux.toml")
    assert _run(capfd, "diff", *words) == (0, "", "")


@pytest.mark.parametrize(
    ("request_", "status", "said"),
    [
        (
            ("read", "c:/SRV/in/x"),
            0,
            (
                "allow: the entries of `C:\\\\srv\\\\in`; by `filesystem.read`"
                " (old.toml:3)"
            ),
        ),
        (("read", "C:\\elsewhere"), 1, "denied: "),
        (("spawn",), 0, "allow: "),
        (("env", "NEVER"), 1, "absent: no rule names it"),
        (("start", "without", "C:\\srv\\in"), 1, "refused: the path of read"),
    ],
)
def test_a_query_is_answered_by_the_evaluator(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    request_: tuple[str, ...],
    status: int,
    said: str,
) -> None:
    words = ("query", "--target=windows", "old.toml", *request_)
    answered, out, err = _run(capfd, *words)
    assert (answered, err) == (status, "")
    line, note = out.splitlines()
    assert line.startswith(f"base, every host, windows: {said}")
    assert note == _NOTE


@pytest.mark.parametrize(
    ("request_", "status", "said", "by"),
    [
        (
            ("read", "/SRV/in/x"),
            0,
            "allow: line ",
            (
                '(literal (param "READ_0")) (subpath (param "READ_0")) );'
                " `READ_0` is `/srv/in`; by `filesystem.read` (old.toml:3)"
            ),
        ),
        (("read", "/elsewhere"), 1, "denied: line ", "(deny default)"),
        (
            ("inspect",),
            1,
            "denied: line ",
            (
                "stricter than meant, `others-look-gone`: a program can ask about no"
                " process but itself"
            ),
        ),
    ],
)
def test_a_query_names_the_line_of_a_profile(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    request_: tuple[str, ...],
    status: int,
    said: str,
    by: str,
) -> None:
    answered, out, err = _run(capfd, "query", "--target=macos", "old.toml", *request_)
    assert (answered, err) == (status, "")
    line, note = out.splitlines()
    assert line.startswith(f"base, every host, macos: {said}")
    assert by in line
    assert note == "`macos` is simulated: decided by evaluators, never run there"


def test_a_rule_of_many_paths_is_cut(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = ", ".join(f'"/srv/{number}"' for number in range(40))
    (folder / "many.toml").write_text(f"version = 1\nfilesystem.read = [{paths}]\n")
    _, out, _ = _run(capfd, "query", "--target=macos", "many.toml", "read", "/srv/7")
    line = out.splitlines()[0]
    assert "…; `READ_37` is `/srv/7`; by `filesystem.read` (many.toml:2)" in line
    assert len(line) < 1500


def test_a_bundle_of_macos_is_compared_and_checked(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _run(capfd, "snapshot", "--target=macos", "old.toml")[0] == 0
    assert _run(capfd, "diff", "old.macos.stk", "old.toml") == (0, "", "")
    status, out, _ = _run(capfd, "diff", "old.macos.stk", "new.toml")
    assert (status, "connect example.com:443: deny before, allow now" in out) == (
        0,
        True,
    )
    text = folder / "old.macos.txt"
    text.write_text(text.read_text().replace("`/srv/in`", "`/srv/inn`"))
    words = ("snapshot", "--check", "--target=macos", "old.toml")
    status, out, _ = _run(capfd, *words)
    assert (status, "is not the text of it" in out) == (1, True)


def test_what_means_nothing_on_a_target_is_left_out(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = _run(capfd, "query", "old.toml", "call", "read")
    assert "windows" not in out
    _, out, _ = _run(capfd, "query", "old.toml", "read", "C:\\srv\\in")
    assert "linux" not in out
    _, out, _ = _run(capfd, "query", "old.toml", "inspect")
    assert {"linux", "windows"} == {one for one in ("linux", "windows") if one in out}
    words = ("query", "--target=windows", "old.toml", "call", "read")
    status, _, err = _run(capfd, *words)
    assert (status, "a target of Linux" in err) == (125, True)


def test_snapshots_are_checked_for_every_target(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = _run(capfd, "snapshot", "old.toml")
    assert status == 0
    assert {"old.windows.stk", "old.windows.txt"} <= set(out.split())
    assert _run(capfd, "snapshot", "--check", "old.toml") == (0, "", "")
    text = folder / "old.windows.txt"
    text.write_text(text.read_text().replace("Example.App", "Example.Bpp"))
    status, out, _ = _run(capfd, "snapshot", "--check", "old.toml")
    assert status == 1
    assert out.startswith("old.windows.txt: names bundle")
    bundle = folder / "old.windows.stk"
    bundle.write_bytes((folder / "old.linux-x86_64.stk").read_bytes())
    status, out, _ = _run(capfd, "snapshot", "--check", "old.toml")
    assert (status, "does not belong to old.toml" in out) == (1, True)


def test_a_page_has_every_target(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _run(capfd, "report", "--html=p.html", "old.toml")[0] == 0
    page = (folder / "p.html").read_text()
    assert "Manifest <small>windows</small>" in page
    assert "Profile <small>macos</small>" in page
    assert "simulated, never run there" in page
    words = ("--html=d.html", "--target=windows", "old.toml", "new.toml")
    assert _run(capfd, "diff", *words)[0] == 0
    assert "simulated: decided by evaluators" in (folder / "d.html").read_text()
