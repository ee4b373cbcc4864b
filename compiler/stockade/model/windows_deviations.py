# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List where a container gives more or less than a policy means.

Each weaker row names the warning that tells of it. What a container does is taken
from documentation and from reports on running systems; none of it was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address, ip_network

from stockade.abi.targets import System
from stockade.model.deviation import Deviation
from stockade.model.intent import LOOPBACK
from stockade.model.path_family import folded, folders_above, granted_paths
from stockade.model.policy import Access, Commands, Ip, Policy
from stockade.model.request import (
    BindRequest,
    ConnectRequest,
    HardLinkRequest,
    InspectRequest,
    ListenRequest,
    MetadataRequest,
    NeutralRequest,
    PathAction,
    PathRequest,
    SignalRequest,
    UnixRequest,
)
from stockade.model.windows_set import open_to_containers

_Applies = Callable[[Policy, NeutralRequest], bool]
_EXECUTING = (Access.READ_EXEC,)
_READING = (Access.READ, Access.READ_EXEC, Access.READ_WRITE)
_OPENED = frozenset({PathAction.READ, PathAction.LIST, PathAction.EXECUTE})
# What Windows counts as a private network goes by the interface and what an
# administrator says of it; these addresses are never of the internet.
_PRIVATE_NETWORKS = tuple(
    ip_network(text)
    for text in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
        *("fc00::/7", "fe80::/10"),
    )
)


def on_private_network(host: str) -> bool:
    """Tell whether an address is one of a private network; a name is not."""
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return any(
        address.version == network.version and address in network
        for network in _PRIVATE_NETWORKS
    )


def _within(policy: Policy, path: str, access: Access) -> bool:
    """Tell whether a path or a folder above it is granted an access."""
    granted = granted_paths(policy, System.WINDOWS, access)
    return any(folded(one, System.WINDOWS) in granted for one in folders_above(path))


def _writable(policy: Policy, path: str) -> bool:
    return _within(policy, path, Access.READ_WRITE)


def _above(path: str) -> str:
    """Give the folder that holds a path; a drive's root holds itself."""
    return (*folders_above(path), path)[1]


def _opened_by_windows(_policy: Policy, request: NeutralRequest) -> bool:
    match request:
        case PathRequest(path, action):
            return action in _OPENED and open_to_containers(path)
    return False


def _is_list_of_commands(policy: Policy, request: NeutralRequest) -> bool:
    match request:
        case PathRequest(path, PathAction.EXECUTE):
            listed = policy.commands is Commands.LISTED
            return listed and _within(policy, path, Access.READ_EXEC)
    return False


def _below_a_command(policy: Policy, request: NeutralRequest) -> bool:
    """Tell whether a command in a folder's place is all that grants what is below."""
    match request:
        case PathRequest(path, action):
            others = _EXECUTING if action is PathAction.EXECUTE else _READING
            return (
                _within(policy, _above(path), Access.COMMAND)
                and not _is_a_command(policy, path)
                and not any(_within(policy, path, access) for access in others)
                and not open_to_containers(path)
            )
    return False


def _is_a_command(policy: Policy, path: str) -> bool:
    key = folded(path, System.WINDOWS)
    return any(
        folded(grant.path, System.WINDOWS) == key
        for grant in policy.grants
        if grant.access is Access.COMMAND
    )


def _makes_symbolic_link(_policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, PathRequest) and request.action is PathAction.CREATE_LINK


def _changes_metadata_elsewhere(policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, MetadataRequest) and not _writable(policy, request.path)


def _links_what_is_granted_itself(policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, HardLinkRequest) and not _writable(
        policy, _above(request.path)
    )


def _reaches_socket_file(policy: Policy, request: NeutralRequest) -> bool:
    match request:
        case UnixRequest(address):
            return not address.startswith("@") and _writable(policy, address)
        case PathRequest(path, PathAction.CREATE_SOCKET):
            return _writable(policy, path)
    return False


def _reaches_another_socket(policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, UnixRequest) and not _reaches_socket_file(
        policy, request
    )


def _stays_within_container(_policy: Policy, request: NeutralRequest) -> bool:
    match request:
        case ConnectRequest(host):
            return host in LOOPBACK
        case BindRequest() | ListenRequest():
            return True
    return False


def _reaches_private_network(policy: Policy, request: NeutralRequest) -> bool:
    client = policy.ip is Ip.CLIENT
    return (
        client
        and isinstance(request, ConnectRequest)
        and on_private_network(request.host)
    )


def _signals_outside(_policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, SignalRequest) and not request.inside


def _signals_inside(_policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, SignalRequest) and request.inside


def _inspects(_policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, InspectRequest)


def _weaker(
    name: str, fields: tuple[str, ...], applies: _Applies, text: str, warning: str
) -> Deviation:
    return Deviation(
        name, System.WINDOWS, fields, weaker=True, applies=applies, text=text,
        warning=warning,
    )  # fmt: skip


def _stricter(
    name: str, fields: tuple[str, ...], applies: _Applies, text: str
) -> Deviation:
    return Deviation(
        name, System.WINDOWS, fields, weaker=False, applies=applies, text=text
    )


WINDOWS_DEVIATIONS: tuple[Deviation, ...] = (
    _weaker(
        "system-files-open",
        ("system", "grants"),
        _opened_by_windows,
        "Windows gives all application packages read and execute on its own folders"
        " and on those of installed programs",
        "files-open-to-containers",
    ),
    _weaker(
        "libraries-are-executed",
        ("commands",),
        _is_list_of_commands,
        "a library is loaded by the same right that starts a program, so read_exec"
        " paths keep it; what starts no other process starts none of these",
        "commands-loader",
    ),
    _stricter(
        "commands-are-files",
        ("commands",),
        _below_a_command,
        "an entry for a command is for a file, and a folder in its place gets none",
    ),
    _stricter(
        "no-symbolic-links",
        ("symlinks",),
        _makes_symbolic_link,
        "no container may make a symbolic link",
    ),
    _stricter(
        "metadata-by-entries",
        ("path_metadata",),
        _changes_metadata_elsewhere,
        "attributes and times are changed where an entry says so, in writable paths",
    ),
    _stricter(
        "second-names-need-the-folder",
        ("grants",),
        _links_what_is_granted_itself,
        "a second name beside a granted path is made in the folder above, which gets"
        " no entry",
    ),
    _weaker(
        "sockets-by-file",
        ("unix_sockets", "grants"),
        _reaches_socket_file,
        "a Unix socket is a file there, made and reached by who may write it",
        "unix-sockets-writable",
    ),
    _stricter(
        "sockets-elsewhere",
        ("unix_sockets",),
        _reaches_another_socket,
        "a socket file outside writable paths has no entry, and there are no abstract"
        " names",
    ),
    _weaker(
        "own-loopback",
        ("ip",),
        _stays_within_container,
        "every container may bind, listen and connect on a loopback that ends at its"
        " own processes",
        "loopback-within-appcontainer",
    ),
    _stricter(
        "private-networks",
        ("ip",),
        _reaches_private_network,
        "Windows has no capability for connections out into private and domain"
        " networks alone",
    ),
    _stricter(
        "signals-stay-inside",
        ("signals",),
        _signals_outside,
        "processes outside are closed to a container",
    ),
    _weaker(
        "signals-within-container",
        ("signals",),
        _signals_inside,
        "processes of one container, also of another start under its name, may end"
        " each other",
        "appcontainer-shared",
    ),
    _stricter(
        "processes-closed",
        ("others",),
        _inspects,
        "processes outside are closed to a container",
    ),
)
