# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name where a Seatbelt profile gives more or less than a policy means, and why.

Each row is one difference between `intend` and what the evaluator reads from a
profile. What only a real Mac could show is in docs/macos.md instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from stockade.abi.targets import System
from stockade.model.deviation import Deviation
from stockade.model.intent import LOOPBACK
from stockade.model.macos_paths import LINKS_IN_ROOT
from stockade.model.macos_set import (
    RESOLVER_SOCKET,
    listed_macos_folders,
    readable_macos_paths,
)
from stockade.model.path_family import folded, folders_above
from stockade.model.policy import (
    Access,
    Ip,
    PathMetadata,
    Policy,
    Relays,
    UnixSockets,
)
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
    SeeRequest,
    Transport,
    UnixRequest,
)


def _fold(path: str) -> str:
    return folded(path, System.MACOS)


# Grants of single files, below which nothing is granted.
_FILES = (Access.COMMAND,)


def _is_hidden(policy: Policy, request: NeutralRequest) -> bool:
    """Tell whether a path is neither granted nor on the way to one that is."""
    if not isinstance(request, SeeRequest):
        return False
    granted, between = _seen(policy)
    path = _fold(request.path)
    return path not in between and not any(
        above in granted for above in folders_above(path)
    )


@lru_cache(maxsize=8)
def _seen(policy: Policy) -> tuple[frozenset[str], frozenset[str]]:
    """Give what is seen with all below it, and what is seen alone."""
    trees = [grant.path for grant in policy.grants if grant.access not in _FILES]
    trees += readable_macos_paths(policy)
    alone = [grant.path for grant in policy.grants if grant.access in _FILES]
    alone += ("/", *listed_macos_folders(policy), *LINKS_IN_ROOT)
    for path in (*trees, *alone):
        alone += folders_above(path)
    return frozenset(map(_fold, trees)), frozenset(map(_fold, alone))


def _is_inspection(_policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, InspectRequest)


def _binds_datagrams(policy: Policy, request: NeutralRequest) -> bool:
    return (
        policy.ip is Ip.CLIENT
        and isinstance(request, BindRequest)
        and request.transport is Transport.UDP
    )


def _binds_streams(policy: Policy, request: NeutralRequest) -> bool:
    return (
        policy.ip is Ip.CLIENT
        and isinstance(request, BindRequest)
        and request.transport is Transport.TCP
    )


def _has_no_relay(policy: Policy, request: NeutralRequest) -> bool:
    """Tell whether a port of a loopback that macOS lacks is asked for."""
    if policy.ip is not Ip.PRIVATE:
        return False
    match request:
        case ConnectRequest(host, port):
            outward = {one.port for one in policy.forward}
            outward |= {policy.egress.port} if policy.egress else set()
            return host in LOOPBACK and port not in outward
        case BindRequest(port) | ListenRequest(port):
            return port not in {one.port for one in policy.expose}
        case _:
            return False


def _needs_ipv6(policy: Policy, request: NeutralRequest) -> bool:
    return (
        policy.relays is Relays.IPV4
        and isinstance(request, ConnectRequest)
        and ":" in request.host
    )


def _is_abstract(_policy: Policy, request: NeutralRequest) -> bool:
    return isinstance(request, UnixRequest) and request.address.startswith("@")


def _is_resolver(policy: Policy, request: NeutralRequest) -> bool:
    address = request.address if isinstance(request, UnixRequest) else ""
    return (
        policy.ip in {Ip.CLIENT, Ip.ALL}
        and policy.unix_sockets is UnixSockets.NONE
        and address == RESOLVER_SOCKET
    )


def _changes_metadata_outside(policy: Policy, request: NeutralRequest) -> bool:
    return (
        policy.path_metadata is PathMetadata.ALLOW
        and isinstance(request, MetadataRequest)
        and not _lies_in(policy, request.path, Access.READ_WRITE)
    )


def _lies_in(policy: Policy, path: str, access: Access) -> bool:
    roots = {_fold(grant.path) for grant in policy.grants if grant.access is access}
    return any(above in roots for above in folders_above(_fold(path)))


def _is_below_command(policy: Policy, request: NeutralRequest) -> bool:
    if not isinstance(request, PathRequest):
        return False
    path = _fold(request.path)
    if not _lies_in(policy, path, Access.COMMAND):
        return False
    if request.action is PathAction.EXECUTE:
        # With a list no other grant lets anything be executed.
        listed = (one for one in policy.grants if one.access is Access.COMMAND)
        return path not in {_fold(one.path) for one in listed}
    granted, between = _seen(policy)
    return path not in between and not any(
        above in granted for above in folders_above(path)
    )


def _names_beside(policy: Policy, request: NeutralRequest) -> bool:
    """Tell whether a second name would stand beside a writable path."""
    if not isinstance(request, HardLinkRequest):
        return False
    return not any(
        _lies_in(policy, above, Access.READ_WRITE)
        for above in list(folders_above(request.path))[1:]
    )


def _row(  # noqa: PLR0913 - one row of the table
    name: str,
    fields: str,
    applies: Callable[[Policy, NeutralRequest], bool],
    text: str,
    *,
    weaker: bool = False,
    warning: str = "",
) -> Deviation:
    return Deviation(
        name, System.MACOS, tuple(fields.split()), weaker, applies, text, warning
    )


MACOS_DEVIATIONS: tuple[Deviation, ...] = (
    _row(
        "outside-looks-missing",
        "grants system",
        _is_hidden,
        "a path that is neither granted nor on the way to one looks as if nothing were"
        " there",
    ),
    _row(
        "others-look-gone",
        "others",
        _is_inspection,
        "a program can ask about no process but itself",
    ),
    _row(
        "client-binds-datagrams",
        "ip",
        _binds_datagrams,
        "a UDP socket of a client binds to any port: no filter is known that tells the"
        " kernel's choice from others",
        weaker=True,
        warning="ip-client-udp",
    ),
    _row(
        "client-binds-no-streams",
        "ip",
        _binds_streams,
        "a TCP socket of a client gets its port by connecting alone",
    ),
    _row(
        "private-without-loopback",
        "ip expose forward egress",
        _has_no_relay,
        "there is no loopback of the program's own: it connects to forwarded and egress"
        " ports and listens on exposed ports, and its processes cannot talk to each"
        " other over IP",
    ),
    _row(
        "relays-without-ipv6",
        "relays",
        _needs_ipv6,
        "forwarded and egress ports are reached from IPv4 sockets alone",
    ),
    _row(
        "no-abstract-names",
        "unix_sockets",
        _is_abstract,
        "Unix sockets have no abstract names",
    ),
    _row(
        "resolver-is-reached",
        "ip unix_sockets",
        _is_resolver,
        "names resolve by the socket of the system's resolver",
        weaker=True,
        warning="resolver-socket",
    ),
    _row(
        "metadata-of-writable-paths",
        "path_metadata",
        _changes_metadata_outside,
        "metadata is changed in writable paths alone, whatever path_metadata says",
    ),
    _row(
        "writable-path-keeps-its-folder",
        "grants",
        _names_beside,
        "a writable path gets no second name: that would stand in the folder above it",
    ),
    _row(
        "commands-are-files",
        "commands",
        _is_below_command,
        "a listed command is one file; if it is a folder, nothing is granted below it",
    ),
)
