# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say which rights an action needs on Windows, and answer it by a host's lists.

An action is allowed when what programs usually ask for is granted whole, and denied
when nothing of what would do is granted. On what lies between nobody may rely.
Source of the rights: learn.microsoft.com, "File Access Rights Constants", NtCreateFile
and "Set File Information Processing".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stockade.model.request import PathAction
from stockade.proof.windows_acl.check import READINGS, Answer
from stockade.proof.windows_acl.masks import (
    DELETE,
    FILE_ADD_FILE,
    FILE_ADD_SUBDIRECTORY,
    FILE_APPEND_DATA,
    FILE_EXECUTE,
    FILE_GENERIC_EXECUTE,
    FILE_GENERIC_READ,
    FILE_GENERIC_WRITE,
    FILE_LIST_DIRECTORY,
    FILE_READ_DATA,
    FILE_WRITE_ATTRIBUTES,
    FILE_WRITE_DATA,
    FILE_WRITE_EA,
    SYNCHRONIZE,
    WRITE_DAC,
    WRITE_OWNER,
)
from stockade.proof.windows_acl.tree import parent_of
from stockade.proof.windows_host import Host

# Stands for whatever may be made in a folder.
_CHILD = "stockade-child"


class Spot(Enum):
    """What rights are needed on: the path as a file, as a folder, or near it."""

    FILE = "file"
    FOLDER = "folder"
    CHILD_FILE = "file in it"
    CHILD_FOLDER = "folder in it"
    PARENT = "folder above it"


_Need = tuple[Spot, int]


@dataclass(frozen=True, slots=True)
class Needs:
    """What an action needs: all of `usual` for sure, none without one of `least`."""

    usual: tuple[_Need, ...]
    least: tuple[_Need, ...]


_WRITING = (
    (Spot.FILE, FILE_WRITE_DATA),
    (Spot.FILE, FILE_APPEND_DATA),
    (Spot.FILE, FILE_WRITE_EA),
)
_MOVING = (
    (Spot.CHILD_FILE, DELETE),
    (Spot.CHILD_FOLDER, DELETE),
    (Spot.FOLDER, FILE_ADD_FILE),
    (Spot.FOLDER, FILE_ADD_SUBDIRECTORY),
)


def _alone(spot: Spot, mask: int) -> Needs:
    return Needs(((spot, mask),), ((spot, mask),))


def _wide(spot: Spot, usual: int, least: int) -> Needs:
    return Needs(((spot, usual),), ((spot, least),))


ACTION_NEEDS: dict[PathAction, Needs] = {
    PathAction.READ: _wide(Spot.FILE, FILE_GENERIC_READ, FILE_READ_DATA),
    PathAction.LIST: _wide(Spot.FOLDER, FILE_GENERIC_READ, FILE_LIST_DIRECTORY),
    PathAction.EXECUTE: _wide(
        Spot.FILE, FILE_GENERIC_READ | FILE_GENERIC_EXECUTE, FILE_EXECUTE
    ),
    PathAction.WRITE: Needs(((Spot.FILE, FILE_GENERIC_WRITE),), _WRITING),
    PathAction.TRUNCATE: _wide(Spot.FILE, FILE_GENERIC_WRITE, FILE_WRITE_DATA),
    PathAction.CREATE_FILE: _wide(
        Spot.FOLDER, FILE_ADD_FILE | SYNCHRONIZE, FILE_ADD_FILE
    ),
    PathAction.CREATE_FOLDER: _wide(
        Spot.FOLDER, FILE_ADD_SUBDIRECTORY | SYNCHRONIZE, FILE_ADD_SUBDIRECTORY
    ),
    # To bind a socket makes a file.
    PathAction.CREATE_SOCKET: _alone(Spot.FOLDER, FILE_ADD_FILE),
    PathAction.REMOVE_FILE: _alone(Spot.CHILD_FILE, DELETE),
    PathAction.REMOVE_FOLDER: _alone(Spot.CHILD_FOLDER, DELETE),
    PathAction.MOVE: Needs(_MOVING, _MOVING),
    # No path of a drive names a device; control requests that change a file need a
    # handle that may write.
    PathAction.DEVICE_REQUEST: _wide(Spot.FILE, FILE_GENERIC_WRITE, FILE_WRITE_DATA),
}
# Attributes and times; the list and the owner would be ways to them as well.
METADATA = Needs(
    ((Spot.FILE, FILE_WRITE_ATTRIBUTES), (Spot.FOLDER, FILE_WRITE_ATTRIBUTES)),
    tuple(
        (spot, right)
        for spot in (Spot.FILE, Spot.FOLDER)
        for right in (FILE_WRITE_ATTRIBUTES, WRITE_DAC, WRITE_OWNER)
    ),
)
# The system opens the folder of the new name on the caller's behalf.
HARD_LINK = Needs(
    ((Spot.PARENT, FILE_ADD_FILE), (Spot.FILE, FILE_GENERIC_WRITE)),
    ((Spot.PARENT, FILE_ADD_FILE),),
)
# A socket is reached through its file, which the caller must be able to write.
UNIX_SOCKET = _wide(Spot.FILE, FILE_GENERIC_READ | FILE_GENERIC_WRITE, FILE_WRITE_DATA)


def answer(host: Host, path: str, needs: Needs) -> Answer:
    """Answer an action on a path: the same under every reading, or undecided."""
    usual = _granted(host, path, needs.usual)
    if all(map(all, usual)):
        return Answer.ALLOWED
    least = _granted(host, path, needs.least)
    return Answer.UNDECIDED if any(map(any, least)) else Answer.DENIED


def _granted(host: Host, path: str, needs: tuple[_Need, ...]) -> list[list[bool]]:
    """Tell of each need and reading whether it is granted."""
    return [
        [not mask & ~rights for rights in _rights(host, path, spot)]
        for spot, mask in needs
    ]


def _rights(host: Host, path: str, spot: Spot) -> tuple[int, ...]:
    match spot:
        case Spot.FILE:
            return host.rights(path, folder=False)
        case Spot.FOLDER:
            return host.rights(path, folder=True)
        case Spot.CHILD_FILE:
            return host.rights(_child(path), folder=False)
        case Spot.CHILD_FOLDER:
            return host.rights(_child(path), folder=True)
        case Spot.PARENT:
            above = parent_of(path)
            if above is None:
                return (0,) * len(READINGS)
            return host.rights(above, folder=True)


def _child(path: str) -> str:
    return path.rstrip("\\") + "\\" + _CHILD
