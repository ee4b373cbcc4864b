# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Have libseccomp compile a rule set, and give the program that it exports.

Loaded at run time from where the system has it. Values are those of its header,
seccomp.h of release 2.5.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

NAME = "libseccomp.so.2"
LINEAR, TREE = 1, 2
OPERATORS = {"!=": 1, "<": 2, "<=": 3, "==": 4, ">=": 5, ">": 6}
_MASKED_EQUAL = 7
_BAD_ARCH_ACTION, _OPTIMIZE = 2, 8
_CANNOT_ALLOCATE = "out of memory"

Instruction: TypeAlias = tuple[int, int, int, int]


class _Compared(ctypes.Structure):
    """`struct scmp_arg_cmp`."""

    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    )


@dataclass(frozen=True, slots=True)
class LibraryTest:
    """A comparison of a whole register, or of its bits under a mask."""

    arg: int
    operator: str
    value: int
    mask: int | None = None

    def holds(self, args: Sequence[int]) -> bool:
        """Tell whether the comparison holds, all 64 bits counted."""
        if self.mask is not None:
            return args[self.arg] & self.mask == self.value
        value = args[self.arg]
        return {
            "==": value == self.value,
            "!=": value != self.value,
            "<": value < self.value,
            "<=": value <= self.value,
            ">": value > self.value,
            ">=": value >= self.value,
        }[self.operator]


@dataclass(frozen=True, slots=True)
class LibraryRule:
    """An action value of a numbered call where every test holds."""

    number: int
    action: int
    tests: tuple[LibraryTest, ...] = ()


class LibraryError(Exception):
    """The library refuses something; the message has its number."""


class _Release(ctypes.Structure):
    """`struct scmp_version`."""

    _fields_ = (
        ("major", ctypes.c_uint),
        ("minor", ctypes.c_uint),
        ("micro", ctypes.c_uint),
    )


def release() -> tuple[int, int, int]:
    """Give the library's release."""
    library = ctypes.CDLL(NAME)
    library.seccomp_version.restype = ctypes.POINTER(_Release)
    found = library.seccomp_version().contents
    return found.major, found.minor, found.micro


def compile_rules(
    rules: Sequence[LibraryRule], default: int, bad_arch: int, optimize: int
) -> list[Instruction]:
    """Compile rules for the machine's architecture, in order."""
    library = ctypes.CDLL(NAME)
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_release.argtypes = [ctypes.c_void_p]
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(default)))
    if context.value is None:
        raise LibraryError(_CANNOT_ALLOCATE)
    try:
        _set(library, context, _BAD_ARCH_ACTION, bad_arch)
        _set(library, context, _OPTIMIZE, optimize)
        for rule in rules:
            _add(library, context, rule)
        return _exported(library, context)
    finally:
        library.seccomp_release(context)


def _checked(status: int, what: str) -> None:
    if status != 0:
        message = f"{what}: {os.strerror(-status)}"
        raise LibraryError(message)


def _set(
    library: ctypes.CDLL, context: ctypes.c_void_p, attribute: int, value: int
) -> None:
    status = library.seccomp_attr_set(context, attribute, ctypes.c_uint32(value))
    _checked(status, f"attribute {attribute}")


def _add(library: ctypes.CDLL, context: ctypes.c_void_p, rule: LibraryRule) -> None:
    compared = (_Compared * max(len(rule.tests), 1))()
    for place, test in zip(compared, rule.tests, strict=False):
        place.arg = test.arg
        if test.mask is None:
            place.op, place.a = OPERATORS[test.operator], test.value
        else:
            place.op, place.a, place.b = _MASKED_EQUAL, test.mask, test.value
    status = library.seccomp_rule_add_exact_array(
        context,
        ctypes.c_uint32(rule.action),
        rule.number,
        ctypes.c_uint(len(rule.tests)),
        compared,
    )
    _checked(status, f"{rule}")


def _exported(library: ctypes.CDLL, context: ctypes.c_void_p) -> list[Instruction]:
    file = os.memfd_create("program")
    try:
        _checked(library.seccomp_export_bpf(context, file), "export")
        length = os.lseek(file, 0, os.SEEK_END)
        raw = os.pread(file, length, 0)
    finally:
        os.close(file)
    return [
        (
            int.from_bytes(raw[at : at + 2], "little"),
            raw[at + 2],
            raw[at + 3],
            int.from_bytes(raw[at + 4 : at + 8], "little"),
        )
        for at in range(0, len(raw), 8)
    ]
