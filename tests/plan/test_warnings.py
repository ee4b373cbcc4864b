# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check which policies are warned of what."""

from __future__ import annotations

import pytest

from stockade.cli.warning_ids import WARNING_IDS
from stockade.model.policy import (
    Children,
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
    """S2-025 S2-037 S2-129: each where it applies, and nowhere else."""
    assert {*_ids(policy)} & _SOCKETS == expected


def test_reach_of_datagrams_is_told_by_kernel() -> None:
    """S2-038."""
    (text,) = (
        one.text for one in warnings(Policy(ip=Ip.CLIENT)) if one.id == "ip-client-udp"
    )
    assert "Landlock ABI 10" in text


def test_links_are_warned_of() -> None:
    """S2-244."""
    assert "symlinks-followed-outside" in _ids(Policy(symlinks=Symlinks.ALLOW))
    assert "symlinks-followed-outside" not in _ids(Policy())


def test_signals_are_warned_of() -> None:
    """S2-153."""
    told = {"signals-any", "signals-isolated-terminal"}
    assert told & {*_ids(Policy())} == {"signals-any"}
    alone = Policy(signals=Signals.ISOLATED, children=Children.NONE)
    assert "signals-any" not in _ids(alone)


def test_changes_of_metadata_are_warned_of() -> None:
    """S2-247."""
    assert "path-metadata-allow" in _ids(Policy(path_metadata=PathMetadata.ALLOW))
    assert "path-metadata-allow" not in _ids(Policy())


def test_every_warning_can_be_hidden_by_name() -> None:
    widest = Policy(ip=Ip.CLIENT, unix_sockets=UnixSockets.ALL, symlinks=Symlinks.ALLOW)
    assert {*_ids(widest)} <= {*WARNING_IDS}
