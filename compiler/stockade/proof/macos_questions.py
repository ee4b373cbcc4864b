# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what macOS asks a profile when a program does something.

A request has ways: sets of operations that may each be all that the kernel asks for it.
It is refused only where every way is. It is granted only where all that it may need is
granted. Where what the kernel really asks is not known, a way is added rather than left
out; docs/sbpl.md says which of them were never measured.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from stockade.abi.signals import SIGNAL_NAMES
from stockade.model.request import (
    BindRequest,
    ConnectRequest,
    EnvironmentRequest,
    FileRequest,
    HardLinkRequest,
    InspectRequest,
    ListenRequest,
    MetadataRequest,
    NeutralRequest,
    PathAction,
    PathRequest,
    SeeRequest,
    ServiceRequest,
    SetIdRequest,
    SignalRequest,
    SpawnRequest,
    Transport,
    UnixRequest,
)
from stockade.proof.sbpl.context import Address, Fact

# What something new in a folder is called.
NEW, OTHER = "stockade-new", "stockade-other"
_LOOPBACK, _EVERYWHERE = "127.0.0.1", "0.0.0.0"  # noqa: S104 - what a program may bind to
_EPHEMERAL = 49152
# A request of a disk, which says its block size: no terminal has it.
_HARMLESS_IOCTL = 25624
_FILE, _FOLDER, _LINK = "REGULAR-FILE", "DIRECTORY", "SYMLINK"
_READABLE, _RUNNABLE = 0o644, 0o755


@dataclass(frozen=True, slots=True)
class Ask:
    """One operation with the facts that macOS tells about it, as pairs."""

    operation: str
    facts: tuple[tuple[str, Fact | tuple[Fact, ...]], ...] = ()


Way: TypeAlias = tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What must be allowed for a request to work, and the ways it may work by.

    What it is about comes first.
    """

    needs: Way
    ways: tuple[Way, ...]


def question(request: NeutralRequest) -> Question:
    """Give what is asked for a request; environments are no question to a profile."""
    match request:
        case SpawnRequest():
            return _spawn()
        case InspectRequest():
            return _inspect()
        case ServiceRequest(name):
            return _service(name)
        case SignalRequest():
            return _signal(request)
        case EnvironmentRequest():
            raise ValueError("no operation is about the environment")
        case ConnectRequest() | BindRequest() | ListenRequest() | UnixRequest():
            return _network(request)
        case _:
            return _file(request)


def _all_and_each(*asks: Ask) -> Question:
    """Make a question of operations of which each alone may be what is asked."""
    return Question(asks, tuple((ask,) for ask in asks))


def on_path(operation: str, path: str, kind: str = _FILE, **facts: Fact) -> Ask:
    """Ask about a file of a kind; a fact's `_` stands for `-`."""
    mode = facts.pop("mode", _READABLE)
    more = {name.replace("_", "-"): value for name, value in facts.items()}
    told = {"path": path, "vnode-type": kind, "file-mode": mode, **more}
    return Ask(operation, tuple(told.items()))


def _below(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


def _file(request: FileRequest) -> Question:
    match request:
        case PathRequest(path, action):
            return _ACTIONS[action](path)
        case MetadataRequest(path):
            return _metadata(path)
        case SetIdRequest(path):
            return _all_and_each(on_path("file-write-setugid", path))
        case HardLinkRequest(path):
            return _hard_link(path)
        case SeeRequest(path):
            return _all_and_each(
                on_path("file-read-metadata", path),
                on_path("file-test-existence", path),
            )


def _opened(operation: str, path: str, kind: str) -> Question:
    """Open a file that is there; programs look at it before and after."""
    ask = on_path(operation, path, kind)
    seen = (
        on_path("file-read-metadata", path, kind),
        on_path("file-test-existence", path, kind),
    )
    return Question((ask, *seen), ((ask,),))


def _kind_of(path: str) -> str:
    return "CHARACTER-DEVICE" if path.startswith("/dev/") else _FILE


def _execute(path: str) -> Question:
    """Run a file, or have it run a script; the kernel maps it for the first."""
    run = on_path("process-exec*", path, mode=_RUNNABLE)
    interpret = on_path("process-exec-interpreter", path, mode=_RUNNABLE)
    mapped = on_path("file-map-executable", path, mode=_RUNNABLE)
    read = on_path("file-read-data", path, mode=_RUNNABLE)
    return Question((run, interpret, mapped, read), ((run,), (interpret,)))


def _create(kind: str) -> Callable[[str], Question]:
    def ask(folder: str) -> Question:
        made = on_path("file-write-create", _below(folder, NEW), kind)
        return Question((made,), ((made,),))

    return ask


def _create_file(folder: str) -> Question:
    path = _below(folder, NEW)
    made = on_path("file-write-create", path)
    return Question((made, on_path("file-write-data", path)), ((made,),))


def _create_node(kind: str) -> Callable[[str], Question]:
    """Make a FIFO or a device; which operation answers for it is not known."""

    def ask(folder: str) -> Question:
        path = _below(folder, NEW)
        return _all_and_each(
            on_path("file-write-create", path, kind), on_path("file-mknod", path, kind)
        )

    return ask


def _create_socket(folder: str) -> Question:
    path = _below(folder, NEW)
    return _all_and_each(
        on_path("network-bind", path, "SOCKET", socket_domain="AF_UNIX"),
        on_path("file-write-create", path, "SOCKET"),
    )


def _remove(kind: str) -> Callable[[str], Question]:
    return lambda folder: _all_and_each(
        on_path("file-write-unlink", _below(folder, NEW), kind)
    )


def _move(folder: str) -> Question:
    return _all_and_each(
        on_path("file-write-unlink", _below(folder, NEW)),
        on_path("file-write-create", _below(folder, OTHER)),
    )


def _device_request(path: str) -> Question:
    ask = on_path("file-ioctl", path, _kind_of(path), ioctl_command=_HARMLESS_IOCTL)
    return _all_and_each(ask)


def _metadata(path: str) -> Question:
    return _all_and_each(
        on_path("file-write-mode", path),
        on_path("file-write-owner", path),
        on_path("file-write-times", path),
        on_path("file-write-flags", path),
        on_path("file-write-acl", path),
        on_path("file-write-xattr", path, xattr="org.example.note"),
    )


def _hard_link(path: str) -> Question:
    """Give a second name, which is made like a new file where it will be."""
    link = on_path("file-link", path)
    folder = path.rpartition("/")[0] or "/"
    named = on_path("file-write-create", _below(folder, NEW))
    return Question((link, named), ((link, named),))


def _socket(domain: str, transport: Transport | None = None) -> Ask:
    facts: list[tuple[str, Fact]] = [("socket-domain", domain)]
    if transport:
        kind = "SOCK_STREAM" if transport is Transport.TCP else "SOCK_DGRAM"
        facts.append(("socket-type", kind))
    return Ask("system-socket", tuple(facts))


def _ip_socket(host: str, transport: Transport) -> Ask:
    version = ipaddress.ip_address(host).version
    return _socket("AF_INET6" if version == 6 else "AF_INET", transport)


def _network(
    request: ConnectRequest | BindRequest | ListenRequest | UnixRequest,
) -> Question:
    match request:
        case ConnectRequest():
            return _connect(request)
        case BindRequest(port, transport):
            return _bind(port, transport)
        case ListenRequest(port):
            return _listen(port)
        case UnixRequest(address):
            return _unix(address)


def _connect(request: ConnectRequest) -> Question:
    """Reach a port; that `system-socket` is asked for IP at all is not known."""
    host = _LOOPBACK if request.host == "localhost" else request.host
    remote = ("remote", Address(host, request.port, request.transport))
    out = Ask("network-outbound", (remote,))
    # Where the kernel takes an address of this host for the near end by itself.
    near = Ask(
        "network-outbound",
        (remote, ("local", Address(_LOOPBACK, _EPHEMERAL, request.transport))),
    )
    needs = (out, near, _ip_socket(host, request.transport))
    return Question(needs, ((out,), (near,)))


def _local(operation: str, host: str, port: int, transport: Transport) -> Ask:
    return Ask(operation, (("local", Address(host, port, transport)),))


def _bind(port: int, transport: Transport) -> Question:
    """Take a port of the loopback, or of every address, which is more."""
    near = _local("network-bind", _LOOPBACK, port, transport)
    far = _local("network-bind", _EVERYWHERE, port, transport)
    return Question((near, _ip_socket(_LOOPBACK, transport)), ((near,), (far,)))


def _listen(port: int) -> Question:
    near, far = (
        _local("network-inbound", host, port, Transport.TCP)
        for host in (_LOOPBACK, _EVERYWHERE)
    )
    bound = _local("network-bind", _LOOPBACK, port, Transport.TCP)
    socket = _ip_socket(_LOOPBACK, Transport.TCP)
    return Question((near, bound, socket), ((near,), (far,)))


def _unix(address: str) -> Question:
    out = on_path("network-outbound", address, "SOCKET", socket_domain="AF_UNIX")
    return Question((out, _socket("AF_UNIX")), ((out,),))


def _signal(request: SignalRequest) -> Question:
    """Signal another process: one that started with the program, or one outside.

    Outside may still be of the program's group, and inside may be its child.
    """
    kinds = (
        (("same-sandbox", "others"), ("same-sandbox", "children"))
        if request.inside
        else (("others",), ("others", "pgrp"))
    )
    number = tuple(_signal_number(request.signal))
    return _all_and_each(
        *(
            Ask(
                "signal",
                (("target", kind), *(("signal-number", one) for one in number)),
            )
            for kind in kinds
        )
    )


def _signal_number(signal: int) -> Iterator[Fact]:
    """Translate a signal of Linux; one that macOS lacks has no number there."""
    if signal == 0:
        yield 0
    elif signal in SIGNAL_NAMES:
        yield f"SIG{SIGNAL_NAMES[signal]}"


def _call(name: str) -> Ask:
    return Ask("syscall-unix", (("syscall-number", name),))


def _spawn() -> Question:
    """Start a process; that posix_spawn asks for `process-fork` is shown nowhere.

    A program that can fork can start another, so no more is needed.
    """
    fork = Ask("process-fork")
    calls = tuple(_call(name) for name in ("SYS_fork", "SYS_vfork", "SYS_posix_spawn"))
    ways = ((fork, calls[0]), (fork, calls[1]), (calls[2],))
    return Question((fork, calls[0]), ways)


def _service(name: str) -> Question:
    found = Ask("mach-lookup", (("global-name", name),))
    others = (
        Ask("mach-lookup", (("local-name", name),)),
        Ask("mach-lookup", (("xpc-service-name", name),)),
        Ask("mach-cross-domain-lookup", (("global-name", name),)),
    )
    return Question((found,), ((found,), *((other,) for other in others)))


def _inspect() -> Question:
    """Look at a process outside: any one operation tells something."""
    asks = tuple(
        Ask(f"process-info-{name}", (("target", "others"),))
        for name in ("pidinfo", "pidfdinfo", "rusage", "codesignature", "listpids")
    )
    listed = Ask("sysctl-read", (("sysctl-name", "kern.proc.pid.1"),))
    return Question(asks[:1], tuple((ask,) for ask in (*asks, listed)))


_ACTIONS: dict[PathAction, Callable[[str], Question]] = {
    PathAction.READ: lambda path: _opened("file-read-data", path, _kind_of(path)),
    PathAction.LIST: lambda path: _opened("file-read-data", path, _FOLDER),
    PathAction.EXECUTE: _execute,
    PathAction.WRITE: lambda path: _opened("file-write-data", path, _kind_of(path)),
    PathAction.TRUNCATE: lambda path: _opened("file-write-data", path, _kind_of(path)),
    PathAction.CREATE_FILE: _create_file,
    PathAction.CREATE_FOLDER: _create(_FOLDER),
    PathAction.CREATE_LINK: _create(_LINK),
    PathAction.CREATE_FIFO: _create_node("FIFO"),
    PathAction.CREATE_SOCKET: _create_socket,
    PathAction.CREATE_CHARACTER_DEVICE: _create_node("CHARACTER-DEVICE"),
    PathAction.CREATE_BLOCK_DEVICE: _create_node("BLOCK-DEVICE"),
    PathAction.REMOVE_FILE: _remove(_FILE),
    PathAction.REMOVE_FOLDER: _remove(_FOLDER),
    PathAction.MOVE: _move,
    PathAction.DEVICE_REQUEST: _device_request,
    PathAction.CONNECT: _unix,
}
