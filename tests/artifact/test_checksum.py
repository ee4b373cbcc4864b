# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every way to the CRC-32C gives the same number, and the published ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from stockade.artifact.checksum import crc32c
from stockade.artifact.parser import library

# The first five are RFC 3720, appendix B.4; the last is the CRC catalogue's check.
_VECTORS = [
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (bytes(range(31, -1, -1)), 0x113FDB5C),
    (
        bytes.fromhex(
            "01c00000 00000000 00000000 00000000 14000000 00000400 00000014 00000018"
            "28000000 00000000 02000000 00000000"
        ),
        0xD9963A56,
    ),
    (b"123456789", 0xE3069283),
    (b"", 0),
]


def _by_hardware(data: bytes) -> int:
    return library().stk_crc32c_hardware(0, data, len(data))


def _by_software(data: bytes) -> int:
    return library().stk_crc32c_software(0, data, len(data))


def _by_choice(data: bytes) -> int:
    return library().stk_crc32c(0, data, len(data))


def _ways() -> list[Callable[[bytes], int]]:
    ways = [crc32c, _by_software, _by_choice]
    if library().stk_crc32c_has_hardware():
        ways.append(_by_hardware)
    return ways


@pytest.mark.parametrize(("data", "number"), _VECTORS)
def test_published_vectors(data: bytes, number: int) -> None:
    assert {way(data) for way in _ways()} == {number}


def test_machine_with_the_instruction_is_told_apart() -> None:
    """Else the two ways would be one on every machine, and nobody would notice."""
    flags = Path("/proc/cpuinfo").read_text().split()
    expected = "sse4_2" in flags or "crc32" in flags
    assert library().stk_crc32c_has_hardware() == expected


def test_ways_agree_at_every_length_and_start() -> None:
    """Lengths around 8 bytes, the first tables (256) and the first CPUID (4096)."""
    data = random.Random(1).randbytes(4200)
    for length in (*range(300), *range(4080, 4120)):
        for start in (0, 1, 7):
            piece = data[start : start + length]
            assert len({way(piece) for way in _ways()}) == 1


def test_pieces_give_the_same_as_the_whole() -> None:
    data = random.Random(2).randbytes(9000)
    whole = crc32c(data)
    names = ["stk_crc32c", "stk_crc32c_software"]
    if library().stk_crc32c_has_hardware():
        names.append("stk_crc32c_hardware")
    for name in names:
        way = getattr(library(), name)
        for cut in (0, 1, 20, 255, 256, 4095, 4096, 8999, 9000):
            first = way(0, data[:cut], cut)
            assert way(first, data[cut:], len(data) - cut) == whole
