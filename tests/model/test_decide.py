# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the meaning of a policy on single requests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stockade.abi.syscalls import call_numbers
from stockade.model.decide import WITNESS_NUMBER, allowed_on, decide
from stockade.model.policy import (
    Access,
    Children,
    Grant,
    Ip,
    PathMetadata,
    Policy,
    Signals,
    Sockets,
    Symlinks,
    System,
    UnixSockets,
)
from stockade.model.request import (
    CallRequest,
    EnvironmentRequest,
    PathAction,
    PathRequest,
    PortAction,
    PortRequest,
    Situation,
)

_NEW = Situation("x86_64", 7)
_OLD = Situation("x86_64", 2)
_STRICT = Policy(signals=Signals.ISOLATED, children=Children.NONE)
_ISOLATED = Policy(signals=Signals.ISOLATED)
_SELF = Policy(signals=Signals.SELF, children=Children.NONE)
_TERMINATE = Policy(signals=Signals.TERMINATE)
_TERMINATE_ALONE = Policy(signals=Signals.TERMINATE, children=Children.NONE)
_CLIENT = Policy(ip=Ip.CLIENT)
_SERVICES = Policy(unix_sockets=UnixSockets.ALL)
_NO_SOCKETS = Policy(sockets=Sockets.NONE)
_BIT_32 = 1 << 32


def _answer(
    policy: Policy, name: str, *args: int, situation: Situation = _NEW
) -> str | None:
    six = (*args, 0, 0, 0, 0, 0, 0)[:6]
    number = call_numbers(situation.arch)[name]
    request = CallRequest(situation.arch, number, six)  # type: ignore[arg-type]
    return decide(policy, situation, request).errno


@pytest.mark.parametrize(
    ("number", "errno"),
    [
        (0xFFFFFFFF, "ENOSYS"),
        (0x40000000 | 39, "EPERM"),
        (0xC0000000, "EPERM"),
        (0x80000000, "ENOSYS"),
        (472, "ENOSYS"),
        (999, "ENOSYS"),
        (400, "ENOSYS"),
        (520, "ENOSYS"),
        (WITNESS_NUMBER, "WITNESS"),
        (0, None),
    ],
)
def test_numbers_outside_the_table_are_refused(number: int, errno: str | None) -> None:
    """S2-014, S2-309, GL-072: gaps, x32, skipped and unnamed calls."""
    assert decide(Policy(), _NEW, CallRequest("x86_64", number)).errno == errno


@pytest.mark.parametrize("arch", ["i386", "aarch64", "arm"])
def test_calls_of_other_architectures_are_refused(arch: str) -> None:
    """S2-014: whatever the number."""
    for number in (0, 1, 20, 59, 0xFFFFFFFF):
        assert decide(Policy(), _NEW, CallRequest(arch, number)).errno == "EPERM"


@pytest.mark.parametrize(
    ("policy", "call", "errno"),
    [
        (Policy(), ("clone3",), "ENOSYS"),
        (Policy(), ("openat2",), "ENOSYS"),
        (Policy(), ("io_uring_setup",), "ENOSYS"),
        (Policy(), ("openat", 0, 0, 3), "EPERM"),
        (Policy(), ("openat", 0, 0, _BIT_32 | 3), "EPERM"),
        (Policy(), ("openat", 0, 0, 2), None),
        (Policy(), ("clone", 0x10000000), "EPERM"),
        (Policy(), ("clone", 0x8000), "EPERM"),
        (Policy(), ("clone", 17), None),
        (_STRICT, ("clone", 17), "EPERM"),
        (_STRICT, ("clone", 0x10000 | 0x100), None),
        (_STRICT, ("fork",), "EPERM"),
        (Policy(), ("fork",), None),
        (Policy(), ("prlimit64", 0, 0, 1), None),
        (Policy(), ("prlimit64", 1000, 0, 1), "EPERM"),
        (_STRICT, ("prlimit64", 1000, 0, 1), None),
        (_STRICT, ("prlimit64", 999, 0, 1), "EPERM"),
        (_ISOLATED, ("sched_setaffinity", 1000), "EPERM"),
        (_ISOLATED, ("sched_setaffinity", 0), None),
        (_STRICT, ("sched_setaffinity", 1000), None),
        (_STRICT, ("fcntl", 0, 8), "EPERM"),
        (_STRICT, ("fcntl", 0, 4, 0x2000), "EPERM"),
        (_STRICT, ("ioctl", 0, 0x5452), "EPERM"),
        (Policy(), ("fcntl", 0, 8), None),
        (Policy(), ("prlimit64", 999, 0, 1), "EPERM"),
        (Policy(), ("prlimit64", 999, 0, 1 << 40), "EPERM"),
        (Policy(), ("prlimit64", 999, 0, 0), None),
        (Policy(), ("ioctl", 0, 0x5412), "EPERM"),
        (Policy(), ("ioctl", 0, _BIT_32 | 0x5412), "EPERM"),
        (Policy(), ("ioctl", 0, 0x5401), None),
        (Policy(), ("ioctl", 0, 0x8912), "EPERM"),
        (Policy(), ("ioctl", 0, 0x8905), None),
        (Policy(ip=Ip.ALL), ("ioctl", 0, 0x8912), None),
        (Policy(), ("execveat", 0, 0, 0, 0, 0x1000), "EPERM"),
        (Policy(), ("execveat", 0, 0, 0, 0, 0x11000), None),
        (Policy(), ("memfd_create", 0, 1), "ENOSYS"),
        (Policy(), ("memfd_create", 0, 9), None),
        (Policy(), ("memfd_create", 0, 12), "ENOSYS"),
        (Policy(), ("socket", 2, 1, 0), "EPERM"),
        (Policy(ip=Ip.ALL), ("socket", 2, 1, 6), None),
        (Policy(ip=Ip.ALL), ("socket", 2, 0x80801, 262), None),
        (Policy(ip=Ip.ALL), ("socket", 2, 3, 1), "EPERM"),
        (Policy(ip=Ip.ALL), ("socket", 2, 2, 136), "EPERM"),
        (Policy(ip=Ip.ALL), ("socket", 1, 1, 0), "EPERM"),
        (Policy(ip=Ip.ALL), ("socket", 16, 3, 0), None),
        (Policy(ip=Ip.ALL), ("socket", 16, 3, 4), "EPERM"),
        (Policy(ip=Ip.ALL), ("socket", 40, 1, 0), "EPERM"),
        (_CLIENT, ("socket", 2, 1, 6), None),
        (_CLIENT, ("socket", 10, 0x80802, 17), None),
        (_CLIENT, ("socket", 2, 1, 262), "EPERM"),
        (_CLIENT, ("socket", 2, 1, _BIT_32 | 262), "EPERM"),
        (_CLIENT, ("socket", 2, 2, 136), "EPERM"),
        (_CLIENT, ("socket", 1, 1, 0), "EPERM"),
        (_CLIENT, ("socket", 16, 3, 0), None),
        (_CLIENT, ("socket", 16, 3, 4), "EPERM"),
        (_CLIENT, ("bind",), None),
        (_CLIENT, ("connect",), None),
        (_CLIENT, ("listen",), "EPERM"),
        (_CLIENT, ("accept",), "EPERM"),
        (_CLIENT, ("accept4",), "EPERM"),
        (_CLIENT, ("ioctl", 0, 0x8912), None),
        (Policy(ip=Ip.ALL), ("listen",), None),
        (_SERVICES, ("socket", 1, 2, 0), None),
        (_SERVICES, ("socket", 2, 1, 0), "EPERM"),
        (_SERVICES, ("socket", 16, 3, 0), "EPERM"),
        (_SERVICES, ("bind",), None),
        (_SERVICES, ("socketpair", 1, 2, 0), None),
        (_SERVICES, ("socketpair", 30, 1, 0), "EPERM"),
        (_SERVICES, ("listen",), None),
        (_NO_SOCKETS, ("socket", 1, 1, 0), "EPERM"),
        (_NO_SOCKETS, ("socketpair", 1, 1, 0), "EPERM"),
        (_NO_SOCKETS, ("connect",), "EPERM"),
        (_NO_SOCKETS, ("bind",), "EPERM"),
        (_NO_SOCKETS, ("accept4",), "EPERM"),
        (_NO_SOCKETS, ("sendto",), None),
        (Policy(), ("connect",), None),
        (Policy(), ("bind",), "EPERM"),
        (Policy(), ("socketpair", 1, 1, 0), None),
        (Policy(), ("socketpair", 1, 0x80805, 0), None),
        (Policy(), ("socketpair", 1, 2, 0), "EPERM"),
        (Policy(), ("socketpair", 1, 3, 0), "EPERM"),
        (Policy(), ("socketpair", 30, 1, 0), "EPERM"),
        (Policy(), ("chmod",), "EPERM"),
        (Policy(path_metadata=PathMetadata.ALLOW), ("chmod", 0, 0o755), None),
        (Policy(path_metadata=PathMetadata.ALLOW), ("chmod", 0, 0o4755), "EPERM"),
        (Policy(), ("fchmod", 0, 0o755), None),
        (Policy(), ("fchmod", 0, 0o2755), "EPERM"),
        (Policy(), ("openat", 0, 0, 0x41, 0o4644), "EPERM"),
        (Policy(), ("openat", 0, 0, 0x01, 0o4644), None),
        (Policy(), ("mkdir", 0, 0o2755), "EPERM"),
        (Policy(), ("mknod", 0, 0o020666), "EPERM"),
        (Policy(), ("mknod", 0, 0o100644), None),
        (Policy(), ("utimensat", 0, 0), None),
        (Policy(), ("utimensat", 0, _BIT_32), "EPERM"),
        (Policy(), ("renameat2", 0, 0, 0, 0, 4), "EPERM"),
        (Policy(), ("renameat2", 0, 0, 0, 0, 3), None),
        (Policy(), ("fcntl", 0, 1024), "EPERM"),
        (Policy(), ("kill", 1), None),
        (_STRICT, ("kill", 1), None),
        (_STRICT, ("setpgid", 0, 5), "EPERM"),
        (_STRICT, ("setpgid", 0, 0), None),
        (_STRICT, ("setpriority", 0, 1000), None),
        (_STRICT, ("setpriority", 1, 1000), "EPERM"),
        (_STRICT, ("setpriority", 0, 999), "EPERM"),
        (_SELF, ("kill", 1000, 10), None),
        (_SELF, ("kill", 999, 0), "EPERM"),
        (_SELF, ("kill", 0, 0), "EPERM"),
        (_SELF, ("kill", 0xFFFFFFFF, 15), "EPERM"),
        (_SELF, ("tgkill", 1000, 1001, 6), None),
        (_SELF, ("tkill", 1001, 6), "EPERM"),
        (_SELF, ("pidfd_send_signal", 3, 0), "EPERM"),
        (_SELF, ("fcntl", 0, 8), "EPERM"),
        (_SELF, ("setpgid", 0, 5), "EPERM"),
        (_SELF, ("setpriority", 0, 999), "EPERM"),
        (_TERMINATE, ("kill", 999, 15), None),
        (_TERMINATE, ("kill", 999, _BIT_32 | 9), None),
        (_TERMINATE, ("kill", 0xFFFFFFFF, 19), None),
        (_TERMINATE, ("kill", 999, 10), "EPERM"),
        (_TERMINATE, ("kill", 999, _BIT_32 | 10), "EPERM"),
        (_TERMINATE, ("kill", 1000, 10), "EPERM"),
        (_TERMINATE_ALONE, ("kill", 1000, 10), None),
        (_TERMINATE_ALONE, ("kill", 999, 10), "EPERM"),
        (_TERMINATE_ALONE, ("tgkill", 999, 999, 6), "EPERM"),
        (_TERMINATE_ALONE, ("tgkill", 1000, 1001, 6), None),
        (_TERMINATE, ("tgkill", 999, 10, 18), None),
        (_TERMINATE, ("rt_sigqueueinfo", 999, 34), "EPERM"),
        (_TERMINATE, ("rt_tgsigqueueinfo", 999, 15, 34), "EPERM"),
        (_TERMINATE, ("rt_tgsigqueueinfo", 999, 34, 15), None),
        (_TERMINATE, ("pidfd_send_signal", 3, 12), "EPERM"),
        (_TERMINATE, ("pidfd_send_signal", 3, 1), None),
        (_TERMINATE, ("fcntl", 0, 10), "EPERM"),
        (_TERMINATE, ("ioctl", 0, 0x8901), "EPERM"),
        (_TERMINATE, ("ioctl", 0, 0x40045436), "EPERM"),
        (_TERMINATE, ("ioctl", 0, 0x5410), None),
        (_TERMINATE, ("setpgid", 0, 5), None),
        (_TERMINATE, ("sched_setscheduler", 999), "EPERM"),
    ],
)
def test_calls_are_decided_by_their_words(
    policy: Policy, call: tuple[str, int], errno: str | None
) -> None:
    """GL-043 GL-045 S2-013 S2-016 S2-124 S2-125 S2-160 S2-167 S2-168 S2-251 S2-252."""
    assert _answer(policy, *call) == errno


@pytest.mark.parametrize(
    ("call", "errno"),
    [
        (("truncate",), "EPERM"),
        (("openat", 0, 0, 0x200), "EPERM"),
        (("openat", 0, 0, 0x201), None),
        (("ioctl", 0, 0x5401), None),
        (("ioctl", 0, 0x5452), "EPERM"),
        (("ioctl", 0, 0x4B3A), "EPERM"),
        (("kill", 1000), None),
        (("kill", 999), "EPERM"),
        (("kill", 0xFFFFFFFF), "EPERM"),
        (("fcntl", 0, 8), "EPERM"),
        (("fcntl", 0, 4, 0x2000), "EPERM"),
        (("fcntl", 0, 4, 0x800), None),
        (("pidfd_send_signal",), "EPERM"),
    ],
)
def test_older_kernels_get_the_filters_guard(
    call: tuple[str, int], errno: str | None
) -> None:
    """S2-295, GL-045, GL-079: what Landlock lacks there, the filter holds."""
    assert _answer(_STRICT, *call, situation=_OLD) == errno


@pytest.mark.parametrize(
    ("path", "action", "allowed"),
    [
        ("/srv/in/a/b", PathAction.READ, True),
        ("/srv/inside", PathAction.READ, False),
        ("/srv/in", PathAction.WRITE, False),
        ("/srv/out/x", PathAction.WRITE, True),
        ("/srv/out/x", PathAction.EXECUTE, False),
        ("/srv/out", PathAction.CREATE_LINK, False),
        ("/srv/out", PathAction.CREATE_FIFO, False),
        ("/opt/bin/x", PathAction.EXECUTE, True),
        ("/opt/bin/x", PathAction.WRITE, False),
        ("/usr/lib/x.so", PathAction.READ, True),
        ("/usr/lib/x.so", PathAction.EXECUTE, False),
        ("/etc/passwd", PathAction.READ, False),
        ("/dev/null", PathAction.WRITE, True),
    ],
)
def test_paths_are_covered_by_grants(
    path: str, action: PathAction, *, allowed: bool
) -> None:
    """S1-094, S1-095, S1-096, S1-097, S1-285, S1-303."""
    policy = Policy(
        grants=(
            Grant("/opt/bin", Access.READ_EXEC),
            Grant("/srv/in", Access.READ),
            Grant("/srv/out", Access.READ_WRITE),
        )
    )
    decision = decide(policy, _NEW, PathRequest(path, action))
    assert decision.allowed is allowed
    assert allowed or decision.errno == "EACCES"


@pytest.mark.parametrize(
    ("policy", "action", "allowed"),
    [
        (Policy(), PathAction.CREATE_LINK, False),
        (Policy(symlinks=Symlinks.ALLOW), PathAction.CREATE_LINK, True),
        (Policy(symlinks=Symlinks.ALLOW), PathAction.CREATE_FIFO, False),
        (Policy(symlinks=Symlinks.ALLOW), PathAction.CREATE_SOCKET, False),
        (Policy(symlinks=Symlinks.ALLOW), PathAction.CREATE_BLOCK_DEVICE, False),
        (_SERVICES, PathAction.CREATE_SOCKET, True),
        (_SERVICES, PathAction.CREATE_LINK, False),
        (_SERVICES, PathAction.CREATE_FIFO, False),
    ],
)
def test_keys_add_to_writable_paths_only(
    policy: Policy, action: PathAction, *, allowed: bool
) -> None:
    """S2-126 S2-235 S2-242."""
    grants = (Grant("/srv/in", Access.READ), Grant("/srv/out", Access.READ_WRITE))
    wider = replace(policy, grants=grants)
    decision = decide(wider, _NEW, PathRequest("/srv/out", action))
    assert decision.allowed is allowed
    assert not decide(wider, _NEW, PathRequest("/srv/in", action)).allowed


def test_paths_of_sockets_are_no_matter_of_grants() -> None:
    """S2-122 S2-130."""
    request = PathRequest("/srv/in/socket", PathAction.CONNECT)
    assert decide(_SERVICES, _NEW, request).allowed
    granted = Policy(grants=(Grant("/srv/in", Access.READ_WRITE),))
    assert decide(granted, _NEW, request).errno == "EACCES"


@pytest.mark.parametrize(
    ("ip", "port", "action", "allowed"),
    [
        (Ip.NONE, 0, PortAction.BIND_TCP, False),
        (Ip.NONE, 443, PortAction.CONNECT_TCP, False),
        (Ip.CLIENT, 0, PortAction.BIND_TCP, True),
        (Ip.CLIENT, 0, PortAction.BIND_UDP, True),
        (Ip.CLIENT, 40000, PortAction.BIND_TCP, False),
        (Ip.CLIENT, 40000, PortAction.BIND_UDP, False),
        (Ip.CLIENT, 443, PortAction.CONNECT_TCP, True),
        (Ip.CLIENT, 53, PortAction.SEND_UDP, True),
        (Ip.ALL, 40000, PortAction.BIND_TCP, True),
    ],
)
def test_ports_of_a_client_are_the_kernels(
    ip: Ip, port: int, action: PortAction, *, allowed: bool
) -> None:
    """S2-026 S2-027 S2-028 S2-029 S2-039."""
    decision = decide(Policy(ip=ip), _NEW, PortRequest(port, action))
    assert decision.allowed is allowed
    assert allowed or decision.errno == "EACCES"


def test_system_none_grants_no_library() -> None:
    """S1-098: without the system set nothing of it is readable."""
    request = PathRequest("/usr/lib/x.so", PathAction.READ)
    assert not decide(Policy(system=System.NONE), _NEW, request).allowed


def test_resolver_files_come_with_the_network() -> None:
    """S1-308: resolver and certificates with a network, not without."""
    request = PathRequest("/etc/resolv.conf", PathAction.READ)
    assert decide(Policy(ip=Ip.ALL), _NEW, request).allowed
    assert decide(Policy(ip=Ip.CLIENT), _NEW, request).allowed
    assert not decide(Policy(), _NEW, request).allowed


def test_variables_come_from_the_policy_only() -> None:
    """S1-310."""
    policy = Policy(pass_names=("LANG",), set_values=(("HOME", "/srv"),))
    for name, allowed in (("LANG", True), ("HOME", True), ("LD_PRELOAD", False)):
        assert decide(policy, _NEW, EnvironmentRequest(name)).allowed is allowed


@pytest.mark.parametrize("landlock_abi", [1, 2, 9])
@pytest.mark.parametrize("system", System)
@pytest.mark.parametrize("unix_sockets", UnixSockets)
@pytest.mark.parametrize("symlinks", Symlinks)
def test_actions_on_a_path_are_those_decided_one_by_one(
    landlock_abi: int, system: System, unix_sockets: UnixSockets, symlinks: Symlinks
) -> None:
    """One look at the rules gives what asking for each action gives."""
    grants = (
        Grant("/", Access.READ),
        Grant("/opt/bin", Access.READ_EXEC),
        Grant("/srv", Access.READ),
        Grant("/srv/out", Access.READ_WRITE),
    )
    situation = Situation("x86_64", landlock_abi)
    for granted in (grants, grants[1:], ()):
        policy = Policy(
            system=system, grants=granted, unix_sockets=unix_sockets, symlinks=symlinks
        )
        for path in ("/", "/opt/bin/x", "/srv/out/x/y", "/srv", "/lib/x", "/dev/null"):
            one_by_one = frozenset(
                action
                for action in PathAction
                if decide(policy, situation, PathRequest(path, action)).allowed
            )
            assert allowed_on(policy, situation, path) == one_by_one
