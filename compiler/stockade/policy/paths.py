# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge and normalise one path by its text alone; the host is the launcher's."""

from __future__ import annotations

import re

from stockade.diagnostics import Code, Report, quote
from stockade.policy.windows_paths import Fault, form_fault, is_of_windows, name_fault
from stockade.source import Span

# PATH_MAX of Linux without the zero byte; see path_resolution(7). A bundle holds no
# longer ones of any system.
MAX_PATH_BYTES = 4_095


def normal_path(text: str, span: Span, report: Report) -> str | None:
    r"""Return a path without `.`, doubled and trailing slashes, or report it.

    A path of Windows has backslashes and an upper-case drive: `C:\dir`.
    """
    windows = is_of_windows(text)
    found = _first_fault(text, windows=windows)
    if found is None:
        parts = _parts(text, windows=windows)
        if windows:
            return parts[0].upper() + "\\" + "\\".join(parts[1:])
        return "/" + "/".join(parts)
    code, message, advice = found
    report.add(code, message, span, advice=advice)
    return None


def _parts(text: str, *, windows: bool) -> list[str]:
    parts = re.split(r"[/\\]" if windows else "/", text)
    return [part for part in parts if part not in ("", ".")]


def _first_fault(text: str, *, windows: bool) -> Fault | None:
    form = form_fault(text) if windows else _posix_form_fault(text)
    if form is not None:
        return form
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
    parts = _parts(text, windows=windows)
    if ".." in parts:
        return (
            Code.PARENT_COMPONENT,
            f"path {quote(text)} holds `..`, which leads elsewhere through a link",
            "write the path that is meant",
        )
    if windows:
        faults = (name_fault(text, name) for name in parts[1:])
        return next((fault for fault in faults if fault is not None), None)
    return None


def _posix_form_fault(text: str) -> Fault | None:
    if text.startswith("/"):
        return None
    advice = "write the whole path, from `/` on"
    if text.startswith("~"):
        advice = "`~` is not expanded here; write the whole path, from `/` on"
    message = f"path {quote(text)} is not absolute" if text else "the path is empty"
    return Code.NOT_ABSOLUTE, message, advice
