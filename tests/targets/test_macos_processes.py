# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask profiles about networks, signals, processes and services.

Simulated: an evaluator of profiles answers, no Mac does.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from macos_asked import asked, built

from stockade.model.macos_artifact import ProcessRule
from stockade.model.macos_set import RESOLVER_SOCKET
from stockade.model.policy import (
    Access,
    Children,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Ipc,
    Others,
    Policy,
    Relays,
    Signals,
    Sockets,
    UnixSockets,
)
from stockade.proof.sbpl.context import Address

_OUTSIDE, _LOCAL = "203.0.113.7", "127.0.0.1"
_TERMINATING = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGKILL", "SIGTERM", "SIGSTOP")
_IN_SANDBOX = ["children", "same-sandbox", "pgrp", "others"]


def _connects(policy: Policy, host: str, port: int, protocol: str = "tcp") -> bool:
    return asked(policy, "network-outbound", remote=Address(host, port, protocol))


def _listens(policy: Policy, host: str, port: int) -> bool:
    return asked(policy, "network-inbound", local=Address(host, port))


def _binds(policy: Policy, host: str, port: int, protocol: str = "tcp") -> bool:
    return asked(policy, "network-bind", local=Address(host, port, protocol))


def _makes(policy: Policy, domain: str) -> bool:
    return asked(policy, "system-socket", socket_domain=domain)


def test_no_network() -> None:
    """S2-005, GL-041: sockets are not even made, as they are under `all`."""
    for policy in (Policy(), Policy(sockets=Sockets.NONE)):
        for host in (_LOCAL, "::1", _OUTSIDE):
            for protocol in ("tcp", "udp"):
                assert not _connects(policy, host, 80, protocol)
                assert not _binds(policy, host, 80, protocol)
            assert not _listens(policy, host, 80)
        for domain in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_ROUTE", "AF_SYSTEM"):
            assert not _makes(policy, domain)
    assert _connects(Policy(ip=Ip.ALL), _OUTSIDE, 80)


def test_every_network() -> None:
    """S2-017."""
    policy = Policy(ip=Ip.ALL)
    for host in (_LOCAL, "::1", _OUTSIDE):
        for protocol in ("tcp", "udp"):
            assert _connects(policy, host, 80, protocol)
            assert _binds(policy, host, 80, protocol)
        assert _listens(policy, host, 80)
    assert _makes(policy, "AF_INET6")
    for domain in ("AF_ROUTE", "AF_SYSTEM"):
        assert not _makes(policy, domain)


def test_client_connects_and_does_not_listen() -> None:
    """S2-033, S2-034: no inbound rule, and none by the near end of what goes out."""
    policy = Policy(ip=Ip.CLIENT)
    for host in (_LOCAL, "::1", _OUTSIDE):
        for protocol in ("tcp", "udp"):
            assert _connects(policy, host, 80, protocol)
        assert not _listens(policy, host, 80)
        assert not _binds(policy, host, 80)
        assert _binds(policy, host, 80, "udp")
    source = Address(_LOCAL, 5)
    assert not asked(policy, "network-outbound", local=source)


def test_names_resolve_by_one_socket() -> None:
    """S2-127: where there is a network at all; no other socket is reached."""
    for ip in Ip:
        policy = Policy(ip=ip)
        reached = ip in {Ip.CLIENT, Ip.ALL}
        assert asked(policy, "network-outbound", RESOLVER_SOCKET) is reached
        assert _makes(policy, "AF_UNIX") is reached
        assert not asked(policy, "network-outbound", "/private/var/run/other")
        assert not asked(policy, "network-outbound", "/srv/out/s")


def _private(*, relays: Relays = Relays.DUAL_STACK) -> Policy:
    return Policy(
        ip=Ip.PRIVATE,
        relays=relays,
        signals=Signals.ISOLATED,
        expose=(Expose("127.0.0.1:18000", 8000),),
        forward=(Forward(5432, "db:5432"),),
        egress=Egress(1080),
    )


def test_private_network_has_its_ports_alone() -> None:
    """S2-040, S2-050, S2-051, S2-056, S2-069: and names from one file."""
    for relays in Relays:
        policy = _private(relays=relays)
        for port in (5432, 1080):
            assert _connects(policy, _LOCAL, port)
            assert _connects(policy, "::1", port) is (relays is Relays.DUAL_STACK)
            assert not _connects(policy, _OUTSIDE, port)
            assert not _connects(policy, _LOCAL, port, "udp")
            assert not _listens(policy, _LOCAL, port)
            assert not _binds(policy, _LOCAL, port)
        assert _listens(policy, _LOCAL, 8000)
        assert _binds(policy, _LOCAL, 8000)
        for port in (80, 8000, 18000):
            assert not _connects(policy, _LOCAL, port)
        assert not _listens(policy, _LOCAL, 80)
    hosts = "/private/etc/hosts"
    assert asked(_private(), "file-read-data", hosts)
    assert not asked(_private(), "network-outbound", RESOLVER_SOCKET)
    assert not asked(Policy(), "file-read-data", hosts)
    assert not _makes(Policy(ip=Ip.PRIVATE), "AF_INET")
    assert _makes(_private(), "AF_INET")


def test_unix_sockets() -> None:
    """S2-127: under `none` in writable paths neither."""
    grants = (Grant("/srv/out", Access.READ_WRITE),)
    for unix in UnixSockets:
        policy = Policy(grants=grants, unix_sockets=unix)
        allowed = unix is UnixSockets.ALL
        for path in ("/srv/out/s", "/private/var/run/s"):
            assert asked(policy, "network-outbound", path) is allowed
        for operation in ("network-bind", "network-inbound"):
            assert asked(policy, operation, "/srv/out/s") is allowed
            assert not asked(policy, operation, "/private/var/run/s")
        assert _makes(policy, "AF_UNIX") is allowed
        assert not _connects(policy, _LOCAL, 80)


def test_sockets_of_any_kind_do_not_block() -> None:
    """GL-041: a pair works in every policy, with what event loops ask of it."""
    for policy in (Policy(), Policy(ip=Ip.ALL)):
        for group, number in (("f", 125), ("f", 126), ("f", 127), ("s", 7)):
            command = ord(group) << 8 | number
            assert asked(policy, "socket-ioctl", ioctl_command=command)
        assert not asked(policy, "socket-ioctl", ioctl_command=ord("i") << 8 | 33)


@pytest.mark.parametrize("signals", Signals)
def test_signals(signals: Signals) -> None:
    """S2-156, GL-051: to itself, within the sandbox, to others, by number."""
    policy = Policy(signals=signals)
    inside = signals is not Signals.SELF
    for signal in (*_TERMINATING, "SIGCONT", "SIGUSR1", "SIGIO", "SIGABRT"):
        ends = signal in (*_TERMINATING, "SIGCONT")
        outside = signals is Signals.ANY or (signals is Signals.TERMINATE and ends)
        for target, allowed in (
            (["self", "same-sandbox"], True),
            (_IN_SANDBOX, inside),
            (["others"], outside),
            (["children", "others"], outside),
            (["pgrp", "others"], outside),
        ):
            found = asked(policy, "signal", target=target, signal_number=signal)
            assert found is allowed
    asks = asked(policy, "signal", target=["others"], signal_number=0)
    assert asks is (signals in {Signals.ANY, Signals.TERMINATE})


@pytest.mark.parametrize("children", Children)
def test_processes(children: Children) -> None:
    """S2-174, S2-176, S2-190, S2-196, S2-197."""
    policy = Policy(children=children, signals=Signals.ISOLATED)
    free, contained = children is Children.ALLOWED, children is Children.CONTAINED
    assert asked(policy, "process-fork") is (free or contained)
    for call, allowed in (
        ("SYS_posix_spawn", free),
        ("SYS_setsid", not contained),
        ("SYS_setpgid", not contained),
        ("SYS_execve", True),
        ("SYS_open", True),
    ):
        assert asked(policy, "syscall-unix", syscall_number=call) is allowed
    assert (ProcessRule.SUPERVISE in built(policy).process_rules) is contained


def test_other_processes_look_gone() -> None:
    """S2-325, S2-381, GL-051: under every value of `others`."""
    for others in Others:
        policy = Policy(others=others)
        for operation in (
            "process-info-pidinfo",
            "process-info-setcontrol",
            "process-info-codesignature",
        ):
            assert asked(policy, operation, target=["self", "same-sandbox"])
            assert not asked(policy, operation, target=["others"])
        for operation in (
            *("process-info-listpids", "mach-priv-task-port", "mach-task-name"),
            *("system-debug", "system-sched"),
        ):
            assert not asked(policy, operation, target=["others"])


def test_machine_is_asked_and_processes_are_not() -> None:
    """S2-325: the list of processes comes by these names as well."""
    for name in ("hw.optional.arm64", "hw.cachelinesize", "kern.osrelease"):
        assert asked(Policy(), "sysctl-read", sysctl_name=name)
        assert not asked(Policy(), "sysctl-write", sysctl_name=name)
    for ip in Ip:
        allowed = ip in {Ip.CLIENT, Ip.ALL}
        routes = "net.routetable.0.0.3.0"
        assert asked(Policy(ip=ip), "sysctl-read", sysctl_name=routes) is allowed
    for name in ("kern.proc.pid.1", "kern.procargs2.1", "kern.bootargs"):
        assert not asked(Policy(), "sysctl-read", sysctl_name=name)


def test_services_are_those_of_the_policy() -> None:
    """S2-322, GL-190, S1-120."""
    verifier = "com.apple.trustd.agent"
    policy = Policy(ip=Ip.CLIENT, mach_services=(verifier,))
    assert asked(policy, "mach-lookup", global_name=verifier)
    assert not asked(Policy(ip=Ip.CLIENT), "mach-lookup", global_name=verifier)
    for name in ("com.apple.SecurityServer", "com.apple.pasteboard.1", verifier + "x"):
        assert not asked(policy, "mach-lookup", global_name=name)
    for operation in ("mach-register", "lsopen", "appleevent-send", "iokit-open"):
        assert not asked(policy, operation)


@pytest.mark.parametrize("ipc", [None, *Ipc])
def test_shared_objects(ipc: Ipc | None) -> None:
    """GL-057: names of POSIX objects are closed under every value."""
    policy = replace(Policy(), ipc=ipc)
    for operation in ("ipc-sysv-shm", "ipc-sysv-sem", "ipc-sysv-msg"):
        assert asked(policy, operation) is (ipc is Ipc.SHARED)
    for operation in ("ipc-posix-sem-open", "ipc-posix-shm-write-create"):
        assert not asked(policy, operation, ipc_posix_name="/x")
