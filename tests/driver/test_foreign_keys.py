# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge bundles whose keys no policy file may say, made by hand as anybody could."""

from __future__ import annotations

import pytest

from stockade.artifact.canonical import canonical
from stockade.artifact.encode import encode
from stockade.driver.bundle import verify
from stockade.driver.macos import build_macos
from stockade.model.policy import (
    Children,
    Commands,
    Ip,
    MemoryFiles,
    Policy,
    Signals,
    Sockets,
    UnixSockets,
)
from stockade.proof.gate import GateRefusedError

_FORBIDDEN = {
    "sockets without a network": Policy(sockets=Sockets.NONE, ip=Ip.ALL),
    "no sockets but Unix ones": Policy(
        sockets=Sockets.NONE, unix_sockets=UnixSockets.ALL
    ),
    "contained, and free to end the launcher": Policy(children=Children.CONTAINED),
    "its own signals with children": Policy(signals=Signals.SELF),
    "another service": Policy(ip=Ip.ALL, mach_services=("org.example.any",)),
    "a list beside memory files": Policy(
        commands=Commands.LISTED, memory_files=MemoryFiles.ALLOWED
    ),
}
_LIKE_THEM = {
    "no sockets": Policy(sockets=Sockets.NONE),
    "contained": Policy(children=Children.CONTAINED, signals=Signals.ISOLATED),
    "the one service": Policy(ip=Ip.ALL, mach_services=("com.apple.trustd.agent",)),
    "a list": Policy(commands=Commands.LISTED),
}


def _verified(policy: Policy) -> tuple[str, ...]:
    return verify(encode(canonical(build_macos(policy, "p", "macos"))))


@pytest.mark.parametrize("name", _FORBIDDEN)
def test_no_bundle_is_proved_for_keys_that_no_policy_has(name: str) -> None:
    with pytest.raises(GateRefusedError, match="no policy has these keys"):
        _verified(_FORBIDDEN[name])


@pytest.mark.parametrize("name", _LIKE_THEM)
def test_bundles_of_policies_are_proved(name: str) -> None:
    assert "simulated" in _verified(_LIKE_THEM[name])[0]
