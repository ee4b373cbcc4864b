# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn values into text that is already quoted for the language it goes into.

Only these types reach a template, so nothing is spliced in unquoted.
"""

from __future__ import annotations

import html
import re
import textwrap
from base64 import b64encode
from hashlib import sha256

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PARAMETER = re.compile(r"[A-Z]+(_[A-Z0-9]+)*")
_FRAGMENT = re.compile(r"[a-z][a-z0-9-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# A fixed list and not `str.isprintable`, whose answer changes with the Unicode
# tables of each Python. Beside the controls: backslash, soft hyphen, marks that
# reorder or hide text, line separators, surrogates, specials.
_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\\\\\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\uffff\U000e0000-\U000e0fff]"
)


class Text(str):
    """Text that a quoting function made; the base of the types below."""

    __slots__ = ()


class CText(Text):
    """Text that is safe inside C source."""

    __slots__ = ()


class SbplText(Text):
    """Text that is safe inside a Seatbelt profile."""

    __slots__ = ()


class MarkdownText(Text):
    """Text that is safe inside a Markdown page or table cell."""

    __slots__ = ()


class HtmlText(Text):
    """Text that is safe between the tags of a page and inside a quoted attribute."""

    __slots__ = ()


class PlainText(Text):
    """Text without line breaks, controls or characters that hide others."""

    __slots__ = ()


def c_name(name: str) -> CText:
    """Return an identifier; anything else is a ValueError."""
    if not _NAME.fullmatch(name):
        message = f"not a C identifier: {name!r}"
        raise ValueError(message)
    return CText(name)


def c_word(word: str) -> CText:
    """Check a word of small letters, digits and hyphens, and quote it."""
    if not re.fullmatch(r"[a-z0-9_-]+", word):
        message = f"`{word}` is no word"
        raise ValueError(message)
    return CText(f'"{word}"')


def c_type(name: str) -> CText:
    """Return one or more identifiers between single spaces, such as a type."""
    return CText(" ".join(c_name(part) for part in name.split(" ")))


def c_number(value: int) -> CText:
    """Return an unsigned constant of 32 bits, decimal."""
    _check_width(value, 32)
    return CText(f"{value}u")


def c_bits(value: int, bits: int) -> CText:
    """Return an unsigned constant of 32 or 64 bits, hexadecimal."""
    _check_width(value, bits)
    return CText(f"UINT64_C({value:#x})" if bits == 64 else f"{value:#x}u")


def c_comment(prose: str, indent: str = "") -> CText:
    """Return one comment, in several lines where 80 columns do not hold it."""
    if _CONTROL.search(prose) or "*/" in prose or "/*" in prose:
        message = f"cannot stand in a C comment: {prose!r}"
        raise ValueError(message)
    room = 80 - len(indent.expandtabs(8))
    if len(prose) + len("/*  */") <= room:
        return CText(f"{indent}/* {prose} */")
    lines = textwrap.wrap(
        prose, room - len(" * "), break_long_words=False, break_on_hyphens=False
    )
    body = "\n".join(f"{indent} * {line}" for line in lines)
    return CText(f"{indent}/*\n{body}\n{indent} */")


def sbpl_string(text: str) -> SbplText:
    """Return a string of a profile; what it cannot hold for sure is a ValueError.

    Only backslash and quote need an escape. Controls are refused, line breaks too: how
    the profile language takes them is documented nowhere.
    """
    if _CONTROL.search(text) or any("\ud800" <= one <= "\udfff" for one in text):
        message = f"cannot stand in a profile: {text!r}"
        raise ValueError(message)
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return SbplText(f'"{escaped}"')


def sbpl_parameter(name: str) -> SbplText:
    """Return what a profile takes a value by that it does not hold itself."""
    if not _PARAMETER.fullmatch(name):
        message = f"not a name of a parameter: {name!r}"
        raise ValueError(message)
    return SbplText(f'(param "{name}")')


def markdown_code(text: str) -> MarkdownText:
    """Return text as a code span."""
    if _CONTROL.search(text) or "`" in text:
        message = f"cannot stand in a code span: {text!r}"
        raise ValueError(message)
    return MarkdownText(f"`{text}`".replace("|", "\\|"))


def markdown_prose(text: str) -> MarkdownText:
    """Return prose of our own; its code spans stay, other marks are escaped."""
    if _CONTROL.search(text):
        message = f"cannot stand in a line of Markdown: {text!r}"
        raise ValueError(message)
    parts = text.split("`")
    if len(parts) % 2 == 0:
        message = f"code span without an end: {text!r}"
        raise ValueError(message)
    parts[::2] = [re.sub(r"([\\*_<>\[\]#])", r"\\\1", part) for part in parts[::2]]
    return MarkdownText("`".join(parts).replace("|", "\\|"))


def plain(text: str) -> PlainText:
    r"""Return text for a listing, with what a reader could not see escaped.

    `\xNN` stands for a byte that is not UTF-8 (a surrogate escape) and for the
    controls, `\u{N}` for other characters, `\\` for the backslash: the result
    tells any two texts apart.
    """
    return PlainText(_UNPRINTABLE.sub(_escaped, text))


def html_text(text: str) -> HtmlText:
    """Return text for a page: what `plain` makes of it, and no mark-up."""
    return html_printable(plain(text))


def html_printable(text: PlainText) -> HtmlText:
    """Return text for a page that is printable already."""
    return HtmlText(html.escape(text))


def html_name(name: str) -> HtmlText:
    """Return the name of an anchor or class; anything else is a ValueError."""
    if not _FRAGMENT.fullmatch(name):
        message = f"not a name within a page: {name!r}"
        raise ValueError(message)
    return HtmlText(name)


def html_asset(source: str) -> HtmlText:
    """Return a style sheet or script of our own, which must not end its element."""
    if "</" in source or "<!--" in source:
        message = "a style sheet or script would end the element that holds it"
        raise ValueError(message)
    return HtmlText(source)


def html_asset_hash(asset: HtmlText) -> HtmlText:
    """Return what names an inline asset in a content security policy."""
    digest = b64encode(sha256(asset.encode()).digest()).decode()
    return HtmlText(f"'sha256-{digest}'")


def _escaped(match: re.Match[str]) -> str:
    number = ord(match[0])
    if match[0] == "\\":
        return "\\\\"
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 0x80 else f"\\u{{{number:x}}}"


def _check_width(value: int, bits: int) -> None:
    if not 0 <= value < 1 << bits:
        message = f"{value} does not fit into {bits} bits"
        raise ValueError(message)
