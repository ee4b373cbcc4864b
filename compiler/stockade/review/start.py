# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what two artifacts hand to the program, and on what hosts they start it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stockade.abi.targets import SYSTEM_OF, System
from stockade.model.artifact import EnvironmentRow
from stockade.model.environment import folded_name
from stockade.model.place import Place
from stockade.model.policy import Access
from stockade.model.request import (
    AnyRequest,
    EnvironmentRequest,
    StartRequest,
    StreamRequest,
)
from stockade.render.prose import code, sentence
from stockade.render.text import plain
from stockade.review.change import ALLOWED, Case, Fact, Kind, Topic
from stockade.review.request_words import request_text
from stockade.review.subject import (
    AnySubject,
    changed_fields,
    on_linux,
    taken_streams,
)

_ABSENT, _PASSED, _REFUSED = "absent", "passed", "refused"
# Words of a request that need no architecture.
_ANY_ARCH = ""
# What names code that a program loads, and what holds or leads to credentials.
_CODE = re.compile(
    "LD_.*|PYTHON.*|PERL5.*|RUBY(OPT|LIB)|NODE_(OPTIONS|PATH)|BASH_ENV|ENV|PATH"
    "|(JAVA_TOOL|_JAVA|JDK_JAVA)_OPTIONS|CLASSPATH|GIT_.*|GCONV_PATH|LUA_.*"
)
_CREDENTIALS = re.compile(
    "SSH_.*|GPG_.*|GNUPGHOME|AWS_.*|KRB5CCNAME|XAUTHORITY|DBUS_.*|.*_AUTH.*|NETRC"
    "|.*(TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|ACCESS_KEY|PRIVATE_KEY).*"
)
# Each kind in words, and the key that it comes with.
_STREAMS = {
    "unix-connected": ("a connected Unix socket", "unix_sockets"),
    "unix-any": ("any other Unix socket", "unix_sockets"),
    "inet": ("an IP socket", "ip"),
    "route-netlink": ("a socket that reads the host's routes", "ip"),
    "pty-master": ("the master side of a terminal", ""),
    "tcp-connected": ("a connected TCP socket", "ip"),
}


def support_fact(*, starts: bool) -> Fact:
    """Say that a program starts, or no longer starts, on a host."""
    kind = Kind.NEWLY_ALLOWED if starts else Kind.NEWLY_DENIED
    case = _start_case("start", StartRequest(), allowed=starts)
    return Fact(kind, Topic.START, 6, "start on these hosts", sentence(), case)


def _start_case(name: str, request: AnyRequest, *, allowed: bool) -> Case:
    before, after = (_REFUSED, ALLOWED) if allowed else (ALLOWED, _REFUSED)
    text = request_text(request, _ANY_ARCH)
    return Case(plain(name), text, plain(before), plain(after))


def start_changes(old: AnySubject, new: AnySubject) -> Iterator[Fact]:
    """Give what changes about the start itself, the same on every host."""
    yield from _environment(old, new)
    yield from _streams(old, new)
    yield from _trusted(old, new)


def _environment(old: AnySubject, new: AnySubject) -> Iterator[Fact]:
    system = SYSTEM_OF[new.artifact.target]
    before, after = (
        {folded_name(row.name, system): row for row in side.artifact.environment}
        for side in (old, new)
    )
    for name in sorted({**before, **after}):
        had, has = _source(before.get(name)), _source(after.get(name))
        if had == has:
            continue
        row = after.get(name) or before[name]
        kind = _kind(had, has)
        passed = _PASSED in (had, has)
        rank, deed = (
            _passed(row.name) if passed else (34, "see variables as they are set")
        )
        side = new if kind is Kind.NEWLY_ALLOWED else old
        case = Case(
            plain(row.name),
            request_text(EnvironmentRequest(row.name), _ANY_ARCH),
            plain(had),
            plain(has),
        )
        rules = (_key(side, name, system),)
        thing = sentence(code(row.name))
        yield Fact(kind, Topic.VARIABLES, rank, deed, thing, case, rules)


def _key(side: AnySubject, name: str, system: System) -> Place:
    if name in (folded_name(one, system) for one in side.policy.pass_names):
        return side.key("pass_names")
    if name in (folded_name(one, system) for one, _ in side.policy.set_values):
        return side.key("set_values")
    return side.key("environment_base")


def _kind(had: str, has: str) -> Kind:
    if has == _PASSED or had == _ABSENT:
        return Kind.NEWLY_ALLOWED
    if has == _ABSENT or had == _PASSED:
        return Kind.NEWLY_DENIED
    # Both are the author's own.
    return Kind.MECHANISM


def _passed(name: str) -> tuple[int, str]:
    """Say what the caller's value of a variable may do, and how dangerous it is."""
    if _CODE.fullmatch(name):
        return 8, "load or run other code that variables of the caller name"
    if _CREDENTIALS.fullmatch(name.upper()):
        return 7, "see variables of the caller that hold credentials or lead to them"
    return 32, "see variables of the caller"


def _source(row: EnvironmentRow | None) -> str:
    if row is None:
        return _ABSENT
    return _PASSED if row.value is None else f"set to `{row.value}`"


def _streams(old: AnySubject, new: AnySubject) -> Iterator[Fact]:
    deed = "be started with a standard stream that is"
    for kind, side, other in (
        (Kind.NEWLY_ALLOWED, new, old),
        (Kind.NEWLY_DENIED, old, new),
    ):
        for name in taken_streams(side):
            if name not in taken_streams(other):
                allowed = kind is Kind.NEWLY_ALLOWED
                case = _start_case(name, StreamRequest(name), allowed=allowed)
                words, field = _STREAMS.get(name, (name, ""))
                rules = (
                    (new.key(field),)
                    if field in changed_fields(old.policy, new.policy)
                    else ()
                )
                yield Fact(kind, Topic.START, 33, deed, sentence(words), case, rules)


def _writes(subject: AnySubject) -> bool:
    """Tell whether a start has a writable path to judge, as the launcher does."""
    if on_linux(subject):
        kinds = [row.name for row in subject.artifact.classes if row.write]
        return any(row.class_name in kinds for row in subject.artifact.grants)
    return any(one.access is Access.READ_WRITE for one in subject.policy.grants)


def _trusted(old: AnySubject, new: AnySubject) -> Iterator[Fact]:
    """Compare the places that no writable path may reach, where there are any."""
    if not (_writes(old) and _writes(new)):
        # Without a writable path the list is empty and decides nothing.
        return
    before, after = old.artifact.trusted, new.artifact.trusted
    for kind, some, others in (
        (Kind.NEWLY_ALLOWED, before, after),
        (Kind.NEWLY_DENIED, after, before),
    ):
        for row in some:
            if row not in others:
                allowed = kind is Kind.NEWLY_ALLOWED
                name = f"{row.base} {row.path}".rstrip()
                request = StartRequest(writing=(row.base, row.path))
                case = _start_case(name, request, allowed=allowed)
                deed = "be started where it writes a place that other programs trust"
                yield Fact(kind, Topic.START, 5, deed, sentence(code(name)), case)
