# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Parse a bundle with the launcher's own parser, loaded as a shared library.

The only room besides `proof` that imports cffi.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Protocol, cast

from cffi import FFI

from stockade.artifact import layout, records
from stockade.artifact.binding import declarations
from stockade.artifact.enumerations import NUMBERS, WORDS
from stockade.artifact.errors import BundleRefused, ParserMissing
from stockade.artifact.pools import ITEM_START

_LIBRARY = "libstockade-bundle.so"
_WORD = 8


class Parser(Protocol):
    """What the library offers; `object` stands for C values."""

    def stk_bundle_parse(
        self, data: object, length: int, target: int, bundle: object, offset: object, /
    ) -> int:
        """Check a bundle and find its sections."""

    def stk_bundle_error_text(self, error: int, /) -> FFI.CData:
        """Say what an error means."""

    def stk_string(self, bundle: object, offset: int, /) -> FFI.CData:
        """Return a string of a parsed bundle."""

    def stk_crc32c(self, crc: int, data: object, length: int, /) -> int:
        """Return the CRC-32C by the faster way."""

    def stk_crc32c_hardware(self, crc: int, data: object, length: int, /) -> int:
        """Return the CRC-32C by the CPU's instruction."""

    def stk_crc32c_software(self, crc: int, data: object, length: int, /) -> int:
        """Return the CRC-32C by tables."""

    def stk_crc32c_has_hardware(self) -> bool:
        """Tell whether the CPU has the instruction."""


class ParsedBundle:
    """The sections of a bundle that the launcher would accept."""

    def __init__(self, buffer: object, bundle: object) -> None:
        self._buffer = buffer  # keeps the bytes that `bundle` points into alive
        self._bundle = bundle

    @property
    def target(self) -> str:
        """Name the target the bundle is for."""
        size = records.record_format(layout.HEADER).size
        at = records.offset(layout.HEADER, "target")
        header = self._bytes("header", size)
        return WORDS["target"][int.from_bytes(header[at : at + 4], "little")]

    def rows(self, section: str) -> Iterator[tuple[int, ...]]:
        """Walk the records of a section: the fields in order, arrays spread out."""
        form = records.record_format(records.section(section).fields)
        count: int = getattr(self._bundle, f"{section}_count")
        return form.iter_unpack(self._bytes(section, count * form.size))

    def string(self, offset: int) -> bytes:
        """Return the string that a field of type `str` names."""
        return _bytes_at(library().stk_string(self._bundle, offset))

    def text(self, offset: int) -> str:
        """Return the same as text; surrogates carry what is not UTF-8."""
        return self.string(offset).decode("utf-8", "surrogateescape")

    def item(self, offset: int) -> bytes:
        """Return the item of `data` that an operand names."""
        data = self._bytes("data", offset)
        length = int.from_bytes(data[offset - ITEM_START : offset - 4], "little")
        return self._bytes("data", offset + length)[offset:]

    def _bytes(self, member: str, length: int) -> bytes:
        return bytes(_ffi().buffer(getattr(self._bundle, member), length))


def parse(data: bytes, target: str | None = None) -> ParsedBundle:
    """Check a bundle as the launcher does; raise BundleRefused where it refuses."""
    ffi = _ffi()
    # The parser wants its bytes at a multiple of 8.
    buffer = ffi.new("uint64_t[]", len(data) // _WORD + 1)
    ffi.memmove(buffer, data, len(data))
    bundle, offset = ffi.new("struct stk_bundle *"), ffi.new("size_t *")
    number = NUMBERS["target"][target] if target else 0
    error = library().stk_bundle_parse(buffer, len(data), number, bundle, offset)
    if error:
        text = _bytes_at(library().stk_bundle_error_text(error)).decode("ascii")
        raise BundleRefused(error, offset[0], text)
    return ParsedBundle(buffer, bundle)


@cache
def library() -> Parser:
    """Load the parser; raise ParserMissing where the package lacks it."""
    entry = resources.files("stockade").joinpath("_bin", _LIBRARY)
    if not entry.is_file():
        message = (
            f"`{_LIBRARY}` is missing from the installed package; "
            "install it again, or run `make build` in a source tree"
        )
        raise ParserMissing(message)
    with resources.as_file(entry) as path:
        return cast("Parser", _ffi().dlopen(str(path)))


@cache
def _ffi() -> FFI:
    ffi = FFI()
    ffi.cdef(declarations())
    return ffi


def _bytes_at(string: FFI.CData) -> bytes:
    found = _ffi().string(string)
    assert isinstance(found, bytes)
    return found
