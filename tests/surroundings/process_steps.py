# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Change what a process itself is: limits, signals, descriptors, words."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import tempfile
import termios
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from system_steps import LIBC, check, wait_and_leave

_environment: dict[str, str] = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
_words: list[str] | None = None


def start(command: list[str]) -> NoReturn:
    """Become the command, with the words and variables that steps left."""
    words = [os.fsencode(word) for word in (command if _words is None else _words)]
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    pairs = [os.fsencode(f"{name}={value}") for name, value in _environment.items()]
    environment = (ctypes.c_char_p * (len(pairs) + 1))(*pairs, None)
    LIBC.execve(os.fsencode(command[0]), argv, environment)
    raise OSError(ctypes.get_errno(), command[0])


def _in_background() -> None:
    """Go on in a background job of a terminal that is standard input."""
    master, slave = os.openpty()
    if child := os.fork():
        os.close(slave)
        wait_and_leave(child)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    settings = termios.tcgetattr(slave)
    settings[3] |= termios.TOSTOP
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    if child := os.fork():
        wait_and_leave(child)
    os.setpgid(0, 0)
    os.close(master)
    os.dup2(slave, 0)
    os.close(slave)
    assert os.tcgetpgrp(0) != os.getpgrp()


def _stop_and_go() -> None:
    """Be stopped and continued, over and over, by another process."""
    child = os.fork()
    if child == 0:
        return
    if os.fork() == 0:
        os.closerange(0, 3)
        for _ in range(50):
            os.kill(child, signal.SIGSTOP)
            os.sched_yield()
            os.kill(child, signal.SIGCONT)
            os.sched_yield()
        os._exit(0)
    wait_and_leave(child)


def _limit(name: str, value: int) -> None:
    number = getattr(resource, f"RLIMIT_{name}")
    resource.setrlimit(number, (value, value))
    assert resource.getrlimit(number) == (value, value)


def _soft_limit(name: str, value: int) -> None:
    number = getattr(resource, f"RLIMIT_{name}")
    resource.setrlimit(number, (value, resource.getrlimit(number)[1]))


def _no_processes() -> None:
    """See that no further process can be made."""
    try:
        child = os.fork()
    except BlockingIOError:
        return
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    raise AssertionError("a process was made")


def _ignore(*names: str) -> None:
    for name in names:
        signal.signal(getattr(signal, name), signal.SIG_IGN)


def _ignore_all() -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)


def _block_all() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def _pending(*names: str) -> None:
    """Leave signals waiting for whoever unblocks them."""
    numbers = [getattr(signal, name) for name in names]
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    for number in numbers:
        os.kill(os.getpid(), number)
    assert signal.sigpending() >= set(numbers)


def _alarm(seconds: int) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _open_many(count: int) -> None:
    """Leave descriptors open, high ones among them."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    for number in (*range(3, 3 + count), limit - 1):
        os.dup2(0, number, inheritable=True)


def _memory_file(path: str, descriptor: int) -> None:
    """Hand a file over as a sealed memory file, as `stockade run` does."""
    made = os.memfd_create("artifact", os.MFD_ALLOW_SEALING)
    os.write(made, Path(path).read_bytes())
    fcntl.fcntl(made, fcntl.F_ADD_SEALS, 0xF)
    os.dup2(made, descriptor, inheritable=True)
    os.close(made)


def _working_folder(path: str) -> None:
    os.chdir(path)
    assert Path.cwd() == Path(path)


def _deleted_folder() -> None:
    path = tempfile.mkdtemp(dir="/var/tmp")
    os.chdir(path)
    Path(path).rmdir()
    try:
        Path.cwd()
    except FileNotFoundError:
        return
    raise AssertionError("the folder is still there")


def _umask(mask: str) -> None:
    os.umask(int(mask, 8))


def _variables(values: dict[str, str]) -> None:
    _environment.update(values)


def _many_variables(count: int) -> None:
    _environment.update({f"VARIABLE_{n}": "x" * 40 for n in range(count)})


def _arguments(*words: str) -> None:
    """Set every word of the command, its own name included."""
    global _words  # noqa: PLW0603 - the last step of one process
    _words = list(words)


def _personality(bits: int) -> None:
    check(LIBC.personality(ctypes.c_ulong(bits)), "personality")
    assert LIBC.personality(ctypes.c_ulong(0xFFFFFFFF)) == bits


def _prctl(option: int, value: int) -> None:
    check(LIBC.prctl(option, ctypes.c_ulong(value), 0, 0, 0), "prctl")


def _session() -> None:
    """Leave the terminal, as whoever starts in the background does."""
    if os.getpid() == os.getsid(0):
        return
    os.setsid()
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return
    raise AssertionError("there is a terminal")


def _nice(value: int) -> None:
    os.nice(value)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


STEPS: dict[str, Callable[..., None]] = {
    "alarm": _alarm,
    "arguments": _arguments,
    "block-all": _block_all,
    "close": _close,
    "deleted-folder": _deleted_folder,
    "ignore": _ignore,
    "ignore-all": _ignore_all,
    "in-background": _in_background,
    "limit": _limit,
    "many-variables": _many_variables,
    "memory-file": _memory_file,
    "nice": _nice,
    "no-processes": _no_processes,
    "open-many": _open_many,
    "pending": _pending,
    "personality": _personality,
    "prctl": _prctl,
    "session": _session,
    "soft-limit": _soft_limit,
    "stop-and-go": _stop_and_go,
    "umask": _umask,
    "variables": _variables,
    "working-folder": _working_folder,
}
