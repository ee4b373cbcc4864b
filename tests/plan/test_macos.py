# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check what a policy requires of macOS, and which policies are warned of what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stockade.cli.warning_ids import WARNING_IDS
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Ipc,
    MemoryFiles,
    Others,
    PathMetadata,
    Policy,
    ProjectFiles,
    Relays,
    SelfCheck,
    Signals,
    Sockets,
    Symlinks,
    UnixSockets,
)
from stockade.plan import requirements as linux
from stockade.plan.macos import requirements, warnings

_QUIET = Policy(signals=Signals.ISOLATED)
_EXPOSE = (Expose("127.0.0.1:1", 80),)
_FORWARD = (Forward(80, "h:1"),)
_PRIVATE = replace(_QUIET, ip=Ip.PRIVATE)
_ALWAYS = (
    "filesystem-confined",
    "no-privilege-escalation",
    "processes-protected",
    "descriptors-closed",
    "environment-limited",
    "no-setid-files",
    "services-limited",
)


def _ids(policy: Policy) -> set[str]:
    return {line.id for line in warnings(policy)}


def _names(policy: Policy) -> list[str]:
    return [line.name for line in requirements(policy)]


@pytest.mark.parametrize(
    ("warning", "policy", "without"),
    [
        ("unix-sockets-all", Policy(unix_sockets=UnixSockets.ALL), Policy()),
        ("unix-sockets-existence", Policy(unix_sockets=UnixSockets.ALL), Policy()),
        ("symlinks-followed-outside", Policy(symlinks=Symlinks.ALLOW), Policy()),
        ("commands-loader", Policy(commands=Commands.LISTED), Policy()),
        (
            "project-files-nested",
            Policy(project_files=ProjectFiles.PROTECTED),
            Policy(),
        ),
        ("resolver-socket", Policy(ip=Ip.CLIENT), _PRIVATE),
        ("resolver-socket", Policy(ip=Ip.ALL), Policy()),
        ("ip-client-udp", Policy(ip=Ip.CLIENT), Policy(ip=Ip.ALL)),
        ("ip-private-exposed-addresses", replace(_PRIVATE, expose=_EXPOSE), _PRIVATE),
        ("ip-private-later-addresses", replace(_PRIVATE, forward=_FORWARD), _PRIVATE),
        ("ip-private-later-addresses", replace(_PRIVATE, egress=Egress(1)), _PRIVATE),
        (
            "ip-private-link-local",
            replace(_PRIVATE, forward=_FORWARD),
            replace(_PRIVATE, forward=_FORWARD, relays=Relays.IPV4),
        ),
        ("relays-ipv4-only", replace(_PRIVATE, relays=Relays.IPV4), _PRIVATE),
        ("forward-other-users", replace(_PRIVATE, forward=_FORWARD), _PRIVATE),
        ("egress-other-users", replace(_PRIVATE, egress=Egress(1)), _PRIVATE),
        ("egress-probing", replace(_PRIVATE, egress=Egress(1)), _PRIVATE),
        (
            "relay-outlives-program",
            Policy(ip=Ip.ALL, expose=_EXPOSE),
            Policy(ip=Ip.ALL, expose=_EXPOSE, signals=Signals.ISOLATED),
        ),
        (
            "mach-service-reach",
            Policy(ip=Ip.ALL, mach_services=("com.apple.trustd.agent",)),
            Policy(ip=Ip.ALL),
        ),
        ("signals-any", Policy(), _QUIET),
        ("signals-terminate", Policy(signals=Signals.TERMINATE), _QUIET),
        ("signals-isolated-terminal", _QUIET, Policy()),
        ("signals-isolated-sigio", _QUIET, Policy()),
        ("contained-posix-spawn", replace(_QUIET, children=Children.CONTAINED), _QUIET),
        (
            "path-metadata-allow",
            Policy(path_metadata=PathMetadata.ALLOW),
            Policy(),
        ),
        ("sockets-pair", Policy(sockets=Sockets.NONE), Policy()),
        ("self-check-off", Policy(self_check=SelfCheck.OFF), Policy()),
        ("ipc-shared", Policy(ipc=Ipc.SHARED), Policy()),
        (
            "memory-files-executable",
            Policy(memory_files=MemoryFiles.ALLOWED),
            Policy(),
        ),
    ],
)
def test_warnings(warning: str, policy: Policy, without: Policy) -> None:
    """Each with and without what gives reason for it.

    S1-188 S1-189 S1-190 S1-191 S1-192 S1-197 S1-200 S1-204 S1-205 S1-206 S1-207 S1-209
    S1-210 S1-211 S1-212 S1-213 S1-215 S1-218 S2-037 S2-038 S2-053 S2-054 S2-075 S2-085
    S2-114 S2-132 S2-162 S2-164 S2-196 S2-244 S2-323 GL-123
    """
    assert warning in _ids(policy)
    assert warning not in _ids(without)
    assert warning in WARNING_IDS


def test_job_control_is_closed_where_processes_are_contained() -> None:
    """S2-163."""
    contained = replace(_QUIET, children=Children.CONTAINED)
    for policy, said in ((_QUIET, True), (contained, False)):
        (text,) = (
            line.text
            for line in warnings(policy)
            if line.id == "signals-isolated-terminal"
        )
        assert ("another job" in text) is said


def test_resolver_is_told_of_with_all_unix_sockets() -> None:
    """S2-133."""
    (text,) = (
        line.text
        for line in warnings(Policy(unix_sockets=UnixSockets.ALL))
        if line.id == "unix-sockets-all"
    )
    assert "resolver" in text
    both = Policy(unix_sockets=UnixSockets.ALL, ip=Ip.CLIENT)
    assert "resolver-socket" not in _ids(both)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Policy(), {"ip-network-denied", "unix-sockets-denied", "metadata-protected"}),
        (_PRIVATE, {"ip-network-private", "signals-isolated"}),
        (Policy(ip=Ip.CLIENT), {"ip-inbound-denied"}),
        (Policy(sockets=Sockets.NONE), {"sockets-denied"}),
        (Policy(commands=Commands.LISTED), {"commands-limited"}),
        (
            Policy(project_files=ProjectFiles.PROTECTED),
            {"project-files-protected"},
        ),
        (Policy(signals=Signals.SELF, children=Children.NONE), {"signals-self"}),
        (Policy(signals=Signals.TERMINATE), {"signals-terminate"}),
        (Policy(children=Children.NONE), {"children-denied"}),
        (Policy(children=Children.CONTAINED), {"children-contained"}),
        (Policy(others=Others.FIXED), {"others-fixed"}),
        (Policy(ipc=Ipc.ISOLATED), {"ipc-isolated"}),
        (Policy(ipc=Ipc.NONE), {"ipc-none"}),
        (Policy(memory_files=MemoryFiles.REFUSED), {"memory-files-refused"}),
    ],
)
def test_requirements(policy: Policy, expected: set[str]) -> None:
    """S2-290: names of promises; a value that asks for nothing has no line."""
    names = _names(policy)
    assert tuple(names[: len(_ALWAYS)]) == _ALWAYS
    assert expected <= set(names)
    assert len(names) == len(set(names))
    open_to_all = Policy(
        ip=Ip.ALL,
        unix_sockets=UnixSockets.ALL,
        path_metadata=PathMetadata.ALLOW,
        ipc=Ipc.SHARED,
        memory_files=MemoryFiles.ALLOWED,
    )
    assert not expected & set(_names(open_to_all))


def test_promises_have_the_names_that_linux_gives_them() -> None:
    """A name is stable, and means the same wherever it stands."""
    policies = (
        Policy(grants=(Grant("/x", Access.READ),)),
        Policy(ip=Ip.CLIENT, signals=Signals.ISOLATED, children=Children.NONE),
        Policy(commands=Commands.LISTED, sockets=Sockets.NONE, others=Others.FIXED),
        Policy(signals=Signals.SELF, children=Children.NONE, ipc=Ipc.ISOLATED),
    )
    for policy in policies:
        there = {line.name for line in linux.requirements(policy, 10)}
        assert set(_names(policy)) - there <= {"services-limited"}


def test_no_line_says_that_it_ran() -> None:
    """S2-400: a mechanism is what the profile has; no need of a host is named."""
    for policy in (Policy(), _PRIVATE, replace(_QUIET, children=Children.CONTAINED)):
        for line in requirements(policy):
            assert line.needs == ()
            assert "proved" not in line.mechanism
            assert "enforced" not in line.mechanism
