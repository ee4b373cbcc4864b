# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Answer requests from a Windows artifact, as Windows would by what is published of it.

Files are decided by the entries on a described host, the rest by capabilities, the
job and the child policy. Every answer is a simulation; docs/acl.md says what it leaves
out. INVARIANT: nothing here knows a policy or how an artifact is made.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from functools import cached_property

from stockade.abi.sid import capability_sid
from stockade.model.calls import ALLOW
from stockade.model.intent import DENY
from stockade.model.path_family import folders_above
from stockade.model.request import (
    BindRequest,
    ConnectRequest,
    Decision,
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
    UnixRequest,
)
from stockade.model.windows_artifact import JobLimit, Mitigation, WindowsArtifact
from stockade.proof.windows_acl.check import Answer
from stockade.proof.windows_host import OPEN_FOLDERS, Host, described_host
from stockade.proof.windows_needs import (
    ACTION_NEEDS,
    HARD_LINK,
    METADATA,
    UNIX_SOCKET,
    Needs,
    answer,
)

UNDECIDED = "undecided"
_ACTION_OF = {
    Answer.ALLOWED: ALLOW,
    Answer.DENIED: DENY,
    Answer.UNDECIDED: UNDECIDED,
}
_NEVER: dict[PathAction, str] = {
    PathAction.CREATE_LINK: "no container may make symbolic links",
    PathAction.CREATE_FIFO: "Windows has no pipes among files",
    PathAction.CREATE_CHARACTER_DEVICE: "Windows has no devices among files",
    PathAction.CREATE_BLOCK_DEVICE: "Windows has no devices among files",
}
_PRIVATE = frozenset({capability_sid("privateNetworkClientServer")})
_INWARD = frozenset({capability_sid("internetClientServer")})
_OUTSIDE = _INWARD | {capability_sid("internetClient")}
_EXEMPTION = "loopback-exemption"
_OWN_LOOPBACK = "the loopback among the container's own processes"
_PRIVATE_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        (
            *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
            *("fc00::/7", "fe80::/10"),
        ),
    )
)


@dataclass(frozen=True)
class WindowsEvaluator:
    """One artifact in force on a described host."""

    artifact: WindowsArtifact

    @cached_property
    def host(self) -> Host:
        """Describe the host once; raises what `described_host` does."""
        return described_host(self.artifact)

    @cached_property
    def _variables(self) -> frozenset[str]:
        return frozenset(one.name.casefold() for one in self.artifact.environment)

    def decide(self, request: NeutralRequest) -> Decision:
        """Decide one request: `allow`, `deny`, or `undecided` where sources differ."""
        asked = _asked_of_files(request)
        if asked is not None:
            return self._on_path(*asked)
        match request:
            case ConnectRequest() | BindRequest() | ListenRequest():
                return self._network(request)
            case EnvironmentRequest(name):
                there = name.casefold() in self._variables
                return Decision(ALLOW if there else DENY, "the environment's list")
            case SpawnRequest():
                return self._spawn()
            case _:
                return _of_every_container(request)

    def _on_path(self, path: str, needs: Needs) -> Decision:
        path = self._of_described_user(path)
        found = answer(self.host, path, needs)
        if found is Answer.UNDECIDED:
            return Decision(UNDECIDED, f"sources disagree on `{path}`")
        given = found is Answer.ALLOWED
        return Decision(_ACTION_OF[found], self._opened_by(path) if given else _CLOSED)

    def _of_described_user(self, path: str) -> str:
        """Ask about the described user's private folder in place of any user's."""
        if not _in_profile(path):
            return path
        own = self.host.private_folder.split("\\")
        names = path.split("\\")
        same = [one.casefold() for one in names[3 : len(own)]] == [
            one.casefold() for one in own[3:]
        ]
        return "\\".join((*own, *names[len(own) :])) if same else path

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {one.path.casefold(): one.path for one in self.artifact.entries}

    def _opened_by(self, path: str) -> str:
        for above in folders_above(path):
            if above.casefold() in self._paths:
                return f"the entries of `{self._paths[above.casefold()]}`"
            if above == self.host.private_folder:
                return "the container's own folder, see files-open-to-containers"
        return f"open to all application packages, as {', '.join(OPEN_FOLDERS)} are"

    def _network(
        self, request: ConnectRequest | BindRequest | ListenRequest
    ) -> Decision:
        """Decide by capabilities; the loopback of its own no container can lack."""
        sids = frozenset(one.sid for one in self.artifact.capabilities)
        if not isinstance(request, ConnectRequest):
            rule = "a network capability that lets connections in"
            return Decision(ALLOW, rule if sids & _INWARD else _OWN_LOOPBACK)
        if _local(request.host):
            exempt = any(one.name == _EXEMPTION for one in self.artifact.preflight)
            rule = "the loopback exemption that a start demands"
            return Decision(ALLOW, rule if exempt else _OWN_LOOPBACK)
        private = _on_private_network(request.host)
        if sids & (_PRIVATE if private else _OUTSIDE):
            return Decision(ALLOW, "a network capability")
        if private and sids & _OUTSIDE:
            # The system asks the network's profile, which no artifact can know.
            return Decision(DENY, "no capability, where its network counts as private")
        return Decision(DENY, "no network capability leads there")

    def _spawn(self) -> Decision:
        """Decide by two walls that each hold alone; with one, readings differ."""
        walls = (
            Mitigation.NO_CHILD_PROCESSES in self.artifact.mitigations,
            JobLimit.ONE_PROCESS in self.artifact.job_limits,
        )
        if all(walls):
            return Decision(DENY, "the child policy and the job's limit")
        if any(walls):
            return Decision(UNDECIDED, "one of two walls against child processes")
        return Decision(ALLOW, "nothing forbids child processes")


def _in_profile(path: str) -> bool:
    return path.casefold().startswith("c:\\users\\")


_CLOSED = "no entry that counts for the container"


def _asked_of_files(request: NeutralRequest) -> tuple[str, Needs] | None:
    """Give the path and the rights that a request is about, if lists decide it."""
    match request:
        case PathRequest(path, action) if action in ACTION_NEEDS:
            return path, ACTION_NEEDS[action]
        case MetadataRequest(path):
            return path, METADATA
        case HardLinkRequest(path):
            return path, HARD_LINK
        case UnixRequest(address) if not address.startswith("@"):
            return address, UNIX_SOCKET
        case _:
            return None


_OF_EVERY_CONTAINER: dict[type, tuple[str, str]] = {
    SeeRequest: (ALLOW, "a refusal tells what is there from what is not"),
    SetIdRequest: (DENY, "Windows has no such bits"),
    UnixRequest: (DENY, "Windows has no abstract names"),
    # What a list of processes shows is not asked here: docs/acl.md.
    InspectRequest: (DENY, "the user's processes have no entry for a container"),
    ServiceRequest: (DENY, "Windows has no such services"),
}


def _of_every_container(request: NeutralRequest) -> Decision:
    """Decide what no artifact changes."""
    match request:
        case PathRequest(_path, action):
            return Decision(DENY, _NEVER[action])
        case SignalRequest(_signal, inside):
            if inside:
                return Decision(ALLOW, "processes of one container open each other")
            return Decision(DENY, "the user's processes have no entry for a container")
        case _:
            return Decision(*_OF_EVERY_CONTAINER[type(request)])


def _local(host: str) -> bool:
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _on_private_network(host: str) -> bool:
    """Tell whether Windows may count a host as one of a private network.

    It goes by the profile of the network that the host is on, which nothing here can
    know; addresses for private use stand for those.
    """
    address = _address(host)
    return address is not None and any(address in one for one in _PRIVATE_NETWORKS)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return None
    # A socket of version 6 reaches a host of version 4 by such an address.
    mapped = found.ipv4_mapped if found.version == 6 else None
    return mapped or found
