# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List what each system call could answer although it did not do its work.

Errors are those of its manual page that a kernel, its limits, or a filter or
tracer around the launcher may give. False answers are what an outer filter, which
can answer any number, may claim without a call being made.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass

# What any filter of an outer sandbox answers, and what any call may run into.
_ANY = ("EPERM", "ENOSYS", "EACCES", "ENOMEM", "EINTR")
_OPENING = (
    *("EIO", "EMFILE", "ENFILE", "ENOENT", "ENOTDIR", "ELOOP", "EAGAIN", "EINVAL"),
    *("ENODEV", "ENXIO", "EOPNOTSUPP", "ENOSPC", "EDQUOT", "EROFS", "ESTALE"),
)
_LOOKING = ("EIO", "EBADF", "ENOENT", "ENOTDIR", "ELOOP", "EOVERFLOW", "EFAULT")
_READING = ("EIO", "EAGAIN", "EBADF", "EFAULT", "EINVAL", "EISDIR")
_SOCKET = ("EBADF", "ENOTSOCK", "ENOTCONN", "ENOBUFS", "EINVAL", "EFAULT")
_FORKING = ("EAGAIN", "ENOSPC", "EINVAL")

ERRORS: dict[str, tuple[str, ...]] = {
    "access": (*_LOOKING, "EROFS", "ETXTBSY"),
    "arch_prctl": ("EINVAL", "EFAULT"),
    "capget": ("EINVAL", "EFAULT", "ESRCH"),
    "clone": _FORKING,
    "close": ("EBADF", "EIO", "ENOSPC", "EDQUOT"),
    "close_range": ("EINVAL", "EMFILE"),
    "dup2": ("EBADF", "EBUSY", "EMFILE"),
    "dup3": ("EBADF", "EBUSY", "EMFILE", "EINVAL"),
    "execve": (
        *("E2BIG", "EIO", "EINVAL", "ELIBBAD", "ELOOP", "EMFILE", "ENFILE"),
        *("ENOENT", "ENOEXEC", "ENOTDIR", "ETXTBSY", "EAGAIN", "EFAULT"),
    ),
    "exit_group": (),
    "faccessat": (*_LOOKING, "EROFS", "ETXTBSY"),
    "fcntl": ("EBADF", "EINVAL", "EMFILE", "EAGAIN", "EBUSY"),
    "fchmod": ("EIO", "EROFS", "EBADF"),
    "fstat": _LOOKING,
    "fstatfs": _LOOKING,
    "futex": ("EAGAIN", "EINVAL", "ETIMEDOUT", "EFAULT"),
    "getcwd": ("ENOENT", "ERANGE", "EINVAL", "EFAULT"),
    "getdents64": ("EBADF", "EFAULT", "EINVAL", "ENOENT", "ENOTDIR", "EIO"),
    "getpeername": _SOCKET,
    "getresuid": ("EFAULT",),
    "getsockopt": (*_SOCKET, "ENOPROTOOPT"),
    "ioctl": ("EBADF", "ENOTTY", "EINVAL", "EFAULT", "EIO", "ENODEV"),
    "kill": ("ESRCH", "EINVAL"),
    "landlock_add_rule": ("EINVAL", "EOPNOTSUPP", "EBADF", "EBADFD", "ENOMSG"),
    "landlock_create_ruleset": ("EOPNOTSUPP", "EINVAL", "E2BIG", "EFAULT", "ENOMSG"),
    "landlock_restrict_self": ("EOPNOTSUPP", "EINVAL", "EBADF", "EBADFD", "E2BIG"),
    "mmap": ("EAGAIN", "EINVAL", "ENFILE", "EOVERFLOW"),
    "newfstatat": _LOOKING,
    "open": _OPENING,
    "openat": _OPENING,
    "openat2": (*_OPENING, "E2BIG", "EXDEV"),
    "pipe2": ("EMFILE", "ENFILE", "EINVAL", "EFAULT"),
    "poll": ("EINVAL", "EFAULT"),
    "ppoll": ("EINVAL", "EFAULT"),
    "prctl": ("EINVAL", "EFAULT", "EBUSY"),
    "pread64": (*_READING, "ENXIO", "EOVERFLOW", "ESPIPE"),
    "prlimit64": ("EINVAL", "EFAULT", "ESRCH"),
    "read": _READING,
    "readlink": _LOOKING,
    "readlinkat": (*_LOOKING, "EINVAL"),
    "rt_sigaction": ("EINVAL", "EFAULT"),
    "rt_sigprocmask": ("EINVAL", "EFAULT"),
    "seccomp": ("EINVAL", "EFAULT", "EOPNOTSUPP", "EBUSY", "ESRCH"),
    "set_tid_address": (),
    "stat": _LOOKING,
    "statx": (*_LOOKING, "EINVAL", "EAGAIN"),
    "unlinkat": ("EIO", "ENOENT", "EROFS", "EBUSY", "EISDIR"),
    "wait4": ("ECHILD", "EINVAL"),
    "write": ("EPIPE", "EIO", "ENOSPC", "EAGAIN", "EBADF", "EFBIG", "EDQUOT"),
}
_OF_PROBES = ("EBADF", "EFAULT", "EINVAL", "ESRCH", "EAFNOSUPPORT")
_SMALL = tuple(range(1, 13))
# Beside 0, which every call is made to answer.
FALSE: dict[str, tuple[int, ...]] = {
    "clone": (1,),
    "fcntl": (1, 2, 3, 0x8000),
    "landlock_create_ruleset": _SMALL,
    "mmap": (4096, 1 << 40),
    "open": (1, 3),
    "openat": (1, 3),
    "openat2": (1, 3),
    "poll": (1,),
    "prctl": (1, 2),
    "pread64": (1, 64, 1 << 30),
    "read": (1, 4, 64),
    "readlink": (1, 20),
    "readlinkat": (1, 20),
    "write": (1, 4),
    # Of what answers with a number of its own.
    **dict.fromkeys(("getpid", "getppid", "gettid", "getuid", "geteuid"), (1, 3000)),
    **dict.fromkeys(("getgid", "getegid"), (1,)),
    "wait4": (1,),
}
# Answers that are true, and shorter than asked for.
SHORT: dict[str, tuple[int, ...]] = {
    "getdents64": (24, 120),
    "pread64": (1, 7),
    "read": (1, 7),
    "write": (1,),
}
# What answers a number cannot fail, but by an outer filter.
NUMBERS = frozenset(
    ("getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid")
)
# What a call that answers nothing but an error may be made to say in the short run.
MAIN = ("EPERM", "EIO")


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong answer: `skip` leaves the call out, `short` cuts its bytes."""

    kind: str
    value: int

    @property
    def label(self) -> str:
        """Return how the table of faults calls it."""
        if self.kind == "short":
            return f"{self.value} bytes"
        return errno.errorcode[-self.value] if self.value < 0 else str(self.value)

    @property
    def is_error(self) -> bool:
        """Tell whether the call fails."""
        return self.value < 0


def faults(call: str) -> tuple[Fault, ...]:
    """Return every fault of a call; one that is not listed is made by probes alone."""
    errors = ERRORS.get(call, _OF_PROBES)
    names = ("EPERM", "ENOSYS") if call in NUMBERS else (*errors, *_ANY)
    found = [Fault("skip", -getattr(errno, name)) for name in dict.fromkeys(names)]
    found += [Fault("skip", value) for value in (0, *FALSE.get(call, ()))]
    return (*found, *(Fault("short", value) for value in SHORT.get(call, ())))


def main_faults(call: str) -> tuple[Fault, ...]:
    """Return the faults of a call that are tried each time."""
    return tuple(one for one in faults(call) if not one.is_error or one.label in MAIN)
