# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a glibc program inside: what a confined runtime needs, and stated limits.

The escape program is linked with musl, whose threads, signals and starts of
processes take other calls than glibc's.
"""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path

import pytest

from stage import Stage

PYTHON = "/usr/bin/python3"
LOADERS = {
    "x86_64": "/lib64/ld-linux-x86-64.so.2",
    "aarch64": "/lib/ld-linux-aarch64.so.1",
}
ALONE = '[process]\nsignals = "isolated"\nchildren = "none"\n'

# Prints a name and an outcome each: `ok`, or the exception's errno name.
SCRIPT = textwrap.dedent(
    """
    import errno, json, os, signal, socket, subprocess, sys
    import tempfile, threading
    folder = sys.argv[1]
    outcomes = {}

    def attempt(function):
        try:
            result = function()
            outcomes[function.__name__] = "ok" if result is None else result
        except OSError as error:
            outcomes[function.__name__] = errno.errorcode[error.errno]

    def threads():
        seen = []
        all_ = [threading.Thread(target=seen.append, args=(i,)) for i in range(8)]
        for one in all_: one.start()
        for one in all_: one.join()
        assert len(seen) == 8

    def signal_itself():
        signal.signal(signal.SIGUSR1, lambda *_: None)
        signal.raise_signal(signal.SIGUSR1)
        os.kill(os.getpid(), signal.SIGUSR1)

    def signal_thread():
        release = threading.Event()
        other = threading.Thread(target=release.wait)
        other.start()
        try:
            signal.pthread_kill(other.ident, signal.SIGUSR1)
        finally:
            release.set()
            other.join()

    def standard_streams():
        os.set_blocking(1, False)
        os.set_blocking(1, True)
        os.isatty(0)

    def pair():
        left, right = socket.socketpair()
        left.sendmsg([b"x"])
        assert right.recv(1) == b"x"

    def scratch_file():
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            os.fchmod(file.fileno(), 0o600)

    def default_scratch():
        try:
            tempfile.gettempdir()
        except FileNotFoundError:
            return "none usable"

    def start_by_fork():
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)

    def start_by_spawn():
        subprocess.run(["/usr/bin/true"], check=True)

    def start_without_clone3():
        subprocess.run(["/usr/bin/true"], check=True, close_fds=False)

    def environment():
        return ",".join(sorted(os.environ))

    def descriptors():
        found = [n for n in range(64) if os.path.lexists(f"/proc/self/fd/{n}")]
        return ",".join(map(str, found))

    for function in (
        threads, signal_itself, signal_thread, standard_streams, pair,
        scratch_file, default_scratch, start_by_fork, start_by_spawn,
        start_without_clone3, environment, descriptors,
    ):
        attempt(function)
    print(json.dumps(outcomes))
    """
)

WORKS = (
    "threads",
    "signal_itself",
    "signal_thread",
    "standard_streams",
    "pair",
    "scratch_file",
)
STARTS = ("start_by_fork", "start_by_spawn", "start_without_clone3")


def policy(folder: Path, rest: str, more: str = "") -> str:
    return (
        f'version = 1\n[filesystem]\nread = ["{folder}/in"]\n{more}'
        f'read_write = ["{folder}/out"]\n{rest}[environment]\nset = {{ A = "1" }}\n'
    )


@pytest.fixture
def folder(stage: Stage) -> Path:
    made = stage.folder("runtime")
    for name in ("in", "out"):
        (made / name).mkdir()
    return stage.give(made)


def outcomes(
    stage: Stage, folder: Path, text: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Run the script outside and inside."""
    arguments = ["-I", "-c", SCRIPT, f"{folder}/out"]
    outside = stage.run([PYTHON, *arguments])
    inside = stage.launch(text, PYTHON, *arguments)
    assert outside.returncode == 0, outside.stderr
    assert inside.returncode == 0, inside.stderr
    return json.loads(outside.stdout), json.loads(inside.stdout)


def test_alone(stage: Stage, folder: Path) -> None:
    """S2-156 S2-174 S2-175 GL-059 GL-069 GL-033: no other process, all else works."""
    outside, inside = outcomes(stage, folder, policy(folder, ALONE))
    for name in (*WORKS, *STARTS, "default_scratch"):
        assert outside[name] == "ok", name
    for name in WORKS:
        assert inside[name] == "ok", name
    for name in STARTS:
        assert inside[name] == "EPERM", name
    assert inside["default_scratch"] == "none usable"
    # Python itself sets LC_CTYPE where it finds no locale.
    assert inside["environment"] in {"A", "A,LC_CTYPE"}
    assert inside["descriptors"] == "0,1,2"


def test_with_children(stage: Stage, folder: Path) -> None:
    """S2-174 GL-069: processes start through `clone` where they may."""
    more = 'read_exec = ["/usr/bin/true"]\n'
    _, inside = outcomes(stage, folder, policy(folder, "", more))
    for name in (*WORKS, *STARTS):
        assert inside[name] == "ok", name


def test_ungranted_program(stage: Stage, folder: Path) -> None:
    """S2-181: a child is started, and what it may not execute is refused there."""
    _, inside = outcomes(stage, folder, policy(folder, ""))
    assert inside["start_by_fork"] == "ok"
    assert inside["start_by_spawn"] == "EACCES"


def test_loader_runs_readable_files(stage: Stage, folder: Path) -> None:
    """S2-179: a stated limit, as the loader opens what it runs like any file."""
    loader = LOADERS[os.uname().machine]
    copy = folder / "in" / "true"
    copy.write_bytes(Path("/usr/bin/true").read_bytes())
    copy.chmod(0o755)
    text = policy(folder, ALONE)
    run = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"
    assert stage.run([copy]).returncode == 0
    directly = stage.launch(text, PYTHON, "-I", "-c", run, copy)
    assert directly.returncode == 1
    assert b"PermissionError" in directly.stderr
    loaded = stage.launch(text, PYTHON, "-I", "-c", run, loader, copy)
    assert (loaded.returncode, loaded.stderr) == (0, b"")
