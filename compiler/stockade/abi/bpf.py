# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Number the classic BPF operations and seccomp actions that filters are made of.

Sources: linux/filter.h, linux/bpf_common.h, linux/seccomp.h.
"""

from __future__ import annotations

LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
JUMP = 0x05  # BPF_JMP | BPF_JA
JUMP_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
JUMP_GREATER = 0x25  # BPF_JMP | BPF_JGT | BPF_K
JUMP_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
JUMP_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
RETURN = 0x06  # BPF_RET | BPF_K

ACTION_ALLOW = 0x7FFF0000
ACTION_ERRNO = 0x00050000
ACTIONS: dict[str, int] = {
    "ALLOW": ACTION_ALLOW,
    "LOG": 0x7FFC0000,
    "TRAP": 0x00030000,
    "KILL_PROCESS": 0x80000000,
}

# Offsets into struct seccomp_data, little-endian.
OFFSET_NUMBER = 0
OFFSET_ARCH = 4


def offset_low(arg: int) -> int:
    """Give the offset of an argument's low word."""
    return 16 + 8 * arg


def offset_high(arg: int) -> int:
    """Give the offset of an argument's high word."""
    return 20 + 8 * arg


# Constants that the launcher fills in; both fail closed when it does not: no
# process has that number, and no program waits for that error.
PLACEHOLDER_PID = 0x7FFFFFFF
PLACEHOLDER_WITNESS = ACTION_ERRNO | 0xFFF
