# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Find every call that two filters answer differently, by the verifier's diagrams.

INVARIANT: an empty answer is a proof that both decide every call alike; where
nothing can be known there is an exception, never an empty answer.
"""

from __future__ import annotations

from typing import Any, cast

from stockade.model.artifact import Filter
from stockade.model.difference import CallChange
from stockade.proof.interpreter import NotAProgramError
from stockade.proof.prover import (
    REASON_BYTES,
    ProofRefusedError,
    Question,
    counterexample,
    run_program,
)
from stockade.proof.structure import VerifierUnusable, verifier

_EQUAL, _DIFFERENT = 0, 1
_FIRST_ROOM = 256


def compare_filters(old: Filter, new: Filter) -> tuple[CallChange, ...]:
    """List what changes between two filters, by number; empty when nothing does.

    Raises ProofRefusedError for what is no program or takes more than the budget.
    """
    if old == new:
        return ()
    ffi, library = verifier()
    questions = Question(ffi, old), Question(ffi, new)
    why = ffi.new("char[]", REASON_BYTES)
    count = ffi.new("size_t *")
    room = _FIRST_ROOM
    while True:
        found = ffi.new("struct stockade_bpfverify_change[]", room)
        status = library.stockade_bpfverify_compare(
            *questions[0].program,
            *questions[1].program,
            found,
            room,
            count,
            why,
            REASON_BYTES,
        )
        if status == _EQUAL:
            return ()
        if status != _DIFFERENT:
            reason = cast("bytes", ffi.string(why)).decode("utf-8", "replace")
            raise ProofRefusedError(f"not comparable: {reason}", None)
        if count[0] <= room:
            return tuple(_change(found[at], old, new) for at in range(count[0]))
        room = int(count[0])


def _change(found: Any, old: Filter, new: Filter) -> CallChange:
    shown = counterexample(found.shown)
    try:
        answers = run_program(old, shown), run_program(new, shown)
    except NotAProgramError as fault:
        raise ProofRefusedError(f"not comparable: {fault}", None) from fault
    if answers != (shown.claimed, shown.actual):
        message = f"the verifier and the interpreter disagree on {shown}"
        raise VerifierUnusable(message)
    low = 0xFFFFFFFF
    return CallChange(
        first=found.first & low,
        last=found.last & low,
        audit_arch=shown.audit_arch,
        number=shown.number,
        args=shown.args,
        own_pid=shown.own_pid,
        before=shown.claimed,
        after=shown.actual,
    )
