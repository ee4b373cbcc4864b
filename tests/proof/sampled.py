# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare a program with the meaning of its policy on chosen calls.

A second opinion on the proof: the interpreter runs the program, `model.decide`
answers, and neither knows of decision diagrams.
"""

from __future__ import annotations

import vectors
from stockade.abi.arch import AUDIT_ARCH
from stockade.model.artifact import Filter
from stockade.model.decide import WITNESS_ERRNO, decide, rules_by_call
from stockade.model.policy import Policy
from stockade.model.request import Situation
from stockade.proof.prover import Counterexample, run_program
from stockade.targets.linux.seccomp import action_value

_WITNESS = 0x00050FFF
_POINTER = 0x7F0000001000


def disagreements(
    policy: Policy, situation: Situation, program: Filter
) -> tuple[int, list[str]]:
    """Give the number of calls compared, and those that are answered otherwise."""
    compared, found = 0, []
    rules = rules_by_call(policy, situation.landlock_abi)
    for request in vectors.requests(situation.arch, rules):
        action = decide(policy, situation, request).action
        claimed = _WITNESS if action == WITNESS_ERRNO else action_value(action)
        call = Counterexample(
            AUDIT_ARCH[request.arch],
            request.number,
            request.args,
            _POINTER,
            request.own_pid,
            claimed,
            claimed,
        )
        actual = run_program(program, call)
        compared += 1
        if actual != claimed:
            found.append(f"{request}: meant {claimed:#x}, answers {actual:#x}")
    return compared, found
