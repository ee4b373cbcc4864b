# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the rights' numbers with those of winnt.h, and general rights with files'."""

from __future__ import annotations

import pytest

from stockade.proof.windows_acl import masks

# winnt.h of mingw-w64 10; the four sets as its preprocessor puts them together.
_WINNT = {
    "FILE_READ_DATA": 0x0001,
    "FILE_LIST_DIRECTORY": 0x0001,
    "FILE_WRITE_DATA": 0x0002,
    "FILE_ADD_FILE": 0x0002,
    "FILE_APPEND_DATA": 0x0004,
    "FILE_ADD_SUBDIRECTORY": 0x0004,
    "FILE_READ_EA": 0x0008,
    "FILE_WRITE_EA": 0x0010,
    "FILE_EXECUTE": 0x0020,
    "FILE_TRAVERSE": 0x0020,
    "FILE_DELETE_CHILD": 0x0040,
    "FILE_READ_ATTRIBUTES": 0x0080,
    "FILE_WRITE_ATTRIBUTES": 0x0100,
    "DELETE": 0x00010000,
    "READ_CONTROL": 0x00020000,
    "WRITE_DAC": 0x00040000,
    "WRITE_OWNER": 0x00080000,
    "SYNCHRONIZE": 0x00100000,
    "GENERIC_READ": 0x80000000,
    "GENERIC_WRITE": 0x40000000,
    "GENERIC_EXECUTE": 0x20000000,
    "GENERIC_ALL": 0x10000000,
    "FILE_ALL_ACCESS": 0x001F01FF,
    "FILE_GENERIC_READ": 0x00120089,
    "FILE_GENERIC_WRITE": 0x00120116,
    "FILE_GENERIC_EXECUTE": 0x001200A0,
}


def test_rights_have_the_numbers_of_the_header() -> None:
    named = {name: value for name, value in vars(masks).items() if name.isupper()}
    assert {
        name: value for name, value in named.items() if not name.startswith("_")
    } == _WINNT


@pytest.mark.parametrize(
    ("general", "exact"),
    [
        (masks.GENERIC_READ, 0x120089),
        (masks.GENERIC_WRITE | masks.GENERIC_EXECUTE, 0x1201B6),
        (masks.GENERIC_ALL, 0x1F01FF),
        (masks.GENERIC_READ | masks.DELETE, 0x130089),
        (masks.DELETE, masks.DELETE),
        (0, 0),
    ],
)
def test_general_rights_become_those_of_files(general: int, exact: int) -> None:
    assert masks.mapped(general) == exact
