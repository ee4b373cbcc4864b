# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the system calls of each architecture, as Linux 7.2 numbers them.

The tables are data files that `compiler/build/refresh_syscalls.py` writes from
the kernel's own headers.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

ARCHES = ("x86_64", "aarch64")


@cache
def call_numbers(arch: str) -> dict[str, int]:
    """Give the number of every named call, in the order of the numbers."""
    text = (files(__package__) / f"syscalls-{arch}.txt").read_text("ascii")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {name: int(number) for number, name in rows}


@cache
def call_names(arch: str) -> dict[int, str]:
    """Give the name of every numbered call."""
    return {number: name for name, number in call_numbers(arch).items()}


def table_origin(arch: str) -> str:
    """Say which kernel release the table belongs to."""
    text = (files(__package__) / f"syscalls-{arch}.txt").read_text("ascii")
    return text.splitlines()[0].removeprefix("# ")
