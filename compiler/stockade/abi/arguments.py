# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say how many bits the kernel keeps of each argument of a call.

The table is a data file that `compiler/build/refresh_arguments.py` writes from
the kernel's prototypes. Calls that Linux only numbers have no entry.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def argument_widths() -> dict[str, tuple[int, ...]]:
    """Give the widths in bits (16, 32 or 64) of every call's arguments."""
    text = (files(__package__) / "arguments.txt").read_text("ascii")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {name: tuple(map(int, widths)) for name, *widths in rows}
