# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Warn about what a policy gives up, under stable identifiers."""

from __future__ import annotations

from stockade.model.artifact import WarningLine
from stockade.model.decide import covers
from stockade.model.policy import (
    Commands,
    Ip,
    Ipc,
    MemoryFiles,
    PathMetadata,
    Policy,
    SelfCheck,
    Signals,
    Symlinks,
    UnixSockets,
)

_UNIX_ALL = WarningLine(
    "unix-sockets-all",
    'unix_sockets = "all" gives up most of the isolation: the program reaches every'
    " local service on a Unix socket, such as the session bus, through which it can"
    " start commands outside the sandbox",
)
_SYMLINKS = WarningLine(
    "symlinks-followed-outside",
    'symlinks = "allow" lets the program leave links in writable paths that lead'
    " anywhere; what opens them outside the sandbox follows them with its own rights",
)
_CLIENT_UDP = WarningLine(
    "ip-client-udp",
    'ip = "client" receives datagrams from every sender on a UDP socket that is not'
    " connected; before Linux 7.2 (Landlock ABI 10) also on a port that the program"
    " chooses",
)
_CLIENT_UNIX = WarningLine(
    "ip-client-unix-listen",
    'ip = "client" keeps the program from listening on Unix sockets as well',
)
_COMMANDS = WarningLine(
    "commands-loader",
    "commands.allow limits what is executed by path: the dynamic loader of a program"
    " starts any program file that can be read",
)
_SIGNALS_ANY = WarningLine(
    "signals-any",
    'signals = "any" lets the program signal every process of this user; it can end'
    " them, make them dump core, and take over those that listen to a signal, such as"
    " Node.js with a network",
)
_SIGNALS_TERMINATE = WarningLine(
    "signals-terminate",
    'signals = "terminate" lets the program end and stop every process of this user',
)
_METADATA_ALLOW = WarningLine(
    "path-metadata-allow",
    'path_metadata = "allow" lets the program change mode, owner, attributes and times'
    " of every file this user owns",
)
_METADATA_OPEN_FILES = WarningLine(
    "path-metadata-open-files",
    'path_metadata = "deny" leaves mode and times of files that the program can open'
    " for reading open to change by descriptor",
)
_SELF_CHECK_OFF = WarningLine(
    "self-check-off",
    'self_check = "off" starts the program without a try whether its confinement holds',
)
_IPC_SHARED = WarningLine(
    "ipc-shared",
    'ipc = "shared" lets the program read and change the System V memory, semaphores'
    " and queues of every process of this user",
)
_MEMORY_FILES = WarningLine(
    "memory-files-executable",
    'memory_files = "allowed" lets the program execute what it writes, by way of files'
    " in memory",
)
_MACH_SERVICES = WarningLine(
    "mach-services-ignored",
    "mach_services allows nothing here: only macOS has such services",
)
_TERMINALS = WarningLine(
    "terminals-reachable",
    "a policy path holds /dev/pts, so the program reaches this user's other terminals",
)


def warnings(policy: Policy) -> tuple[WarningLine, ...]:
    """List the warnings that the policy alone gives reason for, in fixed order."""
    client = policy.ip is Ip.CLIENT
    every_service = policy.unix_sockets is UnixSockets.ALL
    candidates = (
        (every_service, _UNIX_ALL),
        (policy.symlinks is Symlinks.ALLOW, _SYMLINKS),
        (policy.commands is Commands.LISTED, _COMMANDS),
        (client, _CLIENT_UDP),
        (client and every_service, _CLIENT_UNIX),
        (True, _signals(policy.signals)),
        (policy.path_metadata is PathMetadata.ALLOW, _METADATA_ALLOW),
        (
            policy.path_metadata is PathMetadata.DENY and bool(policy.grants),
            _METADATA_OPEN_FILES,
        ),
        (policy.self_check is SelfCheck.OFF, _SELF_CHECK_OFF),
        (policy.ipc is Ipc.SHARED, _IPC_SHARED),
        (policy.memory_files is MemoryFiles.ALLOWED, _MEMORY_FILES),
        (_reaches_terminals(policy), _TERMINALS),
        (bool(policy.mach_services), _MACH_SERVICES),
    )
    return tuple(line for holds, line in candidates if holds)


def _reaches_terminals(policy: Policy) -> bool:
    return any(
        covers(grant.path, "/dev/pts") or covers("/dev/pts", grant.path)
        for grant in policy.grants
    )


def _signals(signals: Signals) -> WarningLine:
    match signals:
        case Signals.ANY:
            return _SIGNALS_ANY
        case Signals.TERMINATE:
            return _SIGNALS_TERMINATE
    return WarningLine(
        "signals-isolated-terminal",
        f'signals = "{signals}" does not keep the terminal from stopping the job that'
        " the launcher belongs to when the program reads it in the background",
    )
