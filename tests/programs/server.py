# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a server under its policy for as long as a test needs it.

The kernel chooses the port. It stays bound here, without listening, while the server
listens on it: Linux lets two sockets that both set SO_REUSEADDR share a port of which
only one listens, so nobody else gets it in between.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from place import Place, StartRefused

from stage import Word

SECONDS = 20.0
PAUSE = 0.02


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until something holds, for a bounded time."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(PAUSE)


@contextlib.contextmanager
def free_port() -> Iterator[int]:
    """Hold a port of the loopback address that nobody uses."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


class Server:
    """A running server: its port, and what it said once it has ended."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.port = port
        self.said = ""

    def ended(self) -> bool:
        """Tell whether the server has ended."""
        return self.process.poll() is not None

    def connects(self) -> bool:
        """Tell whether the port takes a connection."""
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), SECONDS).close()
            return True
        return False

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask the server to end, collect what it said, and return its status."""
        self.process.send_signal(number)
        try:
            out, error = self.process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, error = self.process.communicate()
        self.said += (out + error).decode(errors="replace")
        return self.process.returncode


@contextlib.contextmanager
def serve(
    place: Place,
    bundle: Path | None,
    port: int,
    *command: Word,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[Server]:
    """Run a server, under a bundle or outside; fails when it does not come up."""
    confined = [] if bundle is None else [place.stage.launcher, bundle, "--"]
    process = place.stage.start([*confined, *command], cwd=place.root)
    server = Server(process, port)
    try:
        until(lambda: server.ended() or server.connects(), "no answer and no end")
        if server.ended():
            server.stop()
            if server.said.startswith("stockade: "):
                raise StartRefused(server.said)
            raise AssertionError(server.said)
        yield server
    finally:
        server.stop(stop)
