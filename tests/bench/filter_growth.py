# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make rule sets of 10, 100 and 1,000 rules, to see how compile and proof grow.

The rules go over all calls in turn, so that a thousand are several a call: ranges
of 64-bit values, each around the one before it of the same call, with actions in
turn. Every tenth call's ranges reach over high words; more of them would not fit
into the 4,096 instructions that the kernel takes.
"""

from __future__ import annotations

import random

from rule_maker import RuleSet, Written

from stockade.abi.syscalls import call_names
from stockade.model.calls import BOTH_WORDS, ArgumentTest

SIZES = (10, 100, 1000)
_ACTIONS = ("EPERM", "ENOSYS", "EACCES", "ALLOW")
_INNERMOST, _STEP, _ACROSS = 100, 5000, 10


def nested_rule_set(rules: int, arch: str) -> RuleSet:
    """Make a rule set of as many rules; the same each time."""
    source = random.Random(rules)
    names = call_names(arch)
    middles = {
        number: (source.randrange(6), source.getrandbits(31) << 32 | 1 << 31)
        for number in names
    }
    written: dict[int, list[Written]] = {number: [] for number in names}
    numbers = list(names)
    for index in range(rules):
        number = numbers[index % len(numbers)]
        arg, middle = middles[number]
        within = written[number]
        reach = _INNERMOST + _STEP * len(within) + source.randrange(_STEP)
        if index % len(numbers) % _ACROSS == 0:
            reach <<= 32
        test = ArgumentTest(arg, ((middle - reach, middle + reach),), BOTH_WORDS)
        action = _ACTIONS[len(within) % len(_ACTIONS)]
        within.append(Written((test,), action))
    calls = {number: (name, tuple(written[number])) for number, name in names.items()}
    return RuleSet(arch, calls)
