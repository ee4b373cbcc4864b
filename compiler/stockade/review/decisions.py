# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what two artifacts decide, on every request that matters to their policies.

A judge answers for each artifact. Complete for the requests of `model/sheet`, which
stand for all: a decision changes at a path, a port or a name that a policy writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from stockade.model.request import (
    AnyRequest,
    BindRequest,
    ConnectRequest,
    InspectRequest,
    ListenRequest,
    NeutralRequest,
    PathRequest,
    ServiceRequest,
    SignalRequest,
    SpawnRequest,
    Transport,
    UnixRequest,
)
from stockade.model.sheet import LOCAL, LOCAL_BY_IPV6, NEIGHBOUR, OUTSIDE
from stockade.render.prose import Piece, code, listed, sentence
from stockade.render.text import plain
from stockade.review.change import Case, Fact, Topic, kind_of
from stockade.review.family import (
    HOST,
    USUAL_PORTS,
    Family,
    family_facts,
    signals,
    unix_sockets,
    with_ports,
)
from stockade.review.regions import file_facts
from stockade.review.request_words import request_text
from stockade.review.sides import Sides

_SHOWN = 8
_NO_ARCH = ""
_VERBS = {Transport.TCP: "connect by TCP", Transport.UDP: "send by UDP"}
# A socket of no one's, by the mark between the parts of a path.
_ANY_SOCKET = {"/": "/run/user/1000/bus", "\\": "C:\\elsewhere\\socket"}
_ANY_NAME = "@/tmp/.X11-unix/X0"


def decision_facts(
    sides: Sides, requests: tuple[NeutralRequest, ...], mark: str
) -> Iterator[Fact]:
    """Give what two artifacts decide otherwise; variables are compared as a table.

    `mark` stands between the parts of a path.
    """
    paths = {one.path: None for one in requests if isinstance(one, PathRequest)}
    yield from file_facts(sides, tuple(paths))
    for family in _families(sides, requests, mark):
        yield from family_facts(
            family,
            _NO_ARCH,
            lambda one: sides.answers(_asked(one)),
            lambda one: sides.rules(_asked(one)),
        )
    yield from _services(sides, requests)


def _asked(request: AnyRequest) -> NeutralRequest:
    """Give the request that is put to a judge: a name stands for an address."""
    # A family holds requests of a sheet.
    assert isinstance(request, NeutralRequest)
    if isinstance(request, ConnectRequest) and request.host == HOST:
        return replace(request, host=OUTSIDE)
    return request


def _families(
    sides: Sides, requests: tuple[NeutralRequest, ...], mark: str
) -> Iterator[Family]:
    yield unix_sockets(_sockets(sides, requests, mark))
    ports = tuple(
        dict.fromkeys(one.port for one in requests if isinstance(one, BindRequest))
    )
    for transport in Transport:
        yield from _connections(sides, ports, transport)
    listening = _by_port(sides, ports, ListenRequest)
    yield with_ports(3, "take TCP connections", " from others", listening)
    sent = dict.fromkeys(
        one.signal for one in requests if isinstance(one, SignalRequest)
    )
    yield from signals(sent)
    yield Family(35, "start other processes", {SpawnRequest(): ""})
    for transport in Transport:
        deed = f"choose the port of a {transport.upper()} socket"
        bound = _by_port(sides, ports, _binding(transport))
        yield with_ports(36, deed, "", bound)
    yield Family(42, "ask about other processes of this user", {InspectRequest(): ""})


_MakeRequest = Callable[[int], NeutralRequest]


def _connecting(host: str, transport: Transport) -> _MakeRequest:
    return lambda port: ConnectRequest(host, port, transport)


def _binding(transport: Transport) -> _MakeRequest:
    return lambda port: BindRequest(port, transport)


def _connections(
    sides: Sides, ports: tuple[int, ...], transport: Transport
) -> Iterator[Family]:
    """Part machines from each other where they are not reached alike."""
    some = tuple(port for port in ports if port)
    outside, near, local, by_ipv6 = (
        _by_port(sides, some, _connecting(host, transport))
        for host in (HOST, NEIGHBOUR, LOCAL, LOCAL_BY_IPV6)
    )
    here = {" to this machine": local}
    if not _alike(sides, local, by_ipv6):
        here = {
            " to this machine over IPv4": local,
            " to this machine over IPv6": by_ipv6,
        }
    there = {" to other machines": outside}
    if not _alike(sides, outside, near):
        there = {
            " to machines of the Internet": outside,
            " to machines of a private network": near,
        }
    whole = {**there, **here}
    if len(whole) == 2 and _alike(sides, outside, local):
        whole = {" to other machines and this one": outside}
    for whom, requests in whole.items():
        yield with_ports(2, _VERBS[transport], whom, requests)


def _alike(
    sides: Sides, some: Mapping[AnyRequest, Piece], others: Mapping[AnyRequest, Piece]
) -> bool:
    return _all_answers(sides, some) == _all_answers(sides, others)


def _all_answers(
    sides: Sides, requests: Mapping[AnyRequest, Piece]
) -> list[tuple[Piece, tuple[str, str]]]:
    return [(name, sides.answers(_asked(one))) for one, name in requests.items()]


def _by_port(
    sides: Sides, ports: tuple[int, ...], make: _MakeRequest
) -> dict[AnyRequest, Piece]:
    """Name the ports that are not answered as one is that no policy names."""
    any_other = make(next(port for port in USUAL_PORTS if port not in ports))
    found: dict[AnyRequest, Piece] = {any_other: "any other one"}
    usual = sides.answers(_asked(any_other))
    for port in ports:
        one = make(port)
        if port == 0:
            found[one] = "0 (the kernel's choice)"
        elif sides.answers(_asked(one)) != usual:
            found[one] = str(port)
    return found


def _sockets(
    sides: Sides, requests: tuple[NeutralRequest, ...], mark: str
) -> dict[AnyRequest, Piece]:
    """Name the sockets that are not answered as one at any path is."""
    any_other = UnixRequest(_ANY_SOCKET[mark])
    found: dict[AnyRequest, Piece] = {
        any_other: "those at any other path",
        UnixRequest(_ANY_NAME): "those with an abstract name",
    }
    usual = sides.answers(any_other)
    paths = (one for one in requests if isinstance(one, UnixRequest))
    for one in paths:
        if not one.address.startswith("@") and sides.answers(one) != usual:
            found[one] = code(one.address)
    return found


def _services(sides: Sides, requests: tuple[NeutralRequest, ...]) -> Iterator[Fact]:
    grouped: dict[tuple[str, str], list[ServiceRequest]] = {}
    for one in requests:
        if isinstance(one, ServiceRequest):
            grouped.setdefault(sides.answers(one), []).append(one)
    deed = "reach services of the system by name"
    for (before, after), some in grouped.items():
        kind = kind_of(before, after)
        if kind is None:
            continue
        thing = sentence(": ", listed((code(one.name) for one in some), _SHOWN))
        rules = sides.rules(some[0])
        for one in some:
            text = request_text(one, _NO_ARCH)
            case = Case(text, text, plain(before), plain(after))
            yield Fact(kind, Topic.REACH, 3, deed, thing, case, rules)
