# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rows of a policy's keys give the policy back, and nothing else reads as one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stockade.model.key_rows import KeyRow, KeyRowsError, key_rows, policy_of
from stockade.model.policy import (
    Access,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Ipc,
    Policy,
    Reach,
    Signals,
    Symlinks,
)

FULL = replace(
    Policy(),
    grants=(Grant("/a b", Access.READ), Grant('C:\\"q"', Access.READ_WRITE)),
    symlinks=Symlinks.ALLOW,
    ip=Ip.PRIVATE,
    signals=Signals.ISOLATED,
    ipc=Ipc.SHARED,
    pass_names=("LANG", "TZ"),
    set_values=(("A", "x=y z"), ("B", "")),
    expose=(Expose("127.0.0.1:18080", 8080),),
    forward=(Forward(1, "127.0.0.1:2"), Forward(3, "[::1]:4")),
    egress=Egress(1080, Reach.PUBLIC_AND_LOCAL),
    mach_services=("com.apple.trustd.agent",),
    appcontainer_name="example.app",
)


@pytest.mark.parametrize("policy", [Policy(), FULL])
def test_rows_give_the_policy_back(policy: Policy) -> None:
    assert policy_of(key_rows(policy)) == policy


def test_defaults_have_no_rows() -> None:
    assert key_rows(Policy()) == ()


@pytest.mark.parametrize(
    "rows",
    [
        (KeyRow("no_such_field", "x"),),
        (KeyRow("ip", "everything"),),
        (KeyRow("ip", "none"),),
        (KeyRow("egress", "many public"),),
        (KeyRow("grant.own", "/a"),),
        (KeyRow("grant.read", ""),),
        (KeyRow("grant.read", "a"),),
        (KeyRow("grant.read", "ab/c"),),
        (KeyRow("grant.read", "/a/"),),
        (KeyRow("grant.read", "/a/../b"),),
        (KeyRow("grant.read", "C:\\a\\"),),
        (KeyRow("grant.read", "c:\\a"),),
        (KeyRow("project_write", "a"),),
        tuple(reversed(key_rows(FULL))),
        (KeyRow("ip", "all"), KeyRow("ip", "all")),
        (KeyRow("expose", "0x1 a"),),
        (KeyRow("expose", "01 a"),),
    ],
)
def test_other_rows_are_refused(rows: tuple[KeyRow, ...]) -> None:
    with pytest.raises(KeyRowsError):
        policy_of(rows)
