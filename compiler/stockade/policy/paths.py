# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge and normalise one path by its text alone; the host is the launcher's."""

from __future__ import annotations

from stockade.diagnostics import Code, Report, quote
from stockade.source import Span

# PATH_MAX of Linux without the zero byte; see path_resolution(7).
MAX_PATH_BYTES = 4_095


def normal_path(text: str, span: Span, report: Report) -> str | None:
    """Return a path without `.`, doubled and trailing slashes, or report it."""
    found = _first_fault(text)
    if found is None:
        parts = [part for part in text.split("/") if part not in ("", ".")]
        return "/" + "/".join(parts)
    code, message, advice = found
    report.add(code, message, span, advice=advice)
    return None


def _first_fault(text: str) -> tuple[Code, str, str] | None:
    if not text.startswith("/"):
        return _not_absolute(text)
    if any(ord(character) < 0x20 or character == "\x7f" for character in text):
        message = f"path {quote(text)} holds a control character"
        return Code.CONTROL_CHARACTER, message, ""
    # The kernel takes the path as it is given, so that is what must be short enough.
    length = len(text.encode("utf-8", "surrogateescape"))
    if length > MAX_PATH_BYTES:
        message = (
            f"path {quote(text)} has {length} bytes, and no path of more than"
            f" {MAX_PATH_BYTES} can be opened"
        )
        return Code.PATH_TOO_LONG, message, ""
    if ".." in text.split("/"):
        return (
            Code.PARENT_COMPONENT,
            f"path {quote(text)} holds `..`, which leads elsewhere through a link",
            "write the path that is meant",
        )
    return None


def _not_absolute(text: str) -> tuple[Code, str, str]:
    advice = "write the whole path, from `/` on"
    if text.startswith("~"):
        advice = "`~` is not expanded here; write the whole path, from `/` on"
    message = f"path {quote(text)} is not absolute" if text else "the path is empty"
    return Code.NOT_ABSOLUTE, message, advice
