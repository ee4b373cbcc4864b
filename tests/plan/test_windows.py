# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what is said of Windows with where a container deviates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from stockade.abi.targets import System
from stockade.model.deviation import expect
from stockade.model.intent import intend
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Grant,
    Ip,
    Ipc,
    Junctions,
    Others,
    PathMetadata,
    Policy,
    SelfCheck,
    Signals,
    Sockets,
    Symlinks,
    UnixSockets,
    Win32k,
)
from stockade.model.request import (
    ConnectRequest,
    ListenRequest,
    PathAction,
    PathRequest,
    SignalRequest,
    UnixRequest,
)
from stockade.model.sheet import NEIGHBOUR, OUTSIDE, sheet
from stockade.model.windows_deviations import WINDOWS_DEVIATIONS, on_private_network
from stockade.plan import requirements as linux
from stockade.plan.windows import requirements, warnings

_GRANTS = (
    Grant("C:\\app\\bin", Access.READ_EXEC),
    Grant("C:\\app\\data", Access.READ),
    Grant("D:\\out", Access.READ_WRITE),
)
_POLICY = Policy(appcontainer_name="example.app", grants=_GRANTS)
_LISTED = (
    *_GRANTS,
    Grant("C:\\tools\\one.exe", Access.COMMAND),
)


def _policies() -> Iterator[Policy]:
    """Give policies in which every value of each key meets others."""
    yield Policy(appcontainer_name="a")
    for ip, unix, signals in itertools.product(Ip, UnixSockets, Signals):
        yield replace(_POLICY, ip=ip, unix_sockets=unix, signals=signals)
    for metadata, symlinks, others in itertools.product(PathMetadata, Symlinks, Others):
        yield replace(_POLICY, path_metadata=metadata, symlinks=symlinks, others=others)
    for children in Children:
        yield replace(_POLICY, children=children, win32k=Win32k.DENY)
    yield replace(_POLICY, sockets=Sockets.NONE)
    yield replace(
        _POLICY,
        grants=_LISTED,
        commands=Commands.LISTED,
        children=Children.NONE,
    )


def _ids(policy: Policy) -> set[str]:
    return {line.id for line in warnings(policy)}


def _names(policy: Policy) -> set[str]:
    return {line.name for line in requirements(policy)}


def test_every_weaker_decision_is_warned_of() -> None:
    """S2-353 S1-186: whoever reads the warnings knows where a container gives more."""
    decided = {row.name: 0 for row in WINDOWS_DEVIATIONS}
    for policy in _policies():
        told = _ids(policy)
        for request in sheet((policy,), System.WINDOWS):
            decision, row = expect(policy, System.WINDOWS, request, WINDOWS_DEVIATIONS)
            if row is None:
                continue
            decided[row.name] += 1
            assert decision.allowed is row.weaker
            assert bool(row.warning) is row.weaker, row.name
            assert not row.weaker or row.warning in told, (policy, request, row.name)
    assert [name for name, count in decided.items() if not count] == []


def _deviates(policy: Policy, request: object) -> str:
    found = expect(policy, System.WINDOWS, request, WINDOWS_DEVIATIONS)[1]  # type: ignore[arg-type]
    return found.name if found else ""


@pytest.mark.parametrize(
    ("change", "request_", "name"),
    [
        ({}, PathRequest("c:\\windows\\x", PathAction.READ), "system-files-open"),
        ({}, PathRequest("C:\\Windows\\x", PathAction.WRITE), ""),
        ({}, PathRequest("C:\\WindowsX", PathAction.READ), ""),
        ({}, UnixRequest("d:\\OUT\\s"), "sockets-by-file"),
        ({}, UnixRequest("D:\\other"), ""),
        ({"unix_sockets": UnixSockets.ALL}, UnixRequest("@n"), "sockets-elsewhere"),
        ({"unix_sockets": UnixSockets.ALL}, UnixRequest("D:\\out\\s"), ""),
        ({"ip": Ip.CLIENT}, ListenRequest(80), "own-loopback"),
        ({"ip": Ip.CLIENT}, ConnectRequest(NEIGHBOUR, 80), "private-networks"),
        ({"ip": Ip.CLIENT}, ConnectRequest(OUTSIDE, 80), ""),
        ({"ip": Ip.ALL}, ConnectRequest(NEIGHBOUR, 80), ""),
        ({}, ConnectRequest(OUTSIDE, 80), ""),
        ({"ip": Ip.PRIVATE}, ConnectRequest("127.0.0.1", 80), ""),
        ({"ip": Ip.PRIVATE}, ConnectRequest(OUTSIDE, 80), ""),
        ({"signals": Signals.ANY}, SignalRequest(9), "signals-stay-inside"),
        ({"signals": Signals.ISOLATED}, SignalRequest(9, inside=True), ""),
        (
            {"signals": Signals.SELF},
            SignalRequest(9, inside=True),
            "signals-within-container",
        ),
    ],
)
def test_where_a_container_deviates(
    change: dict[str, object], request_: object, name: str
) -> None:
    """S2-022 S2-035 S2-036 S2-041 S2-128 S2-245: each row and its neighbour."""
    assert _deviates(replace(_POLICY, **change), request_) == name  # type: ignore[arg-type]


def test_what_a_row_turns_round_is_what_was_meant() -> None:
    """S2-353: without rows the meaning stands."""
    request = PathRequest("C:\\Windows\\x", PathAction.READ)
    assert not intend(_POLICY, System.WINDOWS, request).allowed
    assert expect(_POLICY, System.WINDOWS, request, WINDOWS_DEVIATIONS)[0].allowed


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("10.1.2.3", True),
        ("172.31.0.1", True),
        ("172.32.0.1", False),
        ("192.168.1.1", True),
        ("fd00::1", True),
        ("fe80::1", True),
        ("127.0.0.1", False),
        ("203.0.113.7", False),
        ("2001:db8::1", False),
        ("printer", False),
    ],
)
def test_addresses_of_private_networks(host: str, private: bool) -> None:
    """S2-036."""
    assert on_private_network(host) is private


def test_names_are_those_of_linux_where_the_promise_is() -> None:
    """S1-129: one name for one promise on every system."""
    known = {
        line.name
        for ip in (Ip.NONE, Ip.CLIENT)
        for ipc in (None, *Ipc)
        for signals in Signals
        for children in (Children.ALLOWED, Children.NONE)
        for line in linux.requirements(
            Policy(
                ip=ip,
                ipc=ipc,
                signals=signals,
                children=children,
                others=Others.FIXED,
                commands=Commands.LISTED,
                sockets=Sockets.NONE,
            ),
            6,
        )
    }
    mine = {name for policy in _policies() for name in _names(policy)}
    assert mine - known == {"ip-network-private", "children-contained", "win32k-denied"}


@pytest.mark.parametrize(
    ("change", "there", "absent"),
    [
        ({}, "ip-network-denied", "ip-inbound-denied"),
        ({"ip": Ip.CLIENT}, "ip-inbound-denied", "ip-network-denied"),
        ({"ip": Ip.PRIVATE}, "ip-network-private", "ip-network-denied"),
        ({"ip": Ip.ALL}, "unix-sockets-denied", "ip-network-denied"),
        ({"unix_sockets": UnixSockets.ALL}, "ip-network-denied", "unix-sockets-denied"),
        ({"children": Children.NONE}, "children-denied", "children-contained"),
        ({"children": Children.CONTAINED}, "children-contained", "children-denied"),
        ({"signals": Signals.SELF}, "signals-self", "signals-isolated"),
        ({"win32k": Win32k.DENY}, "win32k-denied", "others-fixed"),
        ({"junctions": Junctions.REFUSE}, "junctions-unchanged", "win32k-denied"),
        ({"others": Others.FIXED}, "others-fixed", "junctions-unchanged"),
        ({"ipc": Ipc.NONE}, "ipc-none", "ipc-isolated"),
    ],
)
def test_lines_follow_the_policy(
    change: dict[str, object], there: str, absent: str
) -> None:
    """S2-174 S2-363 S2-357: what is not asked for has no line."""
    names = _names(replace(_POLICY, **change))  # type: ignore[arg-type]
    assert there in names
    assert absent not in names


@pytest.mark.parametrize(
    ("change", "id_", "warns"),
    [
        ({}, "appcontainer-shared", True),
        ({}, "grant-follows-file", True),
        ({"grants": ()}, "grant-follows-file", False),
        ({}, "loopback-within-appcontainer", True),
        ({"ip": Ip.ALL}, "loopback-within-appcontainer", False),
        ({"ip": Ip.CLIENT}, "ip-client-private-networks", True),
        ({"ip": Ip.ALL}, "ip-client-private-networks", False),
        ({"mach_services": ("com.apple.trustd.agent",)}, "mach-services-ignored", True),
        ({}, "mach-services-ignored", False),
        ({"symlinks": Symlinks.ALLOW}, "symlinks-followed-outside", False),
        ({"signals": Signals.ANY}, "signals-any", True),
        ({"signals": Signals.ISOLATED}, "signals-any", False),
        ({"signals": Signals.ISOLATED}, "signals-isolated-terminal", False),
        ({"unix_sockets": UnixSockets.ALL}, "unix-sockets-all", True),
        ({"unix_sockets": UnixSockets.ALL}, "unix-sockets-writable", False),
        ({}, "unix-sockets-writable", True),
        ({"grants": ()}, "unix-sockets-writable", False),
        ({"path_metadata": PathMetadata.ALLOW}, "path-metadata-allow", True),
        ({}, "path-metadata-open-files", False),
        ({"self_check": SelfCheck.OFF}, "self-check-off", True),
        ({"sockets": Sockets.NONE}, "sockets-local", True),
        ({}, "files-open-to-containers", True),
        ({}, "written-files-executable", True),
        ({"children": Children.NONE}, "written-files-executable", True),
        (
            {"children": Children.NONE, "grants": _GRANTS[:2]},
            "written-files-executable",
            False,
        ),
        ({"ip": Ip.CLIENT}, "ip-client-udp", False),
    ],
)
def test_warnings_come_where_they_are_true(
    change: dict[str, object], id_: str, warns: bool
) -> None:
    """S2-341 S1-187 S1-189 S1-191 S1-192 S1-202 S1-208 S1-222 S1-223 S2-007."""
    assert (id_ in _ids(replace(_POLICY, **change))) is warns  # type: ignore[arg-type]
