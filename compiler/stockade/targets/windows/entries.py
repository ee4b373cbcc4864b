# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the access entries that a container gets on files and folders, as SDDL.

Execute on a file and traverse on a folder are one bit, and a program must be able to
make a granted folder its own (SetCurrentDirectory asks for traverse). So where files
are not to be executed, folders and files have entries of their own: an entry that
only folders inherit (CI), and one that only files inherit (OI with IO).

INVARIANT: every entry allows. An entry that denies does not bind a container that it
names (docs/windows.md), so what is not granted has no entry.
"""

from __future__ import annotations

from typing import assert_never

from stockade.abi import file_access as right
from stockade.model.policy import Access

_READ = right.FILE_GENERIC_READ
_READ_AND_ENTER = right.FILE_GENERIC_READ | right.FILE_GENERIC_EXECUTE
_WRITE = right.FILE_GENERIC_READ | right.FILE_GENERIC_WRITE
_WRITE_AND_ENTER = _WRITE | right.FILE_GENERIC_EXECUTE

_HERE = ""
_HERE_AND_BELOW = "OICI"
_FOLDERS = "CI"
_FOLDERS_BELOW = "CIIO"
_FILES_BELOW = "OIIO"


def folder_entries(access: Access, sid: str) -> tuple[str, ...]:
    """Give the entries of a granted folder, for itself and all below it.

    A writable folder cannot itself be removed or renamed, as on other systems: the
    right to (DELETE) begins below it. A command is a file: a folder gets none.
    """
    match access:
        case Access.READ:
            return (
                _allow(_FOLDERS, _READ_AND_ENTER, sid),
                _allow(_FILES_BELOW, _READ, sid),
            )
        case Access.READ_EXEC:
            return (_allow(_HERE_AND_BELOW, _READ_AND_ENTER, sid),)
        case Access.COMMAND:
            return ()
        case Access.READ_WRITE:
            return (
                _allow(_HERE, _WRITE_AND_ENTER, sid),
                _allow(_FOLDERS_BELOW, _WRITE_AND_ENTER | right.DELETE, sid),
                _allow(_FILES_BELOW, _WRITE | right.DELETE, sid),
            )
        case _:
            assert_never(access)


def file_entries(access: Access, sid: str) -> tuple[str, ...]:
    """Give the entries of a granted file; its folder decides whether it stays."""
    match access:
        case Access.READ:
            return (_allow(_HERE, _READ, sid),)
        case Access.READ_EXEC | Access.COMMAND:
            return (_allow(_HERE, _READ_AND_ENTER, sid),)
        case Access.READ_WRITE:
            return (_allow(_HERE, _WRITE, sid),)
        case _:
            assert_never(access)


def junction_entries(sid: str) -> tuple[str, ...]:
    """Give the entry by which a junction can be followed; nothing below it gets one."""
    return (_allow(_HERE, _READ, sid),)


def _allow(flags: str, mask: int, sid: str) -> str:
    return f"(A;{flags};{mask:#x};;;{sid})"
