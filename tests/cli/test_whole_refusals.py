# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuse by the installed command what a host's layout makes unsafe."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stage import Stage, Word


@pytest.fixture
def home(stage: Stage) -> Path:
    """Give a home folder with what programs of a user keep there."""
    home = stage.folder("home")
    for name in (
        *(".config/git", ".config/autostart", ".config/systemd/user", ".gnupg"),
        *(".config/plasma-workspace/env", ".local/share/systemd/user", ".ssh"),
        *(".cargo/registry", ".cargo/git", "work"),
    ):
        (home / name).mkdir(parents=True)
    for name in (".bashrc", ".gitconfig", ".cargo/config.toml"):
        (home / name).touch()
    return stage.give(home)


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        (".gitconfig", True),
        (".config/git", True),
        (".gnupg", True),
        (".ssh", True),
        (".cargo/config.toml", True),
        (".cargo", True),
        (".cargo/registry", False),
        (".cargo/git", False),
        (".config/autostart", True),
        (".config/systemd/user", True),
        (".local/share/systemd/user", True),
        (".config/plasma-workspace/env", True),
        ("work", False),
    ],
)
def test_places_that_other_programs_trust(
    stage: Stage, installed: Path, home: Path, name: str, refused: bool
) -> None:
    """S1-320 S1-321 S1-322: git, GnuPG, ssh, cargo, and what starts with a session."""
    command = [installed, "run", "--read-write", home / name, "--", "/bin/true"]
    done = stage.run(command, env={"HOME": str(home)})
    assert done.returncode == (125 if refused else 0), done
    assert (b"reaches the trusted location" in done.stderr) is refused


def test_conflict_with_a_startup_file(
    stage: Stage, installed: Path, home: Path
) -> None:
    """S1-135: a line of its own, which names the path, and 125."""
    command = [installed, "check", "--no-warnings", "--read-write", home / ".bashrc"]
    done = stage.run(command, env={"HOME": str(home)})
    assert done.returncode == 125
    last = done.stdout.decode().splitlines()[-1]
    assert last.startswith(f"CONFLICT     `{home}/.bashrc` (read_write) ")


def test_program_is_part_of_what_is_checked(stage: Stage, installed: Path) -> None:
    """S1-139: where it lies in a writable path."""
    folder = stage.folder("programs")
    shutil.copy("/bin/true", folder / "program")
    stage.give(folder)
    command = [installed, "check", "--no-warnings", "--read-write", folder]
    assert stage.run(command).returncode == 0
    assert stage.run([*command, "/bin/true"]).returncode == 0
    done = stage.run([*command, folder / "program"])
    assert done.returncode == 125
    assert f"{folder}/program" in (done.stdout + done.stderr).decode()


def test_what_holds_in_part_is_enforced_and_warned_of(
    stage: Stage, installed: Path
) -> None:
    """S1-133: datagrams still reach a client."""
    done = stage.run([installed, "check", "--ip", "client"])
    assert done.returncode == 0, done
    states = {line.split()[0] for line in done.stdout.decode().splitlines()[1:]}
    assert states == {"enforced"}
    assert b"warning: [ip-client-udp] " in done.stderr
    done = stage.run([installed, "run", "--ip", "client", "--", "/bin/true"])
    assert (done.returncode, done.stderr) == (0, b"")


def test_policy_that_came_to_lie_in_a_writable_path(
    stage: Stage, installed: Path
) -> None:
    """S1-300: every start and every check looks anew."""
    folder, beside = stage.folder("writable"), stage.folder("beside") / "p.toml"
    beside.write_text(f'version = 1\nfilesystem.read_write = ["{folder}"]\n')
    stage.give(beside)
    for command in (["run", "--policy", beside, "/bin/true"], ["check", "--policy"]):
        done = stage.run([installed, *command, *([beside] * (len(command) == 2))])
        assert done.returncode == 0, done
    moved = beside.rename(folder / "p.toml")
    for command in (["run", "--policy", moved, "/bin/true"], ["check", "--policy"]):
        done = stage.run([installed, *command, *([moved] * (len(command) == 2))])
        assert done.returncode == 125, done
        assert str(moved) in (done.stdout + done.stderr).decode()


@pytest.mark.parametrize(
    ("options", "starts"),
    [
        ((), True),
        (("--ip", "all", "--unix-sockets", "all"), True),
        (("--children", "none", "--signals", "isolated"), True),
        (("--read", "/etc", "--read-write", "{folder}"), True),
        (("--read", "{folder}/missing"), False),
        (("--read-write", "{folder}", "--read", "{folder}/sub"), False),
        (("--read-write", "/usr/lib"), False),
        (("--cwd", "{folder}/missing"), False),
        (("--ip", "private"), False),
    ],
)
def test_check_says_whether_a_start_would_be(
    stage: Stage, installed: Path, options: tuple[str, ...], starts: bool
) -> None:
    """S1-018."""
    folder = stage.folder("table")
    (folder / "sub").mkdir()
    words: list[Word] = [one.format(folder=folder) for one in options]
    checked = stage.run([installed, "check", *words, "/bin/true"])
    done = stage.run([installed, "run", *words, "/bin/true"])
    assert (checked.returncode == 0) is (done.returncode == 0) is starts, done
    assert done.returncode in (0, 125)
