# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the kernel tables against themselves and against this machine's headers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from stockade.abi.landlock import FS_RIGHTS, NET_RIGHTS, SCOPES, supported
from stockade.abi.syscalls import ARCHES, call_names, call_numbers, table_origin

_LANDLOCK_CALLS = {
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}


@pytest.mark.parametrize("arch", ARCHES)
def test_calls_are_sorted_and_unique(arch: str) -> None:
    numbers = call_numbers(arch)
    assert list(numbers.values()) == sorted(set(numbers.values()))
    assert len(call_names(arch)) == len(numbers)
    assert table_origin(arch).startswith("linux 7.2.0")


@pytest.mark.parametrize("arch", ARCHES)
def test_calls_shared_by_every_architecture_have_their_numbers(arch: str) -> None:
    numbers = call_numbers(arch)
    assert {name: numbers[name] for name in _LANDLOCK_CALLS} == _LANDLOCK_CALLS
    assert max(numbers.values()) == numbers["rseq_slice_yield"] == 471


def test_calls_agree_with_the_headers_of_this_machine() -> None:
    """Every call that an older header numbers has the same number here."""
    # The C compiler that builds the launcher brings them, in this folder.
    triplet = subprocess.run(
        ["gcc", "-print-multiarch"], capture_output=True, check=True, text=True
    )
    header = Path("/usr/include", triplet.stdout.strip(), "asm/unistd_64.h")
    found = re.findall(r"#define __NR_(\w+)\s+(\d+)", header.read_text("ascii"))
    assert len(found) > 300
    ours = call_numbers("x86_64")
    assert {name: ours.get(name) for name, _ in found} == {
        name: int(number) for name, number in found
    }


@pytest.mark.parametrize(
    ("abi", "fs", "net", "scopes"),
    [
        (1, 0x1FFF, 0, 0),
        (2, 0x3FFF, 0, 0),
        (3, 0x7FFF, 0, 0),
        (4, 0x7FFF, 0x3, 0),
        (5, 0xFFFF, 0x3, 0),
        (6, 0xFFFF, 0x3, 0x3),
        (8, 0xFFFF, 0x3, 0x3),
        (9, 0x1FFFF, 0x3, 0x3),
        (10, 0x1FFFF, 0xF, 0x3),
        (11, 0x1FFFF, 0xF, 0x3),
    ],
)
def test_landlock_masks_follow_the_kernels_own(
    abi: int, fs: int, net: int, scopes: int
) -> None:
    assert supported(FS_RIGHTS, abi) == fs
    assert supported(NET_RIGHTS, abi) == net
    assert supported(SCOPES, abi) == scopes
