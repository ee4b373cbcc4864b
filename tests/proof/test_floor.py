# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the floor below every policy, and which calls the kernel will cache."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import claim_maker
import pytest

from policies import LANDLOCK_ABIS, label
from stockade.abi.arch import AUDIT_ARCH, LINUX_TARGETS
from stockade.abi.syscalls import call_names, call_numbers
from stockade.model.artifact import Filter, Instruction
from stockade.model.calls import CallRule
from stockade.model.decide import WITNESS_NUMBER, rules_by_call
from stockade.model.policy import (
    Children,
    Ip,
    KernelSurface,
    PathMetadata,
    Policy,
    Signals,
)
from stockade.model.request import Situation
from stockade.proof.claim import (
    ArchClaim,
    Claim,
    ClaimRule,
    ClaimTest,
    RuleList,
    Span,
    policy_claim,
)
from stockade.proof.prover import ProofRefusedError, cacheable_calls, check_floor, prove
from stockade.targets.linux.seccomp import compile_filter, table_calls

EPERM = 0x00050001
X86_64 = AUDIT_ARCH["x86_64"]
STRICT = Policy(
    ip=Ip.NONE,
    signals=Signals.ISOLATED,
    children=Children.NONE,
    path_metadata=PathMetadata.DENY,
)
WIDE = replace(STRICT, kernel_surface=KernelSurface.WIDE)
LAX = Policy(
    ip=Ip.ALL,
    signals=Signals.ANY,
    children=Children.ALLOWED,
    path_metadata=PathMetadata.ALLOW,
)


def _filter(target: str, policy: Policy, landlock_abi: int) -> Filter:
    rules = rules_by_call(policy, landlock_abi)
    return compile_filter(
        LINUX_TARGETS[target], table_calls(LINUX_TARGETS[target], rules), WITNESS_NUMBER
    )


def _rules_of(found: dict[str, tuple[CallRule, ...]]) -> list[CallRule]:
    return list({id(rule): rule for group in found.values() for rule in group}.values())


def _without(
    found: dict[str, tuple[CallRule, ...]], dropped: CallRule
) -> dict[str, tuple[CallRule, ...]]:
    """Leave one rule out, by call."""
    return {
        call: tuple(rule for rule in group if rule is not dropped)
        for call, group in found.items()
    }


# Refused always so far, but what is refused of them depends on the policy, or may.
_BELOW_NO_FLOOR = {"socketpair"}


@pytest.mark.parametrize("policy", [STRICT, WIDE], ids=label)
def test_the_floor_misses_every_rule_that_is_always_in_force(policy: Policy) -> None:
    """Compiled without one of them, a program lets through what no policy allows."""
    found = rules_by_call(policy, 6)
    wide = policy.kernel_surface is KernelSurface.WIDE
    missed = Counter[bool]()
    for rule in _rules_of(found):
        left = _without(found, rule)
        program = compile_filter(
            LINUX_TARGETS["linux-x86_64"],
            table_calls(LINUX_TARGETS["linux-x86_64"], left),
            WITNESS_NUMBER,
        )
        try:
            check_floor(program, X86_64, wide=wide)
        except ProofRefusedError as refused:
            assert refused.counterexample is not None
            number = refused.counterexample.number
            assert call_names("x86_64")[number] in rule.calls
            missed[True] += 1
        else:
            expected = {"always", "surface-wide" if wide else "surface-reduced"}
            assert rule.when not in expected or rule.calls[0] in _BELOW_NO_FLOOR, rule
            missed[False] += 1
    assert missed[True] > 25
    assert missed[False] > 5


def test_the_floor_sees_bits_that_the_kernel_drops() -> None:
    """`ioctl` by all 64 bits of its request is refused with two calls that differ."""
    wide = ClaimTest(1, ((0x5412, 0x5412), (0x1_0000_0000, (1 << 64) - 1)))
    deny = RuleList((), EPERM)
    spans = (Span(16, 16, RuleList((ClaimRule((wide,), EPERM),), 0x00050026)),)
    claim = Claim((ArchClaim(X86_64, spans, EPERM),), deny.default)
    with pytest.raises(ProofRefusedError, match="`ioctl` has 32 bits in argument 1"):
        check_floor(claim_maker.compile_claim(claim), X86_64)


@pytest.mark.parametrize("target", sorted(LINUX_TARGETS))
@pytest.mark.parametrize("policy", [STRICT, LAX], ids=label)
def test_calls_without_rules_and_no_others_are_cacheable(
    policy: Policy, target: str
) -> None:
    """S2-406: by the kernel's own rule, number by number."""
    arch = LINUX_TARGETS[target].arch
    for landlock_abi in LANDLOCK_ABIS:
        rules = rules_by_call(policy, landlock_abi)
        free = [
            number for name, number in call_numbers(arch).items() if not rules.get(name)
        ]
        program = _filter(target, policy, landlock_abi)
        assert cacheable_calls(program, AUDIT_ARCH[arch]) == sorted(free)
        assert cacheable_calls(program, AUDIT_ARCH["i386"]) == []


def test_one_argument_load_before_the_search_loses_the_cache() -> None:
    program = _filter("linux-x86_64", LAX, 6)
    load = (Instruction(0x20, 0, 0, 16), *program.instructions)
    moved = (replace(entry, insn=entry.insn + 1) for entry in program.relocations)
    slowed = Filter(load, tuple(moved))
    prove(slowed, policy_claim(LAX, Situation("x86_64", 6)))
    assert cacheable_calls(program, X86_64) != []
    assert cacheable_calls(slowed, X86_64) == []


def test_both_sources_number_the_calls_alike() -> None:
    """The floor's own table, from another source, equals the compiler's."""
    root = Path(__file__).resolve().parents[2]
    text = (root / "compiler/verifier-rs/src/linux_calls.rs").read_text("utf-8")
    rows = re.findall(
        r'^    \("(\w+)", (\w+), (\w+), 0x[0-9a-f]{2}\),$', text, re.MULTILINE
    )
    for arch, column in (("x86_64", 1), ("aarch64", 2)):
        table = {row[0]: int(row[column]) for row in rows if row[column] != "NONE"}
        assert table == call_numbers(arch)
