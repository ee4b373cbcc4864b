# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the fidelity of keys to what variants and warnings say, and its page to it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from fidelity_page import page

from stage import REPOSITORY
from stockade.abi.targets import System
from stockade.cli.main import run
from stockade.driver.fidelity import PLANS
from stockade.model.policy import Children, Ip, MemoryFiles, Policy, Signals
from stockade.model.policy import System as SystemSet
from stockade.plan.fidelity import Standing, State, standings, system_standings
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
    assert "`process.children` allowed, every Linux host: nothing to hold" in out
    assert run(b"stockade", [b"fidelity"]) == 125


def test_a_system_says_what_it_does_otherwise_and_that_nothing_ran_there(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text('version = 1\nnetwork.ip = "client"\n')
    assert run(b"stockade", [b"fidelity", b"p.toml"]) == 0
    lines = capfd.readouterr().out.splitlines()
    macos = [line for line in lines if ", macos" in line]
    assert len(macos) == len(fields(Policy))
    assert all(", macos (simulated, never run there): " in line for line in macos)
    (network,) = (line for line in macos if line.startswith("`network.ip`"))
    assert "weaker than the word says, see [resolver-socket] [ip-client-udp]" in network
    assert "by ip-inbound-denied: Seatbelt: " in network
    (ioctls,) = (line for line in macos if line.startswith("`linux.ioctls`"))
    assert "means nothing on this system (it is about calls of Linux)" in ioctls


def _on(system: System, policy: Policy, field: str) -> Standing:
    return dict(system_standings(policy, system, PLANS[system]))[field]


def test_what_a_system_cannot_hold_is_refused_with_the_reason() -> None:
    policy = Policy(system=SystemSet.NONE)
    own = _on(System.MACOS, policy, "system")
    assert own.state is State.IMPOSSIBLE
    assert "leaves out the loader" in own.reasons[0]
    assert _on(System.MACOS, policy, "ip").state is State.REFUSED


def test_what_holds_without_being_written_grants_nothing() -> None:
    """A profile has no code made at run time unless the key lets it."""
    left_out = _on(System.MACOS, Policy(), "memory_files")
    assert left_out.state is State.ENFORCED
    assert left_out.reasons == ("it holds without being written",)
    opened = _on(System.MACOS, Policy(memory_files=MemoryFiles.ALLOWED), "memory_files")
    assert opened.state is State.WEAKER


def test_a_deviation_that_turns_nothing_round_is_not_told() -> None:
    """The row on UDP ports is about `client` alone."""
    assert _on(System.MACOS, Policy(ip=Ip.CLIENT), "ip").state is State.WEAKER
    none = _on(System.MACOS, Policy(ip=Ip.NONE), "ip")
    assert (none.state, none.reasons) == (State.ENFORCED, ())


@pytest.mark.parametrize("system", PLANS)
def test_every_warning_of_a_system_belongs_to_a_key(system: System) -> None:
    """A warning that no key tells of would be missing from the page."""
    for policy in (
        Policy(appcontainer_name="example.app"),
        Policy(appcontainer_name="example.app", ip=Ip.CLIENT),
        Policy(appcontainer_name="example.app", signals=Signals.ISOLATED),
    ):
        plan = PLANS[system]
        named = {
            warning
            for _, one in system_standings(policy, system, plan)
            for warning in one.warned
        }
        assert {line.id for line in plan.warnings(policy)} <= named
