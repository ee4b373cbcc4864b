# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run small tasks by the installed command, as its users would, from end to end."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from stage import Stage, Word

PYTHON = "/usr/bin/python3"


def _run(
    stage: Stage, installed: Path, *words: Word, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return stage.run([installed, "run", *words], env=env)


def _file(stage: Stage, path: Path, text: str = "text\n", mode: int = 0o644) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return stage.give(path)


def _left_over(stage: Stage) -> list[bytes]:
    """Find processes whose command line names a place of the stage."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes())
        except OSError:
            continue
    return [words for words in found if os.fsencode(stage.root) in words]


def test_copy(stage: Stage, installed: Path) -> None:
    """S1-008 S1-009 S1-339: by their own names; nothing beside, nothing left over."""
    given, made, secret = (stage.folder(name) for name in ("in", "out", "secret"))
    _file(stage, given / "a.txt")
    key = _file(stage, secret / "key")
    grants = ("--read", given, "--read-write", made, "--")
    done = _run(stage, installed, *grants, "/usr/bin/cp", given / "a.txt", f"{made}/")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (made / "a.txt").read_text() == "text\n"
    assert stage.run(["/usr/bin/cat", key]).stdout == b"text\n"
    done = _run(stage, installed, "--read", given, "--", "/usr/bin/cat", key)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.endswith(b"Permission denied\n")
    assert _left_over(stage) == []


_CONVERT = """\
import os, socket, sys
with open(sys.argv[1]) as given, open(sys.argv[2], 'w') as made:
    made.write(given.read().upper())
try:
    socket.create_connection(('127.0.0.1', int(sys.argv[3])), 5)
except OSError as error:
    print(error.errno)
print(dict(os.environ))
"""


@pytest.mark.needs("loopback")
def test_converter(stage: Stage, installed: Path) -> None:
    """S1-340: the result is written, no connection made, and one variable passed."""
    inbox, outbox = stage.folder("inbox"), stage.folder("outbox")
    given = _file(stage, inbox / "x")
    with socket.create_server(("127.0.0.1", 0)) as server:
        convert = (PYTHON, "-I", "-c", _CONVERT, given, outbox / "y")
        convert = (*convert, str(server.getsockname()[1]))
        env = {"LANG": "C.UTF-8", "HOME": "/nonexistent", "TOKEN": "secret"}
        assert b"TOKEN" in stage.run(convert, env=env).stdout
        (outbox / "y").unlink()
        grants = ("--read", inbox, "--read-write", outbox, "--pass-env", "LANG")
        done = _run(stage, installed, *grants, "--", *convert, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"1\n{'LANG': 'C.UTF-8'}\n"
    assert (outbox / "y").read_text() == "TEXT\n"


def test_converter_of_a_file(stage: Stage, installed: Path) -> None:
    """S1-348: a comment first; HOME that the policy sets is no trusted place."""
    inbox, outbox = stage.folder("inbox"), stage.folder("outbox")
    text = f"""\
# Converts what lies in the inbox.
version = 1
[filesystem]
read = ["{inbox}"]
read_write = ["{outbox}"]
[network]
ip = "none"
[environment]
set = {{ HOME = "{outbox}" }}
"""
    policy = _file(stage, stage.folder("policy") / "convert.toml", text)
    done = stage.run([installed, "check", "--policy", policy])
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0, done
    assert [line for line in lines[1:] if not line.startswith("enforced ")] == []
    script = ("/bin/sh", "-c", 'echo "$HOME" >"$HOME/where"')
    done = _run(stage, installed, "--policy", policy, "--", *script)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (outbox / "where").read_text() == f"{outbox}\n"


def test_checkout_keeps_its_own_settings_writable(
    stage: Stage, installed: Path
) -> None:
    """S1-334."""
    checkout = stage.folder("checkout")
    (checkout / ".git" / "hooks").mkdir(parents=True)
    config, hook = checkout / ".git" / "config", checkout / ".git" / "hooks" / "x"
    _file(stage, config)
    stage.give(checkout)
    script = ("/bin/sh", "-c", 'echo a >"$0"; echo b >"$1"', config, hook)
    done = _run(stage, installed, "--read-write", checkout, "--", *script)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (config.read_text(), hook.read_text()) == ("a\n", "b\n")


def test_helpers_and_what_they_start(stage: Stage, installed: Path) -> None:
    """S1-313 S1-314 S1-350: where they may lie, and that nothing is shed."""
    inside, outside = stage.folder("inside"), stage.folder("outside")
    for folder in (inside, outside):
        shutil.copy("/usr/bin/true", folder / "helper")
        stage.give(folder)
    grants = ("--read-exec", inside, "--read", outside, "--read-exec", "/usr/bin")
    for folder, status in ((inside, 0), (outside, 126)):
        start = ("/bin/sh", "-c", '"$0"; exit $?', folder / "helper")
        assert stage.run(start).returncode == 0
        done = _run(stage, installed, *grants, "--", *start)
        assert done.returncode == status, done
        assert (b"Permission denied" in done.stderr) is (status != 0)
    secret = _file(stage, stage.folder("secret") / "key")
    step = 'cat "$0"; '
    nested = ("/bin/sh", "-c", f"{step}sh -c '{step}:' \"$0\"; :", secret)
    assert stage.run(nested).stdout == b"text\n" * 2
    done = _run(stage, installed, *grants, "--", *nested)
    assert done.stdout == b""
    assert done.stderr.count(b"Permission denied") == 2


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_death_by_a_signal_reaches_the_caller(
    stage: Stage, installed: Path, number: signal.Signals
) -> None:
    """S1-248."""
    script = f"ulimit -c 0; kill -{int(number)} $$"
    done = _run(stage, installed, "--", "/bin/sh", "-c", script)
    assert (done.returncode, done.stderr) == (-number, b"")


def test_passed_variables(stage: Stage, installed: Path) -> None:
    """S1-122: set, empty, and not set, which is no mistake."""
    names = ("FULL", "EMPTY", "UNSET")
    options = [word for name in names for word in ("--pass-env", name)]
    env = {"FULL": "x y", "EMPTY": "", "OTHER": "z"}
    done = _run(stage, installed, *options, "--", "/usr/bin/env", env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(done.stdout.splitlines()) == [b"EMPTY=", b"FULL=x y"]


@pytest.mark.parametrize("symlinks", ["deny", "allow"])
def test_links_are_made_where_the_policy_lets(
    stage: Stage, installed: Path, symlinks: str
) -> None:
    """S1-100: all other writing is the same."""
    folder = stage.folder("links")
    script = ("/bin/sh", "-c", 'cd "$0" && echo x >a && mv a b && ln -s b c', folder)
    grants = ("--read-write", folder, "--read-exec", "/usr/bin")
    done = _run(stage, installed, *grants, "--symlinks", symlinks, "--", *script)
    assert (done.returncode == 0) is (symlinks == "allow")
    assert (b"Permission denied" in done.stderr) is (symlinks == "deny")
    made = ["b", "c"] if symlinks == "allow" else ["b"]
    assert sorted(path.name for path in folder.iterdir()) == made


_METADATA = """\
import os, sys
path = sys.argv[1]
for change in (
    lambda: os.chmod(path, 0o600),
    lambda: os.chown(path, os.getuid(), os.getgid()),
    lambda: os.utime(path, (1, 1)),
    lambda: os.setxattr(path, 'user.x', b'y'),
):
    try:
        change()
        print(0)
    except OSError as error:
        print(error.errno)
"""


@pytest.mark.needs("user-attributes")
@pytest.mark.parametrize("allowed", [False, True])
def test_metadata_by_path(stage: Stage, installed: Path, allowed: bool) -> None:
    """S1-119: refused in a writable path as well, unless the policy allows it."""
    file = _file(stage, stage.folder("metadata") / "file")
    words = ["--read-write", file.parent]
    words += ["--linux-path-metadata", "allow"] if allowed else []
    done = _run(stage, installed, *words, "--", PYTHON, "-I", "-c", _METADATA, file)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.split() == [b"0" if allowed else b"1"] * 4
    assert (file.stat().st_mtime == 1) is allowed


_LISTEN = """\
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('127.0.0.1', 0))
s.settimeout(20)
print(s.getsockname()[1], flush=True)
print(s.recv(9).decode(), flush=True)
t = socket.socket()
try:
    t.listen()
except OSError as error:
    print(error.errno)
"""


@pytest.mark.needs("loopback")
def test_client_hears_strangers(stage: Stage, installed: Path) -> None:
    """S1-106: datagrams of any sender, and no connection."""
    command = [installed, "run", "--ip", "client", "--", PYTHON, "-I", "-c", _LISTEN]
    with stage.start(command) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.sendto(b"hello", ("127.0.0.1", port))
        out, error = process.communicate(timeout=30)
    assert (process.returncode, out, error) == (0, b"hello\n1\n", b"")


def test_streams_of_a_policy(stage: Stage) -> None:
    """S1-252 S1-253: sockets by what `ip` allows, masters of terminals by `signals`."""
    alone = 'version = 1\nprocess = {{ children = "none", signals = "{}" }}\n'
    with socket.socket() as plain:
        done = stage.launch("version = 1\n", "/bin/true", stdin=plain.fileno())
        assert done.returncode == 125
        assert done.stderr.startswith(
            b"stockade: standard input is a socket (family IPv4"
        )
        network = 'version = 1\nnetwork.ip = "all"\n'
        done = stage.launch(network, "/bin/true", stdin=plain.fileno())
        assert done.returncode == 0, done
    one, other = socket.socketpair()
    with one, other:
        done = stage.launch("version = 1\n", "/bin/true", stdin=one.fileno())
        assert (done.returncode, done.stderr) == (0, b"")
    master, slave = pty.openpty()
    for signals, status in (("isolated", 125), ("any", 0)):
        done = stage.launch(alone.format(signals), "/bin/true", stdin=master)
        assert done.returncode == status, done
    os.close(master)
    os.close(slave)
