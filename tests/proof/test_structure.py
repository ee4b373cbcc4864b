# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the verifier with its own interface, with its rules and with the kernel."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from importlib.resources import files
from pathlib import Path

import kernel_checker
import program_maker
import pytest
from program_maker import (
    JA,
    LD_ABS,
    LD_IMM,
    LD_MEM,
    RET_A,
    RET_K,
    ST,
    STX,
    TAX,
    TXA,
    Raw,
    encode,
)

from stockade.proof import structure
from stockade.proof.structure import (
    StructureRefused,
    VerifierUnusable,
    check_structure,
    longest_path,
)

ALLOW: Raw = (RET_K, 0, 0, 0x7FFF0000)
LOAD: Raw = (LD_ABS, 0, 0, 0)
# What the kernel accepts and this project does not.
STRICTER = re.compile(
    r"no path reaches|accumulator before a load|index register before a load"
)


def _refusal(program: bytes) -> StructureRefused | None:
    try:
        check_structure(program)
    except StructureRefused as refused:
        return refused
    return None


@pytest.mark.parametrize(
    ("insns", "index", "reason"),
    [
        ([], 0, "1 to 4096 instructions, not 0"),
        ([LOAD] * 4096 + [ALLOW], 0, "not 4097"),
        ([LOAD, (0x94, 0, 0, 3), ALLOW], 1, "opcode 0x0094"),
        ([(LD_ABS, 0, 0, 64), ALLOW], 0, "offset 64"),
        ([(LD_ABS, 0, 0, 6), ALLOW], 0, "unaligned"),
        ([LOAD, (0x15, 1, 0, 0), ALLOW], 1, "jumps over 1"),
        ([LOAD, (0x15, 0, 255, 0), ALLOW], 1, "jumps over 255"),
        ([LOAD, (JA, 0, 0, 2**32 - 1), ALLOW], 1, "jumps over 4294967295"),
        ([LOAD, (0x34, 0, 0, 0), ALLOW], 1, "divides by zero"),
        ([LOAD, (0x64, 0, 0, 32), ALLOW], 1, "shifts"),
        ([LOAD, (LD_MEM, 0, 0, 2), ALLOW], 1, "scratch word 2"),
        ([LOAD, (0x15, 1, 0, 0), (ST, 0, 0, 2), (LD_MEM, 0, 0, 2), ALLOW], 3, "unset"),
        ([LOAD, (ST, 0, 0, 16), ALLOW], 1, "word 16 of 16"),
        ([ALLOW, LOAD], 1, "does not return"),
        ([ALLOW, ALLOW], 1, "no path reaches"),
        ([(0x15, 0, 0, 0), ALLOW], 0, "accumulator before a load"),
        ([(RET_A, 0, 0, 0)], 0, "accumulator before a load"),
        ([(STX, 0, 0, 0), ALLOW], 0, "index register before a load"),
        ([(TXA, 0, 0, 0), ALLOW], 0, "index register before a load"),
    ],
)
def test_broken_rules_are_named(insns: list[Raw], index: int, reason: str) -> None:
    refused = _refusal(encode(insns))
    assert refused is not None
    assert refused.index == index
    assert reason in refused.reason
    assert str(refused) == f"instruction {index} {refused.reason}"


@pytest.mark.parametrize(
    "insns",
    [
        [ALLOW],
        [LOAD] * 4095 + [ALLOW],
        [(LD_ABS, 0, 0, 60), ALLOW],
        [LOAD, (0x15, 0, 0, 0), ALLOW],
        [LOAD, (0x64, 0, 0, 31), ALLOW],
        [LOAD, (TAX, 0, 0, 0), (0x1D, 0, 1, 0), ALLOW, (RET_A, 0, 0, 0)],
        [(LD_IMM, 0, 0, 1), (ST, 0, 0, 15), (LD_MEM, 0, 0, 15), ALLOW],
    ],
)
def test_good_programs_pass_here_and_in_the_kernel(insns: list[Raw]) -> None:
    check_structure(encode(insns))
    assert kernel_checker.judge([encode(insns)]) == [True]


@pytest.mark.parametrize("cut", range(1, 8))
def test_bytes_that_are_no_whole_instructions_are_refused(cut: int) -> None:
    refused = _refusal(encode([LOAD, ALLOW])[:-cut])
    assert refused is not None
    assert "no whole number" in refused.reason


def test_every_opcode_is_judged_as_the_kernel_does() -> None:
    """All 65,536 numbers, each in a program that is sound apart from it."""
    prologue: list[Raw] = [LOAD, (TAX, 0, 0, 0), (ST, 0, 0, 1)]
    programs = [
        encode([*prologue, (code, 0, 0, 1), LOAD, ALLOW]) for code in range(0x200)
    ]
    # A jump by one, and a load at 1, are wrong for another reason; so also by 0.
    programs += [
        encode([*prologue, (code, 0, 0, 0), LOAD, ALLOW]) for code in range(0x200)
    ]
    programs += [
        encode([*prologue, (code, 0, 0, 4), LOAD, ALLOW]) for code in range(2**16)
    ]
    known = Counter(
        _compare(program, accepted)
        for program, accepted in zip(
            programs, kernel_checker.judge(programs), strict=True
        )
    )
    assert known["accepted"] > 60
    assert known["refused"] > 65000


def _compare(program: bytes, kernel_accepts: bool) -> str:
    """Compare one verdict with the kernel's and say which it was."""
    refused = _refusal(program)
    if refused is None:
        assert kernel_accepts, program.hex(" ", 8)
        return "accepted"
    if STRICTER.search(refused.reason):
        return "stricter"
    assert not kernel_accepts, f"{refused}: {program.hex(' ', 8)}"
    return "refused"


def test_verdicts_are_those_of_the_running_kernel() -> None:
    """Whatever passes here the kernel takes, and the other way round.

    The other way, except for the rules that only this project has; a large enough
    share of each kind shows that the comparison compares something.
    """
    programs = program_maker.programs(15000, seed=20261129)
    verdicts = kernel_checker.judge(programs)
    counts = Counter(map(_compare, programs, verdicts))
    assert counts["accepted"] > 800, counts
    assert counts["refused"] > 2000, counts
    assert counts["stricter"] > 500, counts


def test_accepted_programs_really_attach() -> None:
    """The quick question to the kernel and the real act agree."""
    programs = program_maker.programs(300, seed=7)
    quick = kernel_checker.judge(programs)
    assert [kernel_checker.attaches(program) for program in programs] == quick
    assert 30 < sum(quick) < 270


def _longest_by_walking(program: bytes) -> int:
    """Follow every path; only for short programs."""
    insns = [program[at : at + 8] for at in range(0, len(program), 8)]

    def walk(index: int) -> int:
        code = int.from_bytes(insns[index][:2], "little")
        jt, jf = insns[index][2], insns[index][3]
        k = int.from_bytes(insns[index][4:], "little")
        if code in (RET_K, RET_A):
            return 1
        if code == JA:
            return 1 + walk(index + 1 + k)
        if code & 0x07 == 0x05:
            return 1 + max(walk(index + 1 + jt), walk(index + 1 + jf))
        return 1 + walk(index + 1)

    return walk(0)


def test_longest_path_is_that_of_walking_all() -> None:
    compared = 0
    for program in program_maker.programs(1500, seed=3):
        if _refusal(program) is None:
            assert longest_path(program) == _longest_by_walking(program)
            compared += 1
    assert compared > 100


def test_longest_path_of_a_refused_program_is_refused() -> None:
    with pytest.raises(StructureRefused, match="does not return"):
        longest_path(encode([LOAD]))


def test_header_is_c_and_the_library_has_what_it_declares(tmp_path: Path) -> None:
    """One text for three readers: cffi, the crate's exports and a C compiler."""
    header = files("stockade.proof") / "bpfverify.h"
    text = header.read_text(encoding="utf-8")
    source = tmp_path / "uses.c"
    source.write_text(f"#include <stddef.h>\n#include <stdint.h>\n{text}")
    command = ["gcc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*command, str(source)], check=True)
    _, library = structure._load()
    for name in re.findall(r"\bstockade_bpfverify_\w+(?=\()", text):
        assert callable(getattr(library, name)), name
    assert library.stockade_bpfverify_abi() == structure.ABI


def test_another_interface_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "ABI", structure.ABI + 1)
    structure._load.cache_clear()
    with pytest.raises(VerifierUnusable, match="speaks interface"):
        check_structure(encode([ALLOW]))
    structure._load.cache_clear()


@pytest.mark.parametrize(
    ("origin", "message"), [(None, "is missing"), ("/etc/passwd", "cannot load")]
)
def test_a_missing_library_refuses_every_program(
    monkeypatch: pytest.MonkeyPatch, origin: str | None, message: str
) -> None:
    """A judge that cannot be asked is never taken for a yes."""

    class Spec:
        def __init__(self) -> None:
            self.origin = origin

    monkeypatch.setattr(structure, "find_spec", lambda _: Spec())
    structure._load.cache_clear()
    with pytest.raises(VerifierUnusable, match=message):
        check_structure(encode([ALLOW]))
    structure._load.cache_clear()
