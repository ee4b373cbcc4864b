# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Enter the sandboxes of others: filters, supervisors, layers of Landlock."""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from system_steps import LIBC, check, wait_and_leave

_SECCOMP = 317 if os.uname().machine == "x86_64" else 277
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438
_SET_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _SEND, _CONTINUE = 0xC0502100, 0xC0182101, 1
_NOTIFICATION_BYTES, _ANSWER = 80, "=Qqii"
_NO_NEW_PRIVS = 38
_CREATE_RULESET, _RESTRICT_SELF, _MAKE_BLOCK = 444, 446, 1 << 11


def _no_new_privileges() -> None:
    check(LIBC.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def _attach(program: bytes, flags: int) -> int:
    instructions = ctypes.create_string_buffer(program, len(program))
    counted = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
    _no_new_privileges()
    return check(LIBC.syscall(_SECCOMP, _SET_FILTER, flags, counted), "seccomp")


def _filter(*files: str) -> None:
    """Attach filters from files, one after the other.

    What a later one needs the earlier may refuse, so all are read before.
    """
    programs = [Path(file).read_bytes() for file in files]
    for program in programs:
        _attach(program, 0)


def _supervised(file: str) -> None:
    """Let a supervisor, who lets every call go on, answer what a filter asks."""
    program = Path(file).read_bytes()
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        listener = _attach(program, _NEW_LISTENER)
        os.write(writable, bytes([listener]))
        os.close(writable)
        return
    os.close(writable)
    handle = check(LIBC.syscall(_PIDFD_OPEN, child, 0), "pidfd_open")
    number = os.read(readable, 1)[0]
    listener = check(LIBC.syscall(_PIDFD_GETFD, handle, number, 0), "pidfd_getfd")
    if os.fork() == 0:
        _supervise(listener)
    os.close(listener)
    wait_and_leave(child)


def _supervise(listener: int) -> NoReturn:
    """Answer until nobody is left under the filter."""
    # Whoever reads the program's output must not wait for this process.
    os.closerange(0, 3)
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    while not any(events & select.POLLHUP for _, events in waiting.poll()):
        notification = bytearray(_NOTIFICATION_BYTES)
        try:
            fcntl.ioctl(listener, _RECEIVE, notification)
            (identity,) = struct.unpack_from("=Q", notification)
            answer = bytearray(struct.pack(_ANSWER, identity, 0, 0, _CONTINUE))
            fcntl.ioctl(listener, _SEND, answer)
        except FileNotFoundError:
            # Whoever asked is gone.
            continue
    os._exit(0)


def _layers(count: int) -> None:
    """Enter sandboxes of Landlock that take away next to nothing."""
    _no_new_privileges()
    handled = struct.pack("=Q", _MAKE_BLOCK)
    for _ in range(count):
        words = (_CREATE_RULESET, handled, len(handled), 0)
        ruleset = check(LIBC.syscall(*words), "landlock_create_ruleset")
        restricted = LIBC.syscall(_RESTRICT_SELF, ruleset, 0)
        check(restricted, "landlock_restrict_self")
        os.close(ruleset)


STEPS: dict[str, Callable[..., None]] = {
    "filter": _filter,
    "layers": _layers,
    "no-new-privileges": _no_new_privileges,
    "supervised": _supervised,
}
