# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the words that profiles use for numbers: signals, domains, commands, kinds.

Numbers are those of macOS, as 0xbf00/simbple carries them (sbpl_prelude.scm,
catalina/filters.c @7d5ac2d5); signals and domains have others on Linux.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A named argument; `number` is None where only the name is known."""

    name: str
    number: int | None = None


def _numbered(prefix: str, first: int, names: str) -> dict[str, int]:
    return {prefix + name: at for at, name in enumerate(names.split(), first)}


_NUMBERS: dict[str, int] = {
    **_numbered("SIG", 1, "HUP INT QUIT ILL TRAP ABRT EMT FPE KILL BUS SEGV SYS"),
    **_numbered("SIG", 13, "PIPE ALRM TERM URG STOP TSTP CONT CHLD TTIN TTOU IO"),
    **_numbered("SIG", 24, "XCPU XFSZ VTALRM PROF WINCH INFO USR1 USR2"),
    "SIGIOT": 6,
    "SIGPOLL": 7,
    **_numbered("AF_", 0, "UNSPEC UNIX INET IMPLINK PUP CHAOS NS ISO"),
    "AF_LOCAL": 1,
    "AF_ROUTE": 17,
    "AF_LINK": 18,
    "AF_NDRV": 27,
    "AF_INET6": 30,
    "AF_SYSTEM": 32,
    "AF_UTUN": 38,
    **_numbered("SOCK_", 1, "STREAM DGRAM RAW RDM SEQPACKET"),
    "FSIOC_CAS_BSDFLAGS": 16660,
    "SYS_exit": 1,
    "SYS_fork": 2,
    "SYS_open": 5,
    "SYS_execve": 59,
    "SYS_vfork": 66,
    "SYS_setpgid": 82,
    "SYS_setsid": 147,
    "SYS_posix_spawn": 244,
    "SYS___mac_syscall": 381,
    "SYS_openat": 463,
}
_TARGETS = "self pgrp others children same-sandbox initproc"
_VNODES = "REGULAR-FILE DIRECTORY BLOCK-DEVICE CHARACTER-DEVICE SYMLINK SOCKET FIFO TTY"
WORDS: dict[str, Word] = {
    **{name: Word(name, number) for name, number in _NUMBERS.items()},
    **{name: Word(name) for name in (*_TARGETS.split(), *_VNODES.split())},
}
# What Apple's tables name in hundreds; that a name is really there is not checked.
_PATTERN = re.compile(
    r"SYS_[a-z_0-9]+|MSC_[a-z_0-9]+|F_[A-Z_0-9]+|(?:AP|H)?FSIOC_[A-Z_0-9]+"
    r"|(?:FIO|DKIOC|SIOC|CTLIOC|FSEVENTS_|TIOC)[A-Z_0-9]+|PRIV_[A-Z_0-9]+"
)
# Missing on 14.1 and 14.2, where a profile that writes it does not compile
# (openai/codex#45119); `(_IO "t" 114)` is the same number.
_MISSING = ("TIOCSTI",)


def word_named(name: str) -> Word | None:
    """Find a word; one known by its form alone has no number."""
    if name in WORDS:
        return WORDS[name]
    if name not in _MISSING and _PATTERN.fullmatch(name):
        return Word(name)
    return None
