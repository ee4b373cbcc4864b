# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List calls by number and words that the filter refuses, and some that it must not.

Words are chosen so that the kernel itself fails the call without effect, with
another error than the refusal: outside that error shows that the call reaches the
kernel, inside the refusal shows that it no longer does. Calls that an unprivileged
user is refused by the kernel with the very same error cannot be told apart so, and
are left out: `pivot_root fsopen fsmount fspick move_mount acct swapon swapoff
reboot vhangup sethostname setdomainname syslog fanotify_init`, and module and kexec
calls where they are built.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MINUS_ONE = (1 << 64) - 1
_AT_FDCWD = (1 << 64) - 100
_NOBODY = 0x7FFFFFFE  # no process has this number
_HIGH = 1 << 32


@dataclass(frozen=True, slots=True)
class BareCall:
    """One call: its name, its words, and the refusal; empty for one that passes."""

    name: str
    words: tuple[int, ...] = ()
    refusal: str = "EPERM"

    def text(self, numbers: dict[str, int]) -> str:
        """Return the call as the escape program takes it."""
        return ":".join(["call", str(numbers[self.name]), *map(str, self.words)])

    def label(self) -> str:
        """Return a name for the call with its words."""
        return "-".join([self.name, *(f"{word:x}" for word in self.words)])


def _each(names: str, *words: int, refusal: str = "EPERM") -> tuple[BareCall, ...]:
    return tuple(BareCall(name, words, refusal) for name in names.split())


def _by_word(name: str, index: int, *values: int) -> tuple[BareCall, ...]:
    """Make one call per value; the words before it are -1, which is no descriptor."""
    return tuple(BareCall(name, (MINUS_ONE,) * index + (value,)) for value in values)


_UNREADABLE = (
    BareCall("clone3", (), "ENOSYS"),
    BareCall("openat2", (MINUS_ONE,), "ENOSYS"),
    BareCall("io_uring_setup", (), "ENOSYS"),
    *_each("io_uring_enter io_uring_register", MINUS_ONE, refusal="ENOSYS"),
    BareCall("open", (0, 3)),
    BareCall("openat", (_AT_FDCWD, 0, 3)),
    BareCall("openat", (_AT_FDCWD, 0, _HIGH | 3)),
)

# CLONE_SIGHAND without CLONE_VM is an error, so that no call starts anything.
_SIGHAND = 0x800
_NAMESPACES = (
    *_by_word("unshare", 0, 0x10000001, 0x00000001),
    BareCall("unshare"),
    BareCall("setns", (MINUS_ONE,)),
    *_by_word(
        "clone",
        0,
        _SIGHAND,
        _HIGH * 0x10000 | _SIGHAND,
        *(_SIGHAND | 1 << bit for bit in (17, 25, 26, 27, 28, 29, 30)),
        _SIGHAND | 0x8000,
        _SIGHAND | 0x18000,
    ),
    *_each("mount chroot open_tree open_tree_attr name_to_handle_at"),
    BareCall("umount2", (0, 0x80000000)),
    *_each("fsconfig mount_setattr open_by_handle_at", MINUS_ONE),
)

_MACHINE = (
    *_each("create_module get_kernel_syms query_module"),
    *_each("adjtimex clock_adjtime"),
    BareCall("clock_settime", (99,)),
    BareCall("settimeofday", (1,)),
    *_each("iopl ioperm"),
    BareCall("quotactl", (0xFFFFFFFF,)),
    BareCall("quotactl_fd", (MINUS_ONE,)),
    *_each("add_key request_key"),
    BareCall("keyctl", (MINUS_ONE,)),
    *_each("nfsservctl lookup_dcookie _sysctl uselib ustat"),
    BareCall("sysfs", (99,)),
    BareCall("bpf", (MINUS_ONE,)),
    BareCall("perf_event_open"),
    BareCall("userfaultfd", (0xFFFF,)),
    BareCall("modify_ldt", (99,)),
    BareCall("fanotify_mark", (MINUS_ONE,)),
)

_PROCESSES = (
    BareCall("ptrace", (0x4206, 0)),  # PTRACE_SEIZE
    BareCall("ptrace", (_HIGH | 0x4206, 0)),
    *(
        BareCall(name, (1, 0, 0, 0, 0, 1))
        for name in ("process_vm_readv", "process_vm_writev")
    ),
    BareCall("kcmp", (_NOBODY, _NOBODY)),
    *_each("pidfd_getfd process_mrelease process_madvise", MINUS_ONE),
    BareCall("prlimit64", (_NOBODY, 0, 8)),
    BareCall("prlimit64", (_NOBODY, 0, _HIGH)),
    *_each("shmget semget msgget", 1),
    *_each(
        "shmat shmctl shmdt msgsnd msgrcv msgctl semop semctl semtimedop", MINUS_ONE
    ),
    *_each("mq_open mq_unlink"),
    *_each("mq_timedsend mq_timedreceive mq_notify mq_getsetattr", MINUS_ONE),
    BareCall("setpgid", (_NOBODY, 5)),
    BareCall("setpriority", (9,)),
    BareCall("setpriority", (0, _NOBODY)),
    BareCall("ioprio_set", (9,)),
    BareCall("ioprio_set", (1, _NOBODY)),
    *_each(
        "sched_setaffinity sched_setscheduler sched_setparam sched_setattr", _NOBODY
    ),
)

# AF_TIPC 30 and others hand out sockets by pairs; type 15 is no type.
_SOCKETS = (
    *(BareCall("socket", (family, 15)) for family in range(46)),
    *(BareCall("socket", (_HIGH | family, 15)) for family in (1, 2, 10, 16)),
    *(BareCall("socketpair", (family, 1)) for family in (2, 10, 16, 30, 43)),
    *(BareCall("socketpair", (1, kind)) for kind in (2, 3, 4, 6, 0x80002, 0x803)),
)

_METADATA = (
    *_each(
        "chmod chown lchown setxattr lsetxattr removexattr lremovexattr utime utimes"
    ),
    *_each("fchmodat fchmodat2 fchownat setxattrat removexattrat", _AT_FDCWD),
    *_each("fchown fsetxattr fremovexattr file_setattr", MINUS_ONE),
    BareCall("futimesat", (_AT_FDCWD, 1)),
    BareCall("utimensat", (_AT_FDCWD, 1)),
    # Both words of the path are the path.
    BareCall("utimensat", (_AT_FDCWD, 1 << 63)),
)

_SETID = (
    *(BareCall(name, (0, 0o4000)) for name in ("creat", "mkdir", "mknod", "chmod")),
    *(BareCall(name, (0, 0o2000)) for name in ("creat", "mkdir", "mknod", "chmod")),
    *(
        BareCall(name, (_AT_FDCWD, 0, 0o6000))
        for name in ("mkdirat", "mknodat", "fchmodat", "fchmodat2")
    ),
    BareCall("fchmod", (MINUS_ONE, 0o4000)),
    BareCall("fchmod", (MINUS_ONE, _HIGH | 0o2000)),
    BareCall("open", (0, 0x40, 0o4000)),
    BareCall("openat", (_AT_FDCWD, 0, 0x40, 0o4000)),
    BareCall("openat", (_AT_FDCWD, 0, 0x410000, 0o2000)),
    *(BareCall("mknod", (0, kind)) for kind in (0o020600, 0o060600)),
    *(BareCall("mknodat", (_AT_FDCWD, 0, kind)) for kind in (0o020600, 0o060600)),
    BareCall("renameat2", (_AT_FDCWD, 0, _AT_FDCWD, 0, 4)),
    # F_SETLEASE, F_NOTIFY, F_SETDELEG
    *_by_word("fcntl", 1, 1024, 1026, 1040, _HIGH | 1024),
)

_CODE = (
    BareCall("execveat", (MINUS_ONE, 0, 0, 0, 0x1000)),
    BareCall("execveat", (MINUS_ONE, 0, 0, 0, _HIGH | 0x1000)),
    *(BareCall("memfd_create", (0, flags), "ENOSYS") for flags in (0, 1, 2, 0x10, 12)),
)

_REQUESTS = (
    *_by_word(
        "ioctl",
        1,
        *(0x5412, 0x541C, _HIGH | 0x5412),  # TIOCSTI TIOCLINUX
        *(0x540C, 0x541D, 0x5423, 0x5437),  # TIOCEXCL TIOCCONS TIOCSETD TIOCVHANGUP
        *(0x5410, 0x5414, 0x40045436),  # TIOCSPGRP TIOCSWINSZ TIOCSIG
        *(0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602, 0x41009432),
        *(0x40806685, 0x800C6613, 0xC0506617, 0xC0406618, 0xC0406619, 0xC0189436),
        *(0x6609, 0x660C, 0x6611),  # ext4: migrate, allocate, swap boot
        0x40086604,  # EXT4_IOC_SETVERSION
        *(0x5000940E, 0x50009418, 0x50009417, 0x50009401, 0x5000940F, 0x5000943F),
        *(0x4008941A, 0xC0C89425),  # btrfs, as the eight before
        *(0x8901, 0x8902, 0x8903, 0x8904, 0x8912, 0x8927, 0x89FF),  # interfaces
        0x8B1B,  # SIOCGIWESSID: wireless, by any socket as well
    ),
)

REFUSED: tuple[BareCall, ...] = (
    *_UNREADABLE,
    *_NAMESPACES,
    *_MACHINE,
    *_PROCESSES,
    *_SOCKETS,
    *_METADATA,
    *_SETID,
    *_CODE,
    *_REQUESTS,
)

# What programs need, or what only tightens: the kernel's own answer must come back.
PASSED: tuple[BareCall, ...] = (
    *(
        BareCall("ioctl", (MINUS_ONE, request), "")
        for request in (
            *(0x5401, 0x5402, 0x5403, 0x5404),  # TCGETS, TCSETS*
            *(0x5413, 0x541B, 0x5421, 0x5450, 0x5451),  # window size, FION*, FIO*CLEX
            *(0x8905, 0x8906, 0x8907),  # SIOCATMARK, time stamps
        )
    ),
    BareCall("fchmod", (MINUS_ONE, 0o777), ""),
    BareCall("utimensat", (MINUS_ONE,), ""),
    BareCall("memfd_create", (0, 8), ""),
    # The check-only form runs nothing.
    BareCall("execveat", (MINUS_ONE, 0, 0, 0, 0x11000), ""),
    BareCall("prlimit64", (_NOBODY, 0, 0, 8), ""),
    BareCall("openat", (_AT_FDCWD, 0, 0x40, 0o777), ""),
    BareCall("mknodat", (_AT_FDCWD, 0, 0o100600), ""),
    BareCall("renameat2", (_AT_FDCWD, 0, _AT_FDCWD, 0, 2), ""),
    *_each("seccomp set_mempolicy memfd_secret", 0xFFFF, refusal=""),
    *_each("landlock_create_ruleset", 0, 0, 1, refusal=""),
    *_each("landlock_add_rule", MINUS_ONE, refusal=""),
    *_each("personality", 0xFFFFFFFF, refusal=""),
    *_each("statx getxattr listxattr inotify_add_watch flock", MINUS_ONE, refusal=""),
    *_each("pidfd_open sched_getattr getpriority", _NOBODY, refusal=""),
)


_STRICT = (
    '[process]\nsignals = "self"\nchildren = "none"\nothers = "fixed"\n'
    'ipc = "none"\n[linux]\npath_metadata = "deny-all"\nioctls = "no-input"\n'
)
# Under policies of their own: the text below `version`, what is refused, what passes.
UNDER: dict[str, tuple[str, tuple[BareCall, ...]]] = {
    "strict": (
        _STRICT,
        (
            BareCall("fchmod", (MINUS_ONE, 0o777)),
            BareCall("utimensat", (MINUS_ONE,)),
            *_each("pidfd_open get_robust_list migrate_pages move_pages", _NOBODY),
            BareCall("pidfd_send_signal", (MINUS_ONE,)),
            BareCall("prlimit64", (_NOBODY, 0, 0, 8)),
            *_each("kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo", _NOBODY),
            *_by_word(
                "ioctl",
                1,
                *(0x40049409, 0x4020940D),  # FICLONE, FICLONERANGE
                *(0x400454CA, 0x400C6615, 0x40045431),  # TUNSETIFF, TIOCSPTLCK
                *(0xC0045877, 0xC0185879),  # FIFREEZE, FITRIM
                *(0x40000000, _HIGH | 0x40000000, 0x5410),
            ),
            *(
                BareCall("ioctl", (MINUS_ONE, request), "")
                for request in (0x5401, 0x5402, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
            ),
            BareCall("ioctl", (MINUS_ONE, 0x80086601), ""),  # FS_IOC_GETFLAGS
            *_each("sched_getattr getpriority", _NOBODY, refusal=""),
        ),
    ),
    "shared": (
        '[process]\nipc = "shared"\n',
        (
            *_each("shmget semget msgget", 1, refusal=""),
            *_each("shmat shmctl shmdt msgsnd msgrcv semop", MINUS_ONE, refusal=""),
            *_each("mq_open mq_unlink"),
            *_each("mq_timedsend mq_notify mq_getsetattr", MINUS_ONE),
            BareCall("keyctl", (MINUS_ONE,)),
        ),
    ),
    "memory": (
        '[process]\nmemory_files = "allowed"\n',
        (
            *(BareCall("memfd_create", (0, flags), "") for flags in (0, 1, 2, 0x10)),
            BareCall("execveat", (MINUS_ONE, 0, 0, 0, 0x1000)),
        ),
    ),
    "wide": (
        '[linux]\nkernel_surface = "wide"\n',
        (
            BareCall("ptrace", (0x4206, 0), ""),
            BareCall("process_vm_readv", (1, 0, 0, 0, 0, 1), ""),
            BareCall("kcmp", (_NOBODY, _NOBODY), ""),
            *_each("pidfd_getfd process_madvise", MINUS_ONE, refusal=""),
            BareCall("userfaultfd", (0x11,), ""),
            BareCall("modify_ldt", (99,), ""),
            BareCall("perf_event_open", (), ""),
            BareCall("perf_event_open", (0, MINUS_ONE)),
            BareCall("perf_event_open", (0, 0xFFFFFFFF)),
            BareCall("perf_event_open", (0, 0, 0, 0, 4)),
            *_each("process_mrelease fanotify_mark", MINUS_ONE),
        ),
    ),
    "terminate": (
        '[process]\nsignals = "terminate"\n',
        (
            *(BareCall("kill", (_NOBODY, one), "") for one in (0, 1, 2, 3, 9, 15, 18)),
            BareCall("kill", (_NOBODY, 19), ""),
            *(BareCall("kill", (_NOBODY, one)) for one in (4, 6, 10, 12, 17, 34, 64)),
            BareCall("tgkill", (_NOBODY, _NOBODY, 15), ""),
            BareCall("tgkill", (_NOBODY, 15, 10)),
            BareCall("rt_tgsigqueueinfo", (_NOBODY, 15, 10)),
            BareCall("pidfd_send_signal", (MINUS_ONE, 10)),
            BareCall("pidfd_send_signal", (MINUS_ONE, 15), ""),
            *_by_word("fcntl", 1, 8, 10, 15),
        ),
    ),
}


def on(calls: tuple[BareCall, ...], numbers: dict[str, int]) -> Iterator[BareCall]:
    """Yield the calls that an architecture has."""
    return (call for call in calls if call.name in numbers)
