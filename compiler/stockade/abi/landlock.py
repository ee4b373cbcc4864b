# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name Landlock's rights and say which ABI brought each (linux/landlock.h, 7.2)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Right:
    """One right: its kernel name without prefix, its bit, the ABI that has it."""

    name: str
    bit: int
    abi: int


def _table(*rows: tuple[str, int]) -> tuple[Right, ...]:
    return tuple(Right(name, 1 << index, abi) for index, (name, abi) in enumerate(rows))


FS_RIGHTS = _table(
    ("EXECUTE", 1),
    ("WRITE_FILE", 1),
    ("READ_FILE", 1),
    ("READ_DIR", 1),
    ("REMOVE_DIR", 1),
    ("REMOVE_FILE", 1),
    ("MAKE_CHAR", 1),
    ("MAKE_DIR", 1),
    ("MAKE_REG", 1),
    ("MAKE_SOCK", 1),
    ("MAKE_FIFO", 1),
    ("MAKE_BLOCK", 1),
    ("MAKE_SYM", 1),
    ("REFER", 2),
    ("TRUNCATE", 3),
    ("IOCTL_DEV", 5),
    ("RESOLVE_UNIX", 9),
)
NET_RIGHTS = _table(
    ("BIND_TCP", 4),
    ("CONNECT_TCP", 4),
    ("BIND_UDP", 10),
    ("CONNECT_SEND_UDP", 10),
)
SCOPES = _table(("ABSTRACT_UNIX_SOCKET", 6), ("SIGNAL", 6))


def fs_mask(*names: str) -> int:
    """Join file rights by name; a name that is none raises KeyError."""
    return _mask(FS_RIGHTS, names)


def net_mask(*names: str) -> int:
    """Join port rights by name; a name that is none raises KeyError."""
    return _mask(NET_RIGHTS, names)


def scope_mask(*names: str) -> int:
    """Join scopes by name; a name that is none raises KeyError."""
    return _mask(SCOPES, names)


def _mask(rights: tuple[Right, ...], names: tuple[str, ...]) -> int:
    bits = {right.name: right.bit for right in rights}
    mask = 0
    for name in names:
        mask |= bits[name]
    return mask


def supported(rights: tuple[Right, ...], abi: int) -> int:
    """Join the rights that a kernel of this ABI knows."""
    mask = 0
    for right in rights:
        if right.abi <= abi:
            mask |= right.bit
    return mask


def names_of(rights: tuple[Right, ...], mask: int) -> tuple[str, ...]:
    """List the names of the rights in a mask, in the order of their bits."""
    return tuple(right.name for right in rights if right.bit & mask)
