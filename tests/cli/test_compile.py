# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show what `compile` writes, where, and that it writes all or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stockade.cli import compile_command, main
from stockade.driver.compile import CompiledBundle, compile_policy
from stockade.model.policy import Policy


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the compiler out where only names and places matter."""
    monkeypatch.setattr(
        compile_command,
        "compile_one",
        lambda policy, name, target: CompiledBundle(
            f"{target} {name}".encode(), f"{policy!r}\n"
        ),
    )


def _compile(*arguments: str | Path) -> int:
    return main.run(b"stockade", [b"compile", *map(os.fsencode, arguments)])


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def policy(tmp_path: Path, quick: None) -> Path:
    file = tmp_path / "server.toml"
    file.write_text("version = 1\n")
    return file


def test_all_targets_are_written_beside_the_policy(
    policy: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """S1-370 in the good case."""
    assert _compile(policy) == 0
    written = [
        f"server.{target}.{suffix}"
        for target in ("linux-aarch64", "linux-x86_64", "macos")
        for suffix in ("stk", "txt")
    ]
    assert _names(policy.parent) == sorted([*written, "server.toml"])
    out, error = capfd.readouterr()
    assert out == "".join(f"{policy.parent / name}\n" for name in written)
    assert error == ""
    bundle = policy.parent / "server.linux-aarch64.stk"
    assert bundle.read_bytes() == b"linux-aarch64 server"
    assert bundle.with_suffix(".txt").read_text() == f"{Policy()!r}\n"


def test_folder_and_targets_can_be_chosen(policy: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sandbox"
    target = ["--target", "linux-aarch64"]
    assert _compile(*target, policy, "-o", folder, *target) == 0
    assert _names(folder) == ["server.linux-aarch64.stk", "server.linux-aarch64.txt"]


def test_name_without_suffix(tmp_path: Path, quick: None) -> None:
    (tmp_path / "plain").write_text("version = 1\n")
    assert _compile(tmp_path / "plain", "--target", "linux-x86_64") == 0
    assert "plain.linux-x86_64.stk" in _names(tmp_path)


@pytest.mark.parametrize("name", [".toml", "a\nb.toml", os.fsdecode(b"\xff.toml")])
def test_names_that_no_file_can_be_called_after(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text("version = 1\n")
    assert _compile(tmp_path / name) == 125
    assert "rename the policy" in capfd.readouterr().err
    assert len(_names(tmp_path)) == 1


def test_rejected_policy_writes_nothing(
    policy: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """S1-370: one diagnostic, no file."""
    policy.write_text("version = 2\n")
    assert _compile(policy) == 125
    assert _names(policy.parent) == ["server.toml"]
    out, error = capfd.readouterr()
    assert out == ""
    assert error.startswith(f"{policy}:1:11: error[STK013]: ")
    assert error.endswith("stockade: the policy is refused: 1 error\n")


def test_folder_that_cannot_be_written(
    policy: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """S1-370, S1-251."""
    assert _compile(policy, "-o", policy) == 125
    assert _compile(policy, "-o", policy.parent / "no" / "such") == 125
    error = capfd.readouterr().err
    assert error.count("stockade: cannot write to `") == 2
    assert _names(policy.parent) == ["server.toml"]


def test_blocked_file_keeps_the_others_from_being_written(policy: Path) -> None:
    """S1-370: a folder stands where one of four files belongs."""
    (policy.parent / "server.linux-x86_64.txt").mkdir()
    assert _compile(policy) == 125
    assert _names(policy.parent) == ["server.linux-x86_64.txt", "server.toml"]


def test_real_artifact_is_the_drivers(tmp_path: Path) -> None:
    """S1-371: the command adds nothing of its own, such as where it ran."""
    (tmp_path / "server.toml").write_text("version = 1\n")
    assert _compile(tmp_path / "server.toml", "--target", "linux-x86_64") == 0
    expected = compile_policy(Policy(), "server", "linux-x86_64")
    bundle = tmp_path / "server.linux-x86_64.stk"
    assert bundle.read_bytes() == expected.bundle
    assert bundle.with_suffix(".txt").read_text() == expected.snapshot
