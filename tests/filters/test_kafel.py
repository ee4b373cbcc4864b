# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the reference decision with the filters of kafel, call by call.

Kafel's language has names, trees of comparisons and masks, and decides by the first
rule that holds, as ours does. It departs for the reasons of `peer_lane`, each of
which is met here, and for no other:

* What has no rule gets the default: also x32 numbers and -1.
* Other architectures are killed, one thread of them.
* It takes arguments that a policy declares for 64 bits wide, and so some of those
  it knows by name. The kernel keeps less of them.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from claim_maker import Values
from kafel_library import Compiled, compile_policies, policy
from peer_lane import REASONS, WIDER, X32, Peer, compare, defaults
from rule_maker import (
    ACTIONS,
    RuleSet,
    Written,
    action_value,
    random_predicate,
)

from stockade.abi.arch import AUDIT_ARCH
from stockade.abi.arguments import argument_widths
from stockade.abi.syscalls import call_names, call_numbers
from stockade.model.predicates import OWN_PID, All, Any_, Comparison, Predicate
from stockade.proof.interpreter import call_data, run

pytestmark = pytest.mark.needs("kafel")

_ARCHES = ("x86_64", "aarch64")
_SETS, _VECTORS = 200, 60
_KILL_THREAD = 0
# Arguments by the names that the kernel's own prototypes have. After its third,
# those of `clone` stand in another order on aarch64.
_NAMES = {
    "clone": ("clone_flags", "newsp", "parent_tidptr"),
    "fcntl": ("fd", "cmd", "arg"),
    "futex": ("uaddr", "op", "val", "utime", "uaddr2", "val3"),
    "ioctl": ("fd", "cmd", "arg"),
    "kill": ("pid", "sig"),
    "lseek": ("fd", "offset", "whence"),
    "madvise": ("start", "len_in", "behavior"),
    "mmap": ("addr", "len", "prot", "flags", "fd", "off"),
    "mprotect": ("start", "len", "prot"),
    "openat": ("dfd", "filename", "flags", "mode"),
    "prctl": ("option", "arg2", "arg3", "arg4", "arg5"),
    "ptrace": ("request", "pid", "addr", "data"),
    "read": ("fd", "buf", "count"),
    "socket": ("family", "type", "protocol"),
    "write": ("fd", "buf", "count"),
}


def _asks_for_own_pid(where: Predicate) -> bool:
    """Tell whether a predicate has what only our filters have."""
    match where:
        case All(parts=parts) | Any_(parts=parts):
            return any(map(_asks_for_own_pid, parts))
    return isinstance(where, Comparison) and where.value == OWN_PID


def _rule_set(source: random.Random, arch: str, names: list[str]) -> RuleSet:
    """Draw predicates for a few calls of those named."""
    values, numbers = Values(source), call_numbers(arch)
    calls: dict[int, tuple[str, tuple[Written, ...]]] = {}
    for name in source.sample(names, source.choice((1, 2, 5))):
        rules: list[Written] = []
        count = source.choice((1, 2, 3))
        widths = argument_widths()[name][: len(_NAMES.get(name, range(6)))]
        while len(rules) < count:
            where = random_predicate(values, widths, 2)
            if not _asks_for_own_pid(where):
                rules.append(Written(where, source.choice(ACTIONS)))
        calls[numbers[name]] = (name, tuple(rules))
    return RuleSet(arch, calls, defaults(source.choice(ACTIONS)))


def _compiled(policies: list[tuple[str, str]]) -> list[Compiled]:
    answers = compile_policies(policies)
    for asked, answer in zip(policies, answers, strict=True):
        assert not answer.complaint, asked
    return answers


@cache
def _known_names(arch: str) -> dict[str, Compiled]:
    """Compile each name alone; leave out those that the library does not know."""
    # A word of its language begins with a letter, so it cannot say `_sysctl`.
    names = sorted(name for name in call_numbers(arch) if name[0].isalpha())
    answers = compile_policies([(arch, f"ALLOW {{ {name} }}\n") for name in names])
    for name, answer in zip(names, answers, strict=True):
        assert answer.code or "ndefined" in answer.complaint, (name, answer)
    return {n: a for n, a in zip(names, answers, strict=True) if a.code}


@cache
def _known_bits(arch: str) -> dict[tuple[str, int], int]:
    """Measure how much of each argument in `_NAMES` the library compares."""
    places = [
        (name, arg)
        for name, words in _NAMES.items()
        if name in _known_names(arch)
        for arg in range(len(words))
    ]
    texts = [
        f"ERRNO(1) {{ {name} {{ {_NAMES[name][arg]} == 5 }} }}\nDEFAULT ALLOW\n"
        for name, arg in places
    ]
    answers = _compiled([(arch, text) for text in texts])
    found = {}
    for (name, arg), answer in zip(places, answers, strict=True):
        ignored = [
            bits
            for bits in range(3, 64)
            if _answer(answer, arch, name, {arg: 1 << bits | 5})
            == action_value("EPERM")
        ]
        found[name, arg] = 64 - len(ignored)
        # Only the upper bits, and all of them.
        assert ignored == [*range(found[name, arg], 64)], (name, arg)
    return found


def _answer(compiled: Compiled, arch: str, name: str, args: dict[int, int]) -> int:
    values = [args.get(arg, 0) for arg in range(6)]
    number = call_numbers(arch)[name]
    return run(compiled.code, call_data(number, AUDIT_ARCH[arch], values, 0))


@pytest.mark.parametrize("arch", _ARCHES)
def test_names_have_the_same_numbers(arch: str) -> None:
    """Every name that both know is one number, and no other is let in."""
    known = _known_names(arch)
    for name, answer in known.items():
        for number in call_names(arch):
            data = call_data(number, AUDIT_ARCH[arch], (0,) * 6, 0)
            meant = "ALLOW" if number == call_numbers(arch)[name] else None
            value = action_value(meant) if meant else _KILL_THREAD
            assert run(answer.code, data) == value, (name, number)
    print(f"{len(known)} of {len(call_numbers(arch))} names are known to kafel")
    assert len(known) > 300 * (arch == "x86_64")


@pytest.mark.parametrize("named", [False, True], ids=["declared", "named"])
@pytest.mark.parametrize("arch", _ARCHES)
def test_equal_rules_get_equal_answers(arch: str, named: bool) -> None:
    """Arguments that the policy declares, and those that kafel knows by name."""
    known = _known_bits(arch) if named else {}
    peer = Peer(_KILL_THREAD, lambda name, arg: known.get((name, arg), 64))
    usable = {name for name, widths in argument_widths().items() if widths}
    usable &= set(_known_names(arch))
    usable &= set(_NAMES) if named else usable
    names = sorted(usable)
    sets = [_rule_set(random.Random(seed), arch, names) for seed in range(_SETS)]
    asked = [(arch, policy(one, _NAMES if named else {})) for one in sets]
    departures: Counter[str] = Counter()
    for seed, answer in enumerate(_compiled(asked)):
        source = random.Random(seed)
        departures += compare(sets[seed], answer.code, peer, source, _VECTORS)
    print(f"of {_SETS * _VECTORS} calls: {dict(departures)}")
    # Nothing about x32 is met where there is no x32.
    wanted = {*REASONS} - ({X32} if arch == "aarch64" else set())
    # That more is compared need not be met where most arguments are known.
    assert wanted - ({WIDER} if named else set()) <= set(departures) <= wanted


def test_no_known_argument_is_compared_narrower_than_kept() -> None:
    """Wider only lets more spellings differ; narrower would lose part of a value."""
    wider = []
    for arch in _ARCHES:
        for (name, arg), compared in _known_bits(arch).items():
            kept = argument_widths()[name][arg]
            assert compared >= kept, (arch, name, arg)
            wider += [f"{name}.{_NAMES[name][arg]}"] if compared > kept else []
    print(f"compared wider than kept: {' '.join(sorted(set(wider)))}")


def test_a_declared_argument_lets_an_int_pass() -> None:
    """`TIOCSTI` with a high word: the kernel drops it; a filter must as well."""
    request = 0x5412
    texts = [
        f"ERRNO(1) {{ ioctl{args} {{ cmd == {request:#x} }} }}\nDEFAULT ALLOW\n"
        for args in ("", "(fd, cmd, arg)")
    ]
    found = [
        _answer(answer, "x86_64", "ioctl", {1: high | request})
        for answer in _compiled([("x86_64", text) for text in texts])
        for high in (0, 1 << 32)
    ]
    refuse, allow = action_value("EPERM"), action_value("ALLOW")
    assert found == [refuse, refuse, refuse, allow]
