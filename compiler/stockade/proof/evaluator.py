# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Answer requests from a variant of an artifact, as the kernel would.

Filters are run by the interpreter, Landlock's tables are read as landlock(7) says.
INVARIANT: nothing here knows a policy or how an artifact is made.
"""

from __future__ import annotations

from dataclasses import dataclass

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.errno import ERRNO_NAMES
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Artifact, Filter, GrantRow, Variant
from stockade.model.request import CallRequest, PathAction, PortAction
from stockade.proof.interpreter import call_data, run
from stockade.proof.rights import (
    NEEDED,
    NEEDED_ON_PORTS,
    SCOPE_ABSTRACT,
    SCOPE_SIGNAL,
    rights_by_path,
    rights_on,
)

ALLOWED = "allow"
NOT_THERE = "no such call"
_ALLOW, _ERRNO, _WITNESS = 0x7FFF0000, 0x00050000, 0xFFF
# Landlock of this ABI refuses every move between folders, and has no right for it.
_REFUSES_MOVES = 1
_PORT_RIGHTS = {
    "BIND_TCP": PortAction.BIND_TCP,
    "CONNECT_TCP": PortAction.CONNECT_TCP,
    "BIND_UDP": PortAction.BIND_UDP,
    "CONNECT_SEND_UDP": PortAction.SEND_UDP,
}
_SCOPES = {"ABSTRACT_UNIX_SOCKET": SCOPE_ABSTRACT, "SIGNAL": SCOPE_SIGNAL}
# What asks the same of the kernel where Landlock does not judge an action: a call
# with a pointer, and a request of a device that no list has.
_BY_CALL: dict[PathAction, tuple[str, tuple[int, ...]]] = {
    PathAction.TRUNCATE: ("truncate", (0x10000,)),
    PathAction.DEVICE_REQUEST: ("ioctl", (3, 0xEE01)),
}


def run_filter(program: Filter, request: CallRequest) -> str:
    """Run a filter on a call: `allow`, the name of an error, or the action.

    Raises NotAProgramError where the kernel would have refused the program.
    """
    filled = {entry.insn: entry.kind for entry in program.relocations}
    code = [
        (
            insn.code,
            insn.jt,
            insn.jf,
            request.own_pid if filled.get(at) == "own-pid" else insn.k,
        )
        for at, insn in enumerate(program.instructions)
    ]
    audit = AUDIT_ARCH.get(request.arch)
    arch = int(request.arch, 16) if audit is None else audit
    action = run(code, call_data(request.number, arch, request.args, 0))
    if action == _ALLOW:
        return ALLOWED
    if action & 0xFFFF0000 != _ERRNO:
        return f"action {action:#x}"
    error = action & 0xFFFF
    # An error of its own at each start, which no other filter answers.
    return ERRNO_NAMES.get(error, "the witness" if error == _WITNESS else str(error))


def row_allows(artifact: Artifact, row: GrantRow, action: PathAction) -> bool:
    """Tell whether a row's class has the right for an action."""
    (entry,) = (one for one in artifact.classes if one.name == row.class_name)
    return bool(entry.rights & NEEDED[action])


@dataclass(frozen=True, slots=True)
class Evaluator:
    """One variant in force on a host of one Landlock ABI."""

    artifact: Artifact
    variant: Variant
    arch: str
    landlock_abi: int

    def request(self, request: CallRequest) -> str:
        """Answer a system call."""
        return run_filter(self.variant.filter, request)

    def call(self, name: str, *args: int) -> str:
        """Answer a system call by its name; NOT_THERE for one that is none here."""
        number = call_numbers(self.arch).get(name)
        if number is None:
            return NOT_THERE
        a, b, c, d, e, f, *_ = (*args, 0, 0, 0, 0, 0, 0)
        return self.request(CallRequest(self.arch, number, (a, b, c, d, e, f)))

    def path(self, path: str, action: PathAction) -> str:
        """Answer an action on a path."""
        return self._on(rights_on(rights_by_path(self.artifact), path), action)

    def granting(self, path: str, action: PathAction) -> tuple[GrantRow, ...]:
        """List the rows that allow an action on a path."""
        return tuple(
            row
            for row in self.artifact.grants
            if row_allows(self.artifact, row, action) and rights_on({row.path: 1}, path)
        )

    def program(self, action: PathAction) -> str:
        """Answer an action on the program's own file, wherever it lies."""
        rights = {entry.name: entry.rights for entry in self.artifact.classes}
        return self._on(rights[self.artifact.program_class], action)

    def _on(self, rights: int, action: PathAction) -> str:
        needed = NEEDED[action]
        if needed & self._handled:
            return ALLOWED if needed & rights else "EACCES"
        if action is PathAction.MOVE and self.landlock_abi <= _REFUSES_MOVES:
            return "EXDEV"
        if action in _BY_CALL:
            name, args = _BY_CALL[action]
            return self.call(name, *args)
        return ALLOWED

    @property
    def _handled(self) -> int:
        return self.variant.fs_required | self.variant.fs_optional

    def port(self, right: str, port: int) -> bool:
        """Tell whether Landlock lets a port right through."""
        bit = NEEDED_ON_PORTS[_PORT_RIGHTS[right]]
        if not bit & (self.variant.net_required | self.variant.net_optional):
            return True
        return any(row.port == port and row.rights & bit for row in self.artifact.ports)

    def scoped(self, scope: str) -> bool:
        """Tell whether a scope keeps the program in."""
        asked = self.variant.scope_required | self.variant.scope_optional
        return bool(_SCOPES[scope] & asked)

    def socket_path(self, path: str) -> bool:
        """Tell whether Landlock lets the program reach a socket at a path."""
        return self.path(path, PathAction.CONNECT) == ALLOWED
