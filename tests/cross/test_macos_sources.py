# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run the sources of the macOS launcher, built for this system and sanitized.

Evidence for what they read, refuse and print; none for macOS, where they never ran.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from plan_artifacts import (
    MECHANISM,
    REQUIREMENT,
    macos_artifact,
    windows_artifact,
)

from stage import Stage
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.model.artifact import EnvironmentRow

_REFUSED = 125
_REASON = "not enforced on this build"


def _run(
    program: Path, *arguments: str | Path, stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [program, *arguments], stdout=stdout, stderr=subprocess.PIPE, check=False
    )


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "app.macos.stk"
    path.write_bytes(encode(macos_artifact()))
    return path


def test_check_prints_the_plan(macos_sources: Path, bundle: Path) -> None:
    """S2-400: each requirement is unavailable, whatever the profile would do."""
    done = _run(macos_sources, "--check", bundle)
    lines = done.stdout.decode().splitlines()
    assert lines[:2] == [
        "backend: macos",
        f"UNAVAILABLE  {REQUIREMENT}: {_REASON}; planned: {MECHANISM}",
    ]
    artifact = macos_artifact()
    expected = [
        f"parameter    {row.name} ({row.kind})"
        + (f": {row.value}" if row.value else "")
        for row in artifact.parameters
    ]
    assert lines[2 : 2 + len(expected)] == expected
    for rule in artifact.process_rules:
        assert f"process      {rule}" in lines
    assert "environment  WORD (set): two words" in lines
    assert "environment  LANG (pass)" in lines
    warning = b"warning: [signals-any] signals reach other processes\n"
    assert (done.returncode, done.stderr) == (1, warning)
    assert done.stdout.count(b"enforced") == done.stdout.count(b"not enforced") == 1


def test_compiled_policy_is_shown(macos_sources: Path, stage: Stage) -> None:
    """S2-400: of a real policy, too, every requirement is unavailable."""
    policy = 'version = 1\n[filesystem]\nread = ["/srv/data"]\n'
    bundle = stage.compile(policy, target="macos")
    artifact = decode(bundle.read_bytes())
    lines = artifact.requirements
    assert len(lines) > 3
    done = _run(macos_sources, "--check", bundle)
    assert done.stdout.decode().splitlines()[1 : len(lines) + 1] == [
        f"UNAVAILABLE  {row.title}: {_REASON}; planned: {row.mechanism}"
        for row in lines
    ]
    assert done.stderr.decode().splitlines() == [
        f"warning: [{row.id}] {row.text}" for row in artifact.warnings
    ]
    assert done.returncode == 1


def test_texts_of_a_policy_add_no_row(macos_sources: Path, tmp_path: Path) -> None:
    """Whatever bytes a value holds, its row is one line, and the object is UTF-8."""
    artifact = macos_artifact()
    odd = EnvironmentRow("ODD", "two\nUNAVAILABLE  x: enforced\x7f\udcfe\u00fc")
    plain, other = tmp_path / "plain.stk", tmp_path / "odd.stk"
    plain.write_bytes(encode(artifact))
    rows = tuple(row for row in artifact.environment if row.name < "ODD")
    others = tuple(row for row in artifact.environment if row.name > "ODD")
    other.write_bytes(encode(replace(artifact, environment=(*rows, odd, *others))))
    before = _run(macos_sources, "--check", plain).stdout.splitlines()
    after = _run(macos_sources, "--check", other).stdout.splitlines()
    (row,) = set(after) - set(before)
    assert len(after) == len(before) + 1
    assert row == (b"environment  ODD (set): two?UNAVAILABLE  x: enforced?\xfe\xc3\xbc")
    answer = json.loads(_run(macos_sources, "--check", "--json", other).stdout)
    values = [row["value"] for row in answer["plan"] if row["name"] == "ODD"]
    assert values == ["two\nUNAVAILABLE  x: enforced\x7f\ufffd\u00fc"]


def test_object_has_the_same(macos_sources: Path, bundle: Path) -> None:
    done = _run(macos_sources, "--check", "--json", bundle)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["backend"], answer["selected"]) == (
        1,
        "macos",
        None,
    )
    (level,) = answer["levels"]
    assert (level["enforced"], level["enforceable"]) == ([], False)
    assert level["missing"][0]["reason"] == _REASON
    names = [row["name"] for row in answer["plan"] if row["kind"] == "parameter"]
    assert names == [row.name for row in macos_artifact().parameters]


def test_program_is_refused_and_does_not_start(
    macos_sources: Path, bundle: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    order = ("/usr/bin/touch", mark)
    assert _run(Path(order[0]), mark).returncode == 0
    mark.unlink()
    done = _run(macos_sources, bundle, "--", *order)
    assert done.stderr == (
        b"stockade: `/usr/bin/touch` is not started: not enforced on this build, "
        b"which only shows plans (`--check`)\n"
    )
    assert (done.returncode, done.stdout) == (_REFUSED, b"")
    assert not mark.exists()


def test_other_artifacts_are_refused(macos_sources: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "app.windows.stk"
    foreign.write_bytes(encode(windows_artifact()))
    done = _run(macos_sources, "--check", foreign)
    assert (done.returncode, done.stdout) == (_REFUSED, b"")
    assert b"compiled for another system" in done.stderr


def test_only_a_plain_file_is_read(
    macos_sources: Path, bundle: Path, tmp_path: Path
) -> None:
    """A link, a folder and a FIFO without a writer: none of them is waited for."""
    link, fifo = tmp_path / "link", tmp_path / "fifo"
    link.symlink_to(bundle)
    os.mkfifo(fifo)
    expected = {
        link: b"is a link; name the file itself",
        fifo: b"is not a plain file",
        tmp_path: b"is not a plain file",
        tmp_path / "none": b"ENOENT",
    }
    for path, words in expected.items():
        done = _run(macos_sources, "--check", path)
        assert (done.returncode, done.stdout) == (_REFUSED, b"")
        assert words in done.stderr


def test_sizes_that_cannot_be_are_refused(macos_sources: Path, tmp_path: Path) -> None:
    path = tmp_path / "sized.stk"
    for content in (b"", bytes(4 * 1024 * 1024 + 1)):
        path.write_bytes(content)
        done = _run(macos_sources, "--check", path)
        assert done.returncode == _REFUSED
        assert b"it must have 1 to 4194304" in done.stderr


def test_control_bytes_add_no_line(macos_sources: Path, tmp_path: Path) -> None:
    done = _run(macos_sources, "--check", tmp_path / "a\nstockade: b")
    assert done.stderr.count(b"\n") == 1
    assert b"a?stockade: b" in done.stderr


@pytest.mark.parametrize("options", [["--check"], ["--check", "--json"]])
def test_output_that_is_lost_is_refused(
    macos_sources: Path, bundle: Path, options: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = _run(macos_sources, *options, bundle, stdout=full.fileno())
    assert done.returncode == _REFUSED
    assert done.stderr == b"stockade: cannot write to standard output\n"


def test_reader_that_went_away_ends_nothing_by_signal(
    macos_sources: Path, bundle: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = _run(macos_sources, "--check", bundle, stdout=writing)
    os.close(writing)
    assert done.returncode == _REFUSED
