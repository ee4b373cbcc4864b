# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove random rule sets for a long time, and report how long a proof takes.

Each claim is proved against a program made from it in the plainest way, and refused
against one that differs in a rule; each call that shows a difference is confirmed by
the interpreter, and calls near the borders agree with both. Arguments: how many
claims, and the first seed.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "proof"))

import claim_maker

from stockade.abi.arch import AUDIT_ARCH, LINUX_TARGETS
from stockade.abi.syscalls import call_numbers
from stockade.model.decide import WITNESS_NUMBER, rules_by_call
from stockade.model.policy import Policy
from stockade.model.request import Situation
from stockade.proof.claim import policy_claim
from stockade.proof.prover import (
    Counterexample,
    ProofRefusedError,
    check_floor,
    prove,
    run_program,
)
from stockade.targets.linux.seccomp import compile_filter, table_calls

CLAIMS = 100_000
FIRST_SEED = 20261129
CALLS = 10
LANDLOCK_ABI = 7


def try_one(seed: int) -> str:
    """Prove one claim and one changed claim; give what became of the second."""
    source = random.Random(seed)
    claim = claim_maker.random_claim(source)
    program = claim_maker.compile_claim(claim)
    prove(program, claim)
    other = claim_maker.changed_claim(claim, source)
    try:
        prove(program, other)
    except ProofRefusedError as refused:
        assert refused.counterexample is not None, (seed, refused)
        outcome = "refused"
    else:
        outcome = "equal"
    for call in claim_maker.calls_near(claim, source, CALLS):
        arch, number, args, own_pid = call
        asked = Counterexample(arch, number, args, 0, own_pid, 0, 0)
        assert run_program(program, asked) == claim.action(*call), (seed, asked)
        if outcome == "equal":
            assert claim.action(*call) == other.action(*call), (seed, asked)
    return outcome


def report_times() -> None:
    """Print the times of proofs: policies as they are, and claims of many rules."""
    for name, target in LINUX_TARGETS.items():
        rules = rules_by_call(Policy(), LANDLOCK_ABI)
        program = compile_filter(target, table_calls(target, rules), WITNESS_NUMBER)
        claim = policy_claim(Policy(), Situation(target.arch, LANDLOCK_ABI))
        audit_arch = AUDIT_ARCH[target.arch]
        proof = _fastest(prove, program, claim)
        floor = _fastest(check_floor, program, audit_arch)
        length = len(program.instructions)
        print(
            f"{name}: {length} instructions, proof {proof:.2f} ms, floor {floor:.2f} ms"
        )
    numbers = sorted(call_numbers("x86_64").values())
    for rules in (10, 50, 100, 200):
        claim = claim_maker.nested_claim(random.Random(rules), numbers[:rules], rules)
        program = claim_maker.compile_claim(claim)
        proof = _fastest(prove, program, claim)
        length = len(program.instructions)
        print(f"{rules} rules: {length} instructions, proof {proof:.2f} ms")


def _fastest(judge: Callable[..., None], *arguments: object) -> float:
    """Give the least time of some judgements, in milliseconds."""
    times = []
    for _ in range(10):
        start = time.perf_counter()
        judge(*arguments)
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def main() -> None:
    """Run as many claims as asked for, and print what became of them."""
    asked = [int(argument) for argument in sys.argv[1:]]
    count, seed = (asked + [CLAIMS, FIRST_SEED][len(asked) :])[:2]
    report_times()
    outcomes = Counter(try_one(seed + index) for index in range(count))
    print(f"{count} claims proved; changed ones: {dict(sorted(outcomes.items()))}")


if __name__ == "__main__":
    main()
