# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put a user's text into a message."""

from __future__ import annotations

from stockade.source.visible import visible

_LONGEST = 80


def quote(text: str) -> str:
    """Return text in backticks, made safe to print and cut where it is very long."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    return f"`{visible(text)}`"
