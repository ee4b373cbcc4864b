# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Derive the requirements of a policy, and how Linux holds each on a kernel.

Names are stable once released (docs/requirements.md); titles and mechanisms are
prose. A mechanism names only what is in force at the ABI it is written for.
"""

from __future__ import annotations

from stockade.abi.landlock import FS_RIGHTS
from stockade.model.artifact import Requirement
from stockade.model.call_rules import (
    ABI_IOCTL_DEV,
    ABI_SCOPES,
    ABI_TCP,
    ABI_TRUNCATE,
    ABI_UDP,
)
from stockade.model.policy import (
    Children,
    Commands,
    Ip,
    Ipc,
    KernelSurface,
    MemoryFiles,
    PathMetadata,
    Policy,
    Signals,
    Sockets,
    UnixSockets,
)
from stockade.plan.process_requirements import process_requirements
from stockade.plan.rights import handled

_ABI_REFER = 2
_ABI_RESOLVE_UNIX = 9
_LANDLOCK = ("landlock-built", "landlock-abi-1")
_SECCOMP = ("seccomp-filter",)
_OWN_PROCESS_ONLY = (
    "seccomp lets signals reach the own process only and refuses those of"
    " asynchronous I/O; thread signals of musl programs are lost"
)


def requirements(policy: Policy, landlock_abi: int) -> tuple[Requirement, ...]:
    """List what a policy requires and how a kernel of this ABI holds it, in order."""
    lines = [
        Requirement(
            "filesystem-confined",
            "filesystem confined to policy paths",
            _filesystem(policy, landlock_abi),
            (*_LANDLOCK, *_SECCOMP),
            show_rights=True,
        ),
        Requirement(
            "no-privilege-escalation",
            "no privilege escalation",
            "no_new_privs; seccomp refuses namespaces, mounts, kernel code and calls"
            " of every other architecture",
            _SECCOMP,
        ),
        Requirement(
            "processes-protected",
            "other processes cannot be debugged or read",
            _processes(policy),
            (*_LANDLOCK, *_SECCOMP),
        ),
        Requirement(
            "descriptors-closed",
            "only standard input, output and error inherited",
            "every other descriptor closed at start; kinds of the three checked",
            (),
        ),
        Requirement(
            "environment-limited",
            "environment limited to policy",
            "execve with the policy's variables only",
            (),
        ),
        Requirement(
            "no-setid-files",
            "no set-user-ID or set-group-ID files left behind",
            "seccomp refuses modes with those bits",
            _SECCOMP,
        ),
    ]
    lines += _sockets(policy, landlock_abi)
    if policy.commands is Commands.LISTED:
        lines.append(
            Requirement(
                "commands-limited",
                "only the program and listed files executed",
                "Landlock's right to execute on these and their loaders alone; seccomp"
                " refuses to run a descriptor",
                (*_LANDLOCK, *_SECCOMP),
            )
        )
    if policy.path_metadata is not PathMetadata.ALLOW:
        lines.append(
            Requirement(
                "metadata-protected",
                "metadata of files outside policy paths protected",
                "seccomp refuses changes by path of mode, owner, attributes and times",
                _SECCOMP,
            )
        )
    if policy.path_metadata is PathMetadata.DENY_ALL:
        lines.append(
            Requirement(
                "open-metadata-protected",
                "metadata of open files protected",
                "seccomp refuses changes by descriptor of mode and times as well",
                _SECCOMP,
            )
        )
    if policy.signals is not Signals.ANY:
        lines.append(_signals(policy, landlock_abi))
    if policy.children is Children.NONE:
        lines.append(
            Requirement(
                "children-denied",
                "no other processes started",
                "seccomp refuses fork, vfork and clone without CLONE_THREAD",
                _SECCOMP,
            )
        )
    return (*lines, *process_requirements(policy))


def _processes(policy: Policy) -> str:
    refused = ["new limits for others", "keyrings"]
    if policy.kernel_surface is not KernelSurface.WIDE:
        refused = ["ptrace", "process memory", *refused]
    if policy.ipc is not Ipc.SHARED:
        refused.append("shared IPC")
    *first, last = refused
    return f"Landlock's ptrace scope; seccomp refuses {', '.join(first)} and {last}"


def _filesystem(policy: Policy, abi: int) -> str:
    fs_handled = handled(policy, abi).fs_required | handled(policy, abi).fs_optional
    step = max(right.abi for right in FS_RIGHTS if right.bit & fs_handled)
    parts = [f"Landlock file rights of ABI {step}"]
    if abi < _ABI_REFER:
        parts.append("every move between folders refused")
    if abi < ABI_TRUNCATE:
        parts.append("truncation by path held by seccomp")
    if abi < ABI_IOCTL_DEV:
        parts.append("device requests cut to a list by seccomp")
    if policy.memory_files is MemoryFiles.ALLOWED:
        parts.append("seccomp refuses access mode 3 and handles")
        parts.append("what is written to memory files can be executed")
    else:
        parts.append("seccomp refuses access mode 3, handles and code without a path")
    return "; ".join(parts)


def _sockets(policy: Policy, abi: int) -> list[Requirement]:
    lines = []
    match policy.ip:
        case Ip.NONE:
            lines.append(_ip_denied(policy, abi))
        case Ip.CLIENT:
            lines.append(_ip_inbound_denied(abi))
        case Ip.ALL:
            pass
    if policy.unix_sockets is UnixSockets.NONE:
        lines.append(_unix_denied(abi))
    lines.append(
        Requirement(
            "socket-families-limited",
            "no raw sockets and none of other families",
            "seccomp refuses what the policy does not name",
            _SECCOMP,
        )
    )
    if policy.sockets is Sockets.NONE:
        lines.append(
            Requirement(
                "sockets-denied",
                "no sockets at all",
                "seccomp refuses to make, pair, connect, name and open them",
                _SECCOMP,
            )
        )
    return lines


def _ip_denied(policy: Policy, abi: int) -> Requirement:
    granted = "" if policy.unix_sockets is UnixSockets.NONE else " but Unix sockets"
    mechanism = f"seccomp refuses every socket family{granted}"
    if abi >= ABI_UDP:
        mechanism += "; Landlock refuses TCP and UDP ports"
    elif abi >= ABI_TCP:
        mechanism += "; Landlock refuses TCP ports"
    return Requirement("ip-network-denied", "IP networking denied", mechanism, _SECCOMP)


def _ip_inbound_denied(abi: int) -> Requirement:
    mechanism = "seccomp refuses listen and accept, and MPTCP sockets"
    if abi >= ABI_UDP:
        mechanism += "; Landlock leaves the choice of TCP and UDP ports to the kernel"
    elif abi >= ABI_TCP:
        mechanism += "; Landlock leaves the choice of TCP ports to the kernel"
    return Requirement(
        "ip-inbound-denied",
        "IP connections from outside denied",
        mechanism,
        (*_LANDLOCK, *_SECCOMP),
    )


def _unix_denied(abi: int) -> Requirement:
    mechanism = "seccomp refuses Unix sockets and datagram pairs"
    if abi >= ABI_SCOPES:
        mechanism += "; Landlock's scope of abstract sockets"
    if abi >= _ABI_RESOLVE_UNIX:
        mechanism += " and right of path sockets"
    return Requirement(
        "unix-sockets-denied",
        "Unix sockets outside writable paths denied",
        mechanism,
        _SECCOMP,
    )


def _signals(policy: Policy, abi: int) -> Requirement:
    match policy.signals:
        case Signals.SELF:
            return _signals_self(abi)
        case Signals.TERMINATE:
            return _signals_terminate(policy)
        case _:
            return _signals_isolated(policy, abi)


def _signals_self(abi: int) -> Requirement:
    mechanism = _OWN_PROCESS_ONLY
    if abi >= ABI_SCOPES:
        mechanism += "; Landlock's signal scope"
    return Requirement(
        "signals-self", "signals limited to the own process", mechanism, _SECCOMP
    )


def _signals_terminate(policy: Policy) -> Requirement:
    mechanism = (
        "seccomp refuses every other signal, priorities, scheduling and signals of"
        " asynchronous I/O and terminals"
    )
    if policy.children is not Children.NONE:
        mechanism += "; between processes of the sandbox as well"
    return Requirement(
        "signals-terminate",
        "signals to others only such that end, stop or continue a process",
        mechanism,
        _SECCOMP,
    )


def _signals_isolated(policy: Policy, abi: int) -> Requirement:
    if abi >= ABI_SCOPES or policy.children is not Children.NONE:
        mechanism = (
            "Landlock's signal scope; seccomp refuses foreign groups, priorities,"
            " scheduling and signals of asynchronous I/O"
        )
        # The lower ones too: what is missing altogether is not too old.
        needs: tuple[str, ...] = (
            *_LANDLOCK,
            f"landlock-abi-{ABI_SCOPES}",
            *_SECCOMP,
        )
    else:
        mechanism = _OWN_PROCESS_ONLY
        needs = _SECCOMP
    return Requirement(
        "signals-isolated", "signals limited to the sandbox", mechanism, needs
    )
