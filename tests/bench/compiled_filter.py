# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Take the filter that this host would get out of a real compiled artifact."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

from backward_assembly import JEQ, Instruction
from linear_filter import OWN_PID

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.features import FEATURES, LANDLOCK_ABI_NEWEST
from stockade.artifact.decode import decode
from stockade.driver.compile import compile_policy
from stockade.model.artifact import Variant
from stockade.model.decide import rules_by_call
from stockade.model.policy import Policy
from stockade.policy import read_policy
from stockade.proof.interpreter import call_data, run
from vectors import requests

_CREATE_RULESET, _QUERY_VERSION = 444, 1
_NAME = "bench"


def host_landlock_abi() -> int:
    """Return the kernel's Landlock ABI, 0 where it has none."""
    answer = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _QUERY_VERSION)
    return max(0, min(int(answer), LANDLOCK_ABI_NEWEST))


def read_bench_policy(text: str) -> Policy:
    """Read the bench's policy into its meaning."""
    return read_policy(text, _NAME)


def compile_bundle(text: str) -> bytes:
    """Compile for this machine's architecture and return the bundle."""
    return compile_read(read_bench_policy(text))


def compile_read(policy: Policy) -> bytes:
    """Compile a policy that was read already."""
    return compile_policy(policy, _NAME, f"linux-{os.uname().machine}").bundle


def variant_of(bundle: bytes, landlock_abi: int) -> Variant:
    """Return the variant that a kernel of this ABI takes."""
    host = FEATURES["landlock-built"] | FEATURES["seccomp-filter"]
    for abi in range(1, landlock_abi + 1):
        host |= FEATURES[f"landlock-abi-{abi}"]
    for variant in decode(bundle).levels[0].variants:
        if all(FEATURES[name] & host for name in variant.must):
            return variant
    raise ValueError(f"no variant for Landlock ABI {landlock_abi}")


def filter_of(variant: Variant) -> list[Instruction]:
    """Return a variant's program as (code, jt, jf, k), placeholders not filled in."""
    return [(i.code, i.jt, i.jf, i.k) for i in variant.filter.instructions]


def disagreement(
    left: Sequence[Instruction],
    right: Sequence[Instruction],
    policy: Policy,
    landlock_abi: int,
) -> str | None:
    """Name a call that two programs answer differently, or None."""
    arch = os.uname().machine
    for request in requests(arch, rules_by_call(policy, landlock_abi)):
        data = call_data(request.number, AUDIT_ARCH[request.arch], request.args, 0)
        answers = [
            run(_with_pid(program, request.own_pid), data) for program in (left, right)
        ]
        if answers[0] != answers[1]:
            return f"{request}: {answers[0]:#x} and {answers[1]:#x}"
    return None


def _with_pid(program: Sequence[Instruction], own_pid: int) -> list[Instruction]:
    return [
        (code, jt, jf, own_pid if (code, k) == (JEQ, OWN_PID) else k)
        for code, jt, jf, k in program
    ]
