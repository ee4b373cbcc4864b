# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make any text safe to show on a terminal, and measure it.

INVARIANT: nothing that a policy or an option holds reaches a terminal as a control
sequence, a line break or a mark that reorders the text around it.
"""

from __future__ import annotations

import unicodedata

_WIDE = frozenset("FW")
_NO_WIDTH = frozenset(("Mn", "Me"))


def visible(text: str) -> str:
    """Return text with every character that does not print written as an escape."""
    if text.isprintable():
        return text
    return "".join(map(visible_character, text))


def visible_character(character: str) -> str:
    """Return one character, or its escape."""
    if character.isprintable():
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        # A byte that was not UTF-8, kept as Python's `surrogateescape` does.
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def columns(text: str) -> int:
    """Return how many columns of a terminal printable text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1
