# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Warn about what a policy gives up on macOS, under stable identifiers."""

from __future__ import annotations

from collections.abc import Iterator

from stockade.model.artifact import WarningLine
from stockade.model.policy import (
    Children,
    Commands,
    Ip,
    Ipc,
    MemoryFiles,
    PathMetadata,
    Policy,
    ProjectFiles,
    Relays,
    SelfCheck,
    Signals,
    Sockets,
    Symlinks,
    UnixSockets,
)

_UNIX_ALL = WarningLine(
    "unix-sockets-all",
    'unix_sockets = "all" gives up most of the isolation: the program reaches every'
    " local service on a Unix socket, the system's resolver too, which sends data out"
    ' in queries even with ip = "none"',
)
_UNIX_EXISTENCE = WarningLine(
    "unix-sockets-existence",
    'unix_sockets = "all" tells existing paths from missing ones: a socket that may be'
    " connected to anywhere answers differently where nothing is",
)
_RESOLVER = WarningLine(
    "resolver-socket",
    "names resolve by one Unix socket, of the system's resolver, which asks and answers"
    " outside the sandbox",
)
_SYMLINKS = WarningLine(
    "symlinks-followed-outside",
    'symlinks = "allow" lets the program leave links in writable paths that lead'
    " anywhere; what opens them outside the sandbox follows them with its own rights",
)
_COMMANDS = WarningLine(
    "commands-loader",
    "commands.allow limits what is executed by path: a listed program loads any library"
    " and an interpreter runs any script that can be read",
)
_PROJECT_NESTED = WarningLine(
    "project-files-nested",
    "project files are protected at the top of each writable path; a checkout further"
    " down, and a hooks folder that git's own settings name, are not",
)
_CLIENT_UDP = WarningLine(
    "ip-client-udp",
    'ip = "client" receives datagrams from every sender on a UDP socket that is not'
    " connected, on a port that the program chooses as well",
)
_PRIVATE_EXPOSED = WarningLine(
    "ip-private-exposed-addresses",
    "exposed ports can be listened on at every address of this Mac, where other hosts"
    " reach the program",
)
_PRIVATE_LATER = WarningLine(
    "ip-private-later-addresses",
    "a process of this user can take a forwarded or egress port at an address that this"
    " Mac gains while the program runs, and receive what is sent there",
)
_PRIVATE_LINK_LOCAL = WarningLine(
    "ip-private-link-local",
    "forwarded and egress ports are reached at IPv6 link-local addresses too, which"
    ' another host of the local network may have; macos.relays = "ipv4" closes this',
)
_RELAYS_IPV4 = WarningLine(
    "relays-ipv4-only",
    'macos.relays = "ipv4" denies IPv6 sockets to forwarded and egress ports, also one'
    " that connects to ::ffff:127.0.0.1, as Java and .NET do by default",
)
_FORWARD_OTHERS = WarningLine(
    "forward-other-users",
    "every user of this Mac can use a forwarded port while the program runs",
)
_EGRESS_OTHERS = WarningLine(
    "egress-other-users",
    "every user of this Mac can connect out by the egress port while the program runs",
)
_EGRESS_PROBING = WarningLine(
    "egress-probing",
    "the answers of the egress broker tell the program which addresses this host has"
    " and reaches",
)
_RELAY_OUTLIVES = WarningLine(
    "relay-outlives-program",
    'signals = "any" lets the program stop what carries its connections, which then'
    " outlives it with its ports",
)
_SERVICE_REACH = WarningLine(
    "mach-service-reach",
    "the certificate verifier fetches addresses that a certificate names, from outside"
    " the sandbox and with its own rights, and remembers what it fetched",
)
_SIGNALS_ANY = WarningLine(
    "signals-any",
    'signals = "any" lets the program signal every process of this user; it can end'
    " them, and take over those that listen to a signal, such as Node.js",
)
_SIGNALS_TERMINATE = WarningLine(
    "signals-terminate",
    'signals = "terminate" lets the program end and stop every process of this user',
)
_SIGNALS_SIGIO = WarningLine(
    "signals-isolated-sigio",
    "the kernel sends SIGIO and SIGURG for a pipe or socket to any process that the"
    " program names, of other users too, and asks no profile",
)
_CONTAINED_SPAWN = WarningLine(
    "contained-posix-spawn",
    'children = "contained" denies posix_spawn, whose flags would move a process out of'
    " reach: programs that start others by it, such as system(), get EPERM",
)
_METADATA_ALLOW = WarningLine(
    "path-metadata-allow",
    'path_metadata = "allow" asks for changes to every file of this user; here the'
    " program makes them in writable paths alone",
)
_SOCKET_PAIRS = WarningLine(
    "sockets-pair",
    'sockets = "none" leaves pairs of connected sockets of the program\'s own, which no'
    " profile denies",
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
    'memory_files = "allowed" lets the program make code at run time and execute it',
)


def warnings(policy: Policy) -> tuple[WarningLine, ...]:
    """List the warnings that the policy alone gives reason for, in fixed order."""
    contained = policy.children is Children.CONTAINED
    candidates = (
        (policy.unix_sockets is UnixSockets.ALL, _UNIX_ALL),
        (policy.unix_sockets is UnixSockets.ALL, _UNIX_EXISTENCE),
        (policy.symlinks is Symlinks.ALLOW, _SYMLINKS),
        (policy.commands is Commands.LISTED, _COMMANDS),
        (policy.project_files is ProjectFiles.PROTECTED, _PROJECT_NESTED),
        *_of_network(policy),
        (bool(policy.mach_services), _SERVICE_REACH),
        *_of_signals(policy.signals, policy.children),
        (contained, _CONTAINED_SPAWN),
        (policy.path_metadata is PathMetadata.ALLOW, _METADATA_ALLOW),
        (policy.sockets is Sockets.NONE, _SOCKET_PAIRS),
        (policy.self_check is SelfCheck.OFF, _SELF_CHECK_OFF),
        (policy.ipc is Ipc.SHARED, _IPC_SHARED),
        (policy.memory_files is MemoryFiles.ALLOWED, _MEMORY_FILES),
    )
    return tuple(line for holds, line in candidates if holds)


_Candidates = Iterator[tuple[bool, WarningLine]]


def _of_network(policy: Policy) -> _Candidates:
    client, private = policy.ip is Ip.CLIENT, policy.ip is Ip.PRIVATE
    outward = bool(policy.forward or policy.egress)
    ipv4 = policy.relays is Relays.IPV4
    by_paths = policy.unix_sockets is UnixSockets.NONE
    yield by_paths and policy.ip in {Ip.CLIENT, Ip.ALL}, _RESOLVER
    yield client, _CLIENT_UDP
    yield private and bool(policy.expose), _PRIVATE_EXPOSED
    yield private and outward, _PRIVATE_LATER
    yield private and outward and not ipv4, _PRIVATE_LINK_LOCAL
    yield ipv4, _RELAYS_IPV4
    yield bool(policy.forward), _FORWARD_OTHERS
    yield policy.egress is not None, _EGRESS_OTHERS
    yield policy.egress is not None, _EGRESS_PROBING
    relayed = outward or bool(policy.expose)
    yield relayed and policy.signals is Signals.ANY, _RELAY_OUTLIVES


def _of_signals(signals: Signals, children: Children) -> _Candidates:
    limited = signals in {Signals.ISOLATED, Signals.SELF}
    joins = (
        ""
        if children is Children.CONTAINED
        else ", nor the program from joining another job of the terminal's session"
    )
    yield signals is Signals.ANY, _SIGNALS_ANY
    yield signals is Signals.TERMINATE, _SIGNALS_TERMINATE
    terminal = WarningLine(
        "signals-isolated-terminal",
        f'signals = "{signals}" does not keep the terminal from stopping the job that'
        f" the launcher belongs to when the program reads it in the background{joins}",
    )
    yield limited, terminal
    yield signals is not Signals.ANY, _SIGNALS_SIGIO
