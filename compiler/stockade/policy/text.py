# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the bytes of a policy into text, or refuse them with a place."""

from __future__ import annotations

import codecs

from stockade.diagnostics import Code, Report
from stockade.source import Source, Span

# Real policies are a few KiB; the limit bounds what a hostile one can cost.
MAX_BYTES = 1_048_576


def decode(data: bytes, name: str, report: Report) -> Source:
    """Return the source of a policy; raise PolicyRejected for what is no such text."""
    if len(data) > MAX_BYTES:
        source = Source(name, data[:MAX_BYTES].decode("utf-8", "replace"))
        at = max(0, len(source.text) - 1)
        message = f"the policy is longer than {MAX_BYTES} bytes"
        report.add(Code.TOO_LONG, message, Span(source, at, at + 1))
    elif data.startswith(codecs.BOM_UTF8):
        source = Source(name, data.decode("utf-8", "replace"))
        report.add(
            Code.BYTE_ORDER_MARK,
            "the policy begins with a byte order mark",
            Span(source, 0, 1),
            advice="save it as UTF-8 without a mark",
        )
    else:
        try:
            source = Source(name, data.decode("utf-8"))
        except UnicodeDecodeError as error:
            source = Source(name, data.decode("utf-8", "backslashreplace"))
            at = len(data[: error.start].decode("utf-8"))
            report.add(
                Code.NOT_UTF8,
                f"byte 0x{data[error.start]:02x} is no part of UTF-8 text",
                Span(source, at, at + 4),
                advice="save the policy as UTF-8",
            )
    report.raise_if_errors()
    return source
