# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check what a macOS artifact carries beside its profile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from macos_asked import built

from stage import REPOSITORY
from stockade.abi.targets import System
from stockade.model.key_rows import policy_of
from stockade.model.macos_artifact import ParameterKind, ProcessRule
from stockade.model.macos_set import LISTED, READABLE, WRITABLE
from stockade.model.path_family import policy_on
from stockade.model.policy import (
    Access,
    Base,
    Children,
    Grant,
    Ip,
    Policy,
    Signals,
    UnixSockets,
)

_PAGE = REPOSITORY / "docs" / "macos.md"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy(signals=Signals.ISOLATED), ("unix-connected",)),
        (Policy(), ("unix-connected", "pty-master")),
        (
            Policy(signals=Signals.SELF, ip=Ip.CLIENT),
            ("unix-connected", "tcp-connected"),
        ),
        (
            Policy(signals=Signals.ISOLATED, ip=Ip.ALL, unix_sockets=UnixSockets.ALL),
            ("unix-connected", "unix-any", "inet"),
        ),
        (Policy(signals=Signals.ISOLATED, ip=Ip.PRIVATE), ("unix-connected",)),
    ],
)
def test_streams(policy: Policy, expected: tuple[str, ...]) -> None:
    """S2-135 S2-136 S2-137 S2-138 S2-139 S2-143: what it could make itself alone."""
    assert built(policy).streams == expected


def test_environment_is_the_policy_s() -> None:
    """S1-310."""
    policy = Policy(
        environment_base=Base.LOCALE, pass_names=("A",), set_values=(("B", "x"),)
    )
    rows = {one.name: one.value for one in built(policy).environment}
    assert rows["A"] is None
    assert rows["B"] == "x"
    assert rows["PATH"] == "/usr/bin:/bin"
    assert "HOME" not in rows
    assert built(Policy()).environment == ()


def test_launcher_closes_descriptors_and_refuses_root() -> None:
    """GL-028, S2-148: under every policy; it stays the parent where that is asked."""
    contained = Policy(children=Children.CONTAINED, signals=Signals.ISOLATED)
    always = (ProcessRule.REFUSE_ROOT, ProcessRule.CLOSE_DESCRIPTORS)
    assert built(Policy()).process_rules == always
    assert built(contained).process_rules == (*always, ProcessRule.SUPERVISE)


def test_places_that_others_trust() -> None:
    """S1-323: where something is writable, what a login starts is among them."""
    writing = Policy(grants=(Grant("/srv/out", Access.READ_WRITE),))
    places = [one.path for one in built(writing).trusted]
    assert {"Library/LaunchAgents", ".ssh", ".zshrc", ""} <= set(places)
    assert built(Policy()).trusted == ()


def test_artifact_carries_its_policy() -> None:
    policy = Policy(
        grants=(Grant("/tmp/x", Access.READ), Grant("C:\\x", Access.READ)),
        ip=Ip.CLIENT,
    )
    own = policy_on(policy, System.MACOS)
    assert policy_of(built(policy).keys) == own
    assert policy_on(own, System.MACOS) == own


def test_every_path_is_carried_twice() -> None:
    """GL-084: links on the way to a path are seen by the name that is written."""
    policy = replace(
        Policy(), grants=(Grant("/opt/homebrew/bin/python3", Access.READ_EXEC),)
    )
    kinds = {
        one.name: (one.kind, one.value)
        for one in built(policy).parameters
        if one.name.startswith("EXEC")
    }
    assert kinds == {
        "EXEC_0": (ParameterKind.PATH, "/opt/homebrew/bin/python3"),
        "EXEC_0_WRITTEN": (ParameterKind.WRITTEN, "/opt/homebrew/bin/python3"),
    }


def test_page_lists_the_start_set() -> None:
    """GL-132."""
    rows = [
        f"| `{row.path}` | {row.purpose} | {row.source} |"
        for row in (*READABLE, *WRITABLE, *LISTED)
    ]
    listed = [
        line
        for line in _PAGE.read_text("utf-8").splitlines()
        if line.startswith("| `/")
    ]
    assert listed == rows


@pytest.mark.parametrize(
    "words",
    [
        # S2-058
        "on macOS 15 and 26 `::ffff:127.0.0.1` is refused",
        # S2-320
        "on Apple silicon a program needs arm64 code",
        # S2-327
        "`cp -R` fails from a folder outside the policy",
        "crash reports go to the system's folder",
        "Network.framework and URLSession cannot use relayed",
        "All derived from documentation or reports, none tried",
        # S2-335
        "A profile cannot be applied inside most others",
    ],
)
def test_page_states_limits_that_nobody_tried(words: str) -> None:
    """S2-400: what only a Mac could show is said, and said not to be tried."""
    assert words in " ".join(_PAGE.read_text("utf-8").split())
