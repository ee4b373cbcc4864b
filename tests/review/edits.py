# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Draw policies and single edits of them, and compare what a report says of each.

What a policy decides is asked of `decide`, and for what takes several calls of a
table of truth here; both know nothing of artifacts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import islice

import policies
from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.targets import System as Host
from stockade.driver.linux import build_linux
from stockade.driver.review import JUDGES
from stockade.model.decide import covers, decide, rules_by_call
from stockade.model.environment import folded_name, variables
from stockade.model.policy import (
    Access,
    Base,
    Children,
    Grant,
    Ip,
    Policy,
    Signals,
    Sockets,
    System,
    UnixSockets,
)
from stockade.model.request import (
    AnyRequest,
    BindRequest,
    CallRequest,
    ConnectRequest,
    EnvironmentRequest,
    ListenRequest,
    PathAction,
    PathRequest,
    SignalRequest,
    Situation,
    SpawnRequest,
    StartRequest,
    StreamRequest,
    Transport,
    UnixRequest,
)
from stockade.plan.variants import lowest_abi
from stockade.render.shell import shell_words
from stockade.review.change import Case, Finding, Kind
from stockade.review.difference import differences
from stockade.review.request_words import PROGRAM, read_request
from stockade.review.subject import Subject
from vectors import argument_vectors

_PATHS = (
    *("/", "/srv", "/srv/in", "/srv/in/deep", "/srv/in/deep/er", "/srv/inside"),
    *("/opt/tools", "/etc", "/etc/hosts", "/usr", "/dev", "/home/u/my files"),
)
_NAMES = ("LANG", "LD_PRELOAD", "PATH", "SSH_AUTH_SOCK", "TERM", "X")
_ABIS = range(1, 12)
_DECISIONS = (Kind.NEWLY_ALLOWED, Kind.NEWLY_DENIED)
_SINCE = {PathAction.MOVE: 2, PathAction.DEVICE_REQUEST: 5}
_FILE_ACTIONS = tuple(one for one in PathAction if one is not PathAction.CONNECT)
_TERMINATING = {0, 1, 2, 3, 9, 15, 18, 19}
_VECTORS = 160


def chain(seed: int, length: int) -> Iterator[tuple[Policy, Policy]]:
    """Draw a policy and edits, each of what the one before left."""
    chance = random.Random(seed)
    old = Policy()
    for _ in range(12):
        old = _edited(old, chance)
    for _ in range(length):
        new = _edited(old, chance)
        yield old, new
        old = new


def _edited(old: Policy, chance: random.Random) -> Policy:
    while True:
        edit = chance.choice((_key, _key, _grant, _grant, _variable, _system))
        new = edit(old, chance)
        chosen = {name: getattr(new, name) for name in policies._KEYS}
        if new != old and not policies._contradicts(chosen):
            return new


def _key(old: Policy, chance: random.Random) -> Policy:
    name = chance.choice(sorted(policies._KEYS))
    return replace(old, **{name: chance.choice(policies._KEYS[name])})


def _grant(old: Policy, chance: random.Random) -> Policy:
    grants = list(old.grants)
    one = Grant(chance.choice(_PATHS), chance.choice(tuple(Access)))
    if grants and chance.random() < 0.6:
        taken = grants.pop(chance.randrange(len(grants)))
        one = chance.choice((replace(one, path=taken.path), one))
    if len(grants) < 6 and chance.random() < 0.8:
        grants.append(one)
    return replace(old, grants=tuple(sorted(set(grants))))


def _variable(old: Policy, chance: random.Random) -> Policy:
    if chance.random() < 0.3:
        return replace(old, environment_base=chance.choice(tuple(Base)))
    name = chance.choice(_NAMES)
    passed = {one for one in old.pass_names if one != name}
    values = {one: value for one, value in old.set_values if one != name}
    match chance.randrange(3):
        case 0:
            passed |= {name}
        case 1:
            values[name] = chance.choice(("/usr/bin", "a b", ""))
    return replace(
        old,
        pass_names=tuple(sorted(passed)),
        set_values=tuple(sorted(values.items())),
    )


def _system(old: Policy, chance: random.Random) -> Policy:
    return replace(old, system=chance.choice(tuple(System)))


@lru_cache(maxsize=8)
def subject(policy: Policy, target: str) -> Subject:
    """Build one side, which two edits of a chain share."""
    return Subject(build_linux(policy, "x", target), policy)


@dataclass(frozen=True)
class Said:
    """One case of a report with the request read back and the hosts it holds on."""

    kind: Kind
    case: Case
    request: AnyRequest
    abis: frozenset[int]


def abis_of(words: str) -> frozenset[int]:
    """Read back which Landlock ABIs the words for kinds of hosts name."""
    if words == "every host":
        return frozenset(_ABIS)
    found: set[int] = set()
    assert words.startswith("Landlock ABI "), words
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", words):
        found |= set(range(int(first), int(last or first) + 1))
    return frozenset(found)


def said_of(found: tuple[Finding, ...], arch: str) -> list[Said]:
    """Read every witness of a decision back."""
    return [
        Said(
            one.change.kind,
            case,
            read_request(shell_words(case.witness), arch),
            abis_of(case.hosts or one.hosts),
        )
        for one in found
        if one.change.kind is not Kind.MECHANISM
        for case in one.change.cases
    ]


def faults(old: Policy, new: Policy, target: str) -> list[str]:
    """List where a report on one edit and the meanings of its policies differ."""
    arch = target.removeprefix("linux-")
    found = differences(subject(old, target), subject(new, target), JUDGES)
    said = said_of(found, arch)
    both = [abi for abi in _ABIS if abi >= max(lowest_abi(old), lowest_abi(new))]
    return [
        *_not_so(old, new, said, arch),
        *_starts(old, new, said),
        *_paths(old, new, said, both),
        *_calls(old, new, said, both, arch),
        *_reaches(old, new, said, both),
        *variable_faults(old, new, said),
    ]


def _not_so(old: Policy, new: Policy, said: list[Said], arch: str) -> Iterator[str]:
    """Ask about each witness: what is said must be so on each of its hosts."""
    for one in said:
        if isinstance(one.request, StreamRequest | StartRequest | EnvironmentRequest):
            continue
        if isinstance(one.request, PathRequest) and one.request.path == PROGRAM:
            continue
        for abi in one.abis:
            if isinstance(one.request, CallRequest):
                meant = tuple(
                    _call(side, arch, abi, one.request) for side in (old, new)
                )
                if meant != (one.case.before, one.case.after):
                    yield f"said {one.case} on ABI {abi}, meant {meant}"
                continue
            meant = tuple(allowed(side, abi, one.request) for side in (old, new))
            answers = (one.case.before == "allow", one.case.after == "allow")
            if meant != answers:
                yield f"said {one.case} on ABI {abi}, meant {meant}"


def _call(policy: Policy, arch: str, abi: int, request: CallRequest) -> str:
    return decide(policy, Situation(arch, abi), request).errno or "allow"


def allowed(policy: Policy, abi: int, request: AnyRequest) -> bool:
    """Tell what a policy means about a request."""
    has_ip = policy.ip is not Ip.NONE and policy.sockets is Sockets.POLICY
    match request:
        case PathRequest(path, action):
            if action is PathAction.TRUNCATE and abi < 3:
                # Without a right of its own a file is emptied by who may write it.
                request = PathRequest(path, PathAction.WRITE)
            return decide(policy, Situation("x86_64", abi), request).allowed
        case ConnectRequest():
            return has_ip
        case BindRequest(port, transport):
            since = 4 if transport is Transport.TCP else 10
            free = policy.ip is Ip.ALL or port == 0 or abi < since
            return has_ip and free
        case ListenRequest():
            return has_ip and policy.ip is Ip.ALL
        case UnixRequest():
            return policy.unix_sockets is UnixSockets.ALL
        case SpawnRequest():
            return policy.children is not Children.NONE
        case SignalRequest():
            return _signal(policy, request)
    raise AssertionError(request)


def _signal(policy: Policy, request: SignalRequest) -> bool:
    if request.inside and policy.children is Children.NONE:
        return False
    match policy.signals:
        case Signals.ANY:
            return True
        case Signals.TERMINATE:
            return request.signal in _TERMINATING
        case Signals.ISOLATED:
            return request.inside
    return False


def changed_kind(before: bool, after: bool) -> Kind | None:
    if before == after:
        return None
    return Kind.NEWLY_ALLOWED if after else Kind.NEWLY_DENIED


def _starts(old: Policy, new: Policy, said: list[Said]) -> Iterator[str]:
    for abi in _ABIS:
        meant = changed_kind(abi >= lowest_abi(old), abi >= lowest_abi(new))
        kinds = {
            one.kind
            for one in said
            if one.request == StartRequest() and abi in one.abis
        }
        if kinds != ({meant} if meant else set()):
            yield f"start on ABI {abi}: said {kinds}, meant {meant}"


def _paths(
    old: Policy, new: Policy, said: list[Said], abis: list[int]
) -> Iterator[str]:
    about = [
        one
        for one in said
        if isinstance(one.request, PathRequest) and one.kind in _DECISIONS
    ]
    for path in _asked(old, new):
        for action in _FILE_ACTIONS:
            request = PathRequest(path, action)
            meant = changed_kind(allowed(old, 11, request), allowed(new, 11, request))
            for abi in reversed(abis):
                if abi < _SINCE.get(action, 1):
                    continue
                if action is PathAction.TRUNCATE and abi < 3:
                    sides = (allowed(side, abi, request) for side in (old, new))
                    meant = changed_kind(*sides)
                kinds = [
                    one.kind
                    for one in about
                    if isinstance(one.request, PathRequest)
                    and one.request.action is action
                    and abi in one.abis
                    and covers(one.request.path, path)
                    and not any(covers(spared, path) for spared in one.case.spared)
                ]
                if kinds != ([meant] if meant else []):
                    yield f"{action} {path} on ABI {abi}: said {kinds}, meant {meant}"


def _asked(old: Policy, new: Policy) -> list[str]:
    """List paths on, above, below and beside all that an edit can touch."""
    found = {"/", "/nowhere", "/etc/hosts", "/etc/ld.so.cache", "/dev/null", "/usr/lib"}
    for grant in {*old.grants, *new.grants}:
        base = grant.path.rstrip("/")
        found |= {grant.path, f"{base}/below/it", f"{base}.beside"}
        found.add(base.rpartition("/")[0] or "/")
    return sorted(one for one in found if one.startswith("/"))


def _calls(
    old: Policy, new: Policy, said: list[Said], abis: list[int], arch: str
) -> Iterator[str]:
    """Try the borders of each call whose rules an edit changes."""
    situation = {abi: Situation(arch, abi) for abi in abis}
    seen: set[object] = set()
    for abi in reversed(abis):
        rules = rules_by_call(old, abi), rules_by_call(new, abi)
        for name in sorted({*rules[0], *rules[1]}):
            sides = tuple(one.get(name, ()) for one in rules)
            if sides[0] == sides[1] or (name, sides) in seen:
                continue
            seen.add((name, sides))
            reported = {
                (one.case.before, one.case.after)
                for one in said
                if one.case.name == name and abi in one.abis
            }
            vectors = argument_vectors(arch, name, sides[0] + sides[1])
            for request in islice(vectors, _VECTORS):
                answers = tuple(
                    decide(side, situation[abi], request).errno or "allow"
                    for side in (old, new)
                )
                if answers[0] != answers[1] and answers not in reported:
                    yield f"{name} {request.args} on ABI {abi}: not said {answers}"


def _reaches(
    old: Policy, new: Policy, said: list[Said], abis: list[int]
) -> Iterator[str]:
    requests: list[AnyRequest] = [SpawnRequest()]
    requests += [UnixRequest("/run/user/1000/bus"), UnixRequest("@/tmp/.X11-unix/X0")]
    for transport in Transport:
        requests.append(ConnectRequest("example.com", 443, transport))
        requests += [BindRequest(port, transport) for port in (0, 443)]
    requests += [ListenRequest(port) for port in (0, 443)]
    requests += [
        SignalRequest(number, inside)
        for number in range(65)
        for inside in (False, True)
    ]
    by_request: dict[AnyRequest, list[Said]] = {}
    for one in said:
        if one.kind in _DECISIONS:
            by_request.setdefault(one.request, []).append(one)
    for request in requests:
        for abi in abis:
            meant = changed_kind(allowed(old, abi, request), allowed(new, abi, request))
            kinds = [one.kind for one in by_request.get(request, ()) if abi in one.abis]
            if kinds != ([meant] if meant else []):
                yield f"{request} on ABI {abi}: said {kinds}, meant {meant}"


def variable_faults(
    old: Policy, new: Policy, said: list[Said], system: Host = Host.LINUX
) -> Iterator[str]:
    """List where a report and two policies differ on variables."""
    before, after = (
        {folded_name(one.name, system): one.value for one in variables(side, system)}
        for side in (old, new)
    )
    names = (folded_name(name, system) for name in _NAMES)
    for name in sorted({*before, *after, *names}):
        meant: set[Kind] = set()
        if (name in before) != (name in after) or (
            name in before and (before[name] is None) != (after[name] is None)
        ):
            widened = name in after and (name not in before or after[name] is None)
            meant = {Kind.NEWLY_ALLOWED if widened else Kind.NEWLY_DENIED}
        kinds = {
            one.kind
            for one in said
            if isinstance(one.request, EnvironmentRequest)
            and folded_name(one.request.name, system) == name
        }
        if kinds != meant:
            yield f"env {name}: said {kinds}, meant {meant}"


def run(number: int, seed: int) -> Iterator[str]:
    """Try so many edits, one target an edit, both over the run; give the faults."""
    every = sorted(LINUX_TARGETS)
    length = 10
    for at in range(number // length):
        for old, new in chain(seed + at, length):
            for fault in faults(old, new, every[at % len(every)]):
                changed = [
                    f"{one.name} {getattr(old, one.name)} -> {getattr(new, one.name)}"
                    for one in fields(Policy)
                    if getattr(old, one.name) != getattr(new, one.name)
                ]
                yield f"{'; '.join(changed)}: {fault}; {old}"
