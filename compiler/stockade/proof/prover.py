# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Have the verifier prove that a program answers every call as claimed.

A disagreement comes with a call that shows it, and that call is tried with the
interpreter before anyone is told: two judges must agree that the program is
wrong. INVARIANT: only the verifier's own yes lets a program pass; whatever else
happens is an exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.syscalls import ARCHES, call_names
from stockade.model.artifact import Filter
from stockade.model.policy import KernelSurface, Policy
from stockade.model.request import Situation
from stockade.proof.claim import Claim, encode_claim, policy_claim
from stockade.proof.interpreter import NotAProgramError, call_data, run
from stockade.proof.structure import VerifierUnusable, verifier

_YES, _NO = 0, 1
# A bit of `openings`.
_WIDE = 1
REASON_BYTES = 256
# Kinds as in a bundle; the proof compares the two counts itself.
_RELOCATION_KINDS = {"own-pid": 1, "witness": 2}


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A call, what it should get and what it gets, as action values.

    `own_pid` is the process ID that the launcher would fill in.
    """

    audit_arch: int
    number: int
    args: tuple[int, int, int, int, int, int]
    instruction_pointer: int
    own_pid: int
    claimed: int
    actual: int

    def __str__(self) -> str:
        """Show the call as one would write it down."""
        args = ", ".join(f"{arg:#x}" for arg in self.args)
        shown = f"{_call_name(self)}({args}) of {_arch_name(self.audit_arch)}"
        if self.instruction_pointer:
            shown += f" at {self.instruction_pointer:#x}"
        return f"{shown} in process {self.own_pid}"


class ProofRefusedError(Exception):
    """No proof: with a counterexample, or without when nothing is known."""

    def __init__(self, reason: str, counterexample: Counterexample | None) -> None:
        """Keep the reason, one line, and the call that shows it, if any."""
        super().__init__(reason)
        self.counterexample = counterexample


def prove(program: Filter, claim: Claim) -> None:
    """Prove that a program answers as claimed or raise ProofRefusedError."""
    ffi, library = verifier()
    question = Question(ffi, program)
    encoded = encode_claim(claim)
    status = library.stockade_bpfverify_prove(
        *question.program,
        ffi.from_buffer("uint8_t[]", encoded),
        len(encoded),
        *question.answers,
    )
    if status == _YES:
        return
    if status != _NO:
        raise ProofRefusedError(f"not provable: {question.reason()}", None)
    found = question.counterexample()
    meant = claim.action(found.audit_arch, found.number, found.args, found.own_pid)
    if meant != found.claimed or not _confirmed(program, found):
        message = f"the verifier and the interpreter disagree on {found}"
        raise VerifierUnusable(message)
    message = (
        f"{found}: the policy means {action_name(found.claimed)}, the program"
        f" answers {action_name(found.actual)}"
    )
    raise ProofRefusedError(message, found)


def check_floor(program: Filter, audit_arch: int, *, wide: bool = False) -> None:
    """Hold a program to what every policy refuses or raise ProofRefusedError.

    `wide` leaves out what only policies with a reduced kernel surface refuse.
    The counterexample's `claimed` is 0 unless the program looks at bits that the
    kernel drops; then it is the answer to the same call without those bits.
    """
    ffi, library = verifier()
    question = Question(ffi, program)
    status = library.stockade_bpfverify_floor(
        *question.program, audit_arch, _WIDE if wide else 0, *question.answers
    )
    if status == _YES:
        return
    if status != _NO:
        raise ProofRefusedError(f"not provable: {question.reason()}", None)
    found = question.counterexample()
    if not _confirmed(program, found):
        message = f"the verifier and the interpreter disagree on {found}"
        raise VerifierUnusable(message)
    message = f"{question.reason()}: {found} gets {action_name(found.actual)}"
    raise ProofRefusedError(message, found)


def prove_policy(policy: Policy, situation: Situation, program: Filter) -> None:
    """Prove a program equal to its policy, and hold it to the floor.

    Raises ProofRefusedError for either.
    """
    prove(program, policy_claim(policy, situation))
    wide = policy.kernel_surface is KernelSurface.WIDE
    check_floor(program, AUDIT_ARCH[situation.arch], wide=wide)


def cacheable_calls(program: Filter, audit_arch: int, end: int = 1024) -> list[int]:
    """List the numbers below `end` that the kernel will allow without the program.

    Raises ProofRefusedError for what is no program.
    """
    ffi, library = verifier()
    encoded = encode_program(program)
    size = -(-end // 8)
    bits = ffi.new("uint8_t[]", size)
    why = ffi.new("char[]", REASON_BYTES)
    status = library.stockade_bpfverify_cacheable(
        ffi.from_buffer("uint8_t[]", encoded),
        len(encoded),
        audit_arch,
        bits,
        size,
        why,
        REASON_BYTES,
    )
    if status != _YES:
        reason = cast("bytes", ffi.string(why)).decode("utf-8", "replace")
        raise ProofRefusedError(f"not a program: {reason}", None)
    return [number for number in range(end) if bits[number // 8] >> number % 8 & 1]


def encode_program(program: Filter) -> bytes:
    """Lay a program's instructions out as the kernel reads them."""
    return b"".join(
        insn.code.to_bytes(2, "little")
        + bytes((insn.jt, insn.jf))
        + insn.k.to_bytes(4, "little")
        for insn in program.instructions
    )


def run_program(program: Filter, call: Counterexample) -> int:
    """Run a program on a call, with its process ID filled in.

    The witness's errno stays the placeholder that claims name. Raises
    NotAProgramError where the kernel would have refused the program.
    """
    loaded = [(insn.code, insn.jt, insn.jf, insn.k) for insn in program.instructions]
    for relocation in program.relocations:
        if relocation.kind == "own-pid":
            code, jt, jf, _placeholder = loaded[relocation.insn]
            loaded[relocation.insn] = (code, jt, jf, call.own_pid)
    data = call_data(call.number, call.audit_arch, call.args, call.instruction_pointer)
    return run(loaded, data)


def action_name(action: int) -> str:
    """Name an action value, as in `errno 1`."""
    names = {0x7FFF0000: "allow", 0x80000000: "kill process", 0: "kill thread"}
    if action & 0xFFFF0000 == 0x00050000:
        return f"errno {action & 0xFFFF}"
    return names.get(action, f"{action:#x}")


class Question:
    """Memory that lives as long as one call into the library."""

    def __init__(self, ffi: Any, program: Filter) -> None:
        self._ffi = ffi
        self._encoded = encode_program(program)
        rows = [
            {"insn": entry.insn, "kind": _RELOCATION_KINDS[entry.kind]}
            for entry in program.relocations
        ]
        relocations = ffi.new("struct stockade_bpfverify_relocation[]", rows)
        buffer = ffi.from_buffer("uint8_t[]", self._encoded)
        self.program = (buffer, len(self._encoded), relocations, len(rows))
        self._found = ffi.new("struct stockade_bpfverify_counterexample *")
        self._why = ffi.new("char[]", REASON_BYTES)
        self.answers = (self._found, self._why, REASON_BYTES)

    def reason(self) -> str:
        """Read the reason of an answer that is no plain yes."""
        return cast("bytes", self._ffi.string(self._why)).decode("utf-8", "replace")

    def counterexample(self) -> Counterexample:
        """Read the call that shows it."""
        return counterexample(self._found)


def counterexample(found: Any) -> Counterexample:
    """Read a call and its two answers from the verifier's record of it."""
    return Counterexample(
        audit_arch=found.arch,
        number=found.number,
        args=tuple(found.args),
        instruction_pointer=found.instruction_pointer,
        own_pid=found.own_pid,
        claimed=found.claimed,
        actual=found.actual,
    )


def _confirmed(program: Filter, found: Counterexample) -> bool:
    try:
        return run_program(program, found) == found.actual
    except NotAProgramError:
        return False


def _arch_name(audit_arch: int) -> str:
    known = {value: name for name, value in AUDIT_ARCH.items()}
    return known.get(audit_arch, f"architecture {audit_arch:#x}")


def _call_name(found: Counterexample) -> str:
    arch = _arch_name(found.audit_arch)
    name = call_names(arch).get(found.number) if arch in ARCHES else None
    return f"`{name}`" if name else f"call {found.number:#x}"
