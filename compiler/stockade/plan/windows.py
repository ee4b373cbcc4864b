# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Derive what a policy requires of Windows, how a container holds it, what it gives up.

Names are those of the same promise on Linux (docs/requirements.md). No line here says
that something was tried: no Windows has run it.
"""

from __future__ import annotations

from stockade.model.artifact import Requirement, WarningLine
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Ip,
    Ipc,
    Junctions,
    Others,
    PathMetadata,
    Policy,
    SelfCheck,
    Signals,
    Sockets,
    UnixSockets,
    Win32k,
)

_ALWAYS = (
    Requirement(
        "filesystem-confined",
        "filesystem confined to policy paths",
        "AppContainer token; access entries that allow, each for the capability of one"
        " path; none lets a file of a writable path be executed, and images of low"
        " label are refused",
        (),
    ),
    Requirement(
        "no-privilege-escalation",
        "no privilege escalation",
        "AppContainer token of low integrity; nothing leaves the job",
        (),
    ),
    Requirement(
        "processes-protected",
        "other processes cannot be debugged or read",
        "AppContainer token, to which they are closed; limits of the job on what"
        " windows and the clipboard share",
        (),
    ),
    Requirement(
        "descriptors-closed",
        "only standard input, output and error inherited",
        "handle list of the three; their kinds checked",
        (),
    ),
    Requirement(
        "environment-limited",
        "environment limited to policy",
        "environment block of the policy's variables, SystemRoot and LOCALAPPDATA",
        (),
    ),
)
_NETWORK = {
    Ip.NONE: Requirement(
        "ip-network-denied",
        "IP networking denied",
        "no network capability, no loopback exemption",
        (),
    ),
    Ip.PRIVATE: Requirement(
        "ip-network-private",
        "IP networking on a loopback of its own",
        "no network capability, no loopback exemption: processes of the container"
        " reach each other alone",
        (),
    ),
    Ip.CLIENT: Requirement(
        "ip-inbound-denied",
        "IP connections from outside denied",
        "capability internetClient alone: Windows lets in what was asked for",
        (),
    ),
}
_UNIX_DENIED = Requirement(
    "unix-sockets-denied",
    "Unix sockets outside writable paths denied",
    "to connect takes the right to write the socket's file",
    (),
)
_SOCKETS_DENIED = Requirement(
    "sockets-denied",
    "no sockets that lead outside",
    "no network capability; what is left are the container's own loopback and socket"
    " files in writable paths",
    (),
)
_COMMANDS = Requirement(
    "commands-limited",
    "only the program and listed files executed",
    "no process can be started",
    (),
)
_METADATA = Requirement(
    "metadata-protected",
    "metadata of files outside policy paths protected",
    "no entry lets them be changed; owners and access lists nowhere",
    (),
)
_SIGNALS = {
    Signals.TERMINATE: Requirement(
        "signals-terminate",
        "signals to others only such that end, stop or continue a process",
        "AppContainer token: processes outside cannot be ended at all",
        (),
    ),
    Signals.ISOLATED: Requirement(
        "signals-isolated",
        "signals limited to the sandbox",
        "AppContainer token: only processes of the container can be ended",
        (),
    ),
    Signals.SELF: Requirement(
        "signals-self",
        "signals limited to the own process",
        "no other process is started; of another start under the container's name,"
        " processes can be ended",
        (),
    ),
}
_CHILDREN = {
    Children.NONE: Requirement(
        "children-denied",
        "no other processes started",
        "child process policy of the process, and a job of one process",
        (),
    ),
    Children.CONTAINED: Requirement(
        "children-contained",
        "processes it starts end with the program",
        "the job ends them when the program or the launcher ends",
        (),
    ),
}
_OTHERS = Requirement(
    "others-fixed",
    "limits and priority of other processes fixed",
    "AppContainer token, to which they are closed",
    (),
)
_IPC = {
    Ipc.ISOLATED: Requirement(
        "ipc-isolated",
        "no System V or POSIX IPC with other processes",
        "Windows has neither; names of shared objects are the container's own",
        (),
    ),
    Ipc.NONE: Requirement(
        "ipc-none",
        "no System V or POSIX IPC",
        "Windows has neither; names of shared objects are the container's own",
        (),
    ),
}
_WIN32K = Requirement(
    "win32k-denied",
    "no calls of the window system's driver",
    "mitigation of the process and of all it starts",
    (),
)
_JUNCTIONS = Requirement(
    "junctions-unchanged",
    "no access list but those of policy paths changed",
    "a path behind a junction refuses the start",
    (),
)


def requirements(policy: Policy) -> tuple[Requirement, ...]:
    """List what a policy requires and how a container holds it, in order."""
    candidates = (
        _NETWORK.get(policy.ip),
        _UNIX_DENIED if policy.unix_sockets is UnixSockets.NONE else None,
        _SOCKETS_DENIED if policy.sockets is Sockets.NONE else None,
        _COMMANDS if policy.commands is Commands.LISTED else None,
        _METADATA if policy.path_metadata is not PathMetadata.ALLOW else None,
        _SIGNALS.get(policy.signals),
        _CHILDREN.get(policy.children),
        _OTHERS if policy.others is Others.FIXED else None,
        _IPC.get(policy.ipc) if policy.ipc else None,
        _WIN32K if policy.win32k is Win32k.DENY else None,
        _JUNCTIONS if policy.junctions is Junctions.REFUSE else None,
    )
    return (*_ALWAYS, *(line for line in candidates if line is not None))


_UNIX_ALL = WarningLine(
    "unix-sockets-all",
    'unix_sockets = "all" asks to give up most of the isolation; Windows opens a'
    " socket by its file, so it gives sockets in writable paths here and no other",
)
_UNIX_BY_FILE = WarningLine(
    "unix-sockets-writable",
    "the program reaches Unix sockets whose files lie in its writable paths, also those"
    " of programs outside",
)
_SIGNALS_ANY = WarningLine(
    "signals-any",
    'signals = "any" lets the program end every process of its container, also of'
    " another start under the same name; those outside are closed to it",
)
_METADATA_ALLOW = WarningLine(
    "path-metadata-allow",
    'path_metadata = "allow" asks for changes to every file of this user; here the'
    " program makes them in writable paths alone",
)
_SERVICES = WarningLine(
    "mach-services-ignored",
    "macos.mach_services allows nothing on Windows",
)
_CLIENT_PRIVATE = WarningLine(
    "ip-client-private-networks",
    'ip = "client" reaches no host of a network that Windows counts as private or'
    " domain network; names there still resolve",
)
_OWN_LOOPBACK = WarningLine(
    "loopback-within-appcontainer",
    "processes of the container, also of another start under its name, listen and"
    " reach each other over loopback",
)
_LOCAL_SOCKETS = WarningLine(
    "sockets-local",
    'sockets = "none" leaves sockets that reach nothing outside: on the container\'s'
    " own loopback and by files in writable paths",
)
_LIBRARIES = WarningLine(
    "commands-loader",
    "commands.allow limits what is started: libraries of read_exec paths and of Windows"
    " are loaded into the program all the same",
)
_SHARED = WarningLine(
    "appcontainer-shared",
    "the container's name is the same for every user of the machine, and what runs"
    " under it can end and read what else does",
)
_GRANTS_STAY = WarningLine(
    "grant-follows-file",
    "access entries stay on files when the program ends, and go with a file that is"
    " moved, until a removal takes them back",
)
_OPEN_TO_ALL = WarningLine(
    "files-open-to-containers",
    "what Windows opens to every container stays readable and executable, such as"
    " C:\\Windows and C:\\Program Files, and each writes to a private folder of its"
    " own, of which nothing is executed",
)
_WRITTEN = WarningLine(
    "written-files-executable",
    "what the program writes may be executed in two ways that are not settled: a stream"
    " of a writable folder has the folder's entries, and the right to enter is the one"
    " to execute; a file with an access list of the program's own is refused by a"
    " policy of its process, under which those that it starts may not be",
)
_CHECK_OFF = WarningLine(
    "self-check-off",
    'self_check = "off" starts the program without a try whether its confinement holds',
)


def warnings(policy: Policy) -> tuple[WarningLine, ...]:
    """List the warnings that the policy alone gives reason for, in fixed order."""
    writable = any(grant.access is Access.READ_WRITE for grant in policy.grants)
    candidates = (
        (policy.unix_sockets is UnixSockets.ALL, _UNIX_ALL),
        (policy.unix_sockets is UnixSockets.NONE and writable, _UNIX_BY_FILE),
        (policy.commands is Commands.LISTED, _LIBRARIES),
        (bool(policy.mach_services), _SERVICES),
        (policy.ip is Ip.CLIENT, _CLIENT_PRIVATE),
        (policy.ip is not Ip.ALL, _OWN_LOOPBACK),
        (policy.sockets is Sockets.NONE, _LOCAL_SOCKETS),
        (policy.signals is Signals.ANY, _SIGNALS_ANY),
        (policy.path_metadata is PathMetadata.ALLOW, _METADATA_ALLOW),
        (policy.self_check is SelfCheck.OFF, _CHECK_OFF),
        (True, _SHARED),
        (bool(policy.grants), _GRANTS_STAY),
        (True, _OPEN_TO_ALL),
        (writable or policy.children is not Children.NONE, _WRITTEN),
    )
    return tuple(line for holds, line in candidates if holds)
