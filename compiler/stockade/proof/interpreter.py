# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run classic BPF programs as the kernel does, one call at a time.

INVARIANT: nothing here is shared with the code that makes the programs: not a
table, not a constant. Written from the kernel's own description (linux/filter.h,
linux/bpf_common.h; semantics as in Documentation/networking/filter.rst).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

# Instruction classes and modes, linux/bpf_common.h.
_JMP, _RET = 5, 6
_ABS, _IMM, _MEM, _LEN = 0x20, 0x00, 0x60, 0x80
_X = 0x08
_WORD = 0xFFFFFFFF


class NotAProgramError(Exception):
    """The program does something that the kernel would not accept or never ends."""


@dataclass(slots=True)
class _Registers:
    """What a running program holds: accumulator, index and sixteen words."""

    accumulator: int = 0
    index: int = 0
    scratch: list[int] = field(default_factory=lambda: [0] * 16)


def run(program: Sequence[tuple[int, int, int, int]], data: bytes) -> int:
    """Run a program over the 64 bytes of `struct seccomp_data`.

    Instructions are (code, jt, jf, k). Returns the action value; raises
    NotAProgramError where the kernel's checker would have refused the program.
    """
    registers = _Registers()
    at = 0
    while at < len(program):
        code, jt, jf, k = program[at]
        kind = code & 0x07
        if kind == _RET:
            return registers.accumulator if code & 0x18 == 0x10 else k
        at += 1
        if kind == _JMP:
            at += _distance(code, jt, jf, k, registers)
        else:
            _step(code, k, data, registers)
    message = "runs past its end"
    raise NotAProgramError(message)


def _step(code: int, k: int, data: bytes, registers: _Registers) -> None:
    """Do one instruction that neither jumps nor returns."""
    match code & 0x07:
        case 0:
            registers.accumulator = _load(code, k, data, registers)
        case 1:
            registers.index = _load(code, k, data, registers)
        case 2:
            registers.scratch[k] = registers.accumulator
        case 3:
            registers.scratch[k] = registers.index
        case 4:
            registers.accumulator = _compute(code, k, registers)
        case _ if code & 0x80:
            registers.accumulator = registers.index
        case _:
            registers.index = registers.accumulator


def _load(code: int, k: int, data: bytes, registers: _Registers) -> int:
    mode = code & 0xE0
    if code & 0x18:
        message = f"loads other than words: {code:#x}"
        raise NotAProgramError(message)
    if mode == _ABS and k % 4 == 0 and k <= len(data) - 4:
        return int.from_bytes(data[k : k + 4], "little")
    if mode == _IMM:
        return k
    if mode == _MEM:
        return registers.scratch[k]
    if mode == _LEN:
        return len(data)
    message = f"load {code:#x} of {k}"
    raise NotAProgramError(message)


_CONDITIONS: dict[int, Callable[[int, int], bool]] = {
    0x10: lambda word, other: word == other,
    0x20: lambda word, other: word > other,
    0x30: lambda word, other: word >= other,
    0x40: lambda word, other: bool(word & other),
}


def _distance(code: int, jt: int, jf: int, k: int, registers: _Registers) -> int:
    """Give how many instructions a jump leaves out; a plain one knows only `k`."""
    operation = code & 0xF0
    if operation == 0:
        return k
    if operation not in _CONDITIONS:
        message = f"jump {code:#x}"
        raise NotAProgramError(message)
    other = registers.index if code & _X else k
    return jt if _CONDITIONS[operation](registers.accumulator, other) else jf


_OPERATIONS: dict[int, Callable[[int, int], int]] = {
    0x00: lambda word, other: word + other,
    0x10: lambda word, other: word - other,
    0x20: lambda word, other: word * other,
    0x30: lambda word, other: word // other,
    0x40: lambda word, other: word | other,
    0x50: lambda word, other: word & other,
    0x60: lambda word, other: word << other,
    0x70: lambda word, other: word >> other,
    0x80: lambda word, _other: -word,
    0xA0: lambda word, other: word ^ other,
}


def _compute(code: int, k: int, registers: _Registers) -> int:
    operation = code & 0xF0
    other = registers.index if code & _X else k
    if operation == 0x30 and other == 0:
        message = "divides by zero"
        raise NotAProgramError(message)
    if operation not in _OPERATIONS:
        message = f"computes {code:#x}"
        raise NotAProgramError(message)
    return _OPERATIONS[operation](registers.accumulator, other) & _WORD


def call_data(number: int, audit_arch: int, args: Sequence[int], pointer: int) -> bytes:
    """Lay out `struct seccomp_data` as a little-endian kernel does."""
    words = [pointer, *args]
    return (
        number.to_bytes(4, "little")
        + audit_arch.to_bytes(4, "little")
        + b"".join(word.to_bytes(8, "little") for word in words)
    )
