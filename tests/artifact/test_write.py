# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S1-370 Files are written whole or not at all, and bundles only when read back."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from examples import example

from stockade.artifact import write
from stockade.artifact.encode import encode
from stockade.artifact.errors import ArtifactMalformed
from stockade.artifact.write import checked_bytes, write_all

FILES = {"p.linux-x86_64.txt": b"text\n", "p.linux-x86_64.stk": b"bundle"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_appear_whole_and_readable_by_all(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_all(tmp_path, FILES)
    finally:
        os.umask(before)
    assert contents(tmp_path) == FILES
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {0o644}


def test_folder_is_made_when_missing(tmp_path: Path) -> None:
    write_all(tmp_path / "new", FILES)
    assert contents(tmp_path / "new") == FILES
    with pytest.raises(FileNotFoundError):
        write_all(tmp_path / "not" / "there", FILES)
    assert not (tmp_path / "not").exists()


def test_present_files_are_replaced_and_links_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"outside")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "p.linux-x86_64.stk").symlink_to(outside)
    (folder / "p.linux-x86_64.txt").write_bytes(b"old")
    write_all(folder, FILES)
    assert contents(folder) == FILES
    assert outside.read_bytes() == b"outside"
    assert not (folder / "p.linux-x86_64.stk").is_symlink()


def test_bundles_are_renamed_before_snapshots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renamed: list[str] = []
    rename = os.rename

    def watched(source: str, target: str, **folders: int) -> None:
        # All is staged and synced by the time the first name changes.
        assert len(list(tmp_path.glob(".*.staged"))) == (len(files) - len(renamed))
        renamed.append(target)
        rename(source, target, **folders)

    files = {f"{n}.{kind}": b"x" for kind in ("txt", "stk", "log") for n in "ba"}
    monkeypatch.setattr(os, "rename", watched)
    write_all(tmp_path, files)
    assert renamed == ["a.stk", "b.stk", "a.log", "b.log", "a.txt", "b.txt"]


@pytest.mark.parametrize("call", ["fsync", "fchmod"])
@pytest.mark.parametrize("error", [OSError(28, "no space"), KeyboardInterrupt()])
def test_failure_leaves_the_old_files_and_nothing_else(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    error: BaseException,
) -> None:
    old = dict.fromkeys(FILES, b"old")
    write_all(tmp_path, old)
    calls = 0

    def failing(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise error

    monkeypatch.setattr(os, call, failing)
    with pytest.raises(type(error)):
        write_all(tmp_path, FILES)
    assert contents(tmp_path) == old
    calls = 1
    with pytest.raises(type(error)):
        write_all(tmp_path / "new", FILES)
    assert not (tmp_path / "new").exists()


def test_folder_in_the_way_is_found_before_anything_is_replaced(
    tmp_path: Path,
) -> None:
    write_all(tmp_path, {"p.linux-x86_64.stk": b"old"})
    (tmp_path / "p.linux-x86_64.txt").mkdir()
    with pytest.raises(IsADirectoryError):
        write_all(tmp_path, FILES)
    assert {path.name for path in tmp_path.iterdir()} == set(FILES)
    assert (tmp_path / "p.linux-x86_64.stk").read_bytes() == b"old"


def test_stage_of_a_killed_compiler_is_not_in_the_way(tmp_path: Path) -> None:
    (tmp_path / ".p.linux-x86_64.stk.0.staged").write_bytes(b"left")
    write_all(tmp_path, FILES)
    assert contents(tmp_path) == FILES | {".p.linux-x86_64.stk.0.staged": b"left"}


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".", ".."])
def test_names_stay_in_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="plain file name"):
        write_all(tmp_path, {name: b"x"})
    assert contents(tmp_path) == {}


def test_bundle_that_reads_back_differently_is_not_returned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The parser's word counts: a fault of the encoder stops here."""
    other = replace(example(), witness_nr=1)
    monkeypatch.setattr(write, "encode", lambda _: encode(other))
    with pytest.raises(ArtifactMalformed, match="another artifact"):
        checked_bytes(example())
    monkeypatch.setattr(write, "encode", lambda _: encode(other)[:-1])
    with pytest.raises(ArtifactMalformed, match="refuses the new bundle"):
        checked_bytes(example())
