# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that what is proved is so, and that what is wrong is shown to be."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import claim_maker
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies import KEY_COMBINATIONS, LANDLOCK_ABIS, label
from stockade.abi.arch import AUDIT_ARCH, LINUX_TARGETS
from stockade.abi.syscalls import call_numbers
from stockade.model.artifact import Filter, Instruction
from stockade.model.decide import WITNESS_NUMBER, decide, rules_by_call
from stockade.model.policy import Children, Ip, PathMetadata, Policy, Signals
from stockade.model.request import Situation
from stockade.proof import prover
from stockade.proof.claim import (
    ArchClaim,
    Claim,
    ClaimRule,
    ClaimTest,
    RuleList,
    Span,
    encode_claim,
    policy_claim,
)
from stockade.proof.interpreter import NotAProgramError, call_data, run
from stockade.proof.prover import (
    Counterexample,
    ProofRefusedError,
    prove,
    prove_policy,
    run_program,
)
from stockade.proof.structure import VerifierUnusable
from stockade.targets.linux.seccomp import compile_filter, table_calls
from vectors import requests

ALLOW, EPERM = 0x7FFF0000, 0x00050001
X86_64 = AUDIT_ARCH["x86_64"]
STRICT = Policy(
    ip=Ip.NONE,
    signals=Signals.ISOLATED,
    children=Children.NONE,
    path_metadata=PathMetadata.DENY,
)
LAX = Policy(
    ip=Ip.ALL,
    signals=Signals.ANY,
    children=Children.ALLOWED,
    path_metadata=PathMetadata.ALLOW,
)
# Programs whose every field is changed, one at a time: with and without the own
# process ID, for either architecture.
GOLDEN = (("linux-x86_64", STRICT, 2), ("linux-aarch64", LAX, 6))


def _filter(target: str, policy: Policy, landlock_abi: int) -> Filter:
    rules = rules_by_call(policy, landlock_abi)
    return compile_filter(
        LINUX_TARGETS[target], table_calls(LINUX_TARGETS[target], rules), WITNESS_NUMBER
    )


def _refusal(program: Filter, claim: Claim) -> ProofRefusedError | None:
    try:
        prove(program, claim)
    except ProofRefusedError as refused:
        return refused
    return None


@pytest.mark.parametrize("target", sorted(LINUX_TARGETS))
@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_every_policy_is_proved_on_every_kernel(policy: Policy, target: str) -> None:
    """S2-401: every argument, not a choice; and nothing lies below the floor."""
    proved: set[tuple[Filter, bytes]] = set()
    for landlock_abi in LANDLOCK_ABIS:
        situation = Situation(LINUX_TARGETS[target].arch, landlock_abi)
        program = _filter(target, policy, landlock_abi)
        encoded = encode_claim(policy_claim(policy, situation))
        if (program, encoded) not in proved:
            prove_policy(policy, situation, program)
            proved.add((program, encoded))
    assert len(proved) >= 3


@pytest.mark.parametrize(("target", "policy", "landlock_abi"), GOLDEN)
def test_a_claim_is_what_the_policy_means(
    target: str, policy: Policy, landlock_abi: int
) -> None:
    """The claim, read plainly, decides as `decide` does on every compared call."""
    situation = Situation(LINUX_TARGETS[target].arch, landlock_abi)
    claim = policy_claim(policy, situation)
    names = {ALLOW: None, EPERM: "EPERM", 0x00050026: "ENOSYS", 0x00050FFF: "WITNESS"}
    compared = 0
    for request in requests(situation.arch, rules_by_call(policy, landlock_abi)):
        action = claim.action(
            AUDIT_ARCH[request.arch], request.number, request.args, request.own_pid
        )
        assert names[action] == decide(policy, situation, request).errno, request
        compared += 1
    assert compared > 5000


def _mutants(program: Filter) -> Iterator[tuple[str, int, Filter]]:
    """Change one field of one instruction at a time; say which one of which."""
    for index, insn in enumerate(program.instructions):
        for field, other in _other_instructions(insn):
            changed = list(program.instructions)
            changed[index] = other
            yield field, index, replace(program, instructions=tuple(changed))


def _other_instructions(insn: Instruction) -> Iterator[tuple[str, Instruction]]:
    conditional = insn.code & 0x07 == 0x05 and insn.code != 0x05
    codes = {0x15, 0x25, 0x35, 0x45} if conditional else {0x06, 0x20, 0x54}
    # Arithmetic, an immediate load, comparison with the index register, a computed
    # answer, and a plain jump.
    for code in sorted(
        (codes | {0x04, 0x34, 0x74, 0x84, 0x00, 0x1D, 0x16}) - {insn.code}
    ):
        yield "opcode", replace(insn, code=code)
    yield "opcode", replace(insn, code=0x05, jt=0, jf=0)
    if conditional:
        swapped = replace(insn, jt=insn.jf, jf=insn.jt)
        yield "jump", swapped
        for step in (-1, 1):
            if 0 <= insn.jt + step <= 255:
                yield "jump", replace(insn, jt=insn.jt + step)
            if 0 <= insn.jf + step <= 255:
                yield "jump", replace(insn, jf=insn.jf + step)
    for k in (insn.k ^ 1, insn.k + 1, insn.k - 1, insn.k ^ 1 << 31, insn.k ^ 4, 0):
        if k & 0xFFFFFFFF != insn.k:
            yield "constant", replace(insn, k=k & 0xFFFFFFFF)


class _Traced(list[tuple[int, int, int, int]]):
    """Instructions that note which of them were looked at."""

    def __init__(self, insns: list[tuple[int, int, int, int]]) -> None:
        super().__init__(insns)
        self.seen: set[int] = set()

    def __getitem__(self, index: Any) -> Any:
        self.seen.add(index)
        return super().__getitem__(index)


def _loaded(program: Filter, own_pid: int) -> list[tuple[int, int, int, int]]:
    """Fill in the process ID as the launcher does; the witness stays as it is."""
    own = {entry.insn for entry in program.relocations if entry.kind == "own-pid"}
    return [
        (insn.code, insn.jt, insn.jf, own_pid if index in own else insn.k)
        for index, insn in enumerate(program.instructions)
    ]


class _Vectors:
    """The compared calls, by the instructions that a golden program runs for them."""

    def __init__(self, golden: Filter, arch: str, policy: Policy, abi: int) -> None:
        self._calls: dict[int, list[tuple[int, bytes, int]]] = {}
        for call in requests(arch, rules_by_call(policy, abi)):
            data = call_data(call.number, AUDIT_ARCH[call.arch], call.args, 0)
            traced = _Traced(_loaded(golden, call.own_pid))
            answer = run(traced, data)
            for index in traced.seen:
                found = self._calls.setdefault(index, [])
                found.append((call.own_pid, data, answer))

    def tell_apart(self, program: Filter, index: int) -> bool:
        """Tell whether some call that runs a changed instruction gets another answer.

        Calls that do not run it cannot.
        """
        loaded: dict[int, list[tuple[int, int, int, int]]] = {}
        for own_pid, data, answer in self._calls.get(index, ()):
            if own_pid not in loaded:
                loaded[own_pid] = _loaded(program, own_pid)
            try:
                if run(loaded[own_pid], data) != answer:
                    return True
            except NotAProgramError:
                return True
        return False


@pytest.mark.parametrize(("target", "policy", "landlock_abi"), GOLDEN)
def test_every_planted_fault_is_found_or_is_none(
    target: str, policy: Policy, landlock_abi: int
) -> None:
    """S2-401: a changed field is refused with a call that shows it, or changes nothing.

    `prove` itself has the interpreter confirm each call. What the structure rules
    refuse need not have one: such a program is none to the kernel, or has an
    instruction that no path reaches.
    """
    arch = LINUX_TARGETS[target].arch
    golden = _filter(target, policy, landlock_abi)
    vectors = _Vectors(golden, arch, policy, landlock_abi)
    claim = policy_claim(policy, Situation(arch, landlock_abi))
    counts: Counter[tuple[str, str]] = Counter()
    for field, index, mutant in _mutants(golden):
        refused = _refusal(mutant, claim)
        if refused is None:
            assert not vectors.tell_apart(mutant, index)
            counts[field, "equivalent"] += 1
        elif refused.counterexample is None:
            assert re.search(r"not provable: instruction \d+ ", str(refused))
            counts[field, "no program"] += 1
        else:
            counts[field, "shown"] += 1
    print(f"{target}, {label(policy)}, abi {landlock_abi}: {dict(counts)}")
    for field in ("opcode", "jump", "constant"):
        assert counts[field, "shown"] > 100
        assert counts[field, "equivalent"] < counts[field, "shown"] / 4


def test_every_changed_relocation_is_refused() -> None:
    """A constant that the launcher would not fill in, or another one."""
    claim = policy_claim(STRICT, Situation("x86_64", 2))
    program = _filter("linux-x86_64", STRICT, 2)
    assert {entry.kind for entry in program.relocations} == {"own-pid", "witness"}
    for index, entry in enumerate(program.relocations):
        kind = "witness" if entry.kind == "own-pid" else "own-pid"
        rest = (*program.relocations[:index], *program.relocations[index + 1 :])
        changed = [(*rest, replace(entry, insn=other)) for other in range(-1, 2)]
        changed += [(*rest, replace(entry, kind=kind)), rest, (*rest, entry, entry)]
        for relocations in changed:
            ordered = tuple(sorted(relocations, key=lambda entry: entry.insn))
            if ordered != program.relocations and ordered[0].insn >= 0:
                with pytest.raises(ProofRefusedError, match=r"relocation|placeholder"):
                    prove(replace(program, relocations=ordered), claim)


@pytest.mark.parametrize("own_pid", [1, 1000, 4194304, 0x7FFFFFFE])
def test_an_own_process_is_any_own_process(own_pid: int) -> None:
    """A program for one process ID is refused, with another one as the proof."""
    claim = policy_claim(STRICT, Situation("x86_64", 2))
    program = _filter("linux-x86_64", STRICT, 2)
    filled = {entry.insn for entry in program.relocations if entry.kind == "own-pid"}
    fixed = replace(
        program,
        instructions=tuple(
            replace(insn, k=own_pid) if index in filled else insn
            for index, insn in enumerate(program.instructions)
        ),
        relocations=tuple(
            entry for entry in program.relocations if entry.kind == "witness"
        ),
    )
    refused = _refusal(fixed, claim)
    assert refused is not None
    assert refused.counterexample is not None
    low_words = {arg & 0xFFFFFFFF for arg in refused.counterexample.args}
    assert refused.counterexample.own_pid in low_words or own_pid in low_words


def test_a_refusal_reads_like_a_call() -> None:
    program = _filter("linux-x86_64", LAX, 6)
    claim = policy_claim(replace(LAX, ip=Ip.NONE), Situation("x86_64", 6))
    refused = _refusal(program, claim)
    assert str(refused) == (
        "`ioctl`(0x0, 0x8901, 0x0, 0x0, 0x0, 0x0) of x86_64 in process 1000: the"
        " policy means errno 1, the program answers allow"
    )
    assert refused is not None
    assert refused.counterexample is not None
    assert refused.counterexample.claimed == EPERM


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.integers(0, 1 << 32))
def test_random_rules_are_proved_and_wrong_ones_shown(seed: int) -> None:
    """Nested and overlapping 64-bit ranges, masks and process IDs, on four arches.

    The program is then proved against a claim with one rule changed: either the
    calls near its borders cannot tell them apart, or a call that does is given.
    """
    source = random.Random(seed)
    claim = claim_maker.random_claim(source)
    program = claim_maker.compile_claim(claim)
    prove(program, claim)
    calls = [
        Counterexample(arch, number, args, 0, own_pid, 0, 0)
        for arch, number, args, own_pid in claim_maker.calls_near(claim, source, 20)
    ]
    for call in calls:
        meant = claim.action(call.audit_arch, call.number, call.args, call.own_pid)
        assert run_program(program, call) == meant
    other = claim_maker.changed_claim(claim, source)
    refused = _refusal(program, other)
    if refused is None:
        for call in calls:
            seen = (call.audit_arch, call.number, call.args, call.own_pid)
            assert other.action(*seen) == claim.action(*seen)
    else:
        assert refused.counterexample is not None


def test_many_rules_over_all_calls_are_proved() -> None:
    """Nested 64-bit ranges on every argument, as many as a program can hold."""
    numbers = sorted(call_numbers("x86_64").values())
    for rules in (10, 100, 200):
        source = random.Random(rules)
        claim = claim_maker.nested_claim(source, numbers[:rules], rules)
        program = claim_maker.compile_claim(claim)
        prove(program, claim)
        broken = replace(program.instructions[-2], k=program.instructions[-2].k ^ 1)
        changed = (*program.instructions[:-2], broken, program.instructions[-1])
        refused = _refusal(replace(program, instructions=changed), claim)
        assert refused is not None
        assert refused.counterexample is not None


def _one_test_claim(test: ClaimTest) -> Claim:
    rules = RuleList((ClaimRule((test,), EPERM),), ALLOW)
    return Claim((ArchClaim(X86_64, (Span(0, 0xFFFFFFFF, rules),), ALLOW),), ALLOW)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (_one_test_claim(ClaimTest(6, ())), "unknown flags"),
        (_one_test_claim(ClaimTest(0, ((2, 1),))), "empty"),
        (
            Claim((ArchClaim(62, (Span(2, 1, RuleList((), 0)),), 0),), 0),
            "the span from 0x2 to 0x1",
        ),
        (
            Claim((ArchClaim(62, (Span(1, 3, RuleList((), 0)),) * 2, 0),), 0),
            "spans are not in order",
        ),
        (Claim((ArchClaim(62, (), 0),) * 2, 0), "architectures are not in order"),
    ],
)
def test_what_is_no_claim_proves_nothing(claim: Claim, reason: str) -> None:
    program = Filter((Instruction(0x06, 0, 0, ALLOW),), ())
    with pytest.raises(ProofRefusedError, match=reason) as refused:
        prove(program, claim)
    assert refused.value.counterexample is None


def test_a_cut_claim_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = _one_test_claim(ClaimTest(0, ((1, 2),)))
    program = claim_maker.compile_claim(claim)
    prove(program, claim)
    encoded = encode_claim(claim)
    for end in range(len(encoded)):
        monkeypatch.setattr(prover, "encode_claim", lambda _, end=end: encoded[:end])
        with pytest.raises(ProofRefusedError, match="the claim ends early"):
            prove(program, claim)


def test_a_counterexample_that_no_second_judge_sees_is_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The verifier is not believed alone, whichever way it errs."""
    claim = _one_test_claim(ClaimTest(0, ((1, 2),)))
    program = Filter((Instruction(0x06, 0, 0, ALLOW),), ())
    assert _refusal(program, claim) is not None
    monkeypatch.setattr(prover, "run", lambda *_: EPERM)
    with pytest.raises(VerifierUnusable, match="disagree on"):
        prove(program, claim)
