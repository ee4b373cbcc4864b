# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test what the bench of filters measures: what it means, not how fast."""

from __future__ import annotations

import random

import pytest
from common_policy import common_policy
from filter_growth import SIZES, nested_rule_set
from rule_maker import check
from rule_set import compile_rule_set
from run_filters import library_rules, own_rule_set
from seccomp_library import LINEAR, TREE, compile_rules

from stockade.abi.syscalls import call_numbers
from stockade.proof.interpreter import call_data, run
from stockade.proof.prover import encode_program

ALLOW, EPERM = 0x7FFF0000, 0x00050001
X86_64 = 0xC000003E


@pytest.mark.parametrize("arch", ["x86_64", "aarch64"])
@pytest.mark.parametrize("rules", SIZES)
def test_many_rules_over_all_calls_are_compiled_and_proved(
    rules: int, arch: str
) -> None:
    """As many as 1,000, nested, so that jumps are long and ends far away."""
    rule_set = nested_rule_set(rules, arch)
    assert sum(len(written) for _, written in rule_set.calls.values()) == rules
    program = check(rule_set, random.Random(rules), 2000)
    assert len(program.instructions) <= 4096


def test_our_row_is_the_common_policy() -> None:
    rule_set = own_rule_set()
    assert rule_set.compile() == compile_rule_set(common_policy(), "x86_64")
    check(rule_set, random.Random(1), 500)


@pytest.mark.needs("libseccomp", "x86_64")
@pytest.mark.parametrize("optimize", [LINEAR, TREE])
def test_the_rows_of_the_library_are_the_same_policy(optimize: int) -> None:
    """Equal answers where nothing depends on the width of an argument."""
    theirs = compile_rules(library_rules(), ALLOW, EPERM, optimize)
    program = encode_program(compile_rule_set(common_policy(), "x86_64"))
    words = [program[at : at + 8] for at in range(0, len(program), 8)]
    ours = [
        (
            int.from_bytes(word[:2], "little"),
            word[2],
            word[3],
            int.from_bytes(word[4:], "little"),
        )
        for word in words
    ]
    # The library was given this process ID, which ours would be given at start.
    ours = [(c, t, f, 4242 if k == 0x7FFFFFFF else k) for c, t, f, k in ours]
    for number in (*range(512), *call_numbers("x86_64").values(), 1 << 30):
        for args in ((0,) * 6, (4242, 0x5412, *(0,) * 4), (0x10000, 0x541C, *(0,) * 4)):
            data = call_data(number, X86_64, args, 0)
            assert run(ours, data) == run(theirs, data), (number, args)
