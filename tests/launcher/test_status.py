# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Record which process becomes the program, and whether it was refused."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import termios
import time
from dataclasses import replace
from pathlib import Path

import pytest
from launcher_scene import (
    CHMODAT,
    EFAULT,
    EPERM,
    PYTHON,
    READ_CANARY,
    Scene,
    artifact,
    call,
    number,
    probe,
    reason,
    started,
)

from stockade.model.artifact import Artifact, Operand

BAD = artifact(
    variant={
        "probes": (
            READ_CANARY,
            probe("chmod", call(CHMODAT, number(-1), Operand()), EPERM, EFAULT),
        )
    }
)
SHELL = ("/bin/sh", "-c", "echo $$; exit 125")
GRANTS = {"read_exec": ["/usr/bin", "/bin"]}


def record(
    scene: Scene, made: Artifact, *program: str, options: tuple[str, ...] = ()
) -> tuple[subprocess.CompletedProcess[bytes], str]:
    """Return how a start ended, and the record that a pipe got."""
    ends = os.pipe()
    try:
        done = scene.start(
            made,
            *program,
            options=["--status-fd", str(ends[1]), *options],
            pass_fds=[ends[1]],
        )
    finally:
        os.close(ends[1])
    with os.fdopen(ends[0], "rb") as file:
        return done, file.read().decode()


def test_process_of_the_program_is_recorded(scene: Scene) -> None:
    """S1-261 S1-262 S1-263 S1-264 S1-265 S1-269 125 of a program is none of ours."""
    done, text = record(scene, artifact(GRANTS), *SHELL)
    assert (done.returncode, done.stderr) == (125, b"")
    assert text == f"pid {done.stdout.decode().strip()}\n"


def test_refusal_before_confinement_is_recorded(scene: Scene) -> None:
    """S1-268"""
    made = artifact({"read": [scene.root / "missing"]})
    done, text = record(scene, made)
    assert "does not exist" in reason(done)
    assert text == "failed\n"


def test_refusal_after_the_process_is_recorded(scene: Scene) -> None:
    """S1-265 S1-268 the enforcement check, and a program that does not start."""
    done, text = record(scene, BAD)
    assert "expected EPERM, got EFAULT" in reason(done)
    assert [line.split()[0] for line in text.splitlines()] == ["pid", "failed"]


def test_unenforceable_policy_is_recorded(scene: Scene) -> None:
    """S1-263 no level was chosen."""
    variant = replace(BAD.levels[0].variants[0], must=("landlock-erratum-8",))
    level = replace(BAD.levels[0], variants=(variant,))
    done, text = record(scene, replace(BAD, levels=(level,)))
    assert done.returncode == 125
    assert text == "failed\n"


def test_program_does_not_have_the_descriptor(scene: Scene) -> None:
    """S1-270 and the reader sees the end while the program runs."""
    made = artifact({**GRANTS, "read": ["/proc"]})
    done, _ = record(scene, made, "/bin/ls", "/proc/self/fd")
    assert done.stdout.split() == [b"0", b"1", b"2", b"3"]
    ends = os.pipe()
    path = scene.write(artifact(GRANTS))
    command = [scene.stage.launcher, "--status-fd", str(ends[1]), path]
    process = subprocess.Popen(
        [*command, "--", "/bin/sleep", "60"],
        pass_fds=[ends[1]],
        **scene.stage.identity(),
    )
    try:
        os.close(ends[1])
        with os.fdopen(ends[0], "rb") as file:
            assert file.read() == b"pid %d\n" % process.pid
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def test_reader_that_went_away_changes_nothing(scene: Scene) -> None:
    """S1-272 no signal, and the program's own way with it is as it was."""
    made = artifact({**GRANTS, "read": ["/proc"]})
    for action in (signal.SIG_DFL, signal.SIG_IGN):
        ends = os.pipe()
        os.close(ends[0])
        number = int(action)
        done = scene.start(
            made,
            *("/bin/grep", "SigIgn", "/proc/self/status"),
            options=["--status-fd", str(ends[1])],
            pass_fds=[ends[1]],
            preexec=lambda number=number: signal.signal(signal.SIGPIPE, number),
        )
        os.close(ends[1])
        ignored = int(started(done).split()[1], 16)
        assert bool(ignored >> (signal.SIGPIPE - 1) & 1) is bool(number)
    ends = os.pipe()
    os.close(ends[0])
    done = scene.start(
        artifact({"read": [scene.root / "missing"]}),
        options=["--status-fd", str(ends[1])],
        pass_fds=[ends[1]],
        preexec=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL),
    )
    os.close(ends[1])
    assert "does not exist" in reason(done)


def test_reader_that_leaves_after_the_number_ends_no_refusal(scene: Scene) -> None:
    """SIGPIPE must not take the place of the status and the reason."""
    path = scene.write(artifact(GRANTS))
    program = scene.stage.install(Path("/bin/true"), "busy")
    ends = os.pipe()
    room = fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, os.sysconf("SC_PAGESIZE"))

    def leave_room_for_the_number() -> None:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.write(ends[1], b"." * (room - len(b"pid %d\n" % os.getpid())))

    # Who executes what is open for writing is told that it is busy.
    with (
        program.open("r+b"),
        subprocess.Popen(
            [scene.stage.launcher, "--status-fd", str(ends[1]), path, "--", program],
            pass_fds=[ends[1]],
            stderr=subprocess.PIPE,
            preexec_fn=leave_room_for_the_number,  # noqa: PLW1509 - no threads here
            **scene.stage.identity(),
        ) as process,
    ):
        os.close(ends[1])
        for _ in range(1000):
            time.sleep(0.01)
            (held,) = struct.unpack(
                "i", fcntl.ioctl(ends[0], termios.FIONREAD, bytes(4))
            )
            if held == room:
                break
        # What is written next would wait for a reader.
        os.close(ends[0])
        _, errors = process.communicate()
    assert process.returncode == 125
    assert errors.endswith(b"/busy`: ETXTBSY\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--status-fd", "99"], "descriptor 99 of `--status-fd` cannot be used"),
        (["--status-fd", "x"], "`--status-fd` needs a number, not `x`"),
        (["--status-fd", "-1"], "`--status-fd` needs a number, not `-1`"),
        (["--status-fd", "2"], "needs a descriptor above 2, not `2`"),
        (["--status-fd", "3", "--status-fd", "4"], "`--status-fd` is given twice"),
        (["--status-fd", "3", "--status-file", "/x"], "both `--status-fd` and"),
        (["--status-file", "x"], "path `x` is not absolute"),
        (["--status-file", "/a", "--status-file", "/b"], "is given twice"),
        (["--check", "--status-fd", "3"], "are not for `--check`"),
        (["--cwd", ""], "`--cwd` needs a folder"),
        (["--cwd", "a", "--cwd", "b"], "`--cwd` is given twice"),
    ],
)
def test_wrong_options_are_refused(
    scene: Scene, options: list[str], words: str
) -> None:
    """S1-273 S1-274 S1-277"""
    assert words in reason(scene.start(artifact(), options=options))


def test_one_descriptor_for_two_things_is_refused(scene: Scene) -> None:
    command = [scene.stage.launcher, "--status-fd", "5", "--artifact-fd", "5"]
    done = scene.stage.run([*command, "/bin/true"])
    assert reason(done) == "`--status-fd` and `--artifact-fd` name one descriptor"


def test_usage_error_leaves_the_record_empty(scene: Scene) -> None:
    """S1-273 S1-280"""
    done, text = record(scene, artifact(), options=("--nonsense",))
    assert "unknown option" in reason(done)
    assert text == ""
    path = scene.root / "record"
    options = ["--status-file", path, "--nonsense"]
    assert "unknown option" in reason(scene.start(artifact(), options=options))
    assert not path.exists()


@pytest.mark.parametrize("order", [(7, 9), (9, 7)])
def test_artifact_and_record_are_both_kept(
    scene: Scene, order: tuple[int, int]
) -> None:
    """S1-275 whatever their numbers, and nothing between or above them."""
    path = scene.write(artifact({**GRANTS, "read": ["/proc"]}))
    code = f"""
import fcntl, os, sys
memory = os.dup2(os.memfd_create("a", os.MFD_ALLOW_SEALING), 30)
os.write(memory, open(sys.argv[2], "rb").read())
fcntl.fcntl(memory, fcntl.F_ADD_SEALS, 15)
for number in (3, 8, 20):
    os.dup2(1, number)
os.dup2(memory, {order[0]})
os.dup2(os.open(sys.argv[3], os.O_WRONLY), {order[1]})
options = ["--artifact-fd", "{order[0]}", "--status-fd", "{order[1]}"]
os.execv(sys.argv[1], [sys.argv[1], *options, "--", "/bin/ls", "/proc/self/fd"])
"""
    text = scene.file("record", "")
    command = [PYTHON, "-ESc", code, scene.stage.launcher, path, text]
    done = scene.stage.run(command)
    assert started(done).split() == [b"0", b"1", b"2", b"3"]
    assert text.read_text().startswith("pid ")


def test_file_holds_the_same_record(scene: Scene) -> None:
    """S1-276 and stays."""
    path = scene.root / "record"
    done = scene.start(artifact(GRANTS), *SHELL, options=["--status-file", path])
    assert path.read_text() == f"pid {done.stdout.decode().strip()}\n"
    path.unlink()
    scene.start(BAD, options=["--status-file", path])
    assert path.read_text().splitlines()[1:] == ["failed"]


@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling"])
def test_file_must_not_exist_in_any_form(scene: Scene, kind: str) -> None:
    """S1-278 nothing is followed or changed."""
    path, target = scene.root / "record", scene.root / "target"
    if kind == "file":
        scene.file("record", "old\n")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(target)
        if kind == "link":
            scene.file("target", "old\n")
    text = reason(scene.start(artifact(), options=["--status-file", path]))
    assert text.startswith(f"the status file `{path}` exists already")
    for one in (path, target):
        assert not one.is_file() or one.read_text() == "old\n"
    assert target.exists() is (kind == "link")


def test_file_in_a_writable_folder_is_written_and_refused(scene: Scene) -> None:
    """S1-279 the program could write the record itself."""
    out = scene.folder("out")
    path = out / "record"
    made = artifact({"read_write": [out]})
    text = reason(scene.start(made, options=["--status-file", path]))
    assert text == f"the status file `{path}` lies inside `{out}` (read_write)"
    assert path.read_text() == "failed\n"
    beside = scene.root / "record"
    assert started(scene.start(made, options=["--status-file", beside])) == b""


def test_working_folder_is_the_named_one(scene: Scene) -> None:
    """S1-128 by default it is the caller's; a relative name counts from there."""
    made = artifact(GRANTS)
    folder = scene.folder("place")
    (folder / "below").mkdir()
    for options, expected in (
        ([], scene.root),
        (["--cwd", folder], folder),
        (["--cwd", "place/below"], folder / "below"),
    ):
        done = scene.start(
            made, "/bin/pwd", options=options, cwd=scene.root, env={"PWD": "/"}
        )
        assert started(done).decode().strip() == os.fspath(expected)


def test_working_folder_must_be_one(scene: Scene) -> None:
    """S1-128 in `--check` as well, and through no link that a program can replace."""
    out = scene.folder("out")
    (out / "link").symlink_to("/usr")
    closed = scene.folder("closed")
    closed.chmod(0)
    made = artifact({"read_write": [out]})
    cases: tuple[tuple[Path, str], ...] = (
        (scene.root / "missing", "cannot open the working folder"),
        (scene.file("file"), "is no folder"),
        (closed, "cannot enter the working folder"),
        (out / "link", "which the program could replace"),
    )
    for path, words in cases:
        assert words in reason(scene.start(made, options=["--cwd", path]))
        done = scene.check(made, "/bin/true")
        assert done.returncode == 0, done
        launcher, hand = scene.stage.launcher, scene.root / "hand.stk"
        done = scene.stage.run([launcher, "--check", "--cwd", path, hand])
        assert done.returncode == 125
        assert words.encode() in done.stdout + done.stderr
    options = ["--cwd", out]
    assert started(scene.start(made, options=options)) == b""
