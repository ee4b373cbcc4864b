# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the rights of files and folders as winnt.h does.

Rights of a folder share the bits of a file's. Compared with headers of mingw-w64 10
in tests/windows_acl.
"""

from __future__ import annotations

FILE_READ_DATA = FILE_LIST_DIRECTORY = 0x1
FILE_WRITE_DATA = FILE_ADD_FILE = 0x2
FILE_APPEND_DATA = FILE_ADD_SUBDIRECTORY = 0x4
FILE_READ_EA = 0x8
FILE_WRITE_EA = 0x10
FILE_EXECUTE = FILE_TRAVERSE = 0x20
FILE_DELETE_CHILD = 0x40
FILE_READ_ATTRIBUTES = 0x80
FILE_WRITE_ATTRIBUTES = 0x100
DELETE = 0x10000
READ_CONTROL = 0x20000
WRITE_DAC = 0x40000
WRITE_OWNER = 0x80000
SYNCHRONIZE = 0x100000
GENERIC_ALL = 0x10000000
GENERIC_EXECUTE = 0x20000000
GENERIC_WRITE = 0x40000000
GENERIC_READ = 0x80000000

FILE_GENERIC_READ = 0x120089
FILE_GENERIC_WRITE = 0x120116
FILE_GENERIC_EXECUTE = 0x1200A0
FILE_ALL_ACCESS = 0x1F01FF

_GENERIC = {
    GENERIC_READ: FILE_GENERIC_READ,
    GENERIC_WRITE: FILE_GENERIC_WRITE,
    GENERIC_EXECUTE: FILE_GENERIC_EXECUTE,
    GENERIC_ALL: FILE_ALL_ACCESS,
}


def mapped(mask: int) -> int:
    """Put a file's rights in place of the four that every kind of object has."""
    for generic, rights in _GENERIC.items():
        if mask & generic:
            mask = mask & ~generic | rights
    return mask
