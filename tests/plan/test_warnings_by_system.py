# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show that no system warns of what is true of another one only."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from every_value import base_of, every_value

from stockade.abi.targets import System
from stockade.cli.warning_ids import WARNING_IDS
from stockade.model.artifact import WarningLine
from stockade.model.path_family import policy_on
from stockade.model.policy import Ip, Policy
from stockade.plan import macos, warnings, windows
from stockade.plan.support import unbuilt

_ALL = frozenset(System)
_NOT_WINDOWS = _ALL - {System.WINDOWS}
_LINUX, _MACOS, _WINDOWS = (frozenset({one}) for one in System)
# Where the reference description has each warning; others are further ones.
_PLATFORMS = {
    "unix-sockets-all": _ALL,
    "signals-any": _ALL,
    "egress-probing": _ALL,
    "path-metadata-allow": _ALL,
    "symlinks-followed-outside": _NOT_WINDOWS,
    "terminals-reachable": _LINUX,
    "mach-services-ignored": _ALL - {System.MACOS},
    "mach-service-reach": _MACOS,
    "ip-client-udp": _NOT_WINDOWS,
    "ip-client-unix-listen": _LINUX,
    "ip-client-private-networks": _WINDOWS,
    "ip-private-same-user": _LINUX,
    "ip-private-exposed-addresses": _MACOS,
    "ip-private-later-addresses": _MACOS,
    "ip-private-link-local": _MACOS,
    "relays-ipv4-only": _MACOS,
    "loopback-within-appcontainer": _WINDOWS,
    "signals-isolated-terminal": _NOT_WINDOWS,
    "signals-isolated-sigio": _MACOS,
    "forward-other-users": _NOT_WINDOWS,
    "egress-other-users": _MACOS,
    "relay-outlives-program": _MACOS,
    "path-metadata-open-files": _LINUX,
    "unix-sockets-existence": _MACOS,
    "contained-posix-spawn": _MACOS,
    "appcontainer-shared": _WINDOWS,
    "grant-follows-file": _WINDOWS,
}
_WARNINGS: dict[System, Callable[[Policy], tuple[WarningLine, ...]]] = {
    System.LINUX: warnings.warnings,
    System.MACOS: macos.warnings,
    System.WINDOWS: windows.warnings,
}


def _ids(policy: Policy, system: System) -> set[str]:
    found = _WARNINGS[system](policy_on(policy, system))
    return {line.id for line in found}


@pytest.mark.parametrize("system", System)
def test_warnings_are_those_of_the_system(system: System) -> None:
    """S1-187: of every two values together that the system holds."""
    given: set[str] = set()
    for (first, one), (second, other) in itertools.product(every_value(), repeat=2):
        change: dict[str, Any] = {first: one, second: other}
        policy = replace(base_of(first, system), **change)
        if not unbuilt(policy, system):
            given |= _ids(policy, system)
    assert given <= set(WARNING_IDS)
    assert [one for one in given if system not in _PLATFORMS.get(one, _ALL)] == []
    # Each warning that the system alone has was among them, where it can be held.
    own = {one for one, systems in _PLATFORMS.items() if systems == {system}}
    assert own - given <= {"ip-private-same-user", "terminals-reachable"}


def test_services_are_ignored_aloud() -> None:
    """S1-196 S2-312: but not on a Mac, nor where none is named."""
    named = Policy(ip=Ip.CLIENT, mach_services=("com.apple.trustd.agent",))
    for system in System:
        ignored = "mach-services-ignored" in _ids(named, system)
        assert ignored is (system is not System.MACOS)
        assert "mach-services-ignored" not in _ids(Policy(), system)
