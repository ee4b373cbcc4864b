# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Offer what a confined program must not reach: sockets, queues, keys, a terminal."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import re
import socket
import termios
from collections.abc import Iterator
from pathlib import Path

_NR = {
    "x86_64": {"add_key": 248, "keyctl": 250},
    "aarch64": {"add_key": 217, "keyctl": 219},
}[os.uname().machine]
_JOIN_SESSION_KEYRING, _READ_KEY, _SESSION = 1, 11, -3
_IPC_CREAT, _IPC_NOWAIT, _O_QUEUE = 0o1000, 0o4000, os.O_RDWR | os.O_CREAT
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.shmat.restype = ctypes.c_void_p
QUEUE = "/stockade-queue"
QUEUES = Path("/tmp/queues")
_TEXT = b"canary"


class Services:
    """Listeners and objects of the kernel, all of the user's."""

    def __init__(self, arena: Path) -> None:
        """Open everything below the arena's `outside`, and beside it."""
        outside = arena / "outside"
        self._counts: dict[str, int] = {}
        self._listeners = {
            "tcp": [_listen(socket.AF_INET, ("127.0.0.1", 0))],
            "udp": [_bound(socket.AF_INET, ("127.0.0.1", 0))],
            "unix-stream": [_listen(socket.AF_UNIX, str(outside / "stream"))],
            "unix-datagram": [_bound(socket.AF_UNIX, str(outside / "datagram"))],
            "abstract-stream": [_listen(socket.AF_UNIX, "\0stockade-stream")],
            "abstract-datagram": [_bound(socket.AF_UNIX, "\0stockade-datagram")],
        }
        if Path("/proc/net/if_inet6").exists():
            self._listeners["tcp"].append(_listen(socket.AF_INET6, ("::1", 0)))
            self._listeners["udp"].append(_bound(socket.AF_INET6, ("::1", 0)))
        self.ports = [
            one.getsockname()[1]
            for kind in ("tcp", "udp")
            for one in self._listeners[kind]
        ]
        self.abstract = ["stockade-stream", "stockade-datagram"]
        os.mkfifo(outside / "fifo", 0o600)
        self._fifo = os.open(outside / "fifo", os.O_RDWR | os.O_NONBLOCK)
        self._master, self._slave = os.openpty()
        os.set_blocking(self._master, False)
        self.paths = [
            outside / "stream",
            outside / "datagram",
            outside / "fifo",
            Path(os.ttyname(self._slave)),
        ]
        self.objects = [*self._open_system_v(), *self._open_key()]
        self._shared_memory()
        _LIBC.mq_open(QUEUE.encode(), _O_QUEUE, 0o600, None)

    def _open_system_v(self) -> Iterator[int]:
        self._memory = _LIBC.shmget(0x53746B64, 4096, _IPC_CREAT | 0o600)
        yield self._memory
        yield _LIBC.msgget(0x53746B64, _IPC_CREAT | 0o600)
        yield _LIBC.semget(0x53746B64, 1, _IPC_CREAT | 0o600)

    def _open_key(self) -> Iterator[int]:
        # What all that starts from here has as its session's keys.
        ring = _LIBC.syscall(_NR["keyctl"], _JOIN_SESSION_KEYRING, None)
        add = ctypes.c_long(_NR["add_key"])
        arguments = (b"user", b"stockade", _TEXT, len(_TEXT), _SESSION)
        self._key = _LIBC.syscall(add, *arguments)
        yield from (ring, self._key)

    def look(self) -> dict[str, object]:
        """Return what has arrived so far, and what the objects are now."""
        for kind, listeners in self._listeners.items():
            for one in listeners:
                self._counts[kind] = self._counts.get(kind, 0) + _arrived(one)
        self._counts["fifo"] = self._counts.get("fifo", 0) + _drain(self._fifo)
        self._counts["terminal-output"] = self._counts.get(
            "terminal-output", 0
        ) + _drain(self._master)
        return {
            **self._counts,
            "system-v": [*_system_v_lines(), self._shared_memory()],
            "posix-queue": {
                path.name: _text(path) for path in sorted(QUEUES.iterdir())
            },
            "keys": self._keys(),
            "terminal-setting": self._terminal(),
        }

    def _shared_memory(self) -> str:
        # Not kept attached: what starts from here would have it.
        address = _LIBC.shmat(self._memory, None, 0)
        if address in (None, ctypes.c_void_p(-1).value):
            return "gone"
        text = ctypes.string_at(address, 64).hex()
        _LIBC.shmdt(ctypes.c_void_p(address))
        return text

    def _keys(self) -> list[str]:
        text = ctypes.create_string_buffer(64)
        length = _LIBC.syscall(_NR["keyctl"], _READ_KEY, self._key, text, 64)
        # Serial, permission, owner, type and description; not how often it is used.
        lines = re.findall(
            r"^(\w+) \S+ +\d+ +\S+ (\w+) +(\d+) +(\d+) (.*)$",
            Path("/proc/keys").read_text(),
            flags=re.MULTILINE,
        )
        kept = [" ".join(line) for line in lines if int(line[2]) == os.getuid()]
        return [*sorted(kept), str(length), text.raw.hex()]

    def _terminal(self) -> list[object]:
        exclusive = bytearray(4)
        fcntl.ioctl(self._slave, 0x80045440, exclusive)  # TIOCGEXCL
        return [
            str(termios.tcgetattr(self._slave)),
            fcntl.ioctl(self._slave, termios.TIOCGWINSZ, b" " * 8).hex(),
            fcntl.ioctl(self._slave, termios.TIOCGETD, b" " * 4).hex(),
            fcntl.ioctl(self._slave, termios.FIONREAD, b" " * 4).hex(),
            exclusive.hex(),
        ]


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError as error:
        return f"errno {error.errno}"


def _system_v_lines() -> Iterator[str]:
    for kind in ("shm", "msg", "sem"):
        for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines():
            # Looking at a segment moves the two times at which it was attached.
            words = line.split()
            yield " ".join(words[:11] if kind == "shm" else words)


def _listen(family: socket.AddressFamily, address: object) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.bind(address)  # type: ignore[arg-type]
    made.listen(64)
    made.setblocking(False)
    return made


def _bound(family: socket.AddressFamily, address: object) -> socket.socket:
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.bind(address)  # type: ignore[arg-type]
    made.setblocking(False)
    return made


def _arrived(one: socket.socket) -> int:
    count = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            if one.type & socket.SOCK_STREAM == socket.SOCK_STREAM:
                one.accept()[0].close()
            else:
                one.recv(1)
            count += 1
    return count


def _drain(descriptor: int) -> int:
    count = 0
    with contextlib.suppress(BlockingIOError):
        while read := os.read(descriptor, 4096):
            count += len(read)
    return count
