# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what `--check` must print on a row, written by hand beside the compiler.

Mechanisms are named per Landlock ABI, with the rights in force; where Landlock is
missing each requirement that rests on it must say why, and what to do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kernel_rows import Row

ABI_REFER = 2
ABI_TRUNCATE = 3
ABI_TCP = 4
ABI_IOCTL_DEV = 5
ABI_SCOPES = 6
ABI_RESOLVE_UNIX = 9
ABI_UDP = 10

# The file rights of each step, landlock(7): what is handled is what is known.
FILE_RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 5: 0xFFFF, 9: 0x1FFFF}

FILES = "filesystem confined to policy paths"
_PROCESSES = "other processes cannot be debugged or read"
INBOUND = "IP connections from outside denied"
NO_IP = "IP networking denied"
SIGNALS = "signals limited to the sandbox"
_NO_LANDLOCK = "this kernel has no Landlock; use Linux 5.13 or newer"
_SWITCHED_OFF = "Landlock is switched off at boot; add `landlock` to the `lsm=`"


def step_of(abi: int) -> int:
    """Return the ABI at which the file rights of a kernel became what they are."""
    return max(step for step in FILE_RIGHTS if step <= max(abi, 1))


def lacking(row: Row) -> str | None:
    """Return the reason why nothing starts on a row; None where things do."""
    if row.held_abi:
        return None
    return _SWITCHED_OFF if row.switched_off else _NO_LANDLOCK


def confined_lines(row: Row) -> tuple[str, ...]:
    """Return a pattern for each line of the policy that every Landlock can hold."""
    return ("^backend: linux$", *_table(row, dict(_held(row.held_abi))))


def scoped_refusal() -> str:
    """Return why the policy of isolated children is not held by an old Landlock."""
    return f"{SIGNALS}: this kernel's Landlock cannot confine signals; .*Linux 6\\.12"


def refusal(row: Row) -> str:
    """Return the words of a start that is refused for want of Landlock."""
    return f"^stockade: this host cannot enforce {FILES}: {lacking(row)}"


def scoped_line(row: Row) -> str:
    """Return the line about the signals of a process tree."""
    if row.held_abi >= ABI_SCOPES:
        return f"^enforced +{SIGNALS}: Landlock's signal scope; seccomp refuses "
    if reason := lacking(row):
        return f"^UNAVAILABLE +{SIGNALS}: {re.escape(reason)}"
    return f"^UNAVAILABLE +{scoped_refusal()}"


def client_line(row: Row) -> str:
    """Return the line about connections from outside."""
    if reason := lacking(row):
        return f"^UNAVAILABLE +{INBOUND}: {re.escape(reason)}"
    kinds = "TCP and UDP" if row.held_abi >= ABI_UDP else "TCP"
    ports = f"; Landlock leaves the choice of {kinds} ports to the kernel"
    mechanism = "seccomp refuses listen and accept, and MPTCP sockets"
    return (
        f"^enforced +{INBOUND}: {mechanism}{ports if row.held_abi >= ABI_TCP else ''}$"
    )


def services_lines(row: Row) -> tuple[str, ...]:
    """Return the lines where local services are in reach, and nothing beyond."""
    abi = row.held_abi
    # The right for path sockets would cut them off: it is not handled.
    rights = FILE_RIGHTS[step_of(min(abi, ABI_RESOLVE_UNIX - 1))]
    files = f"landlock rights {rights:#x}$"
    sockets = f"seccomp refuses every socket family but Unix sockets{_ports(abi)}$"
    held = () if lacking(row) else (f"^enforced +{FILES}: .*; {files}",)
    return (*held, f"^enforced +{NO_IP}: {sockets}")


def _table(row: Row, held: dict[str, str]) -> Iterator[str]:
    reason = lacking(row)
    for title, mechanism in held.items():
        if reason and title in {FILES, _PROCESSES}:
            yield f"^UNAVAILABLE +{title}: {re.escape(reason)}"
        else:
            yield f"^enforced +{title}: {mechanism}"


def _held(abi: int) -> Iterator[tuple[str, str]]:
    yield FILES, _files(abi)
    yield "no privilege escalation", "no_new_privs; seccomp refuses namespaces"
    yield _PROCESSES, "Landlock's ptrace scope; seccomp refuses"
    yield "only standard input, output and error inherited", "every other descriptor"
    yield "environment limited to policy", "execve with the policy's variables only$"
    yield (
        "no set-user-ID or set-group-ID files left behind",
        "seccomp refuses modes with those bits$",
    )
    yield NO_IP, f"seccomp refuses every socket family{_ports(abi)}$"
    yield (
        "Unix sockets outside writable paths denied",
        f"seccomp refuses Unix sockets and datagram pairs{_unix(abi)}$",
    )
    yield "no raw sockets and none of other families", "seccomp refuses what "
    yield "metadata of files outside policy paths protected", "seccomp refuses changes"
    yield SIGNALS, _signals(abi)
    yield "no other processes started", "seccomp refuses fork, vfork and clone"


def _files(abi: int) -> str:
    step = step_of(abi)
    return (
        f"Landlock file rights of ABI {step}; "
        f"{'every move between folders refused; ' if abi < ABI_REFER else ''}"
        f"{'truncation by path held by seccomp; ' if abi < ABI_TRUNCATE else ''}"
        f"{'device requests cut to a list by seccomp; ' if abi < ABI_IOCTL_DEV else ''}"
        f"seccomp refuses.*; landlock rights {FILE_RIGHTS[step]:#x}$"
    )


def _ports(abi: int) -> str:
    if abi >= ABI_UDP:
        return "; Landlock refuses TCP and UDP ports"
    return "; Landlock refuses TCP ports" if abi >= ABI_TCP else ""


def _unix(abi: int) -> str:
    scopes = "; Landlock's scope of abstract sockets" if abi >= ABI_SCOPES else ""
    return scopes + (" and right of path sockets" if abi >= ABI_RESOLVE_UNIX else "")


def _signals(abi: int) -> str:
    if abi >= ABI_SCOPES:
        return "Landlock's signal scope; seccomp refuses "
    return "seccomp lets signals reach the own process only"
