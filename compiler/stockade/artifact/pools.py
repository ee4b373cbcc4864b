# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Store strings, operand data and records once, in the order of first use.

INVARIANT: what comes out depends on what went in and on nothing else.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from stockade.artifact.errors import ArtifactMalformed

# An item's length and four zero bytes lie before its bytes.
ITEM_START = 8
_ALIGNMENT = 8
_Item = TypeVar("_Item", bound=Hashable)


class Strings:
    """The bytes of the `strings` section and the offset of each string in it."""

    def __init__(self) -> None:
        self._offsets: dict[bytes, int] = {b"": 0}
        self._size = 1

    def offset(self, text: bytes) -> int:
        """Return where a string lies; add it when it is new."""
        if b"\0" in text:
            message = f"string with a zero byte: {text!r}"
            raise ArtifactMalformed(message)
        if text not in self._offsets:
            self._offsets[text] = self._size
            self._size += len(text) + 1
        return self._offsets[text]

    def section(self) -> bytes:
        """Return the bytes of the section."""
        return b"".join(text + b"\0" for text in self._offsets)


class DataItems:
    """The bytes of the `data` section: each item behind its length, padded."""

    def __init__(self) -> None:
        self._offsets: dict[bytes, int] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def offset(self, item: bytes) -> int:
        """Return where an item's bytes lie; add them when they are new."""
        if not item:
            message = "operand of kind `data` without data"
            raise ArtifactMalformed(message)
        if item not in self._offsets:
            start = len(item).to_bytes(ITEM_START, "little")
            self._offsets[item] = self._size + len(start)
            self._parts.append(start + item + padding(len(item)))
            self._size += len(start) + len(item) + len(padding(len(item)))
        return self._offsets[item]

    def section(self) -> bytes:
        """Return the bytes of the section."""
        return b"".join(self._parts)


class Pool(Generic[_Item]):
    """Equal records, each once, numbered in the order of first use."""

    def __init__(self) -> None:
        self._numbers: dict[_Item, int] = {}

    def number(self, item: _Item) -> int:
        """Return the number of a record; add it when it is new."""
        return self._numbers.setdefault(item, len(self._numbers))

    def __iter__(self) -> Iterator[_Item]:
        """Walk the records in the order of their numbers."""
        return iter(self._numbers)


def padding(size: int) -> bytes:
    """Return the zero bytes that lead from a size to the next multiple of 8."""
    return bytes(-size % _ALIGNMENT)
