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
