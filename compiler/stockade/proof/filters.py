# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare a finished seccomp program with the meaning of its policy.

The program is run by the interpreter over every chosen call and must answer
exactly what `model.decide` decides. What this shows is bounded by the calls in
`vectors`: it is a comparison, not a proof over all arguments.
"""

from __future__ import annotations

from dataclasses import dataclass

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.errno import ERRNO
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Filter
from stockade.model.calls import ALLOW
from stockade.model.decide import WITNESS_ERRNO, decide, rules_by_call
from stockade.model.policy import Policy
from stockade.model.request import CallRequest, Situation
from stockade.proof.interpreter import NotAProgramError, call_data, run
from stockade.proof.structure import StructureRefused, check_structure
from stockade.proof.vectors import requests

# Written again here rather than imported: a slip in the generator's constants
# must not be able to hide itself. Values of linux/seccomp.h.
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_WITNESS_ANSWER = 1234
_PID_PLACEHOLDER = 0x7FFFFFFF
_POINTER = 0x7F0000001000
# Calls the launcher itself makes after the filter is in force.
LAUNCH_CALLS = ("execve", "write", "exit_group")


class FilterDisagreementError(Exception):
    """A program does not answer what its policy means, or is no program."""


@dataclass(frozen=True, slots=True)
class FilterCheck:
    """What one comparison covered."""

    calls_compared: int


def check_filter(policy: Policy, situation: Situation, program: Filter) -> FilterCheck:
    """Compare one program with its policy; raise FilterDisagreementError."""
    encoded = b"".join(
        insn.code.to_bytes(2, "little")
        + bytes((insn.jt, insn.jf))
        + insn.k.to_bytes(4, "little")
        for insn in program.instructions
    )
    try:
        check_structure(encoded)
    except StructureRefused as refused:
        message = f"the kernel would refuse the program: {refused}"
        raise FilterDisagreementError(message) from None
    _check_launch_calls(situation, program)
    rules = rules_by_call(policy, situation.landlock_abi)
    loaded: dict[int, list[tuple[int, int, int, int]]] = {}
    compared = 0
    for request in requests(situation.arch, rules):
        if request.own_pid not in loaded:
            loaded[request.own_pid] = _relocate(program, request.own_pid)
        _compare(policy, situation, request, loaded[request.own_pid])
        compared += 1
    return FilterCheck(compared)


def _compare(
    policy: Policy,
    situation: Situation,
    request: CallRequest,
    program: list[tuple[int, int, int, int]],
) -> None:
    data = call_data(request.number, AUDIT_ARCH[request.arch], request.args, _POINTER)
    claimed = _number(decide(policy, situation, request).action)
    try:
        actual = run(program, data)
    except NotAProgramError as fault:
        message = f"the program {fault} on {_describe(request)}"
        raise FilterDisagreementError(message) from None
    if actual != claimed:
        message = (
            f"{_describe(request)}: the policy means {claimed:#x}, the program"
            f" answers {actual:#x}"
        )
        raise FilterDisagreementError(message)


def _number(action: str) -> int:
    if action == WITNESS_ERRNO:
        return _ERRNO | _WITNESS_ANSWER
    return _ALLOW if action == ALLOW else _ERRNO | ERRNO[action]


def _relocate(program: Filter, own_pid: int) -> list[tuple[int, int, int, int]]:
    """Fill in what the launcher would, and insist on the placeholders."""
    loaded = [(insn.code, insn.jt, insn.jf, insn.k) for insn in program.instructions]
    for relocation in program.relocations:
        code, jt, jf, k = loaded[relocation.insn]
        expected = {
            "own-pid": (0x15, _PID_PLACEHOLDER, own_pid),
            "witness": (0x06, _ERRNO | 0xFFF, _ERRNO | _WITNESS_ANSWER),
        }[relocation.kind]
        if (code, k) != expected[:2]:
            message = f"relocation {relocation.kind} at {relocation.insn} is misplaced"
            raise FilterDisagreementError(message)
        loaded[relocation.insn] = (code, jt, jf, expected[2])
    return loaded


def _check_launch_calls(situation: Situation, program: Filter) -> None:
    """Show that the launcher's own last calls pass whatever their arguments.

    A path that loads no argument answers for all of them, so one run that reads
    nothing but number and architecture is enough.
    """
    only_number = [
        (insn.code, insn.jt, insn.jf, insn.k) for insn in program.instructions
    ]
    for name in LAUNCH_CALLS:
        number = call_numbers(situation.arch)[name]
        data = call_data(number, AUDIT_ARCH[situation.arch], (), 0)[:8]
        try:
            answer = run(only_number, data)
        except NotAProgramError:
            answer = None
        if answer != _ALLOW:
            message = f"the launcher could not make its own `{name}` call"
            raise FilterDisagreementError(message)


def _describe(request: CallRequest) -> str:
    args = ", ".join(f"{arg:#x}" for arg in request.args)
    return f"call {request.number:#x} ({args}) of {request.arch}"
