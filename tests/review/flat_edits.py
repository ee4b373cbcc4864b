# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Draw single edits for macOS and Windows, and compare what a report says of each.

What an edit changes is asked of `expect`, the meaning with its named deviations,
over the sheet of both policies: no judge of artifacts is asked here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from edits import Said, changed_kind, said_of, variable_faults

from stockade.abi.targets import System
from stockade.model.deviation import expect
from stockade.model.deviations import DEVIATIONS
from stockade.model.path_family import folded, folders_above
from stockade.model.policy import (
    Access,
    Base,
    Children,
    Commands,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Others,
    PathMetadata,
    Policy,
    ProjectFiles,
    Relays,
    Signals,
    Sockets,
    Symlinks,
    UnixSockets,
)
from stockade.model.policy import System as SystemSet
from stockade.model.request import (
    BindRequest,
    ConnectRequest,
    EnvironmentRequest,
    FileRequest,
    ListenRequest,
    NeutralRequest,
    PathRequest,
    UnixRequest,
)
from stockade.model.sheet import LOCAL, LOCAL_BY_IPV6, NEIGHBOUR, OUTSIDE, sheet
from stockade.review.change import Finding, Kind, Scope
from stockade.review.family import USUAL_PORTS

PATHS = {
    System.MACOS: (
        *("/srv", "/srv/in", "/srv/in/deep", "/srv/in/deep/er", "/srv/inside"),
        *("/opt/tools", "/usr", "/usr/lib", "/Users/u/my files", "/private/tmp/x"),
    ),
    System.WINDOWS: (
        *("C:\\srv", "C:\\srv\\in", "C:\\srv\\in\\deep", "C:\\srv\\inside"),
        *("C:\\Tools", "D:\\data", "D:\\data\\my files", "C:\\Users\\u\\work"),
    ),
}
_NAMES = ("LANG", "LD_PRELOAD", "PATH", "TERM", "X")
_SERVICES = ("com.apple.trustd.agent", "com.example.a", "com.example.b")
# Every key whose words may differ; a system that cannot hold one refuses the policy.
_WORDS: dict[str, tuple[object, ...]] = {
    "system": tuple(SystemSet),
    "ip": tuple(Ip),
    "unix_sockets": tuple(UnixSockets),
    "sockets": tuple(Sockets),
    "signals": tuple(Signals),
    "children": tuple(Children),
    "path_metadata": tuple(PathMetadata),
    "symlinks": tuple(Symlinks),
    "commands": tuple(Commands),
    "others": tuple(Others),
    "environment_base": tuple(Base),
    "project_files": tuple(ProjectFiles),
    "relays": tuple(Relays),
}
_EXPOSED = (Expose("127.0.0.1:18080", 8080), Expose("127.0.0.1:18443", 443))
_FORWARDED = (Forward(5432, "127.0.0.1:15432"),)

Holds = Callable[[Policy], bool]
Compare = Callable[[Policy, Policy], tuple[Finding, ...]]


def chain(
    seed: int, length: int, system: System, first: Policy, holds: Holds
) -> Iterator[tuple[Policy, Policy]]:
    """Draw a policy that a system holds, and edits, each of what was left before."""
    chance = random.Random(seed)
    old = first
    for _ in range(12):
        old = _edited(old, chance, system, holds)
    for _ in range(length):
        new = _edited(old, chance, system, holds)
        yield old, new
        old = new


def _edited(old: Policy, chance: random.Random, system: System, holds: Holds) -> Policy:
    while True:
        edits = (_word, _word, _word, _grant, _grant, _grant, _variable, _service)
        new = chance.choice((*edits, _relay))(old, chance, system)
        if new != old and _is_read(new) and holds(new):
            return new


def _is_read(policy: Policy) -> bool:
    """Tell whether the reader takes ports, and how they are reached, beside an `ip`."""
    relayed = policy.expose or policy.forward or policy.egress
    by_ipv4 = policy.relays is Relays.IPV4
    return policy.ip is Ip.PRIVATE or not (relayed or by_ipv4)


def _word(old: Policy, chance: random.Random, _system: System) -> Policy:
    name = chance.choice(sorted(_WORDS))
    changes: dict[str, object] = {name: chance.choice(_WORDS[name])}
    return replace(old, **changes)  # type: ignore[arg-type]


def _grant(old: Policy, chance: random.Random, system: System) -> Policy:
    grants = list(old.grants)
    accesses = (Access.READ, Access.READ_EXEC, Access.READ_WRITE)
    one = Grant(chance.choice(PATHS[system]), chance.choice(accesses))
    if grants and chance.random() < 0.6:
        taken = grants.pop(chance.randrange(len(grants)))
        one = chance.choice((replace(one, path=taken.path), one))
    if len(grants) < 5 and chance.random() < 0.8:
        grants.append(one)
    return replace(old, grants=tuple(sorted(set(grants))))


def _variable(old: Policy, chance: random.Random, _system: System) -> Policy:
    name = chance.choice(_NAMES)
    passed = {one for one in old.pass_names if one != name}
    values = {one: value for one, value in old.set_values if one != name}
    match chance.randrange(3):
        case 0:
            passed |= {name}
        case 1:
            values[name] = chance.choice(("/usr/bin", "a b"))
    return replace(
        old,
        pass_names=tuple(sorted(passed)),
        set_values=tuple(sorted(values.items())),
    )


def _service(old: Policy, chance: random.Random, system: System) -> Policy:
    if system is not System.MACOS:
        return old
    some = {one for one in _SERVICES if chance.random() < 0.5}
    return replace(old, mach_services=tuple(sorted(some)))


def _relay(old: Policy, chance: random.Random, _system: System) -> Policy:
    if old.ip is not Ip.PRIVATE:
        return replace(old, ip=Ip.PRIVATE)
    return chance.choice(
        (
            replace(old, expose=chance.choice((_EXPOSED[:1], _EXPOSED, ()))),
            replace(old, forward=chance.choice((_FORWARDED, ()))),
            replace(old, egress=chance.choice((Egress(1080), None))),
        )
    )


def faults(
    old: Policy, new: Policy, system: System, found: tuple[Finding, ...]
) -> Iterator[str]:
    """List where a report on one edit and the meanings of its policies differ."""
    asked = sheet((old, new), system)
    told = _Told(said_of(found, ""), _sentences(found), system, asked)
    yield from variable_faults(old, new, told.said, system)
    for request in asked:
        if isinstance(request, EnvironmentRequest):
            continue
        meant = changed_kind(
            *(
                expect(side, system, request, DEVIATIONS[system])[0].allowed
                for side in (old, new)
            )
        )
        kinds = told.kinds(request)
        if kinds != ([meant] if meant else []):
            yield f"{request}: said {kinds}, meant {meant}"


def _sentences(found: tuple[Finding, ...]) -> dict[str, str]:
    """Give the sentence that goes with each witness."""
    return {
        case.witness: str(one.change.sentence)
        for one in found
        for case in one.change.cases
    }


class _Told:
    """What a report tells, asked request by request."""

    def __init__(
        self,
        said: list[Said],
        sentences: dict[str, str],
        system: System,
        asked: tuple[NeutralRequest, ...],
    ) -> None:
        self.said = [one for one in said if one.kind is not Kind.MECHANISM]
        self._sentences = sentences
        self._system = system
        ports = [one.port for one in asked if isinstance(one, BindRequest)]
        # The port that stands for all that no policy and no sheet names.
        self._any_port = next(one for one in USUAL_PORTS if one not in ports)

    def kinds(self, request: NeutralRequest) -> list[Kind]:
        """List the kinds of change that the report tells of a request."""
        return [one.kind for one in self.said if self._stands_for(one, request)]

    def _stands_for(self, one: Said, request: NeutralRequest) -> bool:
        if isinstance(request, ConnectRequest | BindRequest | ListenRequest):
            return self._of_port(one, request)
        if isinstance(request, UnixRequest):
            return self._of_socket(one, request)
        if isinstance(request, FileRequest):
            return self._of_path(one, request)
        return one.request == request

    def _of_path(self, one: Said, request: FileRequest) -> bool:
        told = one.request
        if type(told) is not type(request):
            return False
        assert isinstance(told, FileRequest)
        actions = [
            one.action for one in (told, request) if isinstance(one, PathRequest)
        ]
        if len(set(actions)) > 1:
            return False
        if one.case.scope is Scope.ITSELF:
            return told.path == request.path
        above = {folded(path, self._system) for path in folders_above(request.path)}
        spared = {
            folded(path.replace("\\\\", "\\"), self._system) for path in one.case.spared
        }
        top = told.path
        if one.case.scope is Scope.FOLDER:
            # The path is an entry that stands for all in its folder.
            top = next(path for path in folders_above(top) if path != top)
            above -= (
                {folded(request.path, self._system)} if request.path == top else set()
            )
        return folded(top, self._system) in above and not spared & above

    def _of_socket(self, one: Said, request: UnixRequest) -> bool:
        if not isinstance(one.request, UnixRequest):
            return False
        if request.address.startswith("@") == one.request.address.startswith("@"):
            return request == one.request or self._is_any(one, request.address)
        return False

    def _of_port(
        self, one: Said, request: ConnectRequest | BindRequest | ListenRequest
    ) -> bool:
        told = one.request
        if isinstance(request, ConnectRequest):
            sentence = self._sentence(one)
            host = request.host
            if host == LOCAL_BY_IPV6 and "over IP" not in sentence:
                host = LOCAL
            if (
                host == OUTSIDE
                or (host == NEIGHBOUR and "other machines" in sentence)
                or (host == LOCAL and "and this one" in sentence)
            ):
                host = "example.com"
            request = replace(request, host=host)
        usual = type(told) is type(request) and (
            replace(told, port=request.port) == request  # type: ignore[arg-type,call-arg]
        )
        return usual and (
            told == request or (request.port != 0 and self._is_any(one, request.port))
        )

    def _sentence(self, one: Said) -> str:
        return self._sentences[one.case.witness]

    def _is_any(self, one: Said, name: str | int) -> bool:
        """Tell whether a case is of what has no name, and the name is not left out."""
        sentence = self._sentence(one)
        address = getattr(one.request, "address", "")
        port = getattr(one.request, "port", self._any_port)
        representative = port == self._any_port and address in {
            *("", "/run/user/1000/bus", "C:\\elsewhere\\socket", "@/tmp/.X11-unix/X0")
        }
        named = sentence.partition(" but ")[2].replace("`", "").replace(" and ", ", ")
        return representative and str(name) not in named.split(", ")


def run(
    number: int,
    seed: int,
    system: System,
    first: Policy,
    holds: Holds,
    compare: Compare,
) -> Iterator[str]:
    """Try so many edits on one system; give the faults."""
    length = 10
    for at in range(number // length):
        for old, new in chain(seed + at, length, system, first, holds):
            for fault in faults(old, new, system, compare(old, new)):
                changed = [
                    f"{one.name} {getattr(old, one.name)} -> {getattr(new, one.name)}"
                    for one in fields(Policy)
                    if getattr(old, one.name) != getattr(new, one.name)
                ]
                yield f"{'; '.join(changed)}: {fault}; {old}"
