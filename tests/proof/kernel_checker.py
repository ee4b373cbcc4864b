# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask the running kernel what it thinks of seccomp programs.

All questions go to a forked child without privileges. It asks for a listener while
it may open no descriptor: the kernel first judges the program (EINVAL), then misses
the descriptor (EMFILE), so that an accepted program leaves nothing attached and the
same child can ask thousands of times. `attaches` does attach, once per child.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
from collections.abc import Sequence

UNPRIVILEGED = int(os.environ.get("STOCKADE_TEST_UID", "65534"))
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_FILTER_FLAG_NEW_LISTENER = 1 << 3
_NR_SECCOMP = {"x86_64": 317, "aarch64": 277}[platform.machine()]


class _Program(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_char_p))


_libc = ctypes.CDLL(None, use_errno=True)


def _install(program: bytes, flags: int) -> int:
    """Try to install a filter and return 0 or the error number."""
    count = len(program) // 8
    record = _Program(count, program)
    result = _libc.syscall(
        _NR_SECCOMP, _SECCOMP_SET_MODE_FILTER, flags, ctypes.byref(record)
    )
    return 0 if result >= 0 else ctypes.get_errno()


def _give_up_privileges() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
        os.setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def judge(programs: Sequence[bytes]) -> list[bool]:
    """Tell of each program whether the kernel accepts it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reader)
            _give_up_privileges()
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
            answers = bytearray()
            for program in programs:
                answers.append(_install(program, _SECCOMP_FILTER_FLAG_NEW_LISTENER))
            sent = 0
            while sent < len(answers):
                sent += os.write(writer, answers[sent : sent + 4096])
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        errors = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert len(errors) == len(programs)
    assert set(errors) <= {errno.EINVAL, errno.EMFILE}, sorted(set(errors))
    return [error == errno.EMFILE for error in errors]


def attaches(program: bytes) -> bool:
    """Tell whether a child that installs this program gets it; it may die of it."""
    child = os.fork()
    if child == 0:
        try:
            _give_up_privileges()
            refused = _install(program, 0) != 0
        except OSError:
            os._exit(2)
        os._exit(1 if refused else 0)
    _, status = os.waitpid(child, 0)
    assert status != 2 << 8, "the child could not give up its privileges"
    return not (os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1)
