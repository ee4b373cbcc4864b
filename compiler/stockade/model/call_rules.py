# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List every call that a Linux policy refuses: the data behind each filter.

Rules come in the order in which they decide. Numbers are those of Linux 7.2's
UAPI headers; calls that one architecture lacks are left out for it.
"""

from __future__ import annotations

from collections.abc import Callable

from stockade.model.calls import (
    LOW_WORD,
    ArgumentTest,
    CallRule,
    any_bit,
    is_,
    no_bit,
    not_null,
    refuse,
)
from stockade.model.ioctl_rules import IOCTL_RULES
from stockade.model.policy import (
    Children,
    Ioctls,
    Ipc,
    KernelSurface,
    MemoryFiles,
    Others,
    PathMetadata,
    Policy,
    Signals,
)
from stockade.model.process_rules import PROCESS_RULES, SIGNAL_RULES
from stockade.model.socket_rules import SOCKET_CONDITIONS, SOCKET_RULES

# Landlock ABIs at which the kernel takes over from the filter.
ABI_TRUNCATE = 3
ABI_TCP = 4
ABI_IOCTL_DEV = 5
ABI_SCOPES = 6
ABI_UDP = 10

CONDITIONS: dict[str, Callable[[Policy, int], bool]] = {
    "always": lambda _policy, _abi: True,
    "children-none": lambda policy, _abi: policy.children is Children.NONE,
    "children-allowed": lambda policy, _abi: policy.children is not Children.NONE,
    "signals-restricted": lambda policy, _abi: policy.signals is not Signals.ANY,
    "signals-inside": lambda policy, _abi: (
        policy.signals in {Signals.ISOLATED, Signals.SELF}
    ),
    # Landlock's scope keeps signals to the sandbox; `self` is less than that.
    "signals-by-number": lambda policy, abi: (
        policy.signals is Signals.SELF
        or (policy.signals is Signals.ISOLATED and abi < ABI_SCOPES)
    ),
    "signals-terminate": lambda policy, _abi: policy.signals is Signals.TERMINATE,
    **SOCKET_CONDITIONS,
    "metadata-deny": lambda policy, _abi: (
        policy.path_metadata is not PathMetadata.ALLOW
    ),
    "metadata-deny-all": lambda policy, _abi: (
        policy.path_metadata is PathMetadata.DENY_ALL
    ),
    "limits-fixed": lambda policy, _abi: (
        policy.others is Others.FIXED or policy.signals is not Signals.ANY
    ),
    "others-fixed": lambda policy, _abi: policy.others is Others.FIXED,
    "ipc-refused": lambda policy, _abi: policy.ipc is not Ipc.SHARED,
    "memory-files-refused": lambda policy, _abi: (
        policy.memory_files is not MemoryFiles.ALLOWED
    ),
    "no-input": lambda policy, _abi: policy.ioctls is Ioctls.NO_INPUT,
    "surface-reduced": lambda policy, _abi: (
        policy.kernel_surface is not KernelSurface.WIDE
    ),
    "surface-wide": lambda policy, _abi: policy.kernel_surface is KernelSurface.WIDE,
    "truncation-guard": lambda _policy, abi: abi < ABI_TRUNCATE,
    "listed-ioctls": lambda _policy, abi: abi < ABI_IOCTL_DEV,
}

# fcntl.h: the flags that make `open` take a mode, and O_TRUNC with its mode bits
_O_CREAT_OR_TMPFILE = 0x40 | 0x400000
_O_ACCMODE = 3
_O_TRUNC = 0x200
_SETID_BITS = 0o6000
_S_IFMT, _S_IFCHR, _S_IFBLK = 0o170000, 0o020000, 0o060000

_CONFINED = "filesystem-confined"
_PRIVILEGE = "no-privilege-escalation"
_PROCESSES = "processes-protected"
_METADATA = "metadata-protected"
_OPEN_METADATA = "open-metadata-protected"
_SETID = "no-setid-files"
_SIGNALS = "signals-isolated"
_CHILDREN = "children-denied"
_IP = "ip-network-denied"
_UNIX = "unix-sockets-denied"


_UNREADABLE = (
    refuse("clone3", "ENOSYS", "its flags lie in memory", _PRIVILEGE),
    refuse("openat2", "ENOSYS", "its flags lie in memory", _CONFINED),
    refuse(
        "io_uring_setup io_uring_enter io_uring_register",
        "ENOSYS",
        "ring operations pass no filter",
        _CONFINED,
    ),
    # Access mode 3 opens a denied file past Landlock, for ioctl and metadata calls.
    refuse("open", "EPERM", "access mode 3", _CONFINED, is_(1, 3, mask=_O_ACCMODE)),
    refuse("openat", "EPERM", "access mode 3", _CONFINED, is_(2, 3, mask=_O_ACCMODE)),
)

# Every namespace flag that clone takes, from linux/sched.h.
_CLONE_NEW = 0x7E020000

_NAMESPACES = (
    refuse("unshare setns", "EPERM", "namespaces", _PRIVILEGE),
    refuse("clone", "EPERM", "namespaces", _PRIVILEGE, any_bit(0, _CLONE_NEW)),
    refuse(
        "mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick move_mount"
        " open_tree open_tree_attr mount_setattr",
        "EPERM",
        "mounts",
        _PRIVILEGE,
    ),
    refuse(
        "name_to_handle_at open_by_handle_at",
        "EPERM",
        "handles pass path rules",
        _CONFINED,
    ),
)

_PRIVILEGED = (
    refuse(
        "init_module finit_module delete_module create_module get_kernel_syms"
        " query_module kexec_load kexec_file_load",
        "EPERM",
        "kernel code",
        _PRIVILEGE,
    ),
    refuse("swapon swapoff reboot", "EPERM", "the whole machine", _PRIVILEGE),
    refuse(
        "settimeofday clock_settime clock_adjtime adjtimex",
        "EPERM",
        "the machine's clock",
        _PRIVILEGE,
    ),
    refuse("iopl ioperm", "EPERM", "hardware ports", _PRIVILEGE),
    refuse("acct quotactl quotactl_fd", "EPERM", "accounts", _PRIVILEGE),
    refuse("add_key keyctl request_key", "EPERM", "the user's shared keys", _PROCESSES),
    refuse("sethostname setdomainname vhangup", "EPERM", "shared state", _PRIVILEGE),
    refuse(
        "nfsservctl lookup_dcookie _sysctl sysfs uselib ustat",
        "EPERM",
        "obsolete kernel surface",
        _PRIVILEGE,
    ),
    refuse(
        "bpf perf_event_open userfaultfd syslog modify_ldt",
        "EPERM",
        "kernel surface",
        _PRIVILEGE,
        when="surface-reduced",
    ),
    # Nothing else keeps these inside: objects pinned by others are opened past
    # Landlock's rules, BPF_OBJ_PIN 6 and BPF_OBJ_GET 7 of linux/bpf.h; events of all
    # processes of a processor, or of a control group by PERF_FLAG_PID_CGROUP, hold
    # other processes' stacks.
    refuse(
        "bpf",
        "EPERM",
        "objects by path",
        _CONFINED,
        is_(0, 6, 7),
        when="surface-wide",
    ),
    refuse(
        "perf_event_open",
        "EPERM",
        "events of every process",
        _PROCESSES,
        is_(1, LOW_WORD),
        when="surface-wide",
    ),
    refuse(
        "perf_event_open",
        "EPERM",
        "events of a control group",
        _PROCESSES,
        any_bit(4, 4),
        when="surface-wide",
    ),
    refuse(
        "fanotify_init fanotify_mark",
        "EPERM",
        "watches names that Landlock does not guard",
        _CONFINED,
    ),
)

_METADATA_RULES = (
    refuse(
        "chmod fchmodat fchmodat2 chown lchown fchownat fchown",
        "EPERM",
        "mode and owner",
        _METADATA,
        when="metadata-deny",
    ),
    refuse(
        "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr"
        " setxattrat removexattrat file_setattr",
        "EPERM",
        "attributes",
        _METADATA,
        when="metadata-deny",
    ),
    refuse("utime utimes futimesat", "EPERM", "times", _METADATA, when="metadata-deny"),
    # A null path is futimens, which acts on a descriptor.
    refuse(
        "utimensat",
        "EPERM",
        "times by path",
        _METADATA,
        not_null(1),
        when="metadata-deny",
    ),
    refuse(
        "fchmod utimensat",
        "EPERM",
        "mode and times by descriptor",
        _OPEN_METADATA,
        when="metadata-deny-all",
    ),
)


def _setid(calls: str, mode: int, *tests: ArgumentTest) -> CallRule:
    return refuse(
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
    refuse(
        "mknod",
        "EPERM",
        "device nodes",
        _CONFINED,
        is_(1, _S_IFCHR, _S_IFBLK, mask=_S_IFMT),
    ),
    refuse(
        "mknodat",
        "EPERM",
        "device nodes",
        _CONFINED,
        is_(2, _S_IFCHR, _S_IFBLK, mask=_S_IFMT),
    ),
    # RENAME_WHITEOUT leaves a device node without any right to make one.
    refuse("renameat2", "EPERM", "whiteouts", _CONFINED, any_bit(4, 4)),
    # F_SETLEASE, F_NOTIFY, F_SETDELEG block and watch outside writers.
    refuse("fcntl", "EPERM", "leases", _CONFINED, is_(1, 1024, 1026, 1040)),
)

_TRUNCATION_GUARD = (
    refuse(
        "truncate",
        "EPERM",
        "Landlock has no truncation right",
        _CONFINED,
        when="truncation-guard",
    ),
    refuse(
        "open",
        "EPERM",
        "O_TRUNC without write access",
        _CONFINED,
        is_(1, _O_TRUNC, mask=_O_TRUNC | _O_ACCMODE),
        when="truncation-guard",
    ),
    refuse(
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
    refuse(
        "execveat",
        "EPERM",
        "runs a descriptor",
        _CONFINED,
        any_bit(4, 0x1000),
        no_bit(4, 0x10000),
    ),
    # Without MFD_NOEXEC_SEAL, or on huge pages where the seal does not hold, a
    # memory file can be executed past Landlock.
    refuse(
        "memfd_create",
        "ENOSYS",
        "executable memory file",
        _CONFINED,
        no_bit(1, 8),
        when="memory-files-refused",
    ),
    refuse(
        "memfd_create",
        "ENOSYS",
        "huge pages lose the seal",
        _CONFINED,
        any_bit(1, 4),
        when="memory-files-refused",
    ),
)

CALL_RULES: tuple[CallRule, ...] = (
    *_UNREADABLE,
    *_NAMESPACES,
    *_PRIVILEGED,
    *PROCESS_RULES,
    *SIGNAL_RULES,
    *SOCKET_RULES,
    *_METADATA_RULES,
    *_MODE_RULES,
    *_TRUNCATION_GUARD,
    *_CODE_WITHOUT_PATH,
    *IOCTL_RULES,
)


def rules_in_force(policy: Policy, landlock_abi: int) -> tuple[CallRule, ...]:
    """Select the rules of a policy on kernels of one Landlock ABI, in order."""
    return tuple(
        rule
        for rule in CALL_RULES
        if all(CONDITIONS[name](policy, landlock_abi) for name in rule.when.split())
    )
