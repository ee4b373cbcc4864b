# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Work out the CRC-32C of a bundle, without the launcher's code.

The parser checks every bundle with code of its own, so an error on one side
shows. Reflected polynomial 0x82f63b78, initial value and final xor all ones.
"""

from __future__ import annotations

from stockade.artifact import layout, records

_POLYNOMIAL = 0x82F63B78
_FIELD = records.offset(layout.HEADER, "checksum")
_AFTER = _FIELD + 4


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of the bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def checksum_of(bundle: bytes) -> int:
    """Return the checksum that a bundle's header names."""
    return int.from_bytes(bundle[_FIELD:_AFTER], "little")


def with_checksum(bundle: bytes) -> bytes:
    """Return the bundle with the checksum that its other bytes call for."""
    crc = crc32c(bundle[:_FIELD] + bundle[_AFTER:])
    return bundle[:_FIELD] + crc.to_bytes(4, "little") + bundle[_AFTER:]


def _entry(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE = tuple(map(_entry, range(256)))
