# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the reference decision with the filters of minijail, call by call.

Its language has names and, for each call, filters of `||` over `&&` over
comparisons of one argument, a test for a flag and one for none but some flags. The
first filter that holds decides. It departs for the reasons of `peer_lane`, each of
which is met here, and for no other:

* What has no rule gets the default: also x32 numbers and -1. In a list of what is
  denied that is to allow.
* Other architectures get the action for a kill, in a list of what is denied EPERM.
* It compares all 64 bits of a register. The kernel keeps less of some arguments.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import peer_lane
import pytest
from claim_maker import Values
from minijail_tool import Job, compile_jobs, policy
from peer_lane import Peer
from rule_maker import ACTIONS, RuleSet, Written, action_value

from stockade.abi.arch import AUDIT_ARCH, X32_BIT
from stockade.abi.arguments import argument_widths
from stockade.abi.syscalls import call_numbers
from stockade.model.predicates import (
    COMPARISONS,
    All,
    Any_,
    Comparison,
    MaskedEqual,
    Predicate,
)
from stockade.proof.interpreter import call_data, run

pytestmark = pytest.mark.needs("minijail")

_ARCHES = ("x86_64", "aarch64")
_SETS, _VECTORS = 300, 60
_KILL_THREAD = 0
_ERRORS = tuple(name for name in ACTIONS if name.startswith("E"))


def _atom(values: Values, widths: tuple[int, ...]) -> Predicate:
    """Draw one test that the language has a word for."""
    source = values.source
    arg = source.randrange(min(len(widths), source.choice((1, 2, 6))))
    kept = (1 << widths[arg]) - 1
    match source.randrange(4):
        case 0:
            flag = 1 << source.randrange(widths[arg])
            return MaskedEqual(arg, flag, flag)
        case 1:
            return MaskedEqual(arg, values.wide() & kept, 0)
    return Comparison(arg, source.choice(COMPARISONS), values.wide() & kept)


def _predicate(values: Values, widths: tuple[int, ...]) -> Predicate:
    source = values.source
    clauses = [
        All(tuple(_atom(values, widths) for _ in range(source.choice((1, 1, 2, 3)))))
        for _ in range(source.choice((1, 1, 2, 3)))
    ]
    return Any_(tuple(clauses))


def _rule_set(source: random.Random, *, deny: bool) -> RuleSet:
    arch = source.choice(_ARCHES)
    values, numbers = Values(source), call_numbers(arch)
    names = sorted(name for name in numbers if argument_widths().get(name))
    calls: dict[int, tuple[str, tuple[Written, ...]]] = {}
    for name in source.sample(names, source.choice((1, 2, 5, 20))):
        rules = tuple(
            Written(
                _predicate(values, argument_widths()[name]),
                source.choice(_ERRORS if deny else ACTIONS),
            )
            for _ in range(source.choice((1, 1, 2, 3)))
        )
        calls[numbers[name]] = (name, rules)
    default = "ALLOW" if deny else source.choice(("TRAP", "KILL_PROCESS"))
    return RuleSet(arch, calls, peer_lane.defaults(default))


def _whole(_name: str, _arg: int) -> int:
    return 64


@pytest.mark.parametrize("strategy", ["linear", "bst"])
@pytest.mark.parametrize("deny", [False, True], ids=["allow", "deny"])
def test_equal_rules_get_equal_answers(
    deny: bool, strategy: str, tmp_path: Path
) -> None:
    """Lists of what is allowed and of what is denied, in either shape of program."""
    options = (f"--optimization-strategy={strategy}", *(["--denylist"] if deny else []))
    sets = [_rule_set(random.Random(seed), deny=deny) for seed in range(_SETS)]
    jobs = [Job(one.arch, policy(one, deny=deny), options) for one in sets]
    peer = Peer(action_value("EPERM") if deny else _KILL_THREAD, _whole)
    departures: Counter[str] = Counter()
    codes = compile_jobs(jobs, tmp_path)
    for seed, (rule_set, code) in enumerate(zip(sets, codes, strict=True)):
        source = random.Random(seed)
        departures += peer_lane.compare(rule_set, code, peer, source, _VECTORS)
    print(f"of {_SETS * _VECTORS} calls: {dict(departures)}")
    assert set(departures) == set(peer_lane.REASONS)


@pytest.mark.parametrize("arch", _ARCHES)
def test_every_name_has_its_number(arch: str, tmp_path: Path) -> None:
    """Names without arguments: those listed are allowed, and nothing else is."""
    numbers = call_numbers(arch)
    chosen = random.Random(arch).sample(sorted(numbers), 60)
    text = "".join(f"{name}: allow\n" for name in chosen)
    (code,) = compile_jobs([Job(arch, text, ("--use-kill-process",))], tmp_path)
    allowed = {numbers[name] for name in chosen}
    for number in (*range(600), X32_BIT, 2 * X32_BIT, 4 * X32_BIT - 1):
        meant = action_value("ALLOW" if number in allowed else "KILL_PROCESS")
        data = call_data(number, AUDIT_ARCH[arch], (0,) * 6, 0)
        assert run(code, data) == meant, number


def test_a_list_of_what_is_denied_lets_calls_pass(tmp_path: Path) -> None:
    """`TIOCSTI` with a high word, which the kernel drops, and by its x32 number."""
    number, request = call_numbers("x86_64")["ioctl"], 0x5412
    text = f"@denylist\nioctl: arg1 == {request:#x}; return EPERM\n"
    (code,) = compile_jobs([Job("x86_64", text, ("--denylist",))], tmp_path)
    found = []
    for asked, high in ((number, 0), (number, 1 << 32), (number | X32_BIT, 0)):
        args = (0, high | request, 0, 0, 0, 0)
        found.append(run(code, call_data(asked, AUDIT_ARCH["x86_64"], args, 0)))
    refuse, allow = action_value("EPERM"), action_value("ALLOW")
    assert found == [refuse, allow, allow]
