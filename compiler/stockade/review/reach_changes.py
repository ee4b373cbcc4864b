# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what two variants let a program reach: hosts, sockets, processes.

Ports matter where a row names one, so those, the kernel's choice and one that no row
names stand for all; a socket's path does where a path rule names one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stockade.abi.landlock import fs_mask
from stockade.abi.signals import LAST_SIGNAL
from stockade.model.decide import folders_above
from stockade.model.policy import Policy
from stockade.model.request import (
    AnyRequest,
    BindRequest,
    Composite,
    ConnectRequest,
    ListenRequest,
    SpawnRequest,
    Transport,
    UnixRequest,
)
from stockade.render.prose import Piece, code
from stockade.review.change import Fact
from stockade.review.family import (
    HOST,
    USUAL_PORTS,
    Family,
    family_facts,
    signals,
    unix_sockets,
    with_ports,
)
from stockade.review.keys import Keys
from stockade.review.reach import answer
from stockade.review.walls import PolicyWalls, VariantWalls, Walls

# Sockets that most desktops have.
_ABSTRACT = "@/tmp/.X11-unix/X0"
_USUAL_SOCKETS = ("/run/user/1000/bus", "/nowhere/socket", "/")


def reach_changes(
    walls: tuple[VariantWalls, VariantWalls], abis: tuple[int, int], keys: Keys
) -> Iterator[Fact]:
    """Give what two variants decide otherwise about what lies beyond one wall."""
    arch = walls[0].arch
    for family in _families(walls):
        yield from family_facts(
            family,
            arch,
            lambda one: (_answer(walls[0], one), _answer(walls[1], one)),
            lambda one: keys.of(_meaning(arch, one), abis),
        )


def _answer(walls: Walls, request: AnyRequest) -> str:
    # A family holds no other requests.
    assert isinstance(request, Composite)
    return answer(walls, request)


def _meaning(arch: str, request: AnyRequest) -> Callable[[Policy, int], str]:
    return lambda policy, abi: _answer(PolicyWalls(policy, arch, abi), request)


def _families(walls: tuple[VariantWalls, VariantWalls]) -> Iterator[Family]:
    yield unix_sockets(dict(_addresses(walls)))
    ports = dict(_ports(walls))
    for transport, verb in (
        (Transport.TCP, "connect by TCP"),
        (Transport.UDP, "send by UDP"),
    ):
        yield with_ports(
            2,
            verb,
            " to other machines and this one",
            {
                ConnectRequest(HOST, port, transport): name
                for port, name in ports.items()
                if port
            },
        )
    yield with_ports(
        3,
        "take TCP connections",
        " from others",
        {ListenRequest(port): name for port, name in ports.items()},
    )
    yield from signals(range(LAST_SIGNAL + 1))
    yield Family(35, "start other processes", {SpawnRequest(): ""})
    for transport in Transport:
        yield with_ports(
            36,
            f"choose the port of a {transport.upper()} socket",
            "",
            {BindRequest(port, transport): name for port, name in ports.items()},
        )


def _ports(walls: tuple[VariantWalls, VariantWalls]) -> Iterator[tuple[int, str]]:
    written = sorted({row.port for side in walls for row in side.artifact.ports})
    others = (*USUAL_PORTS, *range(1, 0x10000))
    yield next(port for port in others if port not in written), "any other one"
    yield 0, "0 (the kernel's choice)"
    yield from ((port, str(port)) for port in written if port)


def _addresses(
    walls: tuple[VariantWalls, VariantWalls],
) -> Iterator[tuple[AnyRequest, Piece]]:
    """Give a path for each region of the right that sockets by path need."""
    right = fs_mask("RESOLVE_UNIX")
    named = {
        path
        for side in walls
        for path, mask in side.table().rights.items()
        if mask & right
    }
    usual = next(one for one in _USUAL_SOCKETS if not _lies_in(one, named))
    yield UnixRequest(usual), "those at any other path"
    yield UnixRequest(_ABSTRACT), "those with an abstract name"
    yield from ((UnixRequest(one), code(one)) for one in sorted(named))


def _lies_in(path: str, named: set[str]) -> bool:
    return any(above in named for above in folders_above(path) if above != "/")
