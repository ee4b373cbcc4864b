# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write filters, rules and probes as lines that a reviewer can read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stockade.abi import bpf
from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.errno import ERRNO_NAMES
from stockade.abi.syscalls import call_names
from stockade.model.artifact import Call, Filter, Instruction, Operand, Probe
from stockade.model.calls import CallRule, in_words

_FIRST_ARGUMENT = bpf.offset_low(0)
_COMPARISONS = {
    bpf.JUMP_EQUAL: "==",
    bpf.JUMP_GREATER: ">",
    bpf.JUMP_AT_LEAST: ">=",
    bpf.JUMP_ANY_BIT: "&",
}


def disassemble(program: Filter) -> Iterator[str]:
    """Give one line an instruction, with absolute targets."""
    relocations = {entry.insn: entry.kind for entry in program.relocations}
    for index, insn in enumerate(program.instructions):
        line = f"{index:4}  {_instruction(index, insn)}"
        notes = [insn.note] if insn.note else []
        if index in relocations:
            notes.append(f"filled in at start: {relocations[index]}")
        yield f"{line:44}; {', '.join(notes)}" if notes else line


def annotate(program: Filter, arch: str) -> Filter:
    """Note at each step of a program what it compares, as far as all paths agree.

    The bundle holds no notes: they come from following what is loaded, forward
    through every jump, and from the table of calls.
    """
    loaded: dict[int, set[int | None]] = {0: {None}}
    noted = []
    for index, insn in enumerate(program.instructions):
        words = loaded.get(index, set())
        word = next(iter(words)) if len(words) == 1 else None
        after = insn.k if insn.code == bpf.LOAD else word
        for target in _targets(index, insn):
            loaded.setdefault(target, set()).add(after)
        noted.append(replace(insn, note=_note(insn, word, arch)))
    return replace(program, instructions=tuple(noted))


def _targets(index: int, insn: Instruction) -> tuple[int, ...]:
    match insn.code:
        case bpf.RETURN:
            return ()
        case bpf.JUMP:
            return (index + 1 + insn.k,)
        case bpf.LOAD | bpf.AND:
            return (index + 1,)
        case _:
            return (index + 1 + insn.jt, index + 1 + insn.jf)


def _note(insn: Instruction, word: int | None, arch: str) -> str:
    if insn.code == bpf.LOAD:
        return _word(insn.k)
    if word == bpf.OFFSET_ARCH and insn.k == AUDIT_ARCH[arch]:
        return arch
    if word == bpf.OFFSET_NUMBER and insn.code in _COMPARISONS:
        return call_names(arch).get(insn.k, "")
    return ""


def _word(offset: int) -> str:
    if offset < _FIRST_ARGUMENT:
        return {bpf.OFFSET_NUMBER: "number", bpf.OFFSET_ARCH: "arch"}.get(offset, "")
    arg, high = divmod(offset - _FIRST_ARGUMENT, 8)
    return f"argument {arg}, {'high' if high else 'low'} word"


def _instruction(index: int, insn: Instruction) -> str:
    after = index + 1
    match insn.code:
        case bpf.LOAD:
            return f"load [{insn.k}]"
        case bpf.AND:
            return f"and {insn.k:#x}"
        case bpf.JUMP:
            return f"goto {after + insn.k}"
        case bpf.RETURN:
            return f"return {action(insn.k)}"
        case code:
            comparison = _COMPARISONS[code]
            yes, no = after + insn.jt, after + insn.jf
            return f"if {comparison} {insn.k:#x} goto {yes} else {no}"


def action(value: int) -> str:
    """Name an action value as the kernel's headers do, without prefix."""
    for name, number in bpf.ACTIONS.items():
        if value == number:
            return name.lower().replace("_", " ")
    if value == bpf.PLACEHOLDER_WITNESS:
        return "errno of this start"
    number = value & 0xFFFF
    return f"errno {ERRNO_NAMES.get(number, number)}"


def call_actions(rules: tuple[CallRule, ...]) -> tuple[str, ...]:
    """Give the actions of one call, one a rule, in the order they decide."""
    lines: list[str] = []
    for rule in rules:
        tests = " and ".join(in_words(test) for test in rule.tests)
        lines.append(f"{rule.action}{f' if {tests}' if tests else ''} ({rule.reason})")
        if not tests:
            return tuple(lines)
    return (*lines, "else allow" if lines else "allow")


def probe(arch: str, entry: Probe) -> str:
    """Write one probe: its name, its call and the two answers."""
    control = _answer(entry.control_errno)
    expected = _answer(entry.expected_errno)
    return (
        f"{entry.name}: {_call(arch, entry.call)}: {control} -> {expected}"
        f" ({entry.requirement}, {entry.mechanism})"
    )


def _answer(errno: int) -> str:
    return "ok" if errno == 0 else ERRNO_NAMES.get(errno, str(errno))


def _call(arch: str, call: Call) -> str:
    name = call_names(arch).get(call.number) if call.kind == "native" else None
    operands = ", ".join(_operand(operand) for operand in call.operands)
    return f"{name or f'{call.kind} {call.number:#x}'}({operands})"


def _operand(operand: Operand) -> str:
    match operand.kind:
        case "immediate":
            return f"{operand.value:#x}"
        case "data":
            return f"data {operand.data.hex()}"
        case kind:
            return kind
