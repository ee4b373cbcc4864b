# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Derive the tries that prove a variant at each start.

Each is harmless by construction: its arguments make the kernel answer an error
of its own where no mechanism stands in the way, or it acts on the canary and
sets what is set already. So the same call, made before confinement, is its own
positive control.
"""

from __future__ import annotations

import struct

from stockade.abi.arch import X32_BIT
from stockade.abi.errno import ERRNO
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Call, Operand, Probe
from stockade.model.call_rules import ABI_SCOPES, ABI_TCP, ABI_TRUNCATE, ABI_UDP
from stockade.model.decide import decide
from stockade.model.policy import (
    Children,
    Ioctls,
    Ip,
    Ipc,
    KernelSurface,
    MemoryFiles,
    Others,
    PathMetadata,
    Policy,
    SelfCheck,
    Signals,
    Sockets,
    UnixSockets,
)
from stockade.model.request import PathAction, PathRequest, Situation

_MINUS_ONE = (1 << 64) - 1
_AT_FDCWD = (1 << 64) - 100
_O_RDONLY, _O_WRONLY, _O_TRUNC, _O_CLOEXEC = 0, 1, 0x200, 0x80000
# Differs between architectures, asm/fcntl.h.
_O_DIRECTORY = {"x86_64": 0x10000, "aarch64": 0x4000}
_AT_EMPTY_PATH = 0x1000
_CLONE_SIGHAND, _CLONE_NEWUSER = 0x800, 0x10000000
_PTRACE_SEIZE, _PTRACE_BAD_OPTIONS = 0x4206, 0xFF000000
_TIOCSTI = 0x5412
# i386 numbers getpid 20; x86_64 numbers it 39.
_GETPID_I386, _GETPID_X86_64 = 20, 39
_NO_SUCH_PROCESS = 0x7FFFFFFE
_RLIMIT_CORE = 4
_F_SETOWN = 8
_SIGUSR1 = 10
_SETUID = 0o4000
# A socket type beyond the last one (SOCK_MAX): no socket is ever made.
_NO_SUCH_TYPE = 15
_AF_UNIX, _AF_INET, _AF_VSOCK = 1, 2, 40
_SOCK_STREAM, _SOCK_DGRAM, _SOCK_CLOEXEC = 1, 2, 0x80000
_MODE_OF_CANARY = 0o700

# asm-generic/ioctl.h: a request of this direction and no more is none.
_HANDS_DATA_IN = 0x40000000
# UFFD_USER_MODE_ONLY, which every user may ask for, and a flag that is none.
_UFFD_NO_SUCH_FLAG = 0x11

_SIGNAL = "signal"
_OUTSIDE_MEMORY = "outside-memory"
_CANARY = Operand("canary-path")
_ROOT = Operand("data", data=b"/\0")
_EMPTY = Operand("data", data=b"\0" * 8)
# A `struct iovec`: address 0, one byte.
_ONE_BYTE_AT_0 = Operand("data", data=bytes((0,) * 8 + (1,) + (0,) * 7))
_OWN_PID = Operand("own-pid")
_TARGET = Operand("target-pid")
_MADE = Operand("setup-result")
# struct sockaddr_in: port 40000 of 192.0.2.1, which RFC 5737 sets aside for
# documents.
_FIXED_PORT = Operand(
    "data", data=struct.pack("<H", _AF_INET) + struct.pack(">HI8x", 40000, 0xC0000201)
)

_Row = tuple[str, str, str, tuple[Operand | int, ...], str, str]


def probes(policy: Policy, situation: Situation) -> tuple[Probe, ...]:
    """List the probes of one variant, in the order they run; none where it is off."""
    if policy.self_check is SelfCheck.OFF:
        return ()
    rows = [
        *_root_rows(policy, situation),
        *_file_rows(policy, situation.landlock_abi),
        *_privilege_rows(),
        *_process_rows(policy),
        *_policy_rows(policy, situation.landlock_abi),
    ]
    found = [
        Probe(
            name,
            requirement,
            _mechanism(policy, situation, name, expected),
            _call(situation, call, *operands),
            _errno(control),
            _errno(expected),
        )
        for name, requirement, call, operands, control, expected in rows
    ]
    if situation.arch == "x86_64":
        found += _foreign_calls()
    if policy.ip is Ip.CLIENT:
        found += _port_probes(situation)
    return tuple(found)


def _mechanism(policy: Policy, situation: Situation, name: str, expected: str) -> str:
    """Name what answers: Landlock denies with EACCES, by its scopes with EPERM."""
    by_scope = name == _OUTSIDE_MEMORY or (
        name == _SIGNAL
        and policy.signals is Signals.ISOLATED
        and situation.landlock_abi >= ABI_SCOPES
    )
    return "landlock" if by_scope or expected == "EACCES" else "seccomp"


def _root_rows(policy: Policy, situation: Situation) -> list[_Row]:
    """Probe Landlock where no canary can be made: the root folder cannot be listed."""
    root = PathRequest("/", PathAction.LIST)
    if decide(policy, situation, root).allowed:
        return []
    call = (_AT_FDCWD, _ROOT, _O_DIRECTORY[situation.arch] | _O_CLOEXEC)
    return [("root-list", "filesystem-confined", "openat", call, "", "EACCES")]


def _file_rows(policy: Policy, landlock_abi: int) -> list[_Row]:
    """Probe what confines files: Landlock on the canary, seccomp around it."""
    held = "filesystem-confined"
    truncation = "EACCES" if landlock_abi >= ABI_TRUNCATE else "EPERM"
    read, write = _O_RDONLY | _O_CLOEXEC, _O_WRONLY | _O_CLOEXEC
    here = _AT_FDCWD
    return [
        ("canary-read", held, "openat", (here, _CANARY, read), "", "EACCES"),
        ("canary-write", held, "openat", (here, _CANARY, write), "", "EACCES"),
        (
            "canary-empty",
            held,
            "openat",
            (here, _CANARY, read | _O_TRUNC),
            "",
            truncation,
        ),
        ("canary-truncate", held, "truncate", (_CANARY, 0), "", truncation),
        (
            "canary-execute",
            held,
            "execve",
            (_CANARY, _EMPTY, _EMPTY),
            "ETXTBSY",
            "EACCES",
        ),
        ("canary-mode-3", held, "openat", (here, _CANARY, 3), "", "EPERM"),
        *_memory_rows(policy),
        (
            "run-descriptor",
            held,
            "execveat",
            (_MINUS_ONE, _EMPTY, 0, 0, _AT_EMPTY_PATH),
            "EBADF",
            "EPERM",
        ),
        ("openat2", held, "openat2", (_MINUS_ONE, 0, 0, 0), "EINVAL", "ENOSYS"),
        ("io-uring", held, "io_uring_setup", (0, 0), "EFAULT", "ENOSYS"),
        (
            "setid-mode",
            "no-setid-files",
            "fchmod",
            (_MINUS_ONE, _SETUID),
            "EBADF",
            "EPERM",
        ),
    ]


def _privilege_rows() -> list[_Row]:
    held = "no-privilege-escalation"
    return [
        ("mount", held, "mount", (0, 0, 0, 0, 0), "EFAULT", "EPERM"),
        ("unshare", held, "unshare", (_CLONE_NEWUSER | 1,), "EINVAL", "EPERM"),
        ("setns", held, "setns", (_MINUS_ONE, 0), "EBADF", "EPERM"),
        (
            "clone-namespace",
            held,
            "clone",
            (_CLONE_NEWUSER | _CLONE_SIGHAND, 0, 0, 0, 0),
            "EINVAL",
            "EPERM",
        ),
        ("clone3", held, "clone3", (0, 0), "EINVAL", "ENOSYS"),
        ("terminal-input", held, "ioctl", (_MINUS_ONE, _TIOCSTI), "EBADF", "EPERM"),
    ]


def _memory_rows(policy: Policy) -> list[_Row]:
    if policy.memory_files is MemoryFiles.ALLOWED:
        return []
    held = "memory-files-refused" if policy.memory_files else "filesystem-confined"
    return [("memory-file", held, "memfd_create", (0, 0), "EFAULT", "ENOSYS")]


def _process_rows(policy: Policy) -> list[_Row]:
    held = "processes-protected"
    limits: _Row = (
        "limits-of-others",
        held,
        "prlimit64",
        (_NO_SUCH_PROCESS, _RLIMIT_CORE, 1, 0),
        "EFAULT",
        "EPERM",
    )
    if policy.kernel_surface is KernelSurface.WIDE:
        # Landlock's ptrace scope is what answers; address 0 holds nothing to read.
        reading = (_TARGET, _ONE_BYTE_AT_0, 1, _ONE_BYTE_AT_0, 1, 0)
        return [
            (_OUTSIDE_MEMORY, held, "process_vm_readv", reading, "EFAULT", "EPERM"),
            limits,
        ]
    return [
        (
            "ptrace",
            held,
            "ptrace",
            (_PTRACE_SEIZE, _OWN_PID, 0, _PTRACE_BAD_OPTIONS),
            "EIO",
            "EPERM",
        ),
        (
            "process-memory",
            held,
            "process_vm_readv",
            (_OWN_PID, 0, 0, 0, 0, 1),
            "EINVAL",
            "EPERM",
        ),
        limits,
    ]


def _policy_rows(policy: Policy, landlock_abi: int) -> list[_Row]:
    """Probe what only some policies deny."""
    rows = _socket_rows(policy)
    if policy.path_metadata is not PathMetadata.ALLOW:
        held = "metadata-protected"
        mode = (_AT_FDCWD, _CANARY, _MODE_OF_CANARY)
        rows.append(("canary-mode", held, "fchmodat", mode, "", "EPERM"))
        rows.append(("attribute", held, "setxattr", (0,) * 5, "EFAULT", "EPERM"))
    if policy.signals is not Signals.ANY:
        rows += _signal_rows(policy, landlock_abi)
    if policy.children is Children.NONE:
        held = "children-denied"
        flags = (_CLONE_SIGHAND, 0, 0, 0, 0)
        rows.append(("new-process", held, "clone", flags, "EINVAL", "EPERM"))
    return rows + _written_rows(policy)


def _written_rows(policy: Policy) -> list[_Row]:
    """Probe the lines of keys that are seldom written."""
    rows: list[_Row] = []
    if policy.path_metadata is PathMetadata.DENY_ALL:
        held, mode = "open-metadata-protected", (_MINUS_ONE, 0)
        rows.append(("descriptor-mode", held, "fchmod", mode, "EBADF", "EPERM"))
    if policy.ioctls is Ioctls.NO_INPUT:
        held, request = "ioctl-input-denied", (_MINUS_ONE, _HANDS_DATA_IN)
        rows.append(("data-request", held, "ioctl", request, "EBADF", "EPERM"))
    if policy.others is Others.FIXED:
        held, process = "others-fixed", (_MINUS_ONE, 0)
        rows.append(("process-handle", held, "pidfd_open", process, "EINVAL", "EPERM"))
    if policy.ipc in {Ipc.ISOLATED, Ipc.NONE}:
        # A private segment of no size.
        held, segment = f"ipc-{policy.ipc}", (0, 0, 0)
        rows.append(("shared-memory", held, "shmget", segment, "EINVAL", "EPERM"))
    if policy.kernel_surface is KernelSurface.REDUCED:
        held, flags = "kernel-surface-reduced", (_UFFD_NO_SUCH_FLAG,)
        rows.append(("kernel-surface", held, "userfaultfd", flags, "EINVAL", "EPERM"))
    return rows


def _socket_rows(policy: Policy) -> list[_Row]:
    rows: list[_Row] = [_socket("vsock", "socket-families-limited", _AF_VSOCK)]
    if policy.unix_sockets is UnixSockets.NONE:
        held = "unix-sockets-denied"
        pair = (_AF_UNIX, _SOCK_DGRAM, 0, 0)
        rows.append(_socket("unix-socket", held, _AF_UNIX))
        rows.append(("datagram-pair", held, "socketpair", pair, "EFAULT", "EPERM"))
    if policy.ip is Ip.NONE:
        rows.append(_socket("ipv4-socket", "ip-network-denied", _AF_INET))
    if policy.sockets is Sockets.NONE:
        held = "sockets-denied"
        pair = (_AF_UNIX, _SOCK_STREAM, 0, 0)
        other = (_MINUS_ONE, 0, 0)
        rows.append(("stream-pair", held, "socketpair", pair, "EFAULT", "EPERM"))
        rows.append(("connect", held, "connect", other, "EBADF", "EPERM"))
    if policy.ip is Ip.CLIENT:
        held = "ip-inbound-denied"
        none = (_MINUS_ONE, 0, 0, 0)
        rows += [
            (call, held, call, none, "EBADF", "EPERM") for call in ("listen", "accept4")
        ]
    return rows


def _signal_rows(policy: Policy, landlock_abi: int) -> list[_Row]:
    held = f"signals-{policy.signals}"
    owner = (_MINUS_ONE, _F_SETOWN, 0)
    by_owner: _Row = ("signal-owner", held, "fcntl", owner, "EBADF", "EPERM")
    if policy.signals is Signals.TERMINATE:
        # No process has this number, so nothing is sent where the filter is missing.
        other = (_NO_SUCH_PROCESS, _SIGUSR1)
        return [(_SIGNAL, held, "kill", other, "ESRCH", "EPERM"), by_owner]
    rows: list[_Row] = [
        (_SIGNAL, held, "kill", (_TARGET, 0), "", "EPERM"),
        ("group", held, "setpgid", (0, _MINUS_ONE), "EINVAL", "EPERM"),
    ]
    if policy.signals is Signals.SELF or landlock_abi < ABI_SCOPES:
        rows.append(by_owner)
    return rows


def _socket(name: str, requirement: str, family: int) -> _Row:
    return name, requirement, "socket", (family, _NO_SUCH_TYPE, 0), "EINVAL", "EPERM"


def _port_probes(situation: Situation) -> list[Probe]:
    """Probe Landlock's port rights, which are judged before the address is.

    No host has the address, so a bind that gets through changes nothing.
    """
    kinds = (("tcp", _SOCK_STREAM, ABI_TCP), ("udp", _SOCK_DGRAM, ABI_UDP))
    return [
        Probe(
            f"{protocol}-port",
            "ip-inbound-denied",
            "landlock",
            _call(situation, "bind", _MADE, _FIXED_PORT, len(_FIXED_PORT.data)),
            ERRNO["EADDRNOTAVAIL"],
            ERRNO["EACCES"],
            _call(situation, "socket", _AF_INET, kind | _SOCK_CLOEXEC, 0),
        )
        for protocol, kind, abi in kinds
        if situation.landlock_abi >= abi
    ]


def _call(situation: Situation, name: str, *operands: Operand | int) -> Call:
    number = call_numbers(situation.arch)[name]
    return Call(number, tuple(map(_operand, operands)))


def _foreign_calls() -> list[Probe]:
    """Probe the two side doors of an x86_64 kernel."""
    held = "no-privilege-escalation"
    return [
        Probe(
            "x32-call",
            held,
            "seccomp",
            Call(X32_BIT | _GETPID_X86_64, ()),
            ERRNO["ENOSYS"],
            ERRNO["EPERM"],
        ),
        Probe(
            "i386-call",
            held,
            "seccomp",
            Call(_GETPID_I386, (), "compat"),
            0,
            ERRNO["EPERM"],
        ),
    ]


def _operand(value: Operand | int) -> Operand:
    return value if isinstance(value, Operand) else Operand("immediate", value)


def _errno(name: str) -> int:
    return ERRNO[name] if name else 0
