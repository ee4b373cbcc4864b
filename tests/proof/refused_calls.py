# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List what is refused, when, and with which error: the reviewed table, as data.

It is written beside the compiler's rules and shares nothing with them but the names of
policies' keys, so that a rule which is missing or too wide shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stockade.model.policy import Policy

LOW = 0xFFFFFFFF
BOTH = (1 << 64) - 1
PID = "own number"
Value = int | str | tuple[int, int]


@dataclass(frozen=True, slots=True)
class Where:
    """An argument under a mask is one of the values, or none of them."""

    arg: int
    values: tuple[Value, ...]
    mask: int = LOW
    none: bool = False

    def holds(self, args: tuple[int, ...], own_pid: int) -> bool:
        """Tell whether it holds for the words of a call."""
        word = args[self.arg] & self.mask
        found = False
        for value in self.values:
            if isinstance(value, tuple):
                found = found or value[0] <= word <= value[1]
            else:
                found = found or word == (own_pid if value == PID else value)
        return found != self.none


@dataclass(frozen=True, slots=True)
class Row:
    """Calls that answer with an error where every condition and test holds."""

    calls: tuple[str, ...]
    errno: str
    when: tuple[str, ...]
    tests: tuple[Where, ...] = ()


def _row(calls: str, errno: str, when: str, *tests: Where) -> Row:
    return Row(tuple(calls.split()), errno, tuple(when.split()), tests)


def _is(arg: int, *values: Value, mask: int = LOW) -> Where:
    return Where(arg, values, mask)


def _not(arg: int, *values: Value, mask: int = LOW) -> Where:
    return Where(arg, values, mask, none=True)


def _bits(arg: int, mask: int) -> Where:
    return Where(arg, (0,), mask, none=True)


_RESTRICTED = ("self", "isolated", "terminate")
_INSIDE = ("self", "isolated")

# By name: whether a condition holds for a policy on a kernel of one Landlock ABI.
WHEN: dict[str, Callable[[Policy, int], bool]] = {
    "always": lambda _policy, _abi: True,
    "alone": lambda policy, _abi: policy.children == "none",
    "with-children": lambda policy, _abi: policy.children != "none",
    "restricted": lambda policy, _abi: policy.signals in _RESTRICTED,
    "inside": lambda policy, _abi: policy.signals in _INSIDE,
    "by-number": lambda policy, abi: (
        policy.signals == "self" or (policy.signals == "isolated" and abi < 6)
    ),
    "terminate": lambda policy, _abi: policy.signals == "terminate",
    "limits": lambda policy, _abi: (
        policy.signals in _RESTRICTED or policy.others == "fixed"
    ),
    "fixed": lambda policy, _abi: policy.others == "fixed",
    "no-ipc": lambda policy, _abi: policy.ipc != "shared",
    "no-memory-files": lambda policy, _abi: policy.memory_files != "allowed",
    "deny": lambda policy, _abi: policy.path_metadata != "allow",
    "deny-all": lambda policy, _abi: policy.path_metadata == "deny-all",
    "no-input": lambda policy, _abi: policy.ioctls == "no-input",
    "reduced": lambda policy, _abi: policy.kernel_surface != "wide",
    "wide": lambda policy, _abi: policy.kernel_surface == "wide",
    "no-ip": lambda policy, _abi: policy.ip == "none",
    "ip": lambda policy, _abi: policy.ip != "none",
    "no-sockets": lambda policy, _abi: policy.sockets == "none",
    "client": lambda policy, _abi: policy.ip == "client",
    "unix": lambda policy, _abi: policy.unix_sockets == "all",
    "no-unix": lambda policy, _abi: policy.unix_sockets == "none",
    "no-truncation-right": lambda _policy, abi: abi < 3,
    "no-device-right": lambda _policy, abi: abi < 5,
}

_UNREADABLE = (
    _row("clone3 openat2", "ENOSYS", "always"),
    _row("io_uring_setup io_uring_enter io_uring_register", "ENOSYS", "always"),
    _row("open", "EPERM", "always", _is(1, 3, mask=3)),
    _row("openat", "EPERM", "always", _is(2, 3, mask=3)),
)

_MACHINE = (
    _row("unshare setns mount umount2 pivot_root chroot", "EPERM", "always"),
    _row("clone", "EPERM", "always", _bits(0, 0x7E020000)),
    _row(
        "fsopen fsconfig fsmount fspick move_mount open_tree mount_setattr"
        " open_tree_attr name_to_handle_at open_by_handle_at",
        "EPERM",
        "always",
    ),
    _row(
        "init_module finit_module delete_module create_module get_kernel_syms"
        " query_module kexec_load kexec_file_load swapon swapoff reboot settimeofday"
        " clock_settime clock_adjtime adjtimex iopl ioperm acct quotactl quotactl_fd"
        " add_key keyctl request_key sethostname setdomainname vhangup nfsservctl"
        " lookup_dcookie _sysctl sysfs uselib ustat",
        "EPERM",
        "always",
    ),
)

_SURFACE = (
    _row(
        "bpf perf_event_open userfaultfd ptrace process_vm_readv process_vm_writev"
        " kcmp pidfd_getfd modify_ldt syslog process_madvise",
        "EPERM",
        "reduced",
    ),
    _row("fanotify_init fanotify_mark process_mrelease", "EPERM", "always"),
    _row(
        "mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
        "EPERM",
        "always",
    ),
    _row("bpf", "EPERM", "wide", _is(0, 6, 7)),
    _row("perf_event_open", "EPERM", "wide", _is(1, LOW)),
    _row("perf_event_open", "EPERM", "wide", _bits(4, 4)),
)

_STARTING = (
    _row("clone", "EPERM", "alone", _is(0, 0, mask=0x10000)),
    _row("fork vfork", "EPERM", "alone"),
    _row("clone", "EPERM", "always", _bits(0, 0x8000)),
    _row("setpgid", "EPERM", "inside", _not(1, 0)),
)

_LISTED_SIGNALS = (0, 1, 2, 3, 9, 15, 18, 19)
_SIGNALS = (
    _row(
        "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo",
        "EPERM",
        "by-number",
        _not(0, PID),
    ),
    _row("pidfd_send_signal", "EPERM", "by-number"),
    *(
        _row(calls, "EPERM", f"terminate {when}", _not(number, *_LISTED_SIGNALS), *more)
        for calls, number in (
            ("kill tkill rt_sigqueueinfo", 1),
            ("tgkill rt_tgsigqueueinfo", 2),
        )
        for when, more in (("alone", (_not(0, PID),)), ("with-children", ()))
    ),
    _row("pidfd_send_signal", "EPERM", "terminate", _not(1, *_LISTED_SIGNALS)),
    _row("fcntl", "EPERM", "restricted", _is(1, 8, 10, 15)),
    _row("fcntl", "EPERM", "restricted", _is(1, 4), _bits(2, 0x2000)),
    _row("ioctl", "EPERM", "restricted", _is(1, 0x8901, 0x8902, 0x5452)),
    _row("ioctl", "EPERM", "inside", _is(1, 0x5410)),
    _row("ioctl", "EPERM", "restricted", _is(1, 0x5414, 0x40045436)),
)

_SCHEDULING = "sched_setaffinity sched_setscheduler sched_setparam sched_setattr"
_OTHERS = (
    # A number is the own one only while nothing can outlive the program.
    _row("prlimit64", "EPERM", "alone", _not(2, 0, mask=BOTH), _not(0, 0, PID)),
    _row("prlimit64", "EPERM", "with-children", _not(2, 0, mask=BOTH), _not(0, 0)),
    _row("prlimit64", "EPERM", "fixed alone", _not(0, 0, PID)),
    _row("prlimit64", "EPERM", "fixed with-children", _not(0, 0)),
    _row("setpriority", "EPERM", "limits", _not(0, 0)),
    _row("ioprio_set", "EPERM", "limits", _not(0, 1)),
    *(
        _row(calls, "EPERM", f"limits {when}", _not(arg, *own))
        for calls, arg in (("setpriority ioprio_set", 1), (_SCHEDULING, 0))
        for when, own in (("alone", (0, PID)), ("with-children", (0,)))
    ),
    _row(
        "pidfd_open pidfd_send_signal get_robust_list migrate_pages move_pages",
        "EPERM",
        "fixed",
    ),
    _row(
        "shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl semget semop semctl"
        " semtimedop",
        "EPERM",
        "no-ipc",
    ),
)

_SOCKETS = (
    _row("socket socketpair", "EPERM", "no-sockets"),
    _row("connect bind listen accept accept4", "EPERM", "no-sockets"),
    _row("socket bind", "EPERM", "no-ip no-unix"),
    _row("socket", "EPERM", "no-ip unix", _not(0, 1)),
    _row("socket", "EPERM", "ip no-unix", _not(0, 2, 10, 16)),
    _row("socket", "EPERM", "ip unix", _not(0, 1, 2, 10, 16)),
    _row("socket", "EPERM", "ip", _is(0, 16), _not(2, 0)),
    _row("socket", "EPERM", "ip", _is(0, 2, 10), _not(1, 1, 2, mask=0xF)),
    _row("socket", "EPERM", "ip", _is(0, 2, 10), _not(2, 0, 1, 6, 17, 58, 262)),
    _row("socket", "EPERM", "client", _is(0, 2, 10), _not(2, 0, 1, 6, 17, 58)),
    _row("listen accept accept4", "EPERM", "client"),
    _row("socketpair", "EPERM", "always", _not(0, 1)),
    _row("socketpair", "EPERM", "no-unix", _not(1, 1, 5, mask=0xF)),
)

_METADATA = (
    _row(
        "chmod fchmodat fchmodat2 chown lchown fchownat fchown setxattr lsetxattr"
        " fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat"
        " utime utimes futimesat file_setattr",
        "EPERM",
        "deny",
    ),
    _row("utimensat", "EPERM", "deny", _not(1, 0, mask=BOTH)),
    _row("utimensat fchmod", "EPERM", "deny-all"),
)

_SETID = 0o6000
_FILES = (
    _row("open", "EPERM", "always", _bits(1, 0x400040), _bits(2, _SETID)),
    _row("openat", "EPERM", "always", _bits(2, 0x400040), _bits(3, _SETID)),
    _row("creat mkdir mknod chmod fchmod", "EPERM", "always", _bits(1, _SETID)),
    _row("mkdirat mknodat fchmodat fchmodat2", "EPERM", "always", _bits(2, _SETID)),
    _row("mknod", "EPERM", "always", _is(1, 0o20000, 0o60000, mask=0o170000)),
    _row("mknodat", "EPERM", "always", _is(2, 0o20000, 0o60000, mask=0o170000)),
    _row("renameat2", "EPERM", "always", _bits(4, 4)),
    _row("fcntl", "EPERM", "always", _is(1, 1024, 1026, 1040)),
    _row("truncate", "EPERM", "no-truncation-right"),
    _row("open", "EPERM", "no-truncation-right", _is(1, 0x200, mask=0x203)),
    _row("openat", "EPERM", "no-truncation-right", _is(2, 0x200, mask=0x203)),
    _row(
        "execveat",
        "EPERM",
        "always",
        _bits(4, 0x1000),
        _is(4, 0, mask=0x10000),
    ),
    _row("memfd_create", "ENOSYS", "no-memory-files", _is(1, 0, mask=8)),
    _row("memfd_create", "ENOSYS", "no-memory-files", _bits(1, 4)),
)

_REQUESTS = (
    _row(
        "ioctl",
        "EPERM",
        "always",
        _is(
            1,
            *(0x5412, 0x541C, 0x540C, 0x541D, 0x5423, 0x5437),
            *(0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602, 0x41009432),
            *(0x40086604, 0x40046604, 0x40806685, 0x800C6613, 0x40047211),
            *(0xC0506617, 0xC0406618, 0xC0406619, 0xC0189436, 0x6611, 0x6609, 0x660C),
            *(0x5000940E, 0x50009418, 0x50009417, 0x50009401, 0x5000940F, 0x5000943F),
            *(0x4008941A, 0xC0C89425, 0x50009402, 0x40309410),
        ),
    ),
    _row(
        "ioctl",
        "EPERM",
        "no-ip",
        _is(1, (0x8901, 0x8904), (0x8908, 0x89FF), (0x8B00, 0x8BFF)),
    ),
    _row("ioctl", "EPERM", "no-input", _bits(1, 1 << 30)),
    _row(
        "ioctl",
        "EPERM",
        "no-device-right",
        _not(
            1,
            *(0x2, (0x5401, 0x540B), 0x540F, 0x5411, 0x5413, 0x541B, 0x5421, 0x5429),
            *(0x5441, (0x5450, 0x5452), 0x5460, (0x8901, 0x89FF), 0x40045431),
            *((0x402C542B, 0x402C542D), 0x802C542A, 0x40049409, 0x4020940D),
            *(0x80045430, 0x80086601, 0x80087601, 0x801C581F, 0xC020660B),
        ),
    ),
)

ROWS: tuple[Row, ...] = (
    *_UNREADABLE,
    *_MACHINE,
    *_SURFACE,
    *_STARTING,
    *_SIGNALS,
    *_OTHERS,
    *_SOCKETS,
    *_METADATA,
    *_FILES,
    *_REQUESTS,
)

# What must stay open whatever the policy: it tightens, reads, or is the caller's own.
NEVER_REFUSED = (
    *("seccomp", "landlock_create_ruleset", "landlock_add_rule", "prctl", "mseal"),
    *("landlock_restrict_self", "personality", "lsm_set_self_attr", "memfd_secret"),
    *("map_shadow_stack", "mbind", "set_mempolicy", "set_mempolicy_home_node"),
    *("futex_wait", "futex_wake", "futex_requeue", "rseq_slice_yield", "statx"),
    *("pkey_mprotect", "file_getattr", "getxattrat", "listxattrat", "cachestat"),
    *("lsm_get_self_attr", "lsm_list_modules", "sched_getattr", "getpriority"),
    *("ioprio_get", "inotify_add_watch", "uretprobe", "uprobe", "statmount"),
    *("listmount", "read", "write", "execve", "exit_group", "futex", "mmap", "brk"),
    *("close", "getpid", "rt_sigaction", "rt_sigreturn"),
)
