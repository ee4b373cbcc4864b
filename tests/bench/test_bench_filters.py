# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the filters that the bench compares with: what they mean, not how fast."""

from __future__ import annotations

import errno
import zlib

import pytest
from backward_assembly import to_bytes
from linear_filter import OWN_PID, WITNESS_ACTION, linear_filter
from reference_filter import ARGUMENT_TESTS, REFUSED_ENOSYS, REFUSED_EPERM
from reference_filter import reference_filter as build_reference

from stockade.abi.arch import AUDIT_ARCH
from stockade.model.decide import WITNESS_ERRNO, decide, rules_by_call
from stockade.model.policy import Children, Policy, Signals
from stockade.model.request import Decision, Situation
from stockade.proof.interpreter import call_data, run
from vectors import requests

ALLOW, REFUSE = 0x7FFF0000, 0x00050000
JEQ = 0x15
ISOLATED = Policy(signals=Signals.ISOLATED)
ALONE = Policy(signals=Signals.ISOLATED, children=Children.NONE)


def action_of(decision: Decision) -> int:
    if decision.errno is None:
        return ALLOW
    if decision.errno == WITNESS_ERRNO:
        return WITNESS_ACTION
    return REFUSE | int(getattr(errno, decision.errno))


@pytest.mark.parametrize("arch", ["x86_64", "aarch64"])
@pytest.mark.parametrize(("policy", "abi"), [(ISOLATED, 7), (ALONE, 2)])
def test_the_linear_filter_means_what_the_policy_means(
    arch: str, policy: Policy, abi: int
) -> None:
    program = linear_filter(policy, abi, arch)
    by_pid: dict[int, list[tuple[int, int, int, int]]] = {}
    for request in requests(arch, rules_by_call(policy, abi)):
        patched = by_pid.setdefault(
            request.own_pid,
            [
                (code, jt, jf, request.own_pid if (code, k) == (JEQ, OWN_PID) else k)
                for code, jt, jf, k in program
            ],
        )
        data = call_data(request.number, AUDIT_ARCH[request.arch], request.args, 0)
        decision = decide(policy, Situation(arch, abi), request)
        assert run(patched, data) == action_of(decision), request


def test_the_reference_filter_refuses_its_list_and_nothing_else() -> None:
    program = build_reference()
    tested = {number for number, *_ in ARGUMENT_TESTS}
    for number in range(1024):
        action = run(program, call_data(number, AUDIT_ARCH["x86_64"], (0,) * 6, 0))
        if number in REFUSED_EPERM:
            assert action == REFUSE | errno.EPERM
        elif number in REFUSED_ENOSYS:
            assert action == REFUSE | errno.ENOSYS
        elif number not in tested:
            assert action == ALLOW
    for number, offset, _, constants in ARGUMENT_TESTS:
        for constant in constants:
            args = [0x7FFFFF00] * 6 if constant == 0 else [0] * 6
            args[(offset - 16) // 8] = constant
            data = call_data(number, AUDIT_ARCH["x86_64"], tuple(args), 0)
            assert run(program, data) == REFUSE | errno.EPERM


def test_the_reference_filter_stays_the_same() -> None:
    # Ratios of different releases compare only while this does not move.
    program = build_reference()
    assert len(program) == 198
    assert zlib.crc32(to_bytes(program)) == 0x9C90E458
    assert len(REFUSED_EPERM) + len(REFUSED_ENOSYS) == 75
