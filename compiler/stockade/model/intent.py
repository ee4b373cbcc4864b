# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what a policy means, in words that every system shares.

This is what an author may expect of any system. Where one allows more or less, the
difference has a name: see `deviation`. Slow and obvious on purpose; it never looks
at an artifact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stockade.abi.signals import SIGNALS
from stockade.abi.targets import System
from stockade.model.calls import ALLOW
from stockade.model.decide import DEVICE_ACTIONS, actions
from stockade.model.environment import folded_name, variables
from stockade.model.macos_set import (
    listed_macos_folders,
    readable_macos_paths,
    writable_macos_devices,
)
from stockade.model.path_family import folded, folders_above, granted_paths
from stockade.model.policy import (
    Access,
    Children,
    Ip,
    Others,
    PathMetadata,
    Policy,
    Signals,
    UnixSockets,
)
from stockade.model.project_files import is_protected
from stockade.model.request import (
    BindRequest,
    ConnectRequest,
    Decision,
    EnvironmentRequest,
    FileRequest,
    HardLinkRequest,
    InspectRequest,
    ListenRequest,
    MetadataRequest,
    NeutralRequest,
    PathAction,
    PathRequest,
    SeeRequest,
    ServiceRequest,
    SetIdRequest,
    SignalRequest,
    SpawnRequest,
    Transport,
    UnixRequest,
)
from stockade.model.system_set import readable_system_paths, writable_system_paths

DENY = "deny"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
# Asking a device, executing and connecting leave a file as it is.
_CHANGING = frozenset(PathAction) - {
    PathAction.READ,
    PathAction.LIST,
    PathAction.EXECUTE,
    PathAction.DEVICE_REQUEST,
    PathAction.CONNECT,
}
_READING = frozenset({PathAction.READ, PathAction.LIST})
_TERMINATING = tuple(
    SIGNALS[name] for name in ("TERM", "INT", "HUP", "QUIT", "KILL", "STOP", "CONT")
)


def intend(policy: Policy, system: System, request: NeutralRequest) -> Decision:
    """Decide one request of a program that a policy confines on some system.

    `policy` holds the paths of that system alone: see `path_family.policy_on`.
    """
    if _takes_project_file(policy, system, request):
        return Decision(DENY, "project files are protected")
    for allowed, why in _answers(policy, system, request):
        if allowed:
            return Decision(ALLOW, why)
    return Decision(DENY, "nothing of the policy grants it")


def _takes_project_file(
    policy: Policy, system: System, request: NeutralRequest
) -> bool:
    match request:
        case PathRequest(path, action):
            taken = action in _CHANGING
        case MetadataRequest(path) | HardLinkRequest(path):
            taken = True
        case _:
            return False
    return taken and is_protected(policy, system, path)


def _answers(
    policy: Policy, system: System, request: NeutralRequest
) -> Iterator[tuple[bool, str]]:
    match request:
        case ConnectRequest() | BindRequest() | ListenRequest():
            yield _network(policy, request), f"the network is `{policy.ip}`"
        case UnixRequest():
            allowed = policy.unix_sockets is UnixSockets.ALL
            yield allowed, "unix sockets are granted"
        case ServiceRequest(name):
            named = system is System.MACOS and name in policy.mach_services
            yield named, "the service is named"
        case EnvironmentRequest(name):
            named = any(
                folded_name(one.name, system) == folded_name(name, system)
                for one in variables(policy, system)
            )
            yield named, "the variable is named"
        case SignalRequest():
            yield _signal(policy, request), f"signals are `{policy.signals}`"
        case SpawnRequest():
            allowed = policy.children is not Children.NONE
            yield allowed, f"children are `{policy.children}`"
        case InspectRequest():
            yield policy.others is Others.VISIBLE, "other processes are visible"
        case _:
            yield from _file_answers(policy, system, request)


def _file_answers(
    policy: Policy, system: System, request: FileRequest
) -> Iterator[tuple[bool, str]]:
    match request:
        case PathRequest(path, action):
            yield from _path(policy, system, path, action)
        case MetadataRequest(path):
            allowed = policy.path_metadata is PathMetadata.ALLOW
            yield allowed, "changes of metadata are granted"
            yield from _within(policy, system, path, Access.READ_WRITE)
        case HardLinkRequest(path):
            yield from _within(policy, system, path, Access.READ_WRITE)
        case SeeRequest():
            yield True, "the view is of all paths"
        case SetIdRequest():
            yield False, "no policy grants it"


def _path(
    policy: Policy, system: System, path: str, action: PathAction
) -> Iterator[tuple[bool, str]]:
    if action is PathAction.CONNECT:
        allowed = policy.unix_sockets is UnixSockets.ALL
        yield allowed, "unix sockets are granted"
        return
    for access in Access:
        if action in actions(policy, access):
            yield from _within(policy, system, path, access)
    for paths, allows in _system_set(policy, system):
        if action in allows:
            for above in folders_above(path):
                yield above in paths, f"system set `{above}`"
    if system is System.MACOS:
        listed = path in listed_macos_folders(policy) and action in _READING
        yield listed, f"system set lists `{path}`"


def _within(
    policy: Policy, system: System, path: str, access: Access
) -> Iterator[tuple[bool, str]]:
    """Tell of each folder above a path whether it is granted an access."""
    granted = granted_paths(policy, system, access)
    for above in folders_above(path):
        yield folded(above, system) in granted, f"{access} `{above}`"


_Set = Callable[[Policy], tuple[str, ...]]
_READABLE: dict[System, _Set] = {
    System.LINUX: readable_system_paths,
    System.MACOS: readable_macos_paths,
}
_WRITABLE: dict[System, _Set] = {
    System.LINUX: writable_system_paths,
    System.MACOS: writable_macos_devices,
}
# On macOS to cut is to write, and a device has no length.
_ON_DEVICES: dict[System, frozenset[PathAction]] = {
    System.LINUX: DEVICE_ACTIONS,
    System.MACOS: DEVICE_ACTIONS | {PathAction.TRUNCATE},
}


def _system_set(
    policy: Policy, system: System
) -> Iterator[tuple[tuple[str, ...], frozenset[PathAction]]]:
    """Give what the system set grants; Windows opens its own files to containers."""
    if system in _READABLE:
        yield _READABLE[system](policy), _READING
        yield _WRITABLE[system](policy), _ON_DEVICES[system]


def _network(
    policy: Policy, request: ConnectRequest | BindRequest | ListenRequest
) -> bool:
    match policy.ip:
        case Ip.NONE:
            return False
        case Ip.ALL:
            return True
        case Ip.CLIENT:
            return isinstance(request, ConnectRequest) or (
                isinstance(request, BindRequest) and request.port == 0
            )
        case Ip.PRIVATE:
            return _private(request)


def _private(request: ConnectRequest | BindRequest | ListenRequest) -> bool:
    """Decide on a loopback of the program's own; only relays lead out of it."""
    match request:
        case ConnectRequest(host, _port, Transport.TCP):
            return host in LOOPBACK
        case BindRequest(_port, Transport.TCP) | ListenRequest(_port):
            return True
        case _:
            return False


def _signal(policy: Policy, request: SignalRequest) -> bool:
    match policy.signals:
        case Signals.ANY:
            return True
        case Signals.TERMINATE:
            return request.inside or request.signal in (0, *_TERMINATING)
        case Signals.ISOLATED:
            return request.inside
        case Signals.SELF:
            return False
