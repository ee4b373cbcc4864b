# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the fidelity of keys to what variants and warnings say, and its page to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from fidelity_page import page

from stage import REPOSITORY
from stockade.cli.main import run
from stockade.model.policy import Children, Ip, Policy, Signals
from stockade.plan.fidelity import State, standings
from stockade.plan.warnings import warnings

_PAGE = REPOSITORY / "docs" / "fidelity.md"


def _of(policy: Policy, field: str) -> dict[int, State]:
    return {abi: one.state for abi, one in dict(standings(policy))[field].items()}


def test_page_is_current(*, bless: bool) -> None:
    if bless:
        _PAGE.write_text(page(), "utf-8")
    assert _PAGE.read_text("utf-8") == page()


def test_a_value_that_grants_has_nothing_to_hold() -> None:
    assert set(_of(Policy(ip=Ip.ALL), "ip").values()) == {State.GRANTED}
    assert set(_of(Policy(), "ip").values()) == {State.ENFORCED}


def test_a_host_that_cannot_hold_a_policy_refuses_every_key() -> None:
    policy = Policy(signals=Signals.ISOLATED)
    for field, by_abi in standings(policy):
        refused = [abi for abi, one in by_abi.items() if one.state is State.REFUSED]
        assert refused == [1, 2, 3, 4, 5], field
    alone = Policy(signals=Signals.ISOLATED, children=Children.NONE)
    assert State.REFUSED not in _of(alone, "signals").values()


@pytest.mark.parametrize("ip", [ip for ip in Ip if ip is not Ip.PRIVATE])
def test_every_warning_of_a_policy_belongs_to_a_key(ip: Ip) -> None:
    policy = Policy(ip=ip)
    named = {
        warning
        for _, by_abi in standings(policy)
        for one in by_abi.values()
        for warning in one.warned
    }
    assert named == {line.id for line in warnings(policy)}


def test_command_names_keys_and_places(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text('version = 1\nnetwork.ip = "client"\n')
    assert run(b"stockade", [b"fidelity", b"p.toml"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert (
        "`network.ip` (p.toml:2) client, Landlock ABI 1 to 3: weaker than the word"
        " says, see [ip-client-udp] by ip-inbound-denied: seccomp refuses" in out
    )
    assert "`process.children` allowed, every host: nothing to hold, it grants\n" in out
    assert run(b"stockade", [b"fidelity"]) == 125
