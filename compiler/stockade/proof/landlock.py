# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare an artifact's Landlock table with the meaning of its policy.

The evaluator follows landlock(7): a path may use the rights of every rule on it
or on a folder above it, a port those of every rule on it, and a right that is not
handled is not denied. It knows which right an action takes and nothing of how the
table was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from stockade.model.artifact import Artifact, Variant
from stockade.model.decide import allowed_on, decide
from stockade.model.policy import Policy, Signals, UnixSockets
from stockade.model.request import (
    PathAction,
    PortAction,
    PortRequest,
    Situation,
)
from stockade.model.system_set import readable_system_paths, writable_system_paths

# Bits of linux/landlock.h, written again: see the invariant of the interpreter.
_NEEDED: dict[PathAction, int] = {
    PathAction.EXECUTE: 1 << 0,
    PathAction.WRITE: 1 << 1,
    PathAction.READ: 1 << 2,
    PathAction.LIST: 1 << 3,
    PathAction.REMOVE_FOLDER: 1 << 4,
    PathAction.REMOVE_FILE: 1 << 5,
    PathAction.CREATE_CHARACTER_DEVICE: 1 << 6,
    PathAction.CREATE_FOLDER: 1 << 7,
    PathAction.CREATE_FILE: 1 << 8,
    PathAction.CREATE_SOCKET: 1 << 9,
    PathAction.CREATE_FIFO: 1 << 10,
    PathAction.CREATE_BLOCK_DEVICE: 1 << 11,
    PathAction.CREATE_LINK: 1 << 12,
    PathAction.MOVE: 1 << 13,
    PathAction.TRUNCATE: 1 << 14,
    PathAction.DEVICE_REQUEST: 1 << 15,
    PathAction.CONNECT: 1 << 16,
}

_NEEDED_ON_PORTS: dict[PortAction, int] = {
    PortAction.BIND_TCP: 1 << 0,
    PortAction.CONNECT_TCP: 1 << 1,
    PortAction.BIND_UDP: 1 << 2,
    PortAction.SEND_UDP: 1 << 3,
}
# The kernel's choice, the ports of root, their border, the last one.
_PORTS = (0, 1, 80, 1023, 1024, 40000, 65535)
_SCOPE_ABSTRACT, _SCOPE_SIGNAL = 1 << 0, 1 << 1
# ABIs that brought a right; all others are of the first. A policy that denies an
# action needs the right for it handled from there on.
_SINCE: dict[PathAction | PortAction, int] = {
    PathAction.MOVE: 2,
    PathAction.TRUNCATE: 3,
    PathAction.DEVICE_REQUEST: 5,
    PathAction.CONNECT: 9,
    PortAction.BIND_TCP: 4,
    PortAction.CONNECT_TCP: 4,
    PortAction.BIND_UDP: 10,
    PortAction.SEND_UDP: 10,
}
_SCOPES_SINCE = 6


class TableDisagreementError(Exception):
    """A Landlock table does not decide what its policy means."""


def check_table(
    policy: Policy, situation: Situation, artifact: Artifact, variant: Variant
) -> None:
    """Compare one variant's table with the policy on and around every path."""
    handled = variant.fs_required | variant.fs_optional
    unhandled = _mask(
        frozenset(
            action
            for action, needed in _NEEDED.items()
            if not needed & handled and situation.landlock_abi >= _SINCE.get(action, 1)
        )
    )
    rules = _rights_by_path(artifact)
    for path in _paths(policy, artifact):
        rights = _rights_on(rules, path)
        allowed = allowed_on(policy, situation, path)
        meant = _mask(allowed)
        if rights & handled == meant & handled and not unhandled & ~meant:
            continue
        for action, needed in _NEEDED.items():
            granted = needed & ~rights == 0 if needed & handled else None
            _compare(
                situation,
                f"`{path}` {action}",
                action,
                granted,
                meant=action in allowed,
            )
    _check_ports(policy, situation, artifact, variant)
    _check_scopes(policy, situation, variant)


@cache
def _mask(actions: frozenset[PathAction]) -> int:
    return sum(needed for action, needed in _NEEDED.items() if action in actions)


def _check_ports(
    policy: Policy, situation: Situation, artifact: Artifact, variant: Variant
) -> None:
    handled = variant.net_required | variant.net_optional
    for port in _PORTS:
        rights = 0
        for row in artifact.ports:
            rights |= row.rights if row.port == port else 0
        for action, needed in _NEEDED_ON_PORTS.items():
            meant = decide(policy, situation, PortRequest(port, action)).allowed
            granted = needed & ~rights == 0 if needed & handled else None
            _compare(situation, f"port {port} {action}", action, granted, meant=meant)


def _compare(
    situation: Situation,
    what: str,
    action: PathAction | PortAction,
    granted: bool | None,  # noqa: FBT001 - None where the kernel does not judge
    *,
    meant: bool,
) -> None:
    """Compare one answer; below the right's ABI the filter denies, or nothing."""
    if granted is None:
        granted = meant or situation.landlock_abi >= _SINCE.get(action, 1)
    if meant != granted:
        message = (
            f"{what}: the policy {'allows' if meant else 'denies'} it, the table"
            " does not"
        )
        raise TableDisagreementError(message)


def _check_scopes(policy: Policy, situation: Situation, variant: Variant) -> None:
    handled = variant.scope_required | variant.scope_optional
    meant = 0
    if situation.landlock_abi >= _SCOPES_SINCE:
        if policy.unix_sockets is UnixSockets.NONE:
            meant |= _SCOPE_ABSTRACT
        if policy.signals in {Signals.ISOLATED, Signals.SELF}:
            meant |= _SCOPE_SIGNAL
    if handled != meant:
        message = f"scopes {handled:#x}: the policy means {meant:#x}"
        raise TableDisagreementError(message)


def _rights_by_path(artifact: Artifact) -> dict[str, int]:
    """Join the rights of every rule on the same path."""
    rights = {entry.name: entry.rights for entry in artifact.classes}
    found: dict[str, int] = {}
    for row in artifact.grants:
        found[row.path] = found.get(row.path, 0) | rights[row.class_name]
    return found


def _rights_on(rules: dict[str, int], path: str) -> int:
    """Join the rights of the rules on a path and on every folder above it."""
    mask = rules.get("/", 0)
    while path.strip("/"):
        mask |= rules.get(path, 0)
        path = path.rpartition("/")[0]
    return mask


def _paths(policy: Policy, artifact: Artifact) -> Iterator[str]:
    """Visit every path of policy and table, one below, one beside, and all above."""
    seen: dict[str, None] = {"/": None, "/nowhere": None}
    granted = [
        *(row.path for row in artifact.grants),
        *(grant.path for grant in policy.grants),
        *readable_system_paths(policy),
        *writable_system_paths(policy),
    ]
    for whole in granted:
        base = whole.rstrip("/")
        seen[whole] = seen[f"{base}/below/it"] = None
        if base:
            seen[f"{base}.beside"] = None
        while base:
            base = base.rpartition("/")[0]
            seen[base or "/"] = None
    yield from seen
