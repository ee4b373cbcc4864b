# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold generated policies to what they mean on Windows, row by row of what differs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from stockade.abi.targets import System
from stockade.model.deviation import Deviation, expect
from stockade.model.overlap import overlaps
from stockade.model.path_family import folded
from stockade.model.policy import (
    Access,
    Base,
    Children,
    Commands,
    Grant,
    Ip,
    Junctions,
    Others,
    PathMetadata,
    Policy,
    Signals,
    Symlinks,
    UnixSockets,
    Win32k,
)
from stockade.model.policy import System as SystemSet
from stockade.model.request import Decision, NeutralRequest
from stockade.model.sheet import sheet
from stockade.model.windows_deviations import WINDOWS_DEVIATIONS
from stockade.plan.support import unbuilt
from stockade.proof.windows_evaluator import WindowsEvaluator
from stockade.proof.windows_gate import judge
from stockade.targets.windows.build import build

# Beside each other, below each other, in other cases, on another drive, and below
# what Windows opens itself.
_PATHS = (
    *("C:\\app", "C:\\app\\bin", "C:\\APP\\Bin\\x", "C:\\app\\bin-x", "C:\\data"),
    *("D:\\out", "D:\\out\\deep", "C:\\Users\\me\\data", "C:\\Windows\\System32"),
    *("C:\\Program Files\\tool", "C:\\stra\u00dfe", "C:\\a'b (c) \u00e9"),
)
_VALUES: dict[str, tuple[Any, ...]] = {
    "system": tuple(SystemSet),
    "ip": tuple(Ip),
    "unix_sockets": tuple(UnixSockets),
    "signals": tuple(Signals),
    "children": tuple(Children),
    "symlinks": tuple(Symlinks),
    "commands": tuple(Commands),
    "path_metadata": tuple(PathMetadata),
    "others": tuple(Others),
    "environment_base": tuple(Base),
    "pass_names": ((), ("HOME", "Path")),
    "set_values": ((), (("mode", "1"),)),
    "win32k": tuple(Win32k),
    "junctions": tuple(Junctions),
}


def _possible(policy: Policy) -> bool:
    """Tell whether the format takes a policy, and Windows holds it."""
    allowed = policy.children is Children.ALLOWED
    alone = policy.children is Children.NONE
    own = policy.signals in (Signals.ISOLATED, Signals.SELF)
    if policy.unix_sockets is UnixSockets.ALL and not allowed:
        return False
    if policy.signals is Signals.SELF and not alone:
        return False
    if policy.children is Children.CONTAINED and not own:
        return False
    if policy.commands is Commands.ANY and any(
        one.access is Access.COMMAND for one in policy.grants
    ):
        return False
    contradicting = overlaps(policy.grants, lambda path: folded(path, System.WINDOWS))
    return not any(contradicting) and not unbuilt(policy, System.WINDOWS)


_GRANTS = some.lists(
    some.builds(Grant, some.sampled_from(_PATHS), some.sampled_from(list(Access))),
    max_size=5,
    unique=True,
).map(lambda found: tuple(sorted(found)))
_POLICIES = some.builds(
    Policy,
    grants=_GRANTS,
    appcontainer_name=some.sampled_from(["example.app", "A b-c_d.1"]),
    **{field: some.sampled_from(values) for field, values in _VALUES.items()},
).filter(_possible)


@settings(deadline=None, max_examples=60)
@given(_POLICIES)
def test_generated_policies_are_held_as_they_are_meant(policy: Policy) -> None:
    """S2-348: every decision is the meaning's, or turned round by a named row."""
    artifact = build(policy, name="example", requirements=(), warnings=())
    assert judge(policy, artifact) > 100


# Beside what another value needs, for the values that need one.
_WITH: dict[Any, dict[str, Any]] = {
    Signals.SELF: {"children": Children.NONE},
    Children.CONTAINED: {"signals": Signals.ISOLATED},
    Commands.LISTED: {"children": Children.NONE},
}


def _chosen() -> Iterator[Policy]:
    """Give every value once, on grants of every kind."""
    grants = (
        Grant("C:\\Windows\\System32", Access.READ),
        Grant("C:\\app\\bin", Access.READ_EXEC),
        Grant("C:\\data", Access.READ),
        Grant("D:\\out", Access.READ_WRITE),
    )
    command = Grant("C:\\app\\tool.exe", Access.COMMAND)
    for field, values in _VALUES.items():
        for value in values:
            chosen = {field: value, **_WITH.get(value, {})}
            listed = value is Commands.LISTED
            kept = tuple(sorted((*grants, command))) if listed else grants
            policy = Policy(grants=kept, appcontainer_name="example.app", **chosen)
            assert _possible(policy), policy
            yield policy


@cache
def _policies() -> tuple[Policy, ...]:
    return tuple(dict.fromkeys(_chosen()))


@cache
def _decided(policy: Policy) -> tuple[tuple[NeutralRequest, Decision], ...]:
    artifact = build(policy, name="example", requirements=(), warnings=())
    evaluator = WindowsEvaluator(artifact)
    requests = sheet((policy,), System.WINDOWS)
    return tuple((one, evaluator.decide(one)) for one in requests)


_Asked = tuple[Policy, NeutralRequest, Decision]


@cache
def _by_row() -> dict[str, list[_Asked]]:
    """List what each row turns round, and under `` what none may have to."""
    found: dict[str, list[_Asked]] = {}
    for policy in _policies():
        for request, decided in _decided(policy):
            wanted, row = expect(policy, System.WINDOWS, request, WINDOWS_DEVIATIONS)
            asked = (policy, request, decided)
            if wanted.action != decided.action:
                found.setdefault("", []).append(asked)
            elif row is not None:
                found.setdefault(row.name, []).append(asked)
    return found


def test_every_value_is_held_as_it_is_meant() -> None:
    wrong = [(request, decided) for _, request, decided in _by_row().get("", [])]
    assert wrong == []
    assert len(_policies()) > 20


@pytest.mark.parametrize("row", WINDOWS_DEVIATIONS, ids=lambda row: row.name)
def test_no_row_can_be_left_out(row: Deviation) -> None:
    """Without it some policy is held otherwise than it is said to be."""
    others = tuple(one for one in WINDOWS_DEVIATIONS if one is not row)
    without = (
        (expect(policy, System.WINDOWS, request, others)[0], decided)
        for policy, request, decided in _by_row().get(row.name, [])
    )
    assert any(wanted.action != decided.action for wanted, decided in without)


@pytest.mark.parametrize("row", WINDOWS_DEVIATIONS, ids=lambda row: row.name)
def test_a_row_that_gives_more_has_a_warning(row: Deviation) -> None:
    assert row.system is System.WINDOWS
    assert bool(row.warning) is row.weaker
    assert row.fields
    assert all(hasattr(Policy(), field) for field in row.fields)
