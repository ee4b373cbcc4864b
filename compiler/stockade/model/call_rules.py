# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List every call that a Linux policy refuses: the data behind each filter.

Rules come in the order in which they decide. Numbers are those of Linux 7.2's
UAPI headers; calls that one architecture lacks are left out for it.
"""

from __future__ import annotations

from collections.abc import Callable

from stockade.model.calls import (
    ArgumentTest,
    CallRule,
    any_bit,
    is_,
    is_not,
    no_bit,
    not_null,
    not_own_process,
)
from stockade.model.ioctl_rules import IOCTL_RULES
from stockade.model.policy import Children, Ip, PathMetadata, Policy, Signals

# Landlock ABIs at which the kernel takes over from the filter.
ABI_TRUNCATE = 3
ABI_IOCTL_DEV = 5
ABI_SCOPES = 6

CONDITIONS: dict[str, Callable[[Policy, int], bool]] = {
    "always": lambda _policy, _abi: True,
    "children-none": lambda policy, _abi: policy.children is Children.NONE,
    "isolated": lambda policy, _abi: policy.signals is Signals.ISOLATED,
    "isolated-by-filter": lambda policy, abi: (
        policy.signals is Signals.ISOLATED and abi < ABI_SCOPES
    ),
    "ip-none": lambda policy, _abi: policy.ip is Ip.NONE,
    "ip-all": lambda policy, _abi: policy.ip is Ip.ALL,
    "metadata-deny": lambda policy, _abi: policy.path_metadata is PathMetadata.DENY,
    "truncation-guard": lambda _policy, abi: abi < ABI_TRUNCATE,
    "listed-ioctls": lambda _policy, abi: abi < ABI_IOCTL_DEV,
}

# Flags of clone(2), from linux/sched.h.
_CLONE_PARENT = 0x8000
_CLONE_THREAD = 0x10000
_CLONE_NEW = 0x7E020000
# fcntl.h: the flags that make `open` take a mode, and O_TRUNC with its mode bits
_O_CREAT_OR_TMPFILE = 0x40 | 0x400000
_O_ACCMODE = 3
_O_TRUNC = 0x200
_SETID_BITS = 0o6000
_S_IFMT, _S_IFCHR, _S_IFBLK = 0o170000, 0o020000, 0o060000
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_SOCK_TYPE_MASK = 0xF
_SOCK_STREAM, _SOCK_DGRAM, _SOCK_SEQPACKET = 1, 2, 5
# ICMP, TCP, UDP, ICMPv6, MPTCP, and 0 for the type's own protocol
_IP_PROTOCOLS = (0, 1, 6, 17, 58, 262)

_CONFINED = "filesystem-confined"
_PRIVILEGE = "no-privilege-escalation"
_PROCESSES = "processes-protected"
_METADATA = "metadata-protected"
_SETID = "no-setid-files"
_SIGNALS = "signals-isolated"
_CHILDREN = "children-denied"
_IP = "ip-network-denied"
_UNIX = "unix-sockets-denied"


def _rule(
    calls: str,
    action: str,
    reason: str,
    requirement: str,
    *tests: ArgumentTest,
    when: str = "always",
) -> CallRule:
    return CallRule(tuple(calls.split()), action, reason, requirement, when, tests)


_UNREADABLE = (
    _rule("clone3", "ENOSYS", "its flags lie in memory", _PRIVILEGE),
    _rule("openat2", "ENOSYS", "its flags lie in memory", _CONFINED),
    _rule(
        "io_uring_setup io_uring_enter io_uring_register",
        "ENOSYS",
        "ring operations pass no filter",
        _CONFINED,
    ),
    # Access mode 3 opens a denied file past Landlock, for ioctl and metadata calls.
    _rule("open", "EPERM", "access mode 3", _CONFINED, is_(1, 3, mask=_O_ACCMODE)),
    _rule("openat", "EPERM", "access mode 3", _CONFINED, is_(2, 3, mask=_O_ACCMODE)),
)

_NAMESPACES = (
    _rule("unshare setns", "EPERM", "namespaces", _PRIVILEGE),
    _rule("clone", "EPERM", "namespaces", _PRIVILEGE, any_bit(0, _CLONE_NEW)),
    _rule(
        "mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick move_mount"
        " open_tree open_tree_attr mount_setattr",
        "EPERM",
        "mounts",
        _PRIVILEGE,
    ),
    _rule(
        "name_to_handle_at open_by_handle_at",
        "EPERM",
        "handles pass path rules",
        _CONFINED,
    ),
)

_PRIVILEGED = (
    _rule(
        "init_module finit_module delete_module create_module get_kernel_syms"
        " query_module kexec_load kexec_file_load",
        "EPERM",
        "kernel code",
        _PRIVILEGE,
    ),
    _rule("swapon swapoff reboot", "EPERM", "the whole machine", _PRIVILEGE),
    _rule(
        "settimeofday clock_settime clock_adjtime adjtimex",
        "EPERM",
        "the machine's clock",
        _PRIVILEGE,
    ),
    _rule("iopl ioperm", "EPERM", "hardware ports", _PRIVILEGE),
    _rule("acct quotactl quotactl_fd", "EPERM", "accounts", _PRIVILEGE),
    _rule("add_key keyctl request_key", "EPERM", "the user's shared keys", _PROCESSES),
    _rule("sethostname setdomainname vhangup", "EPERM", "shared state", _PRIVILEGE),
    _rule(
        "nfsservctl lookup_dcookie _sysctl sysfs uselib ustat",
        "EPERM",
        "obsolete kernel surface",
        _PRIVILEGE,
    ),
    _rule(
        "bpf perf_event_open userfaultfd syslog modify_ldt",
        "EPERM",
        "kernel surface",
        _PRIVILEGE,
    ),
    _rule(
        "fanotify_init fanotify_mark",
        "EPERM",
        "watches names that Landlock does not guard",
        _CONFINED,
    ),
)

_PROCESS_RULES = (
    _rule(
        "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd"
        " process_mrelease process_madvise",
        "EPERM",
        "other processes' memory and descriptors",
        _PROCESSES,
    ),
    _rule(
        "shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl semget semop semctl"
        " semtimedop mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify"
        " mq_getsetattr",
        "EPERM",
        "shared with every process of the user",
        _PROCESSES,
    ),
    # RLIMIT_CORE and RLIMIT_CPU of another process are a way to its memory and end.
    _rule(
        "prlimit64",
        "EPERM",
        "another process's limits",
        _PROCESSES,
        not_null(2),
        not_own_process(0, 0),
    ),
    # The caller would reap a stranger.
    _rule("clone", "EPERM", "CLONE_PARENT", _PRIVILEGE, any_bit(0, _CLONE_PARENT)),
    _rule(
        "clone",
        "EPERM",
        "a new process",
        _CHILDREN,
        no_bit(0, _CLONE_THREAD),
        when="children-none",
    ),
    _rule("fork vfork", "EPERM", "a new process", _CHILDREN, when="children-none"),
)

_SIGNAL_RULES = (
    _rule(
        "setpgid",
        "EPERM",
        "another job's process group",
        _SIGNALS,
        is_not(1, 0),
        when="isolated",
    ),
    _rule(
        "setpriority",
        "EPERM",
        "groups and users",
        _SIGNALS,
        is_not(0, 0),
        when="isolated",
    ),
    _rule(
        "ioprio_set",
        "EPERM",
        "groups and users",
        _SIGNALS,
        is_not(0, 1),
        when="isolated",
    ),
    _rule(
        "setpriority ioprio_set",
        "EPERM",
        "another process's priority",
        _SIGNALS,
        not_own_process(1, 0),
        when="isolated",
    ),
    _rule(
        "sched_setaffinity sched_setscheduler sched_setparam sched_setattr",
        "EPERM",
        "another process's scheduling",
        _SIGNALS,
        not_own_process(0, 0),
        when="isolated",
    ),
    _rule(
        "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo",
        "EPERM",
        "another process",
        _SIGNALS,
        not_own_process(0),
        when="isolated-by-filter",
    ),
    _rule(
        "pidfd_send_signal",
        "EPERM",
        "another process",
        _SIGNALS,
        when="isolated-by-filter",
    ),
    # The async rule: F_SETOWN 8, F_SETSIG 10, F_SETOWN_EX 15, and O_ASYNC by
    # F_SETFL 4, let the kernel send any signal to any process of the user.
    _rule(
        "fcntl",
        "EPERM",
        "signals by asynchronous I/O",
        _SIGNALS,
        is_(1, 8, 10, 15),
        when="isolated-by-filter",
    ),
    _rule(
        "fcntl",
        "EPERM",
        "signals by asynchronous I/O",
        _SIGNALS,
        is_(1, 4),
        any_bit(2, 0x2000),
        when="isolated-by-filter",
    ),
)

_SOCKET_RULES = (
    _rule("socket", "EPERM", "no family is granted", _IP, when="ip-none"),
    # One end of a pair can take an abstract name, which others then lack.
    _rule("bind", "EPERM", "no address is granted", _UNIX, when="ip-none"),
    _rule(
        "socket",
        "EPERM",
        "family not granted",
        _UNIX,
        is_not(0, _AF_INET, _AF_INET6, _AF_NETLINK),
        when="ip-all",
    ),
    _rule(
        "socket",
        "EPERM",
        "netlink other than route",
        _UNIX,
        is_(0, _AF_NETLINK),
        is_not(2, 0),
        when="ip-all",
    ),
    _rule(
        "socket",
        "EPERM",
        "raw and packet sockets",
        _UNIX,
        is_(0, _AF_INET, _AF_INET6),
        is_not(1, _SOCK_STREAM, _SOCK_DGRAM, mask=_SOCK_TYPE_MASK),
        when="ip-all",
    ),
    _rule(
        "socket",
        "EPERM",
        "protocol not granted",
        _UNIX,
        is_(0, _AF_INET, _AF_INET6),
        is_not(2, *_IP_PROTOCOLS),
        when="ip-all",
    ),
    _rule("socketpair", "EPERM", "family not granted", _UNIX, is_not(0, _AF_UNIX)),
    # A datagram pair, and SOCK_RAW which becomes one, sends to any socket's path.
    _rule(
        "socketpair",
        "EPERM",
        "datagram pair reaches any path",
        _UNIX,
        is_not(1, _SOCK_STREAM, _SOCK_SEQPACKET, mask=_SOCK_TYPE_MASK),
    ),
)

_METADATA_RULES = (
    _rule(
        "chmod fchmodat fchmodat2 chown lchown fchownat fchown",
        "EPERM",
        "mode and owner",
        _METADATA,
        when="metadata-deny",
    ),
    _rule(
        "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr"
        " setxattrat removexattrat file_setattr",
        "EPERM",
        "attributes",
        _METADATA,
        when="metadata-deny",
    ),
    _rule("utime utimes futimesat", "EPERM", "times", _METADATA, when="metadata-deny"),
    # A null path is futimens, which acts on a descriptor.
    _rule(
        "utimensat",
        "EPERM",
        "times by path",
        _METADATA,
        not_null(1),
        when="metadata-deny",
    ),
)


def _setid(calls: str, mode: int, *tests: ArgumentTest) -> CallRule:
    return _rule(
        calls,
        "EPERM",
        "set-user-ID or set-group-ID bits",
        _SETID,
        *tests,
        any_bit(mode, _SETID_BITS),
    )


_MODE_RULES = (
    _setid("open", 2, any_bit(1, _O_CREAT_OR_TMPFILE)),
    _setid("openat", 3, any_bit(2, _O_CREAT_OR_TMPFILE)),
    _setid("creat mkdir mknod chmod fchmod", 1),
    _setid("mkdirat mknodat fchmodat fchmodat2", 2),
    _rule(
        "mknod",
        "EPERM",
        "device nodes",
        _CONFINED,
        is_(1, _S_IFCHR, _S_IFBLK, mask=_S_IFMT),
    ),
    _rule(
        "mknodat",
        "EPERM",
        "device nodes",
        _CONFINED,
        is_(2, _S_IFCHR, _S_IFBLK, mask=_S_IFMT),
    ),
    # RENAME_WHITEOUT leaves a device node without any right to make one.
    _rule("renameat2", "EPERM", "whiteouts", _CONFINED, any_bit(4, 4)),
    # F_SETLEASE, F_NOTIFY, F_SETDELEG block and watch outside writers.
    _rule("fcntl", "EPERM", "leases", _CONFINED, is_(1, 1024, 1026, 1040)),
)

_TRUNCATION_GUARD = (
    _rule(
        "truncate",
        "EPERM",
        "Landlock has no truncation right",
        _CONFINED,
        when="truncation-guard",
    ),
    _rule(
        "open",
        "EPERM",
        "O_TRUNC without write access",
        _CONFINED,
        is_(1, _O_TRUNC, mask=_O_TRUNC | _O_ACCMODE),
        when="truncation-guard",
    ),
    _rule(
        "openat",
        "EPERM",
        "O_TRUNC without write access",
        _CONFINED,
        is_(2, _O_TRUNC, mask=_O_TRUNC | _O_ACCMODE),
        when="truncation-guard",
    ),
)

_CODE_WITHOUT_PATH = (
    # AT_EMPTY_PATH runs a descriptor; AT_EXECVE_CHECK (0x10000) runs nothing.
    _rule(
        "execveat",
        "EPERM",
        "runs a descriptor",
        _CONFINED,
        any_bit(4, 0x1000),
        no_bit(4, 0x10000),
    ),
    # Without MFD_NOEXEC_SEAL, or on huge pages where the seal does not hold, a
    # memory file can be executed past Landlock.
    _rule(
        "memfd_create",
        "ENOSYS",
        "executable memory file",
        _CONFINED,
        no_bit(1, 8),
    ),
    _rule(
        "memfd_create", "ENOSYS", "huge pages lose the seal", _CONFINED, any_bit(1, 4)
    ),
)

CALL_RULES: tuple[CallRule, ...] = (
    *_UNREADABLE,
    *_NAMESPACES,
    *_PRIVILEGED,
    *_PROCESS_RULES,
    *_SIGNAL_RULES,
    *_SOCKET_RULES,
    *_METADATA_RULES,
    *_MODE_RULES,
    *_TRUNCATION_GUARD,
    *_CODE_WITHOUT_PATH,
    *IOCTL_RULES,
)


def rules_in_force(policy: Policy, landlock_abi: int) -> tuple[CallRule, ...]:
    """Select the rules of a policy on kernels of one Landlock ABI, in order."""
    return tuple(
        rule for rule in CALL_RULES if CONDITIONS[rule.when](policy, landlock_abi)
    )
