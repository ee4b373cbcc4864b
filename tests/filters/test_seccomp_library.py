# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare our filters with libseccomp's, call by call.

Both get the same comparisons of whole registers. They differ for reasons that are
listed here, each with an example, and for no other:

* It compares all 64 bits of a register. Our predicates compare what the kernel
  keeps of the argument.
* Where several rules of one call order the same argument, release 2.5.4 loses
  some of the alternatives. What it then allows or refuses, no rule says.
* It has an order of its own for rules of unlike actions; ours is the order in
  which they are written.
"""

from __future__ import annotations

import os
import random

import pytest
from claim_maker import BOTH_WORDS, LOW_WORD, Values
from rule_maker import Args, RuleSet, Written, action_value, check
from seccomp_library import (
    LINEAR,
    OPERATORS,
    TREE,
    LibraryRule,
    LibraryTest,
    compile_rules,
    release,
)

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.syscalls import call_numbers
from stockade.model.calls import ArgumentTest
from stockade.model.predicates import Comparison
from stockade.proof.interpreter import call_data, run
from stockade.proof.prover import encode_program
from stockade.targets.linux.seccomp import Defaults

pytestmark = pytest.mark.needs("libseccomp")

_MACHINE = os.uname().machine
_NUMBERS = call_numbers(_MACHINE)
_DEFAULTS = Defaults("ALLOW", "ALLOW", "EPERM", "ALLOW", "EPERM")
_ORDERING = {"<", "<=", ">", ">="}
_SETS, _VECTORS = 600, 40
_Code = list[tuple[int, int, int, int]]


def _library_program(rules: list[LibraryRule], optimize: int) -> _Code:
    allow, refuse = action_value("ALLOW"), action_value("EPERM")
    return compile_rules(rules, allow, refuse, optimize)


def _argument_test(test: LibraryTest) -> ArgumentTest:
    """Write a comparison of a whole register as one of our tests."""
    value, operator = test.value, test.operator
    if test.mask is not None:
        return ArgumentTest(test.arg, ((value, value),), test.mask)
    first = value if operator in {"==", "!="} else 0
    last = value - 1 if operator in {"<", ">="} else value
    ranges = ((first, last),) if first <= last else ()
    return ArgumentTest(
        test.arg, ranges, BOTH_WORDS, negated=operator in {"!=", ">", ">="}
    )


def _rule_set(rules: list[LibraryRule], actions: dict[int, str]) -> RuleSet:
    calls: dict[int, tuple[str, tuple[Written, ...]]] = {}
    for rule in rules:
        where = tuple(map(_argument_test, rule.tests))
        before = calls.get(rule.number, ("", ()))[1]
        written = Written(where, actions[rule.action])
        calls[rule.number] = ("", (*before, written))
    return RuleSet(_MACHINE, calls, _DEFAULTS)


def _random_rules(source: random.Random, actions: dict[int, str]) -> list[LibraryRule]:
    """Draw rules of a few calls; those of one call have one action."""
    values = Values(source)
    rules = []
    for number in source.sample(sorted(_NUMBERS.values()), 3):
        action = source.choice(list(actions))
        for _ in range(source.choice((1, 1, 2, 3))):
            tests = []
            for arg in source.sample(range(6), source.choice((0, 1, 1, 2, 3))):
                value, mask = values.wide(), None
                if source.random() < 0.2:
                    mask = source.choice((values.wide(), 0xFF, 1 << 40, LOW_WORD))
                    value &= mask
                operator = "" if mask is not None else source.choice([*OPERATORS])
                tests.append(LibraryTest(arg, operator, value, mask))
            rules.append(LibraryRule(number, action, tuple(tests)))
    return rules


def _values(rules: list[LibraryRule]) -> list[int]:
    found = {0, 1, LOW_WORD, 1 << 32, BOTH_WORDS}
    for test in (test for rule in rules for test in rule.tests):
        spare = 0 if test.mask is None else ~test.mask
        for value in (test.value - 1, test.value, test.value + 1):
            found |= {value & BOTH_WORDS, value & BOTH_WORDS ^ 1 << 32}
        found.add((test.value | spare) & BOTH_WORDS)
    return sorted(found)


def _several_order_one_argument(rules: list[LibraryRule]) -> bool:
    """Tell whether two rules of one call compare an argument, one by its order."""
    for arg in range(6):
        compared = [[t for t in rule.tests if t.arg == arg] for rule in rules]
        tests = [test for tests in compared for test in tests]
        if sum(map(bool, compared)) > 1 and any(t.operator in _ORDERING for t in tests):
            return True
    return False


def _answer(code: _Code, number: int, args: Args) -> int:
    return run(code, call_data(number, AUDIT_ARCH[_MACHINE], args, 0))


def _own_code(rule_set: RuleSet) -> _Code:
    raw = encode_program(check(rule_set, random.Random(1), 20))
    return [
        (
            int.from_bytes(raw[at : at + 2], "little"),
            raw[at + 2],
            raw[at + 3],
            int.from_bytes(raw[at + 4 : at + 8], "little"),
        )
        for at in range(0, len(raw), 8)
    ]


@pytest.mark.parametrize("optimize", [LINEAR, TREE], ids=["linear", "tree"])
def test_equal_rules_get_equal_answers(optimize: int) -> None:
    """Ours are always as written; the library's are, but for the listed reason."""
    actions = {action_value(name): name for name in ("EPERM", "ENOSYS", "KILL_PROCESS")}
    compared = differing = 0
    for seed in range(_SETS):
        source = random.Random(seed)
        rules = _random_rules(source, actions)
        ours, theirs = _own_code(_rule_set(rules, actions)), None
        theirs = _library_program(rules, optimize)
        values = _values(rules)
        for _ in range(_VECTORS):
            number = source.choice(rules).number
            args = tuple(source.choice(values) for _ in range(6))
            same = [rule for rule in rules if rule.number == number]
            holding = [r for r in same if all(t.holds(args) for t in r.tests)]
            meant = holding[0].action if holding else action_value("ALLOW")
            assert _answer(ours, number, args) == meant
            compared += 1
            if _answer(theirs, number, args) != meant:
                assert _several_order_one_argument(same), (same, args)
                differing += 1
    print(f"{compared} calls compared, {differing} differ for the listed reason")
    assert differing < compared / 50


def test_both_answer_numbers_and_architectures_alike() -> None:
    """Named or not, of another architecture or of x32, and no call at all."""
    rules = [LibraryRule(_NUMBERS["ptrace"], action_value("EPERM"))]
    ours = _own_code(_rule_set(rules, {action_value("EPERM"): "EPERM"}))
    theirs = _library_program(rules, TREE)
    numbers = (*range(600), (1 << 30) - 1, 1 << 30, (1 << 31) - 1, LOW_WORD)
    for arch in AUDIT_ARCH.values():
        for number in numbers:
            data = call_data(number, arch, (0,) * 6, 0)
            assert run(ours, data) == run(theirs, data), (arch, number)


def test_a_wider_comparison_lets_an_int_pass() -> None:
    """The kernel drops the high word of `ioctl`'s request; a filter must as well."""
    number, request = _NUMBERS["ioctl"], 0x5412
    written = Written(Comparison(1, "==", request), "EPERM")
    ours = _own_code(RuleSet(_MACHINE, {number: ("ioctl", (written,))}, _DEFAULTS))
    test = LibraryTest(1, "==", request)
    theirs = _library_program([LibraryRule(number, action_value("EPERM"), (test,))], 1)
    plain, disguised = (0, request, 0, 0, 0, 0), (0, 1 << 32 | request, 0, 0, 0, 0)
    assert _answer(ours, number, plain) == _answer(theirs, number, plain)
    assert _answer(ours, number, disguised) == action_value("EPERM")
    assert _answer(theirs, number, disguised) == action_value("ALLOW")


def test_rules_in_order_decide_by_their_order() -> None:
    """Ours: the first rule that holds. The library's equality goes first anywhere."""
    number, five = _NUMBERS["ptrace"], (5, 0, 0, 0, 0, 0)
    actions = {action_value(name): name for name in ("EPERM", "ENOSYS")}
    rules = [
        LibraryRule(number, action_value("EPERM"), (LibraryTest(0, "==", 5),)),
        LibraryRule(number, action_value("ENOSYS"), (LibraryTest(0, "<=", 7),)),
    ]
    for ordered in (rules, rules[::-1]):
        ours = _own_code(_rule_set(ordered, actions))
        theirs = _library_program(ordered, LINEAR)
        assert _answer(ours, number, five) == ordered[0].action
        assert _answer(theirs, number, five) == action_value("EPERM")


def test_alternatives_that_order_one_argument_all_count() -> None:
    """Two rules, either of which refuses; release 2.5.4 lets a call pass."""
    number, refuse = _NUMBERS["ptrace"], action_value("EPERM")
    tests = LibraryTest(4, "<=", 1 << 32), LibraryTest(4, "<", 0xC409 << 48)
    rules = [LibraryRule(number, refuse, (test,)) for test in tests]
    inside = (0, 0, 0, 0, 0x1FFFFFFFE, 0)
    assert not tests[0].holds(inside)
    assert tests[1].holds(inside)
    ours = _own_code(_rule_set(rules, {refuse: "EPERM"}))
    assert _answer(ours, number, inside) == refuse
    if release() == (2, 5, 4):
        assert _answer(_library_program(rules, LINEAR), number, inside) != refuse
