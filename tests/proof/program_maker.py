# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make seccomp programs for comparison: plausible ones, broken ones, wild ones."""

from __future__ import annotations

import random
import struct

Raw = tuple[int, int, int, int]

RET_K, RET_A, LD_ABS, LD_IMM, LDX_IMM = 0x06, 0x16, 0x20, 0x00, 0x01
LD_LEN, LDX_LEN, LD_MEM, LDX_MEM, ST, STX, TAX, TXA = (
    0x80,
    0x81,
    0x60,
    0x61,
    0x02,
    0x03,
    0x07,
    0x87,
)
JA, NEG = 0x05, 0x84
ALU_K = (0x04, 0x14, 0x24, 0x34, 0x44, 0x54, 0x64, 0x74, 0xA4)
BRANCH_K = (0x15, 0x25, 0x35, 0x45)
WITH_X = 0x08
KNOWN = (
    *(RET_K, RET_A, LD_ABS, LD_IMM, LDX_IMM, LD_LEN, LDX_LEN, LD_MEM, LDX_MEM),
    *(ST, STX, TAX, TXA, JA, NEG),
    *ALU_K,
    *(code | WITH_X for code in ALU_K),
    *BRANCH_K,
    *(code | WITH_X for code in BRANCH_K),
)
# Modulo, half words, bytes, indirect and header loads, RET X, high bits: classic
# BPF elsewhere, or nothing at all.
OTHERS = (0x94, 0x9C, 0x28, 0x30, 0x40, 0x48, 0x50, 0xB1, 0x0E, 0x106, 0xFFFF, 0x27)


def encode(insns: list[Raw]) -> bytes:
    return b"".join(struct.pack("<HBBI", *insn) for insn in insns)


def plausible(source: random.Random) -> list[Raw]:
    """Make a program that mostly keeps the rules, with real branches and scratch."""
    length = source.randint(1, 24)
    insns: list[Raw] = [(LD_ABS, 0, 0, 4 * source.randrange(16))]
    stored: list[int] = []
    for index in range(1, length):
        behind = length - index
        match source.randrange(10):
            case 0 | 1:
                insns.append((LD_ABS, 0, 0, 4 * source.randrange(16)))
            case 2 | 3 | 4:
                code = source.choice(BRANCH_K) | source.choice((0, 0, WITH_X))
                jumps = [min(source.randrange(5), behind - 1) for _ in range(2)]
                insns.append((code, jumps[0], jumps[1], source.randrange(400)))
            case 5:
                code = source.choice(ALU_K) | source.choice((0, WITH_X))
                insns.append((code, 0, 0, source.randint(1, 31)))
            case 6:
                word = source.randrange(16)
                stored.append(word)
                insns.append((source.choice((ST, STX)), 0, 0, word))
            case 7 if stored:
                code = source.choice((LD_MEM, LDX_MEM))
                insns.append((code, 0, 0, source.choice(stored)))
            case 8:
                code = source.choice((TAX, TXA, NEG, LDX_IMM, LD_IMM, LDX_LEN, LD_LEN))
                insns.append((code, 0, 0, 7))
            case _ if source.random() < 0.3:
                insns.append((source.choice((RET_K, RET_A)), 0, 0, 0x7FFF0000))
            case _:
                insns.append((JA, 0, 0, min(source.randrange(3), behind - 1)))
    insns.append((source.choice((RET_K, RET_A)), 0, 0, 0x7FFF0000))
    return insns


def mutated(source: random.Random) -> list[Raw]:
    """Change one field of a plausible program to a value near a limit."""
    insns = plausible(source)
    index = source.randrange(len(insns))
    code, jt, jf, k = insns[index]
    match source.randrange(6):
        case 0:
            code = source.choice(KNOWN + OTHERS)
        case 1:
            jt = source.choice((0, 1, 2, 200, 255))
        case 2:
            jf = source.choice((0, 1, 2, 200, 255))
        case 3:
            k = source.choice((0, 15, 16, 31, 32, 33, 60, 62, 64, 2**31, 2**32 - 1))
        case 4:
            del insns[index]
            return insns or [(RET_K, 0, 0, 0)]
        case _:
            k = source.choice((0xFFFFF000, 0xFFFFF004, len(insns), len(insns) - index))
    insns[index] = (code, jt, jf, k)
    return insns


def wild(source: random.Random) -> list[Raw]:
    """Make a short program of any instructions at all."""
    insns = [
        (
            source.choice(KNOWN if source.random() < 0.9 else OTHERS),
            source.randrange(3),
            source.randrange(3),
            source.choice((0, 1, 2, 3, 4, 16, 32, 60, source.getrandbits(32))),
        )
        for _ in range(source.randint(1, 5))
    ]
    if source.random() < 0.8:
        insns.append((source.choice((RET_K, RET_A)), 0, 0, 0))
    return insns


def programs(count: int, seed: int) -> list[bytes]:
    """Make programs of all three kinds, the same ones for the same seed."""
    source = random.Random(seed)
    makers = (plausible, mutated, wild)
    return [encode(makers[number % 3](source)) for number in range(count)]
