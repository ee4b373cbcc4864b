# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe what a program may ask for, and what the answer looks like."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from stockade.model.calls import ALLOW


class PathAction(StrEnum):
    """One thing to do with a path, as a program sees it."""

    READ = "read"
    LIST = "list"
    EXECUTE = "execute"
    WRITE = "write"
    TRUNCATE = "truncate"
    CREATE_FILE = "create-file"
    CREATE_FOLDER = "create-folder"
    CREATE_LINK = "create-link"
    CREATE_FIFO = "create-fifo"
    CREATE_SOCKET = "create-socket"
    CREATE_CHARACTER_DEVICE = "create-character-device"
    CREATE_BLOCK_DEVICE = "create-block-device"
    REMOVE_FILE = "remove-file"
    REMOVE_FOLDER = "remove-folder"
    MOVE = "move"
    DEVICE_REQUEST = "device-request"
    CONNECT = "connect"


class PortAction(StrEnum):
    """One thing to do with a port of an IP socket that the program has."""

    BIND_TCP = "bind-tcp"
    CONNECT_TCP = "connect-tcp"
    BIND_UDP = "bind-udp"
    SEND_UDP = "send-udp"


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a meaning is decided: an architecture and a kernel's Landlock ABI."""

    arch: str
    landlock_abi: int


@dataclass(frozen=True, slots=True)
class CallRequest:
    """One system call as a filter sees it: words, not pointers' contents.

    `arch` is the architecture of the call, which need not be the target's;
    `number` is 32 bits, every argument 64; `own_pid` is the program's own.
    """

    arch: str
    number: int
    args: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    own_pid: int = 1000


@dataclass(frozen=True, slots=True)
class PathRequest:
    """One action on an absolute path that holds no links.

    For actions that create or remove, the path is that of the folder.
    """

    path: str
    action: PathAction


@dataclass(frozen=True, slots=True)
class PortRequest:
    """One action on a port; to bind to 0 leaves the choice to the kernel.

    Decided as Landlock does, which lacks rights on ports that older ABIs do not know.
    """

    port: int
    action: PortAction


@dataclass(frozen=True, slots=True)
class EnvironmentRequest:
    """One variable of the program's environment."""

    name: str


Request: TypeAlias = CallRequest | PathRequest | PortRequest | EnvironmentRequest


class Transport(StrEnum):
    """What an IP socket speaks."""

    TCP = "tcp"
    UDP = "udp"


@dataclass(frozen=True, slots=True)
class ConnectRequest:
    """Make an IP socket and send or connect to a port of a host."""

    host: str
    port: int
    transport: Transport = Transport.TCP


@dataclass(frozen=True, slots=True)
class BindRequest:
    """Make an IP socket with a port of its own; 0 leaves the choice to the kernel."""

    port: int
    transport: Transport = Transport.TCP


@dataclass(frozen=True, slots=True)
class ListenRequest:
    """Take TCP connections on a port."""

    port: int


@dataclass(frozen=True, slots=True)
class UnixRequest:
    """Make a Unix socket and reach another one: a path, or `@` and abstract name."""

    address: str


@dataclass(frozen=True, slots=True)
class SignalRequest:
    """Send a signal to another process of the user, outside the sandbox or inside."""

    signal: int
    inside: bool = False


@dataclass(frozen=True, slots=True)
class SpawnRequest:
    """Start another process."""


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """Start with a standard stream of a kind that not every program may have."""

    kind: str


@dataclass(frozen=True, slots=True)
class StartRequest:
    """Start the program, on a host that lacks a path or where a rule writes a place.

    `writing` is the base and the path of a place that others trust.
    """

    without: str = ""
    writing: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class MetadataRequest:
    """Change mode, owner, times or attributes of a file, named by its path."""

    path: str


@dataclass(frozen=True, slots=True)
class SetIdRequest:
    """Give a file the bits by which others run it as its owner or group."""

    path: str


@dataclass(frozen=True, slots=True)
class HardLinkRequest:
    """Give the file at a path a second name in the same folder."""

    path: str


@dataclass(frozen=True, slots=True)
class SeeRequest:
    """Ask whether anything is at a path, without opening it."""

    path: str


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """Reach a service of the system by its name, as macOS calls them."""

    name: str


@dataclass(frozen=True, slots=True)
class InspectRequest:
    """Ask the system about another process of the user: its name, its group."""


# What takes more than one call, or more than one wall to refuse.
Composite: TypeAlias = (
    ConnectRequest
    | BindRequest
    | ListenRequest
    | UnixRequest
    | SignalRequest
    | SpawnRequest
)
# What every system can be asked, in words that name none of its calls.
FileRequest: TypeAlias = (
    PathRequest | MetadataRequest | SetIdRequest | HardLinkRequest | SeeRequest
)
NeutralRequest: TypeAlias = (
    FileRequest
    | ConnectRequest
    | BindRequest
    | ListenRequest
    | UnixRequest
    | SignalRequest
    | SpawnRequest
    | ServiceRequest
    | InspectRequest
    | EnvironmentRequest
)
# What a program can ask for; what one wall says about a port is none of it.
AnyRequest: TypeAlias = CallRequest | NeutralRequest | StreamRequest | StartRequest


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer: an action or the name of an error, and the rule that gave it."""

    action: str
    rule: str

    @property
    def allowed(self) -> bool:
        """Tell whether the request goes through."""
        return self.action == ALLOW

    @property
    def errno(self) -> str | None:
        """Name the error of a refusal; None when the request goes through."""
        return None if self.allowed else self.action
