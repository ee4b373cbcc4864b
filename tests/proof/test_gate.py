# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that the gate agrees with what the compiler makes and with nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sampled import disagreements

from policies import GRANTS, KEY_COMBINATIONS, label
from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.syscalls import call_numbers
from stockade.artifact.layout import LIMITS
from stockade.driver.linux import build_linux
from stockade.model.artifact import Artifact, Filter, Instruction, PortRow
from stockade.model.policy import Children, Ip, Policy, Signals, UnixSockets
from stockade.model.request import Situation
from stockade.proof.filters import FilterDisagreementError, check_filter
from stockade.proof.gate import GateRefusedError, judge
from stockade.proof.interpreter import NotAProgramError, call_data, run

_SITUATION = Situation("x86_64", 6)


@pytest.mark.parametrize("target", sorted(LINUX_TARGETS))
@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_gate_agrees_with_every_combination_of_keys(
    policy: Policy, target: str
) -> None:
    artifact = build_linux(policy, "x", target)
    assert judge(policy, artifact) >= len(
        {variant.filter for variant in artifact.levels[0].variants}
    )


@pytest.mark.parametrize("target", sorted(LINUX_TARGETS))
@pytest.mark.parametrize("policy", KEY_COMBINATIONS[::5], ids=label)
def test_the_interpreter_agrees_with_the_proof(policy: Policy, target: str) -> None:
    """Numbers 0 to 1023 and borders on four architectures, borders of arguments."""
    artifact = build_linux(policy, "x", target)
    arch = LINUX_TARGETS[target].arch
    for variant in artifact.levels[0].variants[::3]:
        situation = Situation(arch, int(variant.name.removeprefix("abi-")))
        compared, found = disagreements(policy, situation, variant.filter)
        assert found == []
        assert compared > 10_000


def _program(policy: Policy | None = None) -> Filter:
    artifact = build_linux(policy or Policy(), "x", "linux-x86_64")
    return next(v.filter for v in artifact.levels[0].variants if v.name == "abi-6")


def _mutants(program: Filter) -> Iterator[tuple[int, Filter]]:
    """Change one field of one instruction at a time."""
    for index, insn in enumerate(program.instructions):
        for other in _other_instructions(insn):
            changed = list(program.instructions)
            changed[index] = other
            yield index, replace(program, instructions=tuple(changed))


def _other_instructions(insn: Instruction) -> Iterator[Instruction]:
    yield replace(insn, k=insn.k ^ 1)
    if insn.code in {0x15, 0x35, 0x45}:
        yield replace(insn, jt=insn.jf, jf=insn.jt)
    if insn.code == 0x06:
        yield replace(insn, k=0x7FFF0000)
        yield replace(insn, k=0x00050000)


def test_gate_refuses_programs_that_decide_otherwise() -> None:
    """Every planted constant, target and action is caught."""
    program = _program()
    survivors = []
    for index, mutant in _mutants(program):
        if mutant.instructions == program.instructions:
            continue
        try:
            check_filter(Policy(), _SITUATION, mutant)
        except FilterDisagreementError:
            continue
        survivors.append((program.instructions[index], mutant.instructions[index]))
    assert survivors == []


def test_gate_refuses_a_missing_rule() -> None:
    """A filter for a laxer policy is no filter for a stricter one."""
    lax, strict = Policy(ip=Ip.ALL), Policy()
    with pytest.raises(FilterDisagreementError, match="the policy means"):
        check_filter(strict, _SITUATION, _program(lax))


def test_gate_refuses_a_misplaced_relocation() -> None:
    program = _program()
    moved = tuple(replace(entry, insn=entry.insn + 1) for entry in program.relocations)
    with pytest.raises(FilterDisagreementError):
        check_filter(Policy(), _SITUATION, replace(program, relocations=moved))


def _with_class(artifact: Artifact, name: str, extra: int) -> Artifact:
    classes = tuple(
        replace(entry, rights=entry.rights ^ extra) if entry.name == name else entry
        for entry in artifact.classes
    )
    return replace(artifact, classes=classes)


@pytest.mark.parametrize("right", range(17))
@pytest.mark.parametrize("name", ["read", "read_exec", "read_write", "system"])
def test_gate_refuses_a_table_with_one_right_changed(name: str, right: int) -> None:
    """GL-078: each right of each class of paths is as the model has it."""
    policy = Policy(grants=GRANTS)
    artifact = build_linux(policy, "x", "linux-x86_64")
    judge(policy, artifact)
    with pytest.raises(GateRefusedError):
        judge(policy, _with_class(artifact, name, 1 << right))


def _with_handled(artifact: Artifact, name: str, change: int) -> Artifact:
    level = artifact.levels[0]
    newest = replace(
        level.variants[0], **{name: getattr(level.variants[0], name) ^ change}
    )
    return replace(
        artifact, levels=(replace(level, variants=(newest, *level.variants[1:])),)
    )


@pytest.mark.parametrize(
    ("name", "bits"),
    [("fs_required", 16), ("net_required", 4), ("scope_required", 2)],
)
def test_gate_refuses_what_is_not_handled_or_too_much(name: str, bits: int) -> None:
    """GL-078: each right that holds a promise must be handled, and no other one."""
    policy = Policy(
        grants=GRANTS,
        ip=Ip.CLIENT,
        unix_sockets=UnixSockets.ALL,
        signals=Signals.ISOLATED,
    )
    artifact = build_linux(policy, "x", "linux-x86_64")
    judge(policy, artifact)
    for bit in range(bits):
        with pytest.raises(GateRefusedError):
            judge(policy, _with_handled(artifact, name, 1 << bit))


@pytest.mark.parametrize(
    "rows", [(), (PortRow(0, 4),), (PortRow(0, 5), PortRow(80, 1))]
)
def test_gate_refuses_other_port_rules(rows: tuple[PortRow, ...]) -> None:
    """S2-028 S2-029: port 0 must be granted, and no other one."""
    policy = Policy(ip=Ip.CLIENT)
    artifact = build_linux(policy, "x", "linux-x86_64")
    assert artifact.ports == (PortRow(0, 5),)
    with pytest.raises(GateRefusedError):
        judge(policy, replace(artifact, ports=rows))


def test_gate_refuses_a_table_with_one_row_missing() -> None:
    policy = Policy(grants=GRANTS)
    artifact = build_linux(policy, "x", "linux-x86_64")
    for index in range(len(artifact.grants)):
        rows = artifact.grants[:index] + artifact.grants[index + 1 :]
        with pytest.raises(GateRefusedError):
            judge(policy, replace(artifact, grants=rows))


def _constant_allow(program: Filter, number: int) -> bool:
    """Emulate what the kernel's bitmap takes (seccomp_is_const_allow)."""
    at = 0
    accumulator = 0
    while True:
        insn = program.instructions[at]
        at += 1
        if insn.code == 0x20 and insn.k in {0, 4}:
            accumulator = number if insn.k == 0 else 0xC000003E
        elif insn.code == 0x05:
            at += insn.k
        elif insn.code in {0x15, 0x25, 0x35, 0x45}:
            taken = {
                0x15: accumulator == insn.k,
                0x25: accumulator > insn.k,
                0x35: accumulator >= insn.k,
                0x45: bool(accumulator & insn.k),
            }[insn.code]
            at += insn.jt if taken else insn.jf
        elif insn.code == 0x06:
            return insn.k == 0x7FFF0000
        else:
            return False


@pytest.mark.parametrize("policy", KEY_COMBINATIONS, ids=label)
def test_calls_without_rules_are_cacheable(policy: Policy) -> None:
    """The common calls keep their place in the kernel's bitmap."""
    for variant in build_linux(policy, "x", "linux-x86_64").levels[0].variants:
        for name in ("read", "write", "futex", "mmap", "close", "getpid", "execve"):
            number = call_numbers("x86_64")[name]
            assert _constant_allow(variant.filter, number), name


def test_strictest_policy_stays_within_the_probe_limit() -> None:
    for policy in KEY_COMBINATIONS:
        for target in sorted(LINUX_TARGETS):
            for variant in build_linux(policy, "x", target).levels[0].variants:
                assert len(variant.probes) <= LIMITS["PROBES_PER_VARIANT"]


def test_interpreter_computes_as_the_kernel_does() -> None:
    """One program per operation, answers worked out by hand."""
    data = call_data(5, 0xC000003E, (0x1122334455667788, 0, 0, 0, 0, 0), 0)
    ret_a = (0x16, 0, 0, 0)
    cases = {
        0x04: 0x55667788 + 7,
        0x14: 0x55667788 - 7,
        0x24: (0x55667788 * 7) & 0xFFFFFFFF,
        0x34: 0x55667788 // 7,
        0x44: 0x55667788 | 7,
        0x54: 0x55667788 & 7,
        0x64: (0x55667788 << 7) & 0xFFFFFFFF,
        0x74: 0x55667788 >> 7,
        0x84: -0x55667788 & 0xFFFFFFFF,
        0xA4: 0x55667788 ^ 7,
    }
    for code, answer in cases.items():
        assert run([(0x20, 0, 0, 16), (code, 0, 0, 7), ret_a], data) == answer
    assert run([(0x20, 0, 0, 20), ret_a], data) == 0x11223344
    for broken in (
        [(0x20, 0, 0, 2), ret_a],
        [(0x34, 0, 0, 0), ret_a],
        [(0x00, 0, 0, 1)],
    ):
        with pytest.raises(NotAProgramError):
            run(broken, data)


def test_isolated_below_the_scope_is_proved_with_the_own_process() -> None:
    """S2-155: the own process ID is a relocation, and others are refused."""
    policy = Policy(signals=Signals.ISOLATED, children=Children.NONE)
    artifact = build_linux(policy, "x", "linux-x86_64")
    old = next(v for v in artifact.levels[0].variants if v.name == "abi-2")
    kinds = [entry.kind for entry in old.filter.relocations]
    assert kinds.count("own-pid") >= 1
    assert kinds.count("witness") == 1
