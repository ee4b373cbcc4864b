# SPDX-License-Identifier: Apache-2.0 OR MIT
r"""Judge one path of Windows by its text alone: `C:\dir\file`, on a local drive.

Windows takes several texts for one file, and some for no file at all, so what it
would read otherwise than it is written is refused. Names, reserved names and the
forms of paths: Microsoft's page "Naming Files, Paths, and Namespaces".
"""

from __future__ import annotations

import re

from stockade.diagnostics import Code, quote

Fault = tuple[Code, str, str]

_DRIVE = re.compile(r"[A-Za-z]:")
_WHOLE = r"write the whole path, from `C:\` on"
# A name is at most this many UTF-16 units on NTFS.
_MAX_NAME_UNITS = 255
# Devices, in any case of their letters and with any ending. The three superscript
# digits count as digits there.
_DEVICES = re.compile(
    r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])"
    r"\ *(?:\.|$)",
    re.IGNORECASE,
)
_WILDCARDS = '*?<>"|'


# Letters whose case no two tables of upper-case letters were found to differ on.
_SURE_LETTERS_END = "\u0590"


def surely_one(path: str, other: str) -> bool:
    """Tell whether two paths that may be one file are one on every Windows.

    A volume has a table of upper-case letters of its own, one UTF-16 unit for each, so
    what only Unicode's folding makes equal (`ß` and `ss`) may be two files there.
    """
    return _upcased(path) == _upcased(other)


def _upcased(path: str) -> str:
    return "".join(map(_upcased_letter, path))


def _upcased_letter(letter: str) -> str:
    upper = letter.upper()
    sure = letter < _SURE_LETTERS_END and upper.lower() == letter
    return upper if sure and len(upper) == 1 else letter


def is_of_windows(text: str) -> bool:
    """Tell whether a path is written as only Windows writes paths."""
    return text.startswith("\\") or bool(_DRIVE.match(text))


def form_fault(text: str) -> Fault | None:
    """Say why a path does not begin at a local drive, or None where it does."""
    if text.startswith(("\\\\?\\", "\\\\.\\")):
        return (
            Code.NOT_LOCAL,
            f"path {quote(text)} names a device or turns off the rules for names",
            _WHOLE,
        )
    if text.startswith("\\\\"):
        return (
            Code.NOT_LOCAL,
            f"path {quote(text)} is one of the network, or of a share of this machine",
            "write the local path of the same folder",
        )
    if text.startswith("\\"):
        return Code.NOT_ABSOLUTE, f"path {quote(text)} names no drive", _WHOLE
    if text[2:3] not in ("\\", "/"):
        message = f"path {quote(text)} is relative to the working folder of its drive"
        return Code.NOT_ABSOLUTE, message, _WHOLE
    return None


def name_fault(text: str, name: str) -> Fault | None:
    """Say why Windows would not take a part of a path as it is written."""
    what = f"the name {quote(name)} in path {quote(text)}"
    if ":" in name:
        why = "holds `:`, which leads to another stream of a file"
    elif any(mark in name for mark in _WILDCARDS):
        why = "holds a mark that no file's name may hold"
    elif name[-1] in ". ":
        why = "ends with a dot or a space, which Windows drops"
    elif _DEVICES.match(name):
        why = "is a device's name in every folder"
    elif len(name.encode("utf-16-le", "surrogatepass")) // 2 > _MAX_NAME_UNITS:
        message = f"{what} has more than {_MAX_NAME_UNITS} characters"
        return Code.PATH_TOO_LONG, message, ""
    else:
        return None
    return Code.WINDOWS_NAME, f"{what} {why}", "write the name that the file has"
