# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold what decides on Linux: the filter, and Landlock's rights and scopes.

Two sources say it: an artifact's variant, whose filter a judge runs, and a policy,
which is only asked which of its keys matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from stockade.abi.landlock import FS_RIGHTS, NET_RIGHTS, SCOPES, net_mask, scope_mask
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Artifact, Variant
from stockade.model.decide import decide, folders_above
from stockade.model.policy import Policy, Signals, UnixSockets
from stockade.model.request import (
    CallRequest,
    PathAction,
    PathRequest,
    PortAction,
    PortRequest,
    Situation,
)
from stockade.review.change import ALLOWED

# Answers a call as one filter does: `allow`, or the name of an error.
Answers = Callable[[CallRequest], str]
NOT_THERE = "no such call"
_ALL_FILES = sum(right.bit for right in FS_RIGHTS)
_SINCE = {right.name: right.abi for right in (*FS_RIGHTS, *NET_RIGHTS, *SCOPES)}
_PORT_ACTIONS = {
    "BIND_TCP": PortAction.BIND_TCP,
    "CONNECT_TCP": PortAction.CONNECT_TCP,
    "BIND_UDP": PortAction.BIND_UDP,
    "CONNECT_SEND_UDP": PortAction.SEND_UDP,
}


class Walls(Protocol):
    """What stands between a program and what it asks for."""

    def call(self, name: str, *args: int) -> str:
        """Answer a system call: `allow` or an error."""

    def port(self, right: str, port: int) -> bool:
        """Tell whether Landlock lets a port right through."""

    def scoped(self, scope: str) -> bool:
        """Tell whether a scope keeps the program in."""

    def socket_path(self, path: str) -> bool:
        """Tell whether Landlock lets the program reach a socket at a path."""


def _request(arch: str, name: str, args: tuple[int, ...]) -> CallRequest | None:
    number = call_numbers(arch).get(name)
    if number is None:
        return None
    padded = [*args, 0, 0, 0, 0, 0, 0]
    return CallRequest(
        arch,
        number,
        (padded[0], padded[1], padded[2], padded[3], padded[4], padded[5]),
    )


@dataclass(frozen=True, slots=True)
class Table:
    """The rights on named paths, joined, and those that the kernel does not judge."""

    rights: dict[str, int]
    not_judged: int

    def on(self, path: str) -> int:
        """Join the rights on a path and on every folder above it."""
        mask = self.not_judged
        for above in folders_above(path):
            mask |= self.rights.get(above, 0)
        return mask


@dataclass(frozen=True, slots=True)
class VariantWalls:
    """The walls of one variant of an artifact, as the launcher puts them up."""

    artifact: Artifact
    variant: Variant
    arch: str
    answers: Answers

    def call(self, name: str, *args: int) -> str:
        """Run the filter on a call."""
        request = _request(self.arch, name, args)
        if request is None:
            return NOT_THERE
        return self.answers(request)

    def port(self, right: str, port: int) -> bool:
        """Look a port right up in the rows."""
        bit = net_mask(right)
        if not bit & (self.variant.net_required | self.variant.net_optional):
            return True
        return any(row.port == port and row.rights & bit for row in self.artifact.ports)

    def scoped(self, scope: str) -> bool:
        """Tell whether the variant asks for a scope."""
        asked = self.variant.scope_required | self.variant.scope_optional
        return bool(scope_mask(scope) & asked)

    def socket_path(self, path: str) -> bool:
        """Look the right of sockets by path up in the table."""
        return bool(self.table().on(path) & FS_RIGHTS[-1].bit)

    def beside_filter(self) -> tuple[object, ...]:
        """Give all that decides on what lies beyond files, but for the filter."""
        right = FS_RIGHTS[-1].bit
        table = self.table()
        return (
            self.artifact.ports,
            self.variant.net_required | self.variant.net_optional,
            self.variant.scope_required | self.variant.scope_optional,
            table.not_judged & right,
            [path for path, mask in sorted(table.rights.items()) if mask & right],
        )

    def table(self) -> Table:
        """Read the table of file rights that the variant makes in force."""
        masks = {entry.name: entry.rights for entry in self.artifact.classes}
        rights: dict[str, int] = {}
        for row in self.artifact.grants:
            rights[row.path] = rights.get(row.path, 0) | masks[row.class_name]
        handled = self.variant.fs_required | self.variant.fs_optional
        return Table(rights, _ALL_FILES & ~handled)


@dataclass(frozen=True, slots=True)
class PolicyWalls:
    """The walls that a policy means on kernels of one Landlock ABI."""

    policy: Policy
    arch: str
    landlock_abi: int

    @property
    def _situation(self) -> Situation:
        return Situation(self.arch, self.landlock_abi)

    def call(self, name: str, *args: int) -> str:
        """Decide a call by the rules."""
        request = _request(self.arch, name, args)
        if request is None:
            return NOT_THERE
        return decide(self.policy, self._situation, request).errno or ALLOWED

    def port(self, right: str, port: int) -> bool:
        """Decide on a port where the kernel knows the right."""
        request = PortRequest(port, _PORT_ACTIONS[right])
        return (
            self.landlock_abi < _SINCE[right]
            or decide(self.policy, self._situation, request).allowed
        )

    def scoped(self, scope: str) -> bool:
        """Tell which scopes a policy means."""
        if self.landlock_abi < _SINCE[scope]:
            return False
        if scope == "SIGNAL":
            return self.policy.signals in {Signals.ISOLATED, Signals.SELF}
        return self.policy.unix_sockets is UnixSockets.NONE

    def socket_path(self, path: str) -> bool:
        """Decide on a socket's path where the kernel knows the right."""
        request = PathRequest(path, PathAction.CONNECT)
        return (
            self.landlock_abi < _SINCE["RESOLVE_UNIX"]
            or decide(self.policy, self._situation, request).allowed
        )
