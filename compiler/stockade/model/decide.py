# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Decide a request under a policy: the meaning that every back end must agree with.

Slow and obvious on purpose. It never looks at an artifact.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from stockade.abi.arch import SKIPPED_CALL, X32_BIT
from stockade.abi.syscalls import call_names
from stockade.model.call_rules import rules_in_force
from stockade.model.calls import ALLOW, CallRule, holds
from stockade.model.environment import variables
from stockade.model.policy import Access, Commands, Ip, Policy, Symlinks, UnixSockets
from stockade.model.request import (
    CallRequest,
    Decision,
    EnvironmentRequest,
    PathAction,
    PathRequest,
    PortAction,
    PortRequest,
    Request,
    Situation,
)
from stockade.model.system_set import readable_system_paths, writable_system_paths

# A number that Linux has never assigned; the filter answers it with an errno of
# its own, drawn at each start, which proves that exactly this filter is in force.
WITNESS_NUMBER = 0x2F5354
WITNESS_ERRNO = "WITNESS"

_READING = frozenset({PathAction.READ, PathAction.LIST})
_WRITING = _READING | {
    PathAction.WRITE,
    PathAction.TRUNCATE,
    PathAction.CREATE_FILE,
    PathAction.CREATE_FOLDER,
    PathAction.REMOVE_FILE,
    PathAction.REMOVE_FOLDER,
    PathAction.MOVE,
    PathAction.DEVICE_REQUEST,
}
# INVARIANT: no access both writes and executes.
ACTIONS: dict[Access, frozenset[PathAction]] = {
    Access.READ: _READING,
    Access.READ_EXEC: _READING | {PathAction.EXECUTE},
    Access.READ_WRITE: _WRITING,
    Access.COMMAND: frozenset({PathAction.READ, PathAction.EXECUTE}),
}
# What keys add to a writable path: others outside follow what is left there.
_LINKING = frozenset({PathAction.CREATE_LINK})
_BINDING = frozenset({PathAction.CREATE_SOCKET})
DEVICE_ACTIONS = frozenset({PathAction.READ, PathAction.WRITE})
# The Landlock ABI with a right for moving between folders.
_MOVES_SINCE = 2


def actions(policy: Policy, access: Access) -> frozenset[PathAction]:
    """List what a grant of this kind allows under a policy."""
    found = ACTIONS[access]
    if access is Access.READ_EXEC and policy.commands is Commands.LISTED:
        return found - {PathAction.EXECUTE}
    if access is Access.READ_WRITE:
        if policy.symlinks is Symlinks.ALLOW:
            found |= _LINKING
        if policy.unix_sockets is UnixSockets.ALL:
            found |= _BINDING
    return found


def decide(policy: Policy, situation: Situation, request: Request) -> Decision:
    """Decide one request of a program that a policy confines."""
    match request:
        case CallRequest():
            return _decide_call(policy, situation, request)
        case PathRequest():
            return _decide_path(policy, situation, request)
        case PortRequest():
            return _decide_port(policy, request)
        case EnvironmentRequest():
            return _decide_environment(policy, request)


def _decide_call(
    policy: Policy, situation: Situation, request: CallRequest
) -> Decision:
    name = call_names(situation.arch).get(request.number)
    if name is None or request.arch != situation.arch:
        return _decide_unnamed_call(situation, request)
    for rule in rules_by_call(policy, situation.landlock_abi).get(name, ()):
        if all(holds(test, request.args, request.own_pid) for test in rule.tests):
            return Decision(rule.action, rule.reason)
    return Decision(ALLOW, "no rule refuses it")


def _decide_unnamed_call(situation: Situation, request: CallRequest) -> Decision:
    if request.arch != situation.arch:
        return Decision("EPERM", "calls of another architecture")
    if request.number == WITNESS_NUMBER:
        return Decision(WITNESS_ERRNO, "witness")
    if request.number == SKIPPED_CALL:
        return Decision("ENOSYS", "no call")
    if situation.arch == "x86_64" and request.number & X32_BIT:
        return Decision("EPERM", "calls of the x32 kind")
    return Decision("ENOSYS", "not a call of the table")


@lru_cache(maxsize=64)
def rules_by_call(policy: Policy, landlock_abi: int) -> dict[str, tuple[CallRule, ...]]:
    """Group the rules in force by call, in the order in which they decide."""
    grouped: dict[str, tuple[CallRule, ...]] = {}
    for rule in rules_in_force(policy, landlock_abi):
        for call in rule.calls:
            grouped[call] = (*grouped.get(call, ()), rule)
    return grouped


def _decide_path(
    policy: Policy, situation: Situation, request: PathRequest
) -> Decision:
    if request.action is PathAction.MOVE and situation.landlock_abi < _MOVES_SINCE:
        # Landlock had no right for moving between folders and refuses it.
        return Decision("EXDEV", "Landlock ABI 1 refuses every move")
    if request.action is PathAction.CONNECT:
        return _decide_connection(policy)
    for above in folders_above(request.path):
        for allowed, what in _rules_on(policy, above):
            if request.action in allowed:
                return Decision(ALLOW, f"{what} `{above}`")
    return Decision("EACCES", "no rule covers it")


def _rules_on(policy: Policy, path: str) -> list[tuple[frozenset[PathAction], str]]:
    """List what each rule on exactly this path allows, and what it is called."""
    found: list[tuple[frozenset[PathAction], str]] = [
        (actions(policy, access), access) for access in policy.accesses.get(path, ())
    ]
    if path in readable_system_paths(policy):
        found.append((_READING, "system set"))
    if path in writable_system_paths(policy):
        found.append((DEVICE_ACTIONS, "system set"))
    return found


def allowed_on(
    policy: Policy, situation: Situation, path: str
) -> frozenset[PathAction]:
    """Give every action on a path that `decide` allows, by one look at the rules."""
    found: frozenset[PathAction] = frozenset()
    for above in folders_above(path):
        for allowed, _what in _rules_on(policy, above):
            found |= allowed
    if situation.landlock_abi < _MOVES_SINCE:
        found -= {PathAction.MOVE}
    if _decide_connection(policy).allowed:
        found |= {PathAction.CONNECT}
    return found


def _decide_connection(policy: Policy) -> Decision:
    """Decide on a Unix socket by its path; no grant leads to one or away from it."""
    if policy.unix_sockets is UnixSockets.ALL:
        return Decision(ALLOW, "unix sockets are granted")
    return Decision("EACCES", "no Unix socket is granted")


def _decide_port(policy: Policy, request: PortRequest) -> Decision:
    binds = request.action in {PortAction.BIND_TCP, PortAction.BIND_UDP}
    match policy.ip:
        case Ip.NONE:
            return Decision("EACCES", "no network is granted")
        case Ip.CLIENT if binds and request.port:
            return Decision("EACCES", "a client's port is for the kernel to choose")
        case _:
            return Decision(ALLOW, "no port is refused")


def folders_above(path: str) -> Iterator[str]:
    """Give a path and every folder above it, up to the root."""
    while path not in {"", "/"}:
        yield path
        path = path.rpartition("/")[0]
    yield "/"


def covers(granted: str, path: str) -> bool:
    """Tell whether a path is the granted one or lies below it."""
    return path == granted or path.startswith(granted.rstrip("/") + "/")


def _decide_environment(policy: Policy, request: EnvironmentRequest) -> Decision:
    for variable in variables(policy):
        if variable.name == request.name:
            return Decision(ALLOW, str(variable.origin))
    return Decision("ENOENT", "not named by the policy")
