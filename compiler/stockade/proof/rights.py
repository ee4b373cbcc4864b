# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Know which Landlock right an action takes, and join the rights of a table.

Nothing here is shared with what makes a table.
"""

from __future__ import annotations

from stockade.model.artifact import Artifact
from stockade.model.request import PathAction, PortAction

# Bits of linux/landlock.h, written again: see the invariant of the interpreter.
NEEDED: dict[PathAction, int] = {
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

NEEDED_ON_PORTS: dict[PortAction, int] = {
    PortAction.BIND_TCP: 1 << 0,
    PortAction.CONNECT_TCP: 1 << 1,
    PortAction.BIND_UDP: 1 << 2,
    PortAction.SEND_UDP: 1 << 3,
}
SCOPE_ABSTRACT, SCOPE_SIGNAL = 1 << 0, 1 << 1
# ABIs that brought a right; all others are of the first. A policy that denies an
# action needs the right for it handled from there on.
SINCE: dict[PathAction | PortAction, int] = {
    PathAction.MOVE: 2,
    PathAction.TRUNCATE: 3,
    PathAction.DEVICE_REQUEST: 5,
    PathAction.CONNECT: 9,
    PortAction.BIND_TCP: 4,
    PortAction.CONNECT_TCP: 4,
    PortAction.BIND_UDP: 10,
    PortAction.SEND_UDP: 10,
}
SCOPES_SINCE = 6


def rights_by_path(artifact: Artifact) -> dict[str, int]:
    """Join the rights of every rule on the same path."""
    rights = {entry.name: entry.rights for entry in artifact.classes}
    found: dict[str, int] = {}
    for row in artifact.grants:
        found[row.path] = found.get(row.path, 0) | rights[row.class_name]
    return found


def rights_on(rules: dict[str, int], path: str) -> int:
    """Join the rights of the rules on a path and on every folder above it."""
    mask = rules.get("/", 0)
    while path.strip("/"):
        mask |= rules.get(path, 0)
        path = path.rpartition("/")[0]
    return mask
