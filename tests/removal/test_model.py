# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that nothing can be taken out of what the compiler knows without notice.

What refuses calls is judged by the reviewed table of refused calls, asked exactly as
in `tests/proof/test_refused_calls.py`; all else by the reviewed snapshots, of which
one must differ in its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import removal_page
import test_refused_calls as table
from model_removals import Change, RuleRemoval, artifact_changes, rule_removals
from refused_calls import ROWS
from test_needs import needed

from policies import KEY_COMBINATIONS, LANDLOCK_ABIS
from stage import REPOSITORY
from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.syscalls import ARCHES, call_numbers
from stockade.artifact.canonical import canonical
from stockade.artifact.snapshot import write_snapshot
from stockade.driver.linux import build_linux
from stockade.model import call_rules
from stockade.model.artifact import Artifact, Filter
from stockade.model.decide import WITNESS_NUMBER, decide, rules_by_call
from stockade.model.policy import Policy
from stockade.model.request import CallRequest, Situation
from stockade.plan.variants import lowest_abi
from stockade.policy import read_policy
from stockade.proof.filters import FilterDisagreementError, check_filter
from stockade.targets.linux.seccomp import compile_filter, table_calls

_CASES = tuple(sorted((REPOSITORY / "tests/golden/cases").glob("*/policy.toml")))
_SAME = "other rules answer the same: the old program is proved equal"
# What no reviewed policy has, with the reason.
_UNREVIEWED: dict[str, str] = {}


@cache
def _situations(call: str) -> tuple[tuple[Policy, int], ...]:
    """Give one policy and kernel for each way in which a call is answered."""
    found: dict[object, tuple[Policy, int]] = {}
    for policy in KEY_COMBINATIONS:
        for abi in LANDLOCK_ABIS[lowest_abi(policy) - 1 :]:
            whens = tuple(
                name
                for name, holds in call_rules.CONDITIONS.items()
                if holds(policy, abi)
            )
            rules = rules_by_call(policy, abi).get(call, ())
            words = {
                word
                for rule in call_rules.CALL_RULES
                if call in rule.calls
                for word in rule.when.split()
            }
            case = (rules, tuple(name for name in whens if name in words))
            found.setdefault(case, (policy, abi))
    return tuple(found.values())


def _differs(call: str, policy: Policy, abi: int) -> bool:
    """Ask the table and `decide` for one call, as the table's own test does."""
    rows = [
        row for row in ROWS if call in row.calls and table._in_force(row, policy, abi)
    ]
    for arch in ARCHES:
        if (number := call_numbers(arch).get(call)) is None:
            continue
        situation = Situation(arch, abi)
        for words in table._vectors(call):
            request = CallRequest(arch, number, words, table._OWN)
            meant = table._expected(rows, words)
            if decide(policy, situation, request).errno != meant:
                return True
    return False


def _noticed(removal: RuleRemoval) -> bool:
    return any(
        _differs(call, policy, abi)
        for call in removal.calls
        for policy, abi in _situations(call)
    )


@cache
def _program(policy: Policy, abi: int) -> Filter:
    """Compile the whole rules; called before anything is missing."""
    target = LINUX_TARGETS["linux-x86_64"]
    calls = table_calls(target, rules_by_call(policy, abi))
    return compile_filter(target, calls, WITNESS_NUMBER)


def _means_the_same(removal: RuleRemoval) -> bool:
    """Prove that the rules which are left mean what the program of all does."""
    for call in removal.calls:
        for policy, abi in _situations(call):
            try:
                check_filter(policy, Situation("x86_64", abi), _program(policy, abi))
            except FilterDisagreementError:
                return False
    return True


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let rules be replaced, and forget what was made of them."""
    yield monkeypatch
    monkeypatch.undo()
    rules_by_call.cache_clear()


def test_a_rule_that_lacks_something_is_noticed(
    rules: pytest.MonkeyPatch, bless: bool
) -> None:
    """Each rule, each call, test, range and condition of it, by the table of calls."""
    removals = list(rule_removals())
    # Before anything is missing: every call is answered as the table says.
    calls = {call: None for removal in removals for call in removal.calls}
    for call in calls:
        assert not any(_differs(call, *one) for one in _situations(call)), call
        for policy, abi in _situations(call):
            _program(policy, abi)
    left = []
    for removal in removals:
        rules.setattr(call_rules, "CALL_RULES", removal.rules)
        rules_by_call.cache_clear()
        if not _noticed(removal):
            assert _means_the_same(removal), f"{removal.name} is not noticed"
            left.append(removal.name)
    rows = [(name, _SAME) for name in left]
    removal_page.compare("Rules", rows, (len(removals), len(left)), bless=bless)


def _text(policy: Policy, artifact: Artifact) -> str:
    """Return a snapshot's text without the bundle's checksum, which always differs."""
    return write_snapshot(policy, artifact, 0)


def _golden() -> Iterator[tuple[Policy, Artifact, str]]:
    for case in _CASES:
        policy = read_policy(case.read_text("utf-8"), "policy.toml")
        for target in sorted(LINUX_TARGETS):
            artifact = canonical(build_linux(policy, "golden", target))
            yield policy, artifact, _text(policy, artifact)


def test_what_artifacts_hold_is_in_some_snapshot(bless: bool) -> None:
    """Each probe, line, need, right, text, path, place and condition of variants."""
    golden = list(_golden())
    made = [
        (policy, build_linux(policy, "x", "linux-x86_64"))
        for policy in KEY_COMBINATIONS
    ]
    whole = [artifact for _, artifact in made]
    changes = artifact_changes([*whole, *(artifact for _, artifact, _ in golden)])
    left = [
        name
        for name, change in changes.items()
        if not (
            _lacks_a_need(change, made)
            if name.startswith("need of ")
            else any(_shows(change, *one) for one in golden)
        )
    ]
    assert left == list(_UNREVIEWED)
    rows = list(_UNREVIEWED.items())
    removal_page.compare("Tables", rows, (len(changes), len(left)), bless=bless)


def _lacks_a_need(change: Change, made: list[tuple[Policy, Artifact]]) -> bool:
    """Compare the needs of every line with their own table, as `tests/plan` does."""
    return any(
        {*line.needs} != needed(line, policy, int(variant.name.removeprefix("abi-")))
        for policy, artifact in made
        for variant in change(artifact).levels[0].variants
        for line in variant.requirements
    )


def _shows(change: Change, policy: Policy, artifact: Artifact, text: str) -> bool:
    changed = change(artifact)
    if changed == artifact:
        return False
    try:
        return _text(policy, changed) != text
    except ValueError:
        # A variant without an ABI cannot be listed at all.
        return True
