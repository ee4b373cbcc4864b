# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Decide what takes several calls or walls: networks, sockets, signals, processes.

Also what calls on files beside reading and writing them are for.

A request goes through where some way of making it meets no refusal. Ways are the
plain ones of a program; that any other use of a call changes, the comparison of the
filters finds by itself.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from stockade.model.request import (
    BindRequest,
    Composite,
    ConnectRequest,
    HardLinkRequest,
    InspectRequest,
    ListenRequest,
    MetadataRequest,
    SeeRequest,
    SetIdRequest,
    SignalRequest,
    SpawnRequest,
    Transport,
    UnixRequest,
)
from stockade.review.change import ALLOWED
from stockade.review.walls import NOT_THERE, Walls

_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_SOCK_STREAM, _SOCK_DGRAM = 1, 2
_TYPES = {Transport.TCP: _SOCK_STREAM, Transport.UDP: _SOCK_DGRAM}
# All that the ways below are made of.
CALLS = (
    *("socket", "socketpair", "bind", "connect", "sendto", "listen", "accept"),
    *("accept4", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"),
    *("pidfd_send_signal", "clone", "clone3", "fork", "vfork"),
)
# A pointer and a descriptor, which no filter looks behind.
_POINTER, _DESCRIPTOR, _LENGTH = 0x10000, 3, 16
_SIGCHLD = 17
# A process that is neither the program nor, seen from it, without a number.
OTHER_PROCESS = 4000
_AT_FDCWD = (1 << 64) - 100
_Called: TypeAlias = (
    SpawnRequest
    | InspectRequest
    | MetadataRequest
    | SetIdRequest
    | HardLinkRequest
    | SeeRequest
)
Reach: TypeAlias = Composite | _Called
# Requests that are one call each; the first that goes through will do.
_CALLED: Mapping[type[_Called], tuple[tuple[str, tuple[int, ...]], ...]] = {
    SpawnRequest: (
        ("clone", (_SIGCHLD,)),
        ("fork", ()),
        ("vfork", ()),
        ("clone3", (_POINTER, 88)),
    ),
    InspectRequest: (("getpgid", (OTHER_PROCESS,)), ("getsid", (OTHER_PROCESS,))),
    MetadataRequest: (
        ("chmod", (_POINTER, 0o600)),
        ("fchmodat", (_AT_FDCWD, _POINTER, 0o600)),
        ("utimensat", (_AT_FDCWD, _POINTER, _POINTER, 0)),
    ),
    SetIdRequest: (
        ("chmod", (_POINTER, 0o4755)),
        ("fchmodat", (_AT_FDCWD, _POINTER, 0o4755)),
    ),
    # Landlock then judges that a file is made in the folder.
    HardLinkRequest: (
        ("link", (_POINTER, _POINTER)),
        ("linkat", (_AT_FDCWD, _POINTER, _AT_FDCWD, _POINTER, 0)),
    ),
    SeeRequest: (
        ("newfstatat", (_AT_FDCWD, _POINTER, _POINTER, 0)),
        ("faccessat", (_AT_FDCWD, _POINTER, 0)),
    ),
}
# Landlock's answers, by what it judges.
_PORT, _SOCKET_PATH, _SCOPE = "EACCES", "EACCES", "EPERM"


def answer(walls: Walls, request: Reach) -> str:
    """Answer a request: `allow`, or the error of the first refusal."""
    match request:
        case ConnectRequest():
            return _any_family(walls, request.host, request)
        case BindRequest():
            return _any_family(walls, "", request)
        case ListenRequest():
            return _listen(walls, request)
        case UnixRequest():
            return _unix(walls, request.address)
        case SignalRequest():
            return _signal(walls, request)
        case _:
            return _called(walls, type(request))


def _called(walls: Walls, kind: type[_Called]) -> str:
    return _some(walls.call(name, *args) for name, args in _CALLED[kind])


def _some(ways: Iterable[str]) -> str:
    """Take the first way that goes through, or the answer of the first there is."""
    first = NOT_THERE
    for one in ways:
        if one == ALLOWED:
            return ALLOWED
        if first == NOT_THERE:
            first = one
    return first


def _all(*steps: str) -> str:
    return next((step for step in steps if step != ALLOWED), ALLOWED)


def _wall(error: str, *, open_: bool) -> str:
    return ALLOWED if open_ else error


def _any_family(walls: Walls, host: str, request: ConnectRequest | BindRequest) -> str:
    return _some(_ip(walls, family, request) for family in _families(host))


def _families(host: str) -> tuple[int, ...]:
    """Tell the families that a host's address may be of; a name has any."""
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        return (_AF_INET, _AF_INET6)
    return (_AF_INET,) if version == 4 else (_AF_INET6,)


def _ip(walls: Walls, family: int, request: ConnectRequest | BindRequest) -> str:
    made = walls.call("socket", family, _TYPES[request.transport], 0)
    if isinstance(request, BindRequest):
        right = f"BIND_{request.transport.upper()}"
        return _all(made, _bind(walls), _port(walls, right, request.port))
    if request.transport is Transport.TCP:
        return _all(made, _connect(walls), _port(walls, "CONNECT_TCP", request.port))
    # The first datagram gets a port from the kernel, which Landlock judges as 0.
    return _all(
        made,
        _some((_send(walls), _connect(walls))),
        _port(walls, "CONNECT_SEND_UDP", request.port),
        _port(walls, "BIND_UDP", 0),
    )


def _port(walls: Walls, right: str, port: int) -> str:
    return _wall(_PORT, open_=walls.port(right, port))


def _bind(walls: Walls) -> str:
    return walls.call("bind", _DESCRIPTOR, _POINTER, _LENGTH)


def _connect(walls: Walls) -> str:
    return walls.call("connect", _DESCRIPTOR, _POINTER, _LENGTH)


def _send(walls: Walls) -> str:
    return walls.call("sendto", _DESCRIPTOR, _POINTER, 1, 0, _POINTER, _LENGTH)


def _listen(walls: Walls, request: ListenRequest) -> str:
    bound = answer(walls, BindRequest(request.port))
    if request.port == 0:
        # A socket that listens without an address gets one that nothing judges.
        made = (walls.call("socket", one, _SOCK_STREAM, 0) for one in _families(""))
        bound = _some((bound, _some(made)))
    accepted = _some(
        walls.call(name, _DESCRIPTOR, _POINTER, _POINTER)
        for name in ("accept4", "accept")
    )
    return _all(bound, walls.call("listen", _DESCRIPTOR, 1), accepted)


def _unix(walls: Walls, address: str) -> str:
    abstract = address.startswith("@")
    sent = _some((_send(walls), _connect(walls)))
    made = _some(
        (
            _all(walls.call("socket", _AF_UNIX, _SOCK_STREAM, 0), _connect(walls)),
            _all(walls.call("socket", _AF_UNIX, _SOCK_DGRAM, 0), sent),
            # One end of a pair of datagrams sends to any address.
            _all(walls.call("socketpair", _AF_UNIX, _SOCK_DGRAM, 0), sent),
        )
    )
    if abstract:
        kept = walls.scoped("ABSTRACT_UNIX_SOCKET")
        return _all(made, _wall(_SCOPE, open_=not kept))
    return _all(made, _wall(_SOCKET_PATH, open_=walls.socket_path(address)))


def _signal(walls: Walls, request: SignalRequest) -> str:
    other, number = OTHER_PROCESS, request.signal
    sent = _some(
        walls.call(name, *args)
        for name, args in (
            ("kill", (other, number)),
            ("tkill", (other, number)),
            ("tgkill", (other, other, number)),
            ("rt_sigqueueinfo", (other, number, _POINTER)),
            ("rt_tgsigqueueinfo", (other, other, number, _POINTER)),
            ("pidfd_send_signal", (_DESCRIPTOR, number)),
        )
    )
    if request.inside:
        # Without another process inside there is none to signal.
        return _all(_called(walls, SpawnRequest), sent)
    return _all(sent, _wall(_SCOPE, open_=not walls.scoped("SIGNAL")))
