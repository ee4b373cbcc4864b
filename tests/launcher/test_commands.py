# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start programs under a list of commands: what is listed runs, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from stage import Stage

_SHELL = "/bin/sh"


def _policy(*commands: str | Path, more: str = "") -> str:
    listed = ", ".join(f'"{command}"' for command in commands)
    return f"version = 1\n[commands]\nallow = [{listed}]\n{more}"


def _shell(
    stage: Stage, policy: str, script: str
) -> subprocess.CompletedProcess[bytes]:
    return stage.launch(policy, _SHELL, "-c", script)


@pytest.mark.parametrize(
    "start",
    [
        "/usr/bin/id -u",
        "cd /usr/bin && ./id -u",
        "PATH=/usr/bin:/bin; id -u",
        "exec /usr/bin/id -u",
        "/usr/bin/env id -u",
    ],
)
def test_listed_programs_run_and_others_do_not(stage: Stage, start: str) -> None:
    """GL-151 GL-159: by path, relative name, PATH, exec, and by another program."""
    outside = stage.run([_SHELL, "-c", start])
    assert outside.stdout.strip() == str(stage.user).encode()
    listed = _policy("/usr/bin/id", "/usr/bin/env")
    assert _shell(stage, listed, start).stdout == outside.stdout
    for commands in ([], ["/usr/bin/env"]):
        done = _shell(stage, _policy(*commands), start)
        assert done.returncode in {126, 127}
        assert done.stdout == b""
        assert b"ermission denied" in done.stderr


def test_list_takes_executing_from_read_exec(stage: Stage) -> None:
    """GL-151 GL-160: a path of `read_exec` is readable and no more."""
    more = '[filesystem]\nread_exec = ["/usr/bin"]\n'
    without = f"version = 1\n{more}"
    script = "/usr/bin/id -u; read x < /usr/bin/ldd && echo read"
    assert _shell(stage, without, script).stdout.endswith(b"\nread\n")
    done = _shell(stage, _policy(more=more), script)
    assert done.stdout == b"read\n"
    assert b"ermission denied" in done.stderr


def test_program_alone_may_be_replaced_without_children(stage: Stage) -> None:
    """GL-152: exec works, fork does not."""
    policy = _policy("/usr/bin/id", more='[process]\nchildren = "none"\n')
    assert _shell(stage, policy, "exec /usr/bin/id -u").returncode == 0
    assert _shell(stage, policy, "/usr/bin/id -u; true").stdout == b""


def test_script_needs_its_interpreter_listed(stage: Stage) -> None:
    """GL-153: the refusal names script and interpreter."""
    folder = stage.folder("scripts")
    script = folder / "hello"
    script.write_text("#!/usr/bin/env sh\necho hello\n")
    script.chmod(0o755)
    done = _shell(stage, _policy(script), str(script))
    assert done.returncode == 125
    assert b"its interpreter `/usr/bin/env` is not listed" in done.stderr
    both = _policy(script, "/usr/bin/env")
    assert _shell(stage, both, str(script)).stdout == b"hello\n"


def test_link_stands_for_its_file(stage: Stage) -> None:
    """GL-157."""
    folder = stage.folder("links")
    shutil.copy("/usr/bin/id", folder / "real")
    (folder / "name").symlink_to("real")
    policy = _policy(folder / "name")
    for name in ("name", "real"):
        assert _shell(stage, policy, f"{folder}/{name} -u").returncode == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/usr/bin", b"is no file"),
        ("/usr/bin/no-such-program", b"does not exist"),
    ],
)
def test_what_is_no_program_is_refused(
    stage: Stage, command: str, words: bytes
) -> None:
    done = _shell(stage, _policy(command), "true")
    assert done.returncode == 125
    assert words in done.stderr


def test_file_without_permission_is_refused(stage: Stage) -> None:
    """A program that could not be started anyway is a mistake of the list."""
    file = stage.folder("plain") / "id"
    shutil.copyfile("/usr/bin/id", file)
    file.chmod(0o644)
    done = _shell(stage, _policy(file), "true")
    assert done.returncode == 125
    assert b"cannot be executed" in done.stderr


def test_command_in_a_writable_path_is_refused(stage: Stage) -> None:
    """It could be replaced: found by link, at the start."""
    folder = stage.folder("writable")
    shutil.copy("/usr/bin/id", folder / "id")
    other = stage.folder("other")
    (other / "id").symlink_to(folder / "id")
    more = f'[filesystem]\nread_write = ["{folder}"]\n'
    done = _shell(stage, _policy(other / "id", more=more), "true")
    assert done.returncode == 125
    assert b"lies inside" in done.stderr


def test_loader_starts_what_can_be_read(stage: Stage) -> None:
    """GL-156: the limit that the warning states."""
    loader = next(Path("/lib64").glob("ld-linux*"), Path("/lib/ld-linux-aarch64.so.1"))
    more = '[filesystem]\nread = ["/usr/bin/id"]\n'
    done = _shell(stage, _policy(more=more), f"{loader} /usr/bin/id -u")
    assert done.stdout.strip() == str(stage.user).encode()
