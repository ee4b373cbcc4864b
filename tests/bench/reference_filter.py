# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn a fixed list of refused calls into the reference's balanced seccomp filter.

It shares nothing with the compiler on purpose: when the compiler's filters grow,
the reference stays, and the ratio shows it. x86_64 only, like the figures.
"""

from __future__ import annotations

from backward_assembly import ALLOW, ARCH, JEQ, JGE, JSET, NR, Backward, refuse_with

EPERM, ENOSYS = refuse_with(1), refuse_with(38)
ARCH_X86_64, X32_BIT = 0xC000003E, 0x40000000
ARG0, ARG1, ARG2, ARG3, ARG4 = 16, 24, 32, 40, 48

# Numbers of x86_64 in the order of the table, 75 calls refused whatever they ask.
REFUSED_EPERM = (
    *(101, 103, 132, 134, 136, 139, 153, 154, 155, 156, 159, 161, 163, 165, 166, 167),
    *(168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 188, 189, 190),
    *(197, 198, 199, 212, 227, 235, 246, 248, 249, 250, 256, 261, 268, 272, 279, 298),
    *(300, 301, 303, 304, 305, 308, 310, 311, 312, 313, 320, 321, 323, 428, 429, 430),
    *(431, 432, 433, 438, 442, 443, 448),
)
REFUSED_ENOSYS = (425, 426, 427, 435)
# What an argument's low word must not be: number, offset, test, constants.
ARGUMENT_TESTS: tuple[tuple[int, int, int, tuple[int, ...]], ...] = (
    (
        16,
        ARG1,
        JEQ,
        (
            *(0x5410, 0x5412, 0x5414, 0x541C, 0x541D, 0x5423, 0x5437, 0x6609, 0x660C),
            *(0x6611, 0x40045436, 0x40046602, 0x40047602, 0x40086602, 0x40087602),
            *(0x4008941A, 0x401C5820, 0x40806685, 0x41009432, 0x50009401, 0x5000940E),
            *(0x50009417, 0x50009418, 0x800C6613, 0xC0189436, 0xC0406618, 0xC0506617),
        ),
    ),
    (41, ARG0, JEQ, (1, 2, 10, 16, 17, 40)),
    (44, ARG3, JSET, (0x20000000,)),
    (46, ARG2, JSET, (0x20000000,)),
    (53, ARG0, JEQ, (2, 10, 16, 17)),
    (56, ARG0, JSET, (0x7E028000,)),
    (62, ARG0, JEQ, (0, 1, 0xFFFFFFFF)),
    (72, ARG1, JEQ, (8, 10, 15, 1024, 1026)),
    (109, ARG1, JEQ, (1,)),
    (129, ARG0, JEQ, (0, 1, 0xFFFFFFFF)),
    (141, ARG0, JEQ, (1, 2)),
    (142, ARG0, JEQ, (1,)),
    (144, ARG0, JEQ, (1,)),
    (200, ARG0, JEQ, (0, 1, 0xFFFFFFFF)),
    (203, ARG0, JEQ, (1,)),
    (234, ARG0, JEQ, (0, 1, 0xFFFFFFFF)),
    (251, ARG0, JEQ, (2, 3)),
    (307, ARG3, JSET, (0x20000000,)),
    (319, ARG1, JSET, (0x00000004,)),
    (322, ARG4, JSET, (0x00001000,)),
)


def _argument_code(
    code: Backward, offset: int, test: int, constants: tuple[int, ...]
) -> int:
    following = code.answer(ALLOW)
    for constant in reversed(constants):
        following = code.branch(test, constant, code.answer(EPERM), following)
    return code.load(offset)


def _ranges(leaves: dict[int, int]) -> list[tuple[int, int]]:
    """Turn numbers with a leaf of their own into (first number, leaf) by order."""
    ranges: list[tuple[int, int]] = [(0, ALLOW)]
    for number in sorted(leaves):
        if ranges[-1][0] == number:
            ranges.pop()
        if not ranges or ranges[-1][1] != leaves[number]:
            ranges.append((number, leaves[number]))
        if number + 1 not in leaves:
            ranges.append((number + 1, ALLOW))
    return ranges


def reference_filter() -> list[tuple[int, int, int, int]]:
    """Return the program as (code, jt, jf, k)."""
    code = Backward()
    leaves = dict.fromkeys(REFUSED_EPERM, EPERM) | dict.fromkeys(REFUSED_ENOSYS, ENOSYS)
    tested = {
        number: _argument_code(code, offset, test, constants)
        for number, offset, test, constants in ARGUMENT_TESTS
    }
    # A negative leaf names a tested call: no action of the kernel is negative.
    leaves |= {number: -number for number in tested}
    ranges = [*_ranges(leaves), (X32_BIT, EPERM)]

    def tree(part: list[tuple[int, int]]) -> int:
        if len(part) == 1:
            leaf = part[0][1]
            return tested[-leaf] if leaf < 0 else code.answer(leaf)
        middle = len(part) // 2
        above = tree(part[middle:])
        below = tree(part[:middle])
        return code.branch(JGE, part[middle][0], above, below)

    tree(ranges)
    number = code.load(NR)
    code.branch(JEQ, ARCH_X86_64, number, code.answer(EPERM))
    code.load(ARCH)
    return code.program()


def render_header() -> str:
    """Return the filter as a C table for `reference.c`."""
    rows = "".join(
        f"    {{ 0x{op:02x}, {jt}, {jf}, 0x{k:08x} }},\n"
        for op, jt, jf, k in reference_filter()
    )
    return f"static const struct insn reference_filter[] = {{\n{rows}}};\n"
