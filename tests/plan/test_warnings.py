# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check which policies are warned of what."""

from __future__ import annotations

import pytest

from stockade.cli.warning_ids import WARNING_IDS
from stockade.model.policy import (
    Access,
    Children,
    Grant,
    Ip,
    PathMetadata,
    Policy,
    Signals,
    Symlinks,
    UnixSockets,
)
from stockade.plan.warnings import warnings

_SOCKETS = {"unix-sockets-all", "ip-client-udp", "ip-client-unix-listen"}


def _ids(policy: Policy) -> list[str]:
    return [warning.id for warning in warnings(policy)]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy(), set()),
        (Policy(ip=Ip.ALL), set()),
        (Policy(ip=Ip.CLIENT), {"ip-client-udp"}),
        (Policy(unix_sockets=UnixSockets.ALL), {"unix-sockets-all"}),
        (Policy(ip=Ip.ALL, unix_sockets=UnixSockets.ALL), {"unix-sockets-all"}),
        (Policy(ip=Ip.CLIENT, unix_sockets=UnixSockets.ALL), _SOCKETS),
    ],
)
def test_warnings_of_sockets(policy: Policy, expected: set[str]) -> None:
    """S1-188 S1-200 S1-201 S2-025 S2-037 S2-129: where it applies, not elsewhere."""
    assert {*_ids(policy)} & _SOCKETS == expected


def test_reach_of_datagrams_is_told_by_kernel() -> None:
    """S2-038."""
    (text,) = (
        one.text for one in warnings(Policy(ip=Ip.CLIENT)) if one.id == "ip-client-udp"
    )
    assert "Landlock ABI 10" in text


def test_links_are_warned_of() -> None:
    """S1-192 S2-244."""
    assert "symlinks-followed-outside" in _ids(Policy(symlinks=Symlinks.ALLOW))
    assert "symlinks-followed-outside" not in _ids(Policy())


def test_signals_are_warned_of() -> None:
    """S1-189 S1-209 S2-153."""
    assert _ids(Policy()) == ["signals-any"]
    assert _ids(Policy(signals=Signals.ISOLATED)) == ["signals-isolated-terminal"]
    alone = Policy(signals=Signals.ISOLATED, children=Children.NONE)
    assert _ids(alone) == ["signals-isolated-terminal"]


@pytest.mark.parametrize(
    ("metadata", "grants", "expected"),
    [
        (PathMetadata.DENY, (), []),
        (PathMetadata.DENY, ("/srv",), ["path-metadata-open-files"]),
        (PathMetadata.ALLOW, ("/srv",), ["path-metadata-allow"]),
        (PathMetadata.ALLOW, (), ["path-metadata-allow"]),
    ],
)
def test_metadata_is_warned_of(
    metadata: PathMetadata, grants: tuple[str, ...], expected: list[str]
) -> None:
    """S1-191 S1-214 S2-247: beside what the default policy warns of."""
    policy = Policy(
        path_metadata=metadata,
        grants=tuple(Grant(path, Access.READ) for path in grants),
    )
    assert _ids(policy) == ["signals-any", *expected]


@pytest.mark.parametrize(
    ("path", "access", "expected"),
    [
        ("/dev", Access.READ, True),
        ("/dev/pts", Access.READ_WRITE, True),
        ("/dev/pts/1", Access.READ_WRITE, True),
        ("/", Access.READ, True),
        ("/dev/shm", Access.READ, False),
        ("/dev/ptsx", Access.READ, False),
    ],
)
def test_terminals_are_warned_of(path: str, access: Access, *, expected: bool) -> None:
    """S1-194."""
    policy = Policy(grants=(Grant(path, access),))
    assert ("terminals-reachable" in _ids(policy)) is expected


def test_every_warning_can_be_hidden_by_name() -> None:
    widest = Policy(ip=Ip.CLIENT, unix_sockets=UnixSockets.ALL, symlinks=Symlinks.ALLOW)
    assert {*_ids(widest)} <= {*WARNING_IDS}
