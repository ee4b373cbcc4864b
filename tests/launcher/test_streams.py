# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Accept on 0, 1 and 2 only what gives a program nothing beyond its policy."""

from __future__ import annotations

import ctypes
import fcntl
import os
import pty
import select
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from launcher_scene import FEATURES, LIBC, Scene, artifact, reason, started, tmpfs

from stage import require
from stockade.model.artifact import Feature, Requirement

_NAMES = ("standard input", "standard output", "standard error")
_ROUTE, _SOCK_DIAG = 0, 4
_SEAL_EXEC = 0x20
_NOEXEC_SEAL, _EXEC = 8, 16
_UDP_LITE, _MPTCP = 136, 262
_DETACH = 2
_IO_URING_SETUP = 425

Opener = Callable[[ExitStack], int]


def _socket(stack: ExitStack, *kind: int) -> socket.socket:
    return stack.enter_context(socket.socket(*kind))


def _tcp_listening(stack: ExitStack) -> int:
    made = _socket(stack, socket.AF_INET, socket.SOCK_STREAM)
    made.bind(("127.0.0.1", 0))
    made.listen()
    return made.fileno()


def _tcp_connected(stack: ExitStack) -> int:
    server = _socket(stack, socket.AF_INET, socket.SOCK_STREAM)
    server.bind(("127.0.0.1", 0))
    server.listen()
    client = _socket(stack, socket.AF_INET, socket.SOCK_STREAM)
    client.connect(server.getsockname())
    return client.fileno()


def _udp_connected(stack: ExitStack) -> int:
    made = _socket(stack, socket.AF_INET, socket.SOCK_DGRAM)
    made.connect(("127.0.0.1", 9))
    return made.fileno()


def _plain(*kind: int) -> Opener:
    return lambda stack: _socket(stack, *kind).fileno()


def _pair(kind: int) -> Opener:
    def opener(stack: ExitStack) -> int:
        ends = socket.socketpair(socket.AF_UNIX, kind)
        for end in ends:
            stack.enter_context(end)
        return ends[0].fileno()

    return opener


def _unix_listening(stack: ExitStack) -> int:
    made = _socket(stack, socket.AF_UNIX, socket.SOCK_STREAM)
    made.bind("")  # a free abstract name
    made.listen()
    return made.fileno()


def _unix_half_closed(stack: ExitStack) -> int:
    one, other = socket.socketpair()
    other.close()
    return stack.enter_context(one).fileno()


TCP, UDP = (socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM)
# Name, how it is opened, the kind a policy must name (every connected TCP socket has a
# second one), what the message says.
SOCKETS: dict[str, tuple[Opener, str | None, str]] = {
    "tcp": (_plain(*TCP), "inet", "family IPv4 2, type stream, protocol 6, not con"),
    "tcp listening": (_tcp_listening, "inet", "type stream, protocol 6, listening"),
    "tcp connected": (_tcp_connected, "inet", "type stream, protocol 6, connected"),
    "tcp six": (
        _plain(socket.AF_INET6, socket.SOCK_STREAM),
        "inet",
        "family IPv6 10, type stream",
    ),
    "udp": (_plain(*UDP), "inet", "family IPv4 2, type datagram, protocol 17"),
    "udp connected": (_udp_connected, "inet", "type datagram, protocol 17, conn"),
    "ping": (_plain(*UDP, socket.IPPROTO_ICMP), "inet", "type datagram, protocol 1,"),
    "mptcp": (_plain(*TCP, _MPTCP), "inet", "protocol 262"),
    "udp-lite": (_plain(*UDP, _UDP_LITE), None, "type datagram, protocol 136"),
    "unix pair": (
        _pair(socket.SOCK_STREAM),
        "unix-connected",
        "family Unix 1, type st",
    ),
    "unix seqpacket": (
        _pair(socket.SOCK_SEQPACKET),
        "unix-connected",
        "family Unix 1, type seqpacket, protocol 0, connected",
    ),
    "unix half closed": (_unix_half_closed, "unix-connected", "family Unix"),
    "unix datagram pair": (_pair(socket.SOCK_DGRAM), "unix-any", "type datagram"),
    "unix alone": (
        _plain(socket.AF_UNIX, socket.SOCK_STREAM),
        "unix-any",
        "not connected",
    ),
    "unix listening": (_unix_listening, "unix-any", "listening"),
    "route netlink": (
        _plain(socket.AF_NETLINK, socket.SOCK_RAW, _ROUTE),
        "route-netlink",
        "family netlink 16, type raw, protocol 0",
    ),
    "other netlink": (
        _plain(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG),
        None,
        "family netlink 16, type raw, protocol 4",
    ),
    "vsock": (_plain(40, socket.SOCK_STREAM), None, "family vsock 40"),
    "raw": (
        _plain(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        None,
        "type raw, protocol 1",
    ),
}
SOCKET_NEEDS = {
    "udp connected": "loopback",
    "ping": "ping-sockets",
    "mptcp": "mptcp",
    "udp-lite": "udp-lite",
    "vsock": "vsock",
    "tcp six": "ipv6",
    "tcp connected": "loopback",
    "raw": "root-user",
}
KINDS = (
    "unix-connected",
    "unix-any",
    "inet",
    "tcp-connected",
    "route-netlink",
    "pty-master",
)


def _start(scene: Scene, stream: int, fd: int, kinds: tuple[str, ...]) -> object:
    """Start with a descriptor on a stream; capture the other ones."""
    made = artifact(streams=kinds)
    path = scene.write(made)
    # Standard error may be what is judged: then the text goes to standard output.
    return scene.start(
        path,
        preexec=lambda: os.dup2(fd, stream),
        pass_fds=[fd],
    )


@contextmanager
def _opened(opener: Opener) -> Iterator[int]:
    with ExitStack() as stack:
        yield opener(stack)


@pytest.mark.parametrize("name", SOCKETS)
@pytest.mark.parametrize("stream", [0, 1])
def test_sockets_are_judged_by_kind(scene: Scene, name: str, stream: int) -> None:
    """S2-135…S2-142 S2-152 GL-030 each kind with and without its bit."""
    require(*filter(None, [SOCKET_NEEDS.get(name)]))
    opener, kind, words = SOCKETS[name]
    with _opened(opener) as fd:
        fitting = (kind, "tcp-connected" if name == "tcp connected" else kind)
        others = tuple(other for other in KINDS if other not in fitting)
        text = reason(_start(scene, stream, fd, others))
        assert text.startswith(f"{_NAMES[stream]} is a socket (family ")
        assert words in text
        for one in dict.fromkeys(fitting):
            if one is not None:
                assert _start(scene, stream, fd, (one,)).returncode == 0


def test_socket_on_standard_error_is_refused(scene: Scene) -> None:
    """S2-135 the third stream, whose message nobody can see but the peer."""
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    done = _start(scene, 2, one.fileno(), ())
    one.close()
    assert done.returncode == 125
    assert other.recv(4096).startswith(b"stockade: standard error is a socket")
    other.close()


def _file_kinds(scene: Scene) -> dict[str, Callable[[], int]]:
    """Name what is accepted under every policy, each with its opener."""

    def regular() -> int:
        return os.open(scene.file("regular"), os.O_RDWR)

    def deleted() -> int:
        path = scene.file("deleted")
        fd = os.open(path, os.O_RDWR)
        path.unlink()
        return fd

    def memory_disk() -> int:
        fd = os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR, 0o600)
        if os.getuid() == 0:
            os.fchmod(fd, 0o666)
        return fd

    def named_pipe() -> int:
        os.mkfifo(scene.root / "pipe")
        return os.open(scene.root / "pipe", os.O_RDWR)

    def pipe() -> int:
        reader, writer = os.pipe()
        os.close(writer)
        return reader

    kinds = {
        "regular": regular,
        "deleted": deleted,
        "memory disk": memory_disk,
        "named pipe": named_pipe,
        "pipe": pipe,
    }
    for name in ("null", "zero", "full", "random", "urandom"):
        kinds[name] = lambda name=name: os.open(f"/dev/{name}", os.O_RDONLY)
    return kinds


ACCEPTED = (
    *("regular", "deleted", "memory disk", "named pipe", "pipe"),
    *("null", "zero", "full", "random", "urandom"),
)


@pytest.mark.parametrize("name", ACCEPTED)
def test_files_pipes_and_plain_devices_are_accepted(scene: Scene, name: str) -> None:
    """S2-146 under a policy that adds no kind."""
    fd = _file_kinds(scene)[name]()
    assert started(_start(scene, 0, fd, ())) == b""
    os.close(fd)


def _memfd(flags: int, seals: int) -> Callable[[], int]:
    def opener() -> int:
        fd = os.memfd_create("memory", flags)
        if seals:
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        return fd

    return opener


def _ring() -> int:
    parameters = ctypes.create_string_buffer(256)
    fd = ctypes.CDLL(None).syscall(_IO_URING_SETUP, 1, parameters)
    assert fd >= 0
    return fd


def _epoll() -> int:
    made = select.epoll()
    copy = os.dup(made.fileno())
    made.close()
    return copy


_SEALING = os.MFD_ALLOW_SEALING
REFUSED: dict[str, tuple[Callable[[], int], str]] = {
    "memfd": (_memfd(0, 0), "an unsealed memory file (`/memfd:memory (deleted)`)"),
    "memfd sealed against write": (
        _memfd(_SEALING, fcntl.F_SEAL_WRITE),
        "an unsealed memory file",
    ),
    "memfd sealed against exec": (
        _memfd(_SEALING | _NOEXEC_SEAL, 0),
        "an unsealed memory file",
    ),
    "folder": (lambda: os.open("/", os.O_RDONLY), "a folder"),
    "path": (lambda: os.open("/etc/passwd", os.O_PATH), "a path without an open file"),
    "namespace": (lambda: os.open("/proc/self/ns/net", os.O_RDONLY), "a namespace"),
    "memory of a process": (
        lambda: os.open("/proc/self/mem", os.O_RDWR),
        "a file of /proc",
    ),
    "kernel setting": (
        lambda: os.open("/sys/kernel/rcu_normal", os.O_RDWR),
        "a writable file of the kernel",
    ),
    "event": (lambda: os.eventfd(0), "a kernel object (`anon_inode:[eventfd]`)"),
    "epoll": (_epoll, "a kernel object (`anon_inode:[eventpoll]`)"),
    "process": (lambda: os.pidfd_open(os.getpid()), ""),
    "ring": (_ring, "a kernel object (`anon_inode:[io_uring]`)"),
    "random memory": (lambda: os.open("/dev/kmsg", os.O_RDONLY), "a memory device"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_everything_else_is_refused_by_name(scene: Scene, name: str) -> None:
    """S2-150 rights that no filter takes back."""
    needed = {"ring": "io-uring"} | dict.fromkeys(
        ("random memory", "kernel setting"), "root-user"
    )
    require(*([needed[name]] if name in needed else []))
    opener, words = REFUSED[name]
    fd = opener()
    text = reason(_start(scene, 0, fd, KINDS))
    os.close(fd)
    assert text.startswith(f"standard input is {words}")
    assert text.endswith("redirect it to a file or a pipe")


def test_fully_sealed_memfd_is_accepted(scene: Scene) -> None:
    """Sealed against write and exec it is a constant."""
    fd = _memfd(_SEALING | _NOEXEC_SEAL, fcntl.F_SEAL_WRITE)()
    assert started(_start(scene, 0, fd, ())) == b""
    os.close(fd)


@pytest.mark.needs("executable-memory-files")
@pytest.mark.parametrize("mode", [0o777, 0o100, 0o010, 0o001, 0o600, 0o444])
def test_sealed_memfd_that_can_be_executed_is_refused(scene: Scene, mode: int) -> None:
    """The seal keeps the right to execute as it was."""
    fd = os.memfd_create("memory", _SEALING | _EXEC)
    os.fchmod(fd, mode)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEAL_EXEC | fcntl.F_SEAL_WRITE)
    done = _start(scene, 0, fd, KINDS)
    os.close(fd)
    if mode & 0o111:
        assert reason(done).startswith("standard input is an executable memory file")
    else:
        assert started(done) == b""


@pytest.mark.needs("root-user")
def test_block_device_is_refused(scene: Scene) -> None:
    node = scene.root / "block"
    os.mknod(node, 0o060666, os.makedev(7, 0))
    try:
        fd = os.open(node, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        # No loop driver: the null block number of memory disks instead.
        pytest.skip("needs loop-devices")
    assert "standard input is a block device" in reason(_start(scene, 0, fd, KINDS))
    os.close(fd)


def test_terminal_is_accepted(scene: Scene) -> None:
    """S2-143 the slave side, under every policy."""
    master, slave = pty.openpty()
    assert started(_start(scene, 0, slave, ())) == b""
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("allowed", [True, False])
def test_terminal_master_needs_its_kind(scene: Scene, allowed: bool) -> None:
    """S2-143"""
    master, slave = pty.openpty()
    done = _start(scene, 0, master, ("pty-master",) if allowed else ())
    os.close(master)
    os.close(slave)
    if allowed:
        assert started(done) == b""
    else:
        assert "is the master of a pseudo-terminal" in reason(done)


def test_check_does_not_judge_streams(scene: Scene) -> None:
    """S2-145 its own streams are others."""
    fd = os.memfd_create("memory")
    path = scene.write(artifact(streams=()))
    done = scene.check(path, preexec=lambda: os.dup2(fd, 0), pass_fds=[fd])
    os.close(fd)
    assert done.returncode == 0, done


@pytest.mark.needs("root-user")
def test_file_whose_file_system_shows_elsewhere_is_accepted(scene: Scene) -> None:
    """A caller that changed its mounts after the redirection, as containers do."""
    fd = os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR, 0o600)
    done = scene.start_among_mounts(artifact(), lambda: os.dup2(fd, 0))
    assert started(done) == b""
    os.close(fd)


@pytest.mark.needs("root-user")
def test_file_on_no_visible_file_system_is_refused(scene: Scene) -> None:
    """Landlock knows no place for it."""
    point = scene.folder("point")

    def arrange() -> None:
        tmpfs(point)
        os.dup2(os.open(point / "file", os.O_CREAT | os.O_RDWR, 0o600), 0)
        assert LIBC.umount2(os.fsencode(point), _DETACH) == 0

    text = reason(scene.start_among_mounts(artifact(), arrange))
    assert text.startswith("standard input is an unsealed memory file (`/file`)")


def test_host_is_judged_before_streams(scene: Scene) -> None:
    """S2-144 what the host cannot enforce is told first."""
    fd = os.memfd_create("memory")
    needs = Requirement("filesystem-confined", "files", "none", ("landlock-erratum-8",))
    variant = {"must": ("landlock-erratum-8",), "requirements": (needs,)}
    text = Feature("landlock-erratum-8", (), "not so new", "wait")
    made = artifact(variant=variant, features=(*FEATURES, text))
    done = scene.start(made, preexec=lambda: os.dup2(fd, 0), pass_fds=[fd])
    os.close(fd)
    assert reason(done) == "this host cannot enforce files: not so new; wait"
