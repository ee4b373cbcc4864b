# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Number the architectures as seccomp sees them (linux/audit.h, linux/elf-em.h)."""

from __future__ import annotations

from dataclasses import dataclass

# AUDIT_ARCH is the ELF machine with flags for 64 bits and little endian.
_64BIT = 0x80000000
_LE = 0x40000000

AUDIT_ARCH: dict[str, int] = {
    "x86_64": 62 | _64BIT | _LE,
    "i386": 3 | _LE,
    "aarch64": 183 | _64BIT | _LE,
    "arm": 40 | _LE,
}

# x32 calls report x86_64 and set this bit in the number (asm/unistd.h).
X32_BIT = 0x40000000
# A tracer that skips a call leaves -1 as its number (seccomp(2)).
SKIPPED_CALL = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class LinuxTarget:
    """One Linux target: its name in file names and its architecture."""

    name: str
    arch: str

    @property
    def has_x32(self) -> bool:
        """Tell whether numbers with bit 30 belong to another ABI."""
        return self.arch == "x86_64"


LINUX_TARGETS: dict[str, LinuxTarget] = {
    "linux-x86_64": LinuxTarget("linux-x86_64", "x86_64"),
    "linux-aarch64": LinuxTarget("linux-aarch64", "aarch64"),
}
