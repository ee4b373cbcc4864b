# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge a finished seccomp program: proved equal to its policy, and able to start.

The proof is exact: it covers every architecture, number, argument and process ID.
"""

from __future__ import annotations

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Filter
from stockade.model.policy import Policy
from stockade.model.request import Situation
from stockade.proof.interpreter import NotAProgramError, call_data, run
from stockade.proof.prover import ProofRefusedError, prove_policy

# Written again here rather than imported: a slip in the generator's constants
# must not be able to hide itself. Value of linux/seccomp.h.
_ALLOW = 0x7FFF0000
# Calls the launcher itself makes after the filter is in force.
LAUNCH_CALLS = ("execve", "write", "exit_group")


class FilterDisagreementError(Exception):
    """A program does not answer what its policy means, or is no program."""


def check_filter(policy: Policy, situation: Situation, program: Filter) -> None:
    """Prove one program equal to its policy; raise FilterDisagreementError."""
    try:
        prove_policy(policy, situation, program)
    except ProofRefusedError as refused:
        raise FilterDisagreementError(str(refused)) from refused
    _check_launch_calls(situation, program)


def _check_launch_calls(situation: Situation, program: Filter) -> None:
    """Show that the launcher's own last calls pass whatever their arguments.

    A path that loads no argument answers for all of them, so one run over data
    that ends after number and architecture is enough.
    """
    code = [(insn.code, insn.jt, insn.jf, insn.k) for insn in program.instructions]
    for name in LAUNCH_CALLS:
        number = call_numbers(situation.arch)[name]
        data = call_data(number, AUDIT_ARCH[situation.arch], (), 0)[:8]
        try:
            answer = run(code, data)
        except NotAProgramError:
            answer = None
        if answer != _ALLOW:
            message = f"the launcher could not make its own `{name}` call"
            raise FilterDisagreementError(message)
