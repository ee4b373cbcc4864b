# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the requests that tell policies apart on one system.

Decisions change at paths, ports and names that a policy writes, so these, what lies
above, below and beside them, and one of each other kind stand for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stockade.abi.signals import SIGNALS
from stockade.abi.targets import System
from stockade.model.environment import variables
from stockade.model.macos_set import RESOLVER_SOCKET, readable_macos_paths
from stockade.model.path_family import family_on, folders_above
from stockade.model.policy import Policy, Relays
from stockade.model.project_files import protected_folders
from stockade.model.request import (
    BindRequest,
    ConnectRequest,
    EnvironmentRequest,
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
from stockade.model.system_set import readable_system_paths
from stockade.model.windows_set import OPEN_FOLDERS

OUTSIDE = "203.0.113.7"
NEIGHBOUR = "192.168.0.7"
LOCAL = "127.0.0.1"
LOCAL_BY_IPV6 = "::1"
_BELOW, _BESIDE = "x", "-x"
# Where nothing is granted unless a policy says so.
_ELSEWHERE = {"/": "/elsewhere/x", "\\": "C:\\elsewhere\\x"}
# One of each kind, in letters of both cases.
_PROJECT_FILES = (".git", ".GIT/hooks", ".config/Lefthook.yml", ".config", ".gitignore")
_PORTS = (0, 1, 80, 65535)
_SERVICES = ("com.apple.trustd.agent", "com.apple.SecurityServer")
# CONNECT is asked by UnixRequest.
_ACTIONS = tuple(one for one in PathAction if one is not PathAction.CONNECT)


def sheet(policies: Sequence[Policy], system: System) -> tuple[NeutralRequest, ...]:
    """List the requests that matter to any of these policies, each once.

    Policies hold the paths of this system alone: see `path_family.policy_on`.
    """
    return tuple(dict.fromkeys(_requests(policies, system)))


def _requests(policies: Sequence[Policy], system: System) -> Iterator[NeutralRequest]:
    for path in _paths(policies, system):
        for action in _ACTIONS:
            yield PathRequest(path, action)
        yield MetadataRequest(path)
        yield SetIdRequest(path)
        yield HardLinkRequest(path)
        yield SeeRequest(path)
        yield UnixRequest(path)
    yield UnixRequest("@name")
    if system is System.MACOS:
        yield UnixRequest(RESOLVER_SOCKET)
    yield from _of_networks(policies)
    for signal in (0, *SIGNALS.values()):
        for inside in (False, True):
            yield SignalRequest(signal, inside)
    yield SpawnRequest()
    yield InspectRequest()
    for name in dict.fromkeys(
        (*_SERVICES, *(one for policy in policies for one in policy.mach_services))
    ):
        yield ServiceRequest(name)
    names = {row.name: None for policy in policies for row in variables(policy, system)}
    for name in (*names, "LD_PRELOAD", "STOCKADE_NEVER_NAMED"):
        yield EnvironmentRequest(name)


def _paths(policies: Sequence[Policy], system: System) -> tuple[str, ...]:
    mark = family_on(system).value
    named = [grant.path for policy in policies for grant in policy.grants]
    for policy in policies:
        if system is System.LINUX:
            named += readable_system_paths(policy)
        elif system is System.MACOS:
            named += readable_macos_paths(policy)
        else:
            named += OPEN_FOLDERS
    found: list[str] = [_ELSEWHERE[mark]]
    for path in dict.fromkeys(named):
        found += folders_above(path)
        found.append(f"{path.rstrip(mark)}{mark}{_BELOW}")
        if not path.endswith(mark):
            found.append(path + _BESIDE)
    for policy in policies:
        for path in protected_folders(policy):
            found += (f"{path.rstrip(mark)}{mark}{name}" for name in _PROJECT_FILES)
    return tuple(dict.fromkeys(found))


def _of_networks(policies: Sequence[Policy]) -> Iterator[NeutralRequest]:
    ports = list(_PORTS)
    for policy in policies:
        ports += [one.port for one in policy.expose]
        ports += [one.port for one in policy.forward]
        ports += [policy.egress.port] if policy.egress else []
    for port in dict.fromkeys(ports):
        for transport in Transport:
            yield BindRequest(port, transport)
            if port:
                for host in (OUTSIDE, NEIGHBOUR, LOCAL):
                    yield ConnectRequest(host, port, transport)
        if port:
            yield ListenRequest(port)
        if port and any(one.relays is Relays.IPV4 for one in policies):
            yield ConnectRequest(LOCAL_BY_IPV6, port)
