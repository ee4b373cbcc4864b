# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write pages from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from stockade.cli.main import run

_POLICY = 'version = 1\n[filesystem]\nread = ["/srv/in"]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(_POLICY)
    return tmp_path


def _run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(b"stockade", [word.encode() for word in words])
    out, err = capfd.readouterr()
    return status, out, err


def test_report_writes_a_page_and_prints_nothing(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _run(capfd, "report", "a.toml", "--html", "a.html") == (0, "", "")
    page = (folder / "a.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "linux-aarch64" in page
    assert _run(
        capfd, "report", "a.toml", "--html=b.html", "--target", "linux-x86_64"
    ) == (0, "", "")
    assert "linux-aarch64" not in (folder / "b.html").read_text()


def test_report_reads_a_bundle(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert _run(capfd, "compile", "a.toml")[0] == 0
    bundle = "a.linux-x86_64.stk"
    assert _run(capfd, "report", bundle, "--html", "a.html") == (0, "", "")
    assert "/srv/in" in (folder / "a.html").read_text()


def test_diff_writes_a_page_beside_what_it_prints(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "b.toml").write_text(_POLICY.replace("/srv/in", "/srv"))
    alone = _run(capfd, "diff", "a.toml", "b.toml", "--fail-on", "newly-allowed")
    both = _run(
        capfd, "diff", "a.toml", "b.toml", "--fail-on=newly-allowed", "--html=d.html"
    )
    assert both == alone
    assert alone[0] == 1
    assert "newly allowed 1" in (folder / "d.html").read_text()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["a.toml"], "name its file with `--html FILE`"),
        (["--html", "x.html"], "`report` takes one policy or bundle"),
        (["none.toml", "--html", "x.html"], "cannot read `none.toml`"),
        (["a.toml", "--html", "none/x.html/y"], "cannot write `none/x.html/y`"),
        (["a.toml", "--html", "."], "cannot write `.`"),
        (["bad.toml", "--html", "x.html"], "the policy is refused: 1 error"),
        (["bad.stk", "--html", "x.html"], "`bad.stk` is no bundle"),
    ],
)
def test_report_says_what_it_cannot_do_and_writes_nothing(
    folder: Path, capfd: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    (folder / "bad.toml").write_text("version = 1\nx = 1\n")
    (folder / "bad.stk").write_bytes(b"STOCKADE and no more")
    before = sorted(folder.iterdir())
    status, out, err = _run(capfd, "report", *words)
    assert (status, out) == (125, "")
    assert why in err
    assert sorted(folder.iterdir()) == before
