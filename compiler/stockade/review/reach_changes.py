# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what two variants let a program reach: hosts, sockets, processes.

Ports matter where a row names one, so those, the kernel's choice and one that no row
names stand for all; a socket's path does where a path rule names one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from stockade.abi.landlock import fs_mask
from stockade.abi.signals import LAST_SIGNAL
from stockade.model.decide import folders_above
from stockade.model.policy import Policy
from stockade.model.request import (
    BindRequest,
    Composite,
    ConnectRequest,
    ListenRequest,
    SignalRequest,
    SpawnRequest,
    Transport,
    UnixRequest,
)
from stockade.render.prose import Piece, Sentence, code, listed, sentence
from stockade.render.text import plain
from stockade.review.change import Case, Fact, Topic, kind_of
from stockade.review.keys import Keys
from stockade.review.reach import answer
from stockade.review.request_words import request_text, signal_name
from stockade.review.walls import PolicyWalls, VariantWalls

# A name that no one has (RFC 2606), and sockets that most desktops have.
HOST = "example.com"
_ABSTRACT = "@/tmp/.X11-unix/X0"
_USUAL_SOCKETS = ("/run/user/1000/bus", "/nowhere/socket", "/")
# Those first that a reader knows best.
_WELL_KNOWN = (9, 15)
_USUAL_PORTS = (443, 80, 8080, 40000)
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class _Family:
    """Requests that differ in one point alone, such as a port, each with its name.

    Where `open_` is set, the first stands for all that have no name.
    """

    rank: int
    deed: str
    requests: dict[Composite, Piece]
    every: str = ""
    some: str = ""
    but: str = ""
    open_: bool = False

    def thing(self, changed: list[Composite]) -> Sentence:
        """Say of which requests among all something is said."""
        left = [name for one, name in self.requests.items() if one not in changed]
        if not left:
            return sentence(self.every)
        first = next(iter(self.requests))
        if first in changed if self.open_ else len(left) < len(changed):
            return sentence(self.but, listed(left, _SHOWN))
        return sentence(
            self.some, listed((self.requests[one] for one in changed), _SHOWN)
        )


def reach_changes(
    walls: tuple[VariantWalls, VariantWalls], abis: tuple[int, int], keys: Keys
) -> Iterator[Fact]:
    """Give what two variants decide otherwise about what lies beyond one wall."""
    arch = walls[0].arch
    for family in _families(walls):
        grouped: dict[tuple[str, str], list[Composite]] = {}
        for request in family.requests:
            answers = answer(walls[0], request), answer(walls[1], request)
            grouped.setdefault(answers, []).append(request)
        for (before, after), some in grouped.items():
            kind = kind_of(before, after)
            if kind is None:
                continue
            thing = family.thing(some)
            rules = keys.of(_meaning(arch, some[0]), abis)
            for request in some:
                text = request_text(request, arch)
                case = Case(text, text, plain(before), plain(after))
                yield Fact(
                    kind, Topic.REACH, family.rank, family.deed, thing, case, rules
                )


def _meaning(arch: str, request: Composite) -> Callable[[Policy, int], str]:
    return lambda policy, abi: answer(PolicyWalls(policy, arch, abi), request)


def _families(walls: tuple[VariantWalls, VariantWalls]) -> Iterator[_Family]:
    yield _Family(
        1,
        "reach services of this machine through Unix sockets",
        dict(_addresses(walls)),
        " at any path or abstract name",
        ": only ",
        ": any but ",
        open_=True,
    )
    ports = dict(_ports(walls))
    for transport, verb in (
        (Transport.TCP, "connect by TCP"),
        (Transport.UDP, "send by UDP"),
    ):
        yield _with_ports(
            2,
            verb,
            " to other machines and this one",
            {
                ConnectRequest(HOST, port, transport): name
                for port, name in ports.items()
                if port
            },
        )
    yield _with_ports(
        3,
        "take TCP connections",
        " from others",
        {ListenRequest(port): name for port, name in ports.items()},
    )
    yield from _signals()
    yield _Family(35, "start other processes", {SpawnRequest(): ""})
    for transport in Transport:
        yield _with_ports(
            36,
            f"choose the port of a {transport.upper()} socket",
            "",
            {BindRequest(port, transport): name for port, name in ports.items()},
        )


def _with_ports(
    rank: int, deed: str, whom: str, requests: Mapping[Composite, Piece]
) -> _Family:
    every, some, but = (
        f"{whom}{of}" for of in (", any port", ", port ", ", any port but ")
    )
    return _Family(rank, deed, dict(requests), every, some, but, open_=True)


def _signals() -> Iterator[_Family]:
    numbers = (*_WELL_KNOWN, *range(LAST_SIGNAL + 1))
    for inside, rank, whom in (
        (False, 4, "this user's processes outside the sandbox"),
        (True, 41, "the processes that it started"),
    ):
        yield _Family(
            rank,
            "send",
            {SignalRequest(one, inside): code(signal_name(one)) for one in numbers},
            f" any signal to {whom}",
            f" some signals to {whom}: ",
            f" most signals to {whom}, not ",
        )


def _ports(walls: tuple[VariantWalls, VariantWalls]) -> Iterator[tuple[int, str]]:
    written = sorted({row.port for side in walls for row in side.artifact.ports})
    others = (*_USUAL_PORTS, *range(1, 0x10000))
    yield next(port for port in others if port not in written), "any other one"
    yield 0, "0 (the kernel's choice)"
    yield from ((port, str(port)) for port in written if port)


def _addresses(
    walls: tuple[VariantWalls, VariantWalls],
) -> Iterator[tuple[Composite, Piece]]:
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
