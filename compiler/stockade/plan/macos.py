# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Derive what a policy requires of macOS and how a Seatbelt profile holds it.

Names are those of the same promise on Linux (docs/requirements.md). No line here says
that something was tried: no Mac has run it.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.model.artifact import Requirement
from stockade.model.policy import (
    Children,
    Commands,
    Ip,
    Ipc,
    MemoryFiles,
    Others,
    PathMetadata,
    Policy,
    ProjectFiles,
    Relays,
    Signals,
    Sockets,
    Symlinks,
    UnixSockets,
)
from stockade.plan.macos_warnings import warnings

__all__ = ["requirements", "warnings"]


def requirements(policy: Policy) -> tuple[Requirement, ...]:
    """List what a policy requires and how a profile holds it, in order."""
    return (
        *_always(policy),
        *_sockets(policy),
        *_files(policy),
        *_processes(policy),
    )


def _line(name: str, title: str, mechanism: str) -> Requirement:
    return Requirement(name, title, mechanism, ())


_Lines = Iterator[Requirement]


def _always(policy: Policy) -> _Lines:
    yield _line(
        "filesystem-confined",
        "filesystem confined to policy paths",
        f"Seatbelt: no file rule but those of resolved paths; {_creates(policy)} are"
        " made; code is loaded from readable paths, never from writable ones",
    )
    yield _line(
        "no-privilege-escalation",
        "no privilege escalation",
        "Seatbelt: no mounts, kernel code or privileges, no program with set-user-ID or"
        " set-group-ID bits executed; a start by root refused",
    )
    shared = ", System V objects granted" if policy.ipc is Ipc.SHARED else ""
    yield _line(
        "processes-protected",
        "other processes cannot be debugged or read",
        "Seatbelt: no task ports, no debugging, no questions about other processes,"
        f" no named semaphores or shared memory{shared}",
    )
    yield _line(
        "descriptors-closed",
        "only standard input, output and error inherited",
        "every other descriptor closed before the profile is applied; kinds of the"
        " three checked",
    )
    yield _line(
        "environment-limited",
        "environment limited to policy",
        "execve with the policy's variables only",
    )
    yield _line(
        "no-setid-files",
        "no set-user-ID or set-group-ID files left behind",
        "Seatbelt: file-write-setugid denied",
    )
    named = "those named by the policy" if policy.mach_services else "none"
    yield _line(
        "services-limited",
        "no services of the system but those of the policy",
        f"Seatbelt: of Mach services {named} looked up; no drivers opened",
    )


def _creates(policy: Policy) -> str:
    kinds = ["files"]
    if policy.symlinks is Symlinks.ALLOW:
        kinds.append("links")
    if policy.unix_sockets is UnixSockets.ALL:
        kinds.append("sockets")
    return f"only {', '.join(kinds)} and folders"


def _sockets(policy: Policy) -> _Lines:
    match policy.ip:
        case Ip.NONE:
            yield _line(
                "ip-network-denied",
                "IP networking denied",
                "Seatbelt: no rule lets a socket of IP be made, bound or connected",
            )
        case Ip.PRIVATE:
            yield _line(
                "ip-network-private",
                "IP networking limited to relayed ports",
                (_private(policy)),
            )
        case Ip.CLIENT:
            yield _line(
                "ip-inbound-denied",
                "IP connections from outside denied",
                "Seatbelt: connecting and, for UDP, binding granted; listening is not",
            )
        case Ip.ALL:
            pass
    if policy.unix_sockets is UnixSockets.NONE:
        but = " but the resolver's" if policy.ip in {Ip.CLIENT, Ip.ALL} else ""
        yield _line(
            "unix-sockets-denied",
            "Unix sockets outside writable paths denied",
            f"Seatbelt: no path{but} granted to connect or bind to, writable or not",
        )
    yield _line(
        "socket-families-limited",
        "no raw sockets and none of other families",
        "Seatbelt: sockets of the policy's families alone; raw ones take root",
    )
    if policy.sockets is Sockets.NONE:
        yield _line(
            "sockets-denied",
            "no sockets that lead outside",
            "Seatbelt: no rule for sockets; pairs of the program's own are left",
        )


def _private(policy: Policy) -> str:
    if not (policy.expose or policy.forward or policy.egress):
        return "Seatbelt: no rule lets a socket of IP be made, bound or connected"
    over = " over IPv4" if policy.relays is Relays.IPV4 else ""
    return (
        f"Seatbelt: connecting to forwarded and egress ports of this Mac{over},"
        " listening on exposed ports, nothing else"
    )


def _files(policy: Policy) -> _Lines:
    if policy.commands is Commands.LISTED:
        yield _line(
            "commands-limited",
            "only the program and listed files executed",
            "Seatbelt: process-exec on these files alone, interpreters of scripts too",
        )
    if policy.path_metadata is not PathMetadata.ALLOW:
        yield _line(
            "metadata-protected",
            "metadata of files outside policy paths protected",
            "Seatbelt: no rule lets mode, owner, flags, attributes or times be changed"
            " outside writable paths",
        )
    if policy.project_files is ProjectFiles.PROTECTED:
        yield _line(
            "project-files-protected",
            "what tools run or trust in a checkout kept as it is",
            "Seatbelt: writing, making, moving and linking of these names denied at the"
            " top of writable paths, in any case of their letters, there or not",
        )


_SIGNALS = {
    Signals.TERMINATE: _line(
        "signals-terminate",
        "signals to others only such that end, stop or continue a process",
        "Seatbelt: rules by signal number, and any signal within the sandbox",
    ),
    Signals.ISOLATED: _line(
        "signals-isolated",
        "signals limited to the sandbox",
        "Seatbelt: rules for itself and for processes under the same profile",
    ),
    Signals.SELF: _line(
        "signals-self",
        "signals limited to the own process",
        "Seatbelt: a rule for itself alone",
    ),
}
_CHILDREN = {
    Children.NONE: _line(
        "children-denied",
        "no other processes started",
        "Seatbelt: process-fork denied, and posix_spawn by its number",
    ),
    Children.CONTAINED: _line(
        "children-contained",
        "processes it starts end with the program",
        "Seatbelt: setsid, setpgid and posix_spawn denied by number; the launcher ends"
        " the group",
    ),
}
_IPC = {
    Ipc.ISOLATED: _line(
        "ipc-isolated",
        "no System V or POSIX IPC with other processes",
        "Seatbelt: no rule for either",
    ),
    Ipc.NONE: _line(
        "ipc-none", "no System V or POSIX IPC", "Seatbelt: no rule for either"
    ),
}


def _processes(policy: Policy) -> _Lines:
    if policy.signals in _SIGNALS:
        yield _SIGNALS[policy.signals]
    if policy.children in _CHILDREN:
        yield _CHILDREN[policy.children]
    if policy.others is Others.FIXED:
        yield _line(
            "others-fixed",
            "limits and priority of other processes fixed",
            "Seatbelt: no rule for scheduling; control of a process for itself alone",
        )
    if policy.ipc in _IPC:
        yield _IPC[policy.ipc]
    if policy.memory_files is MemoryFiles.REFUSED:
        yield _line(
            "memory-files-refused",
            "no executable file in memory",
            "Seatbelt: no named shared memory, no memory for JIT compilers",
        )
