# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put requests that differ in one point alone into words together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from stockade.model.place import Place
from stockade.model.request import AnyRequest, SignalRequest
from stockade.render.prose import Piece, Sentence, code, listed, sentence
from stockade.render.text import plain
from stockade.review.change import Case, Fact, Topic, kind_of
from stockade.review.request_words import request_text, signal_name

# A name that no one has (RFC 2606), and ports and signals that a reader knows best.
HOST = "example.com"
USUAL_PORTS = (443, 80, 8080, 40000)
_WELL_KNOWN = (9, 15)
_SHOWN = 8
# How far a few named ports or sockets stand behind all of them.
_BEHIND = 5


@dataclass(frozen=True, slots=True)
class Family:
    """Requests that differ in one point alone, such as a port, each with its name.

    Where `open_` is set, the first stands for all that have no name.
    """

    rank: int
    deed: str
    requests: Mapping[AnyRequest, Piece]
    every: str = ""
    some: str = ""
    but: str = ""
    open_: bool = False

    def thing(self, changed: list[AnyRequest]) -> Sentence:
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

    def rank_of(self, changed: list[AnyRequest]) -> int:
        """Rank a few with names behind what stands for all others."""
        few = self.open_ and next(iter(self.requests)) not in changed
        return self.rank + _BEHIND if few else self.rank


def family_facts(
    family: Family,
    arch: str,
    answers: Callable[[AnyRequest], tuple[str, str]],
    keys: Callable[[AnyRequest], tuple[Place, ...]],
) -> Iterator[Fact]:
    """Give what two sides answer otherwise; both answers of a request are asked."""
    grouped: dict[tuple[str, str], list[AnyRequest]] = {}
    for request in family.requests:
        grouped.setdefault(answers(request), []).append(request)
    for (before, after), some in grouped.items():
        kind = kind_of(before, after)
        if kind is None:
            continue
        thing = family.thing(some)
        rules = keys(some[0])
        rank = family.rank_of(some)
        for request in some:
            text = request_text(request, arch)
            case = Case(text, text, plain(before), plain(after))
            yield Fact(kind, Topic.REACH, rank, family.deed, thing, case, rules)


def with_ports(
    rank: int, deed: str, whom: str, requests: Mapping[AnyRequest, Piece]
) -> Family:
    """Make a family of requests that differ in their port."""
    every, some, but = (
        f"{whom}{of}" for of in (", any port", ", port ", ", any port but ")
    )
    return Family(rank, deed, dict(requests), every, some, but, open_=True)


def signals(numbers: Iterable[int]) -> Iterator[Family]:
    """Make the families of signals, to others outside the sandbox and inside."""
    ordered = tuple(dict.fromkeys((*_WELL_KNOWN, *numbers)))
    for inside, rank, whom in (
        (False, 4, "this user's processes outside the sandbox"),
        (True, 41, "the processes that it started"),
    ):
        yield Family(
            rank,
            "send",
            {SignalRequest(one, inside): code(signal_name(one)) for one in ordered},
            f" any signal to {whom}",
            f" some signals to {whom}: ",
            f" most signals to {whom}, not ",
        )


def unix_sockets(requests: Mapping[AnyRequest, Piece]) -> Family:
    """Make the family of Unix sockets, that at any other path first."""
    return Family(
        1,
        "reach services of this machine through Unix sockets",
        requests,
        " at any path or abstract name",
        ": only ",
        ": any but ",
        open_=True,
    )
