# SPDX-License-Identifier: Apache-2.0 OR MIT
r"""Cut a profile into tokens, each with its place.

Strings follow the TinyScheme that Apple's reader comes from: `"…"` knows \n, \t, \r,
\", \\, octal and \xHH; `#"…"` is raw and ends at the first quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from stockade.proof.sbpl.limits import MAX_TEXT
from stockade.proof.sbpl.place import Place, ProfileRefusedError, Remark


class Kind(Enum):
    """What a token is."""

    OPEN = auto()
    CLOSE = auto()
    QUOTE = auto()
    STRING = auto()
    ATOM = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token: where it starts and ends in the text, and what it says."""

    kind: Kind
    text: str
    place: Place
    start: int
    end: int


_SPACE = re.compile(r"[ \t\r\n\f\v]+")
_COMMENT = re.compile(r";[^\n]*")
_ATOM = re.compile(r"[^ \t\r\n\f\v()\";']+")
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_MARKS = {"(": Kind.OPEN, ")": Kind.CLOSE, "'": Kind.QUOTE}


class Lexer:
    """Cut one text; `remarks` collects what was read without being sure of it."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._at = 0
        self._line = 1
        self._line_start = 0
        self.remarks: list[Remark] = []
        if len(text) > MAX_TEXT:
            raise ProfileRefusedError(
                self._place(), f"the text has more than {MAX_TEXT} characters"
            )
        if "\0" in text:
            raise ProfileRefusedError(
                self._place_of(text.index("\0")), "a zero byte ends the text for Apple"
            )

    def tokens(self) -> Iterator[Token]:
        """Give the tokens in order."""
        while True:
            self._skip()
            if self._at == len(self._text):
                return
            yield self._token()

    def end(self) -> Place:
        """Give the place behind the last character."""
        return self._place_of(len(self._text))

    def _place(self) -> Place:
        return Place(self._line, self._at - self._line_start + 1, self._name)

    def _place_of(self, at: int) -> Place:
        before = self._text[:at]
        return Place(
            before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1, self._name
        )

    def _advance(self, end: int) -> str:
        """Go on to an offset, counting lines; give what lies between."""
        passed = self._text[self._at : end]
        lines = passed.count("\n")
        if lines:
            self._line += lines
            self._line_start = self._at + passed.rfind("\n") + 1
        self._at = end
        return passed

    def _skip(self) -> None:
        while True:
            found = _SPACE.match(self._text, self._at) or _COMMENT.match(
                self._text, self._at
            )
            if found:
                self._advance(found.end())
            elif self._text.startswith("#|", self._at):
                self._skip_block()
            else:
                return

    def _skip_block(self) -> None:
        place = self._place()
        end = self._text.find("|#", self._at + 2)
        if end < 0:
            raise ProfileRefusedError(place, "this comment has no end")
        self.remarks.append(
            Remark(place, "whether Apple reads comments of several lines is not known")
        )
        self._advance(end + 2)

    def _token(self) -> Token:
        place, start = self._place(), self._at
        mark = self._text[start]
        if mark in _MARKS:
            self._advance(start + 1)
            return Token(_MARKS[mark], mark, place, start, self._at)
        if mark == '"':
            return Token(Kind.STRING, self._string(place), place, start, self._at)
        if self._text.startswith('#"', start):
            return Token(Kind.STRING, self._raw(place), place, start, self._at)
        found = _ATOM.match(self._text, start)
        if not found:
            raise ProfileRefusedError(place, "nothing can start like this")
        return Token(Kind.ATOM, self._advance(found.end()), place, start, self._at)

    def _string(self, place: Place) -> str:
        found = _STRING.match(self._text, self._at)
        if not found:
            raise ProfileRefusedError(place, "this string has no end")
        written = self._advance(found.end())[1:-1]
        return _ESCAPE.sub(lambda escape: self._escaped(escape, place), written)

    def _escaped(self, found: re.Match[str], place: Place) -> str:
        octal, hexadecimal, letter = found.groups()
        if letter is None:
            number = int(octal, 8) if octal else int(hexadecimal, 16)
            if number == 0 or number > 0x7F:
                raise ProfileRefusedError(
                    place, f"what character {number} stands for is not known"
                )
            return chr(number)
        if letter not in _LETTERS:
            self.remarks.append(
                Remark(place, f"what `\\{letter}` stands for is not known")
            )
        return _LETTERS.get(letter, letter)

    def _raw(self, place: Place) -> str:
        end = self._text.find('"', self._at + 2)
        if end < 0:
            raise ProfileRefusedError(place, "this string has no end")
        written = self._advance(end + 1)[2:-1]
        if written.endswith("\\"):
            self.remarks.append(
                Remark(place, "whether a backslash keeps this quote is not known")
            )
        return written
