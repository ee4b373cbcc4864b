# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the signals that have a name (asm-generic/signal.h); the others have numbers.

x86_64 and aarch64 number them alike.
"""

from __future__ import annotations

_NAMES = (
    *("HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1"),
    *("SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP"),
    *("TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH"),
    *("IO", "PWR", "SYS"),
)
# Of the real-time signals none has a name that means the same in every libc.
LAST_SIGNAL = 64

SIGNALS: dict[str, int] = {name: number for number, name in enumerate(_NAMES, 1)}
SIGNAL_NAMES: dict[int, str] = {number: name for name, number in SIGNALS.items()}
