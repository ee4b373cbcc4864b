# SPDX-License-Identifier: Apache-2.0 OR MIT
r"""Write words as a shell takes them, and read them back.

What a reader could not see, or what is no UTF-8, stands as `\xNN` inside `$'...'`,
so that the text is safe to print and says the same bytes when it is pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stockade.render.text import PlainText, plain

_BARE = re.compile(r"[A-Za-z0-9_@%+=:,./\[\]-]+")
_BLANKS = " \t\n"
_HEX = re.compile(r"[0-9a-fA-F]{1,2}")
_SINGLE = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


class NotWordsError(Exception):
    """The text cannot be parted into words; the message says why."""


def shell_text(words: Iterable[str]) -> PlainText:
    """Write words, quoted where they need it, with one blank between them."""
    return PlainText(" ".join(map(_quoted, words)))


def _quoted(word: str) -> str:
    if _BARE.fullmatch(word) and "[" not in word.partition("]")[2]:
        return word
    if plain(word) == word and "'" not in word:
        return f"'{word}'"
    return "$'" + "".join(map(_character, word)) + "'"


def _character(one: str) -> str:
    if one in "\\'":
        return f"\\{one}"
    if plain(one) == one:
        return one
    data = one.encode("utf-8", "surrogateescape")
    return "".join(f"\\x{byte:02x}" for byte in data)


def shell_words(text: str) -> tuple[str, ...]:
    """Part text into words; raises NotWordsError where a quote has no end."""
    return tuple(_Reader(text).words())


class _Reader:
    """Goes through the text once; what is not UTF-8 becomes surrogate escapes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def words(self) -> Iterator[str]:
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANKS:
                self._at += 1
            if self._at >= len(self._text):
                return
            yield self._word()

    def _word(self) -> str:
        data = bytearray()
        while self._at < len(self._text) and self._text[self._at] not in _BLANKS:
            data += self._part()
        return data.decode("utf-8", "surrogateescape")

    def _part(self) -> bytes:
        one = self._next()
        if one == "'":
            return _bytes(self._until("'"))
        if one == "$" and self._text[self._at : self._at + 1] == "'":
            self._at += 1
            return self._escaped("'")
        if one == '"':
            return self._escaped('"')
        return _bytes(self._next() if one == "\\" else one)

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise NotWordsError("ends within a quoted word")
        self._at += 1
        return self._text[self._at - 1]

    def _until(self, end: str) -> str:
        first = self._at
        while self._next() != end:
            pass
        return self._text[first : self._at - 1]

    def _escaped(self, end: str) -> bytes:
        """Read to a quote's end; only `$'...'` knows letters after a backslash."""
        data = bytearray()
        while (one := self._next()) != end:
            if one != "\\":
                data += _bytes(one)
            elif end == '"':
                one = self._next()
                data += _bytes(one if one in '"\\$`' else f"\\{one}")
            else:
                data += self._escape()
        return bytes(data)

    def _escape(self) -> bytes:
        one = self._next()
        if one in _SINGLE:
            return _bytes(_SINGLE[one])
        found = _HEX.match(self._text, self._at) if one == "x" else None
        if found is None:
            raise NotWordsError(f"`\\{one}` is none of the escapes of a quoted word")
        self._at = found.end()
        return bytes((int(found[0], 16),))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
