# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold a text to its limits before any TOML parser sees it, in linear time.

Only tokens are looked at: strings, comments and white space, punctuation, the rest.
The scanner agrees with TOML on them as far as a text is valid; a parser stops at
the first mistake, so what the scanner makes of the text behind one does not matter.

The outcome is the *skeleton*: the same text, as long as before, with comments and
empty lines blanked out and the strings that are values filled with one character.
tomlkit reads it in place of the text, for its places alone. It takes seconds for a
mebibyte of empty lines or escapes, and reads a few strings otherwise than TOML.

Weakness: the limits are on tokens and not on meaning, so a text that is no TOML may
be refused for a limit first.
"""

from __future__ import annotations

import re

from stockade.diagnostics import Code, Report
from stockade.source import Source, Span

MAX_DEPTH = 32
MAX_KEYS = 4_000
MAX_KEY_PARTS = 32
MAX_VALUES = 20_000
# tomlkit's time for a dotted key grows with the square of its parts (measured:
# 4,000 keys of 32 parts took 294 s); this many units are about a second.
MAX_DOTTED_WORK = 20_000
# Every token of a text within the limits above, and to spare.
_MAX_TOKENS = 400_000

# No nested repeats: they keep a state per round, and the possessive ones that do
# not are wrong before Python 3.11.5.
_TOKEN = re.compile(
    r"[ \t\r\n]+|#[^\n]*[ \t\r\n]*|[\[\]{}=,.\"']|[^ \t\r\n#\"'\[\]{}=,.]+"
)
# What matters inside a string: an escape, and what ends it.
_IN_STRING = {
    '"': re.compile(r'\\[^\n]|["\n]'),
    "'": re.compile(r"['\n]"),
    '"""': re.compile(r'\\.|"{3,5}', flags=re.DOTALL),
    "'''": re.compile(r"'{3,5}"),
}


def skeleton(source: Source, report: Report) -> str:
    """Return the skeleton of a text, or raise PolicyRejected for the first limit."""
    return _Scanner(source, report).run()


class _Scanner:
    def __init__(self, source: Source, report: Report) -> None:
        self._source = source
        self._report = report
        self._open_brackets: list[str] = []
        self._last = ""
        self._keys = 0
        self._values = 0
        self._dots = 0
        self._dotted_work = 0
        self._statement_start = True
        self._in_header = False

    def run(self) -> str:
        text = self._source.text
        pieces: list[str] = []
        at = tokens = 0
        while match := _TOKEN.match(text, at):
            start, at = match.span()
            first = text[start]
            if first in " \t\r\n#":
                pieces.append(self._gap(match.group()))
                continue
            if first in "\"'":
                at = _string_end(text, start)
                pieces.append(self._string(text[start:at]))
            else:
                pieces.append(match.group())
                self._punctuation(first, start)
            self._statement_start = False
            tokens += 1
            if tokens > _MAX_TOKENS:
                self._refuse_values(start)
        return "".join(pieces)

    def _gap(self, gap: str) -> str:
        """Blank a gap out, but for the line feed that ends a statement."""
        newline = gap.find("\n")
        if self._open_brackets or self._statement_start or newline < 0:
            return " " * len(gap)
        self._statement_start = True
        self._in_header = False
        self._dots = 0
        self._last = ""
        return f"{' ' * newline}\n{' ' * (len(gap) - newline - 1)}"

    def _string(self, string: str) -> str:
        """Fill a string in, unless it is a key."""
        in_array = self._open_brackets[-1:] == ["["] and not self._in_header
        if self._last == "=" or (in_array and self._last in "[,"):
            return f"'{'x' * (len(string) - 2)}'"
        return string

    def _punctuation(self, character: str, at: int) -> None:
        if character not in "[]{}=,.":
            return
        self._last = character
        if character == ".":
            self._dot(at)
            return
        if character in "[{":
            self._open(character, at)
        elif character in "]}":
            self._close(at)
        elif character == "=":
            self._key(at)
        else:
            self._value(at)
        self._dots = 0

    def _open(self, character: str, at: int) -> None:
        if character == "[" and self._statement_start:
            self._in_header = True
        self._open_brackets.append(character)
        if len(self._open_brackets) > MAX_DEPTH:
            self._refuse(
                Code.TOO_DEEP,
                f"arrays and inline tables nest more than {MAX_DEPTH} levels deep",
                at,
            )

    def _close(self, at: int) -> None:
        del self._open_brackets[-1:]
        if self._in_header and not self._open_brackets:
            self._in_header = False
            self._key(at)

    def _key(self, at: int) -> None:
        self._keys += 1
        if self._keys > MAX_KEYS:
            self._refuse(
                Code.TOO_MANY_KEYS,
                f"more than {MAX_KEYS} keys and table headers",
                at,
            )
        if self._dots:
            self._dotted_work += (self._dots + 1) ** 2
        if self._dotted_work > MAX_DOTTED_WORK:
            self._refuse(
                Code.KEY_TOO_LONG,
                "the dotted keys up to here are too many and too long to read",
                at,
                advice="open a table with `[table]` and write single keys below it",
            )

    def _value(self, at: int) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self._refuse_values(at)

    def _dot(self, at: int) -> None:
        self._dots += 1
        if self._dots >= MAX_KEY_PARTS:
            self._refuse(
                Code.KEY_TOO_LONG,
                f"a dotted key of more than {MAX_KEY_PARTS} parts",
                at,
            )

    def _refuse_values(self, at: int) -> None:
        self._refuse(
            Code.TOO_MANY_VALUES,
            f"more than {MAX_VALUES} values in arrays and inline tables",
            at,
        )

    def _refuse(self, code: Code, message: str, at: int, advice: str = "") -> None:
        self._report.add(code, message, Span(self._source, at, at + 1), advice=advice)
        self._report.raise_if_errors()


def _string_end(text: str, start: int) -> int:
    """Return where a string ends; one that never does, ends with its line or text."""
    quote = text[start]
    if text.startswith(quote * 3, start):
        quote *= 3
    for match in _IN_STRING[quote].finditer(text, start + len(quote)):
        if match[0].startswith(quote[0]):
            return match.end()
        if match[0] == "\n":
            return match.start()
    return len(text)
