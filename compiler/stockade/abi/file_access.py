# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the rights on files and folders that access entries of Windows hold.

Values: winnt.h, as in Microsoft's page "File Access Rights Constants". A folder's
rights share the bits of a file's under other names.
"""

from __future__ import annotations

READ_DATA = 0x1
WRITE_DATA = 0x2
APPEND_DATA = 0x4
READ_EA = 0x8
WRITE_EA = 0x10
EXECUTE = TRAVERSE = 0x20
READ_ATTRIBUTES = 0x80
WRITE_ATTRIBUTES = 0x100
DELETE = 0x10000
READ_CONTROL = 0x20000
WRITE_DAC = 0x40000
WRITE_OWNER = 0x80000
SYNCHRONIZE = 0x100000

# What CreateFile asks for by GENERIC_READ, GENERIC_WRITE and GENERIC_EXECUTE.
FILE_GENERIC_READ = READ_CONTROL | SYNCHRONIZE | READ_DATA | READ_EA | READ_ATTRIBUTES
FILE_GENERIC_WRITE = (
    READ_CONTROL | SYNCHRONIZE | WRITE_DATA | APPEND_DATA | WRITE_EA | WRITE_ATTRIBUTES
)
FILE_GENERIC_EXECUTE = READ_CONTROL | SYNCHRONIZE | EXECUTE | READ_ATTRIBUTES
