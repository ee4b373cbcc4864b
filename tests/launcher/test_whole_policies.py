# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start small programs under whole policies, each beside what works without."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest
from test_streams import SOCKET_NEEDS, SOCKETS

from stage import Stage, require

_SHELL = "/bin/sh"
_PYTHON = "/usr/bin/python3"
_HEAD = "version = 1\n"
_POLICIES = {
    "none": "",
    "client": 'network.ip = "client"\n',
    "all": 'network.ip = "all"\n',
    "services": 'network.unix_sockets = "all"\n',
}
# The policies that take each kind of socket as a standard stream.
_TAKEN = {
    "tcp": "all",
    "tcp listening": "all",
    "tcp connected": "client all",
    "udp": "all",
    "udp connected": "all",
    "ping": "all",
    "mptcp": "all",
    "udp-lite": "",
    "raw": "",
    "vsock": "",
    "other netlink": "",
    "unix pair": "none client all services",
    "unix seqpacket": "none client all services",
    "unix datagram pair": "services",
    "unix alone": "services",
    "unix listening": "services",
}


@pytest.fixture(scope="module")
def bundles(stage: Stage) -> dict[str, Path]:
    return {
        name: stage.compile(_HEAD + lines, f"streams-{name}")
        for name, lines in _POLICIES.items()
    }


@pytest.mark.parametrize("name", _TAKEN)
def test_sockets_as_streams(stage: Stage, bundles: dict[str, Path], name: str) -> None:
    """S2-137 S2-138 S2-139 S2-140 S2-141: which policies take which socket."""
    require(*filter(None, [SOCKET_NEEDS.get(name)]))
    with ExitStack() as stack:
        fd = SOCKETS[name][0](stack)
        taken = [
            policy
            for policy, bundle in bundles.items()
            if stage.launch(bundle, "/bin/true", stdin=fd).returncode == 0
        ]
    assert taken == _TAKEN[name].split()


_TURN = (
    "import ctypes, socket\n"
    "stream = socket.socket(fileno=0)\n"
    "call = ctypes.CDLL(None, use_errno=True)\n"
    "print(call.connect(0, bytes(16), 16))\n"
    "try: stream.bind(('127.0.0.1', 0)); stream.listen(); print('listens')\n"
    "except OSError as error: print(error.errno)\n"
)


@pytest.mark.needs("loopback")
def test_connected_stream_never_listens(stage: Stage, bundles: dict[str, Path]) -> None:
    """S2-151: also not after its connection was dissolved."""
    answers = []
    for policy in (None, "client"):
        with socket.create_server(("127.0.0.1", 0)) as server:
            client = socket.create_connection(server.getsockname())
            with client, server.accept()[0]:
                words = (_PYTHON, "-ISc", _TURN)
                fd = client.fileno()
                if policy is None:
                    done = stage.run(list(words), stdin=fd)
                else:
                    done = stage.launch(bundles[policy], *words, stdin=fd)
        answers.append(done.stdout.split())
    assert answers == [[b"0", b"listens"], [b"0", b"1"]]


def test_started_process_outlives_the_program(stage: Stage) -> None:
    """S2-172."""
    script = "sleep 60 > /dev/null 2>&1 < /dev/null & echo $!"
    text = f'{_HEAD}filesystem.read_exec = ["/usr/bin"]\n'
    done = stage.launch(text, _SHELL, "-c", script)
    assert (done.returncode, done.stderr) == (0, b"")
    # That it can be signalled is the assertion.
    os.kill(int(done.stdout), signal.SIGKILL)


def test_program_without_children_may_become_another(stage: Stage) -> None:
    """S2-176: another program takes the process over, and none is started."""
    text = f'{_HEAD}filesystem.read_exec = ["/usr/bin"]\nprocess.children = "none"\n'
    bundle = stage.compile(text, "becoming")
    done = stage.launch(bundle, _SHELL, "-c", "exec /usr/bin/id -u")
    assert done.stdout == b"%d\n" % stage.user
    done = stage.launch(bundle, _SHELL, "-c", "/usr/bin/id -u; true")
    assert done.stdout == b""


def test_granted_file_that_is_replaced_is_lost(stage: Stage) -> None:
    """S2-313: a stated limit, until the program is started anew."""
    folder = stage.folder("replaced")
    file = folder / "settings"
    file.write_text("old\n")
    bundle = stage.compile(f'{_HEAD}filesystem.read = ["{file}"]\n', "replaced")
    script = 'show() { read x < "$0" && echo $x; }; show; read wait; show; true'
    command = [stage.launcher, bundle, "--", _SHELL, "-c", script, file]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **stage.identity(),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"old\n"
    (folder / "new").write_text("new\n")
    (folder / "new").rename(file)
    output, errors = process.communicate(b"\n", timeout=20)
    assert output == b""
    assert b"ermission denied" in errors
    again = stage.launch(bundle, _SHELL, "-c", script, file, input=b"\n")
    assert again.stdout == b"new\nnew\n"


@pytest.mark.needs("root-user")
def test_set_user_id_program_gains_nothing(stage: Stage) -> None:
    """S2-382: it is root's outside, and the caller's inside."""
    folder = stage.folder("setuid")
    shutil.copy("/usr/bin/id", folder / "id")
    (folder / "id").chmod(0o4755)
    command = [folder / "id", "-u"]
    assert stage.run(command).stdout == b"0\n"
    text = f'{_HEAD}filesystem.read_exec = ["{folder}"]\n'
    assert stage.launch(text, *command).stdout == b"%d\n" % stage.user
    done = stage.launch(text, _SHELL, "-c", f"{folder}/id -u")
    assert done.stdout == b"%d\n" % stage.user


def test_event_loop_of_python_needs_a_pair(stage: Stage) -> None:
    """GL-040."""
    words = ("-ISc", "import asyncio; asyncio.new_event_loop().close()")
    for value, works in (("policy", True), ("none", False)):
        text = f'{_HEAD}network.sockets = "{value}"\n'
        done = stage.launch(text, _PYTHON, *words)
        assert (done.returncode == 0) is works
        assert (b"PermissionError" in done.stderr) is not works


def test_memory_may_become_executable(stage: Stage) -> None:
    """GL-155: as compilers at run time need it, beside a list of commands."""
    code = (
        "import ctypes, mmap\n"
        "mmap.mmap(-1, 4096, prot=7).close()\n"
        "page = mmap.mmap(-1, 4096)\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "print(ctypes.CDLL(None).mprotect(ctypes.c_void_p(at), 4096, 5))\n"
    )
    done = stage.launch(f"{_HEAD}commands.allow = []\n", _PYTHON, "-ISc", code)
    assert (done.stdout, done.stderr) == (b"0\n", b"")
