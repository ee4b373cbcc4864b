# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show which targets a policy gets, and what is said of those it cannot have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stockade.abi.targets import SYSTEM_OF, System
from stockade.cli.main import run
from stockade.driver.compile import UnheldError, compile_policy, targets
from stockade.driver.targets import (
    TargetsRefusedError,
    chosen_targets,
    default_targets,
)
from stockade.model.policy import Access, Children, Grant, Ip, Policy
from stockade.policy import read_placed

LINUX = [one for one, system in SYSTEM_OF.items() if system is System.LINUX]
_PRIVATE = b'version = 1\n[network]\nip = "private"\n'


def _refusal(policy: Policy, *wanted: str) -> TargetsRefusedError:
    with pytest.raises(TargetsRefusedError) as caught:
        chosen_targets(policy, wanted)
    return caught.value


def test_targets_are_sorted_and_each_once() -> None:
    wanted = [*reversed(LINUX), *LINUX]
    assert chosen_targets(Policy(), wanted) == tuple(sorted(LINUX))


def test_windows_is_for_policies_that_name_its_container() -> None:
    """S1-051."""
    plain = default_targets(Policy())
    named = default_targets(Policy(appcontainer_name="x"))
    assert "windows" not in plain
    assert set(named) - set(plain) == {"windows"} & set(targets())
    assert set(LINUX) <= set(plain)


def test_a_reason_names_value_place_and_targets() -> None:
    policy, places = read_placed(_PRIVATE, "p.toml")
    with pytest.raises(TargetsRefusedError) as caught:
        chosen_targets(policy, LINUX, places)
    (reason,) = caught.value.reasons
    assert reason == (
        "p.toml:3: `network.ip` `private` is not built yet for `linux-aarch64`,"
        " `linux-x86_64`: it needs a network of the program's own"
    )


def test_a_reason_without_a_place_names_the_policy() -> None:
    """Several policies may be judged by one command."""
    with pytest.raises(TargetsRefusedError) as caught:
        chosen_targets(Policy(), ["windows"], name="p.toml")
    (reason,) = caught.value.reasons
    assert reason == (
        "p.toml: `appcontainer_name` must be written for `windows`: it names the"
        " container"
    )


def test_every_reason_is_given() -> None:
    policy = Policy(ip=Ip.PRIVATE, children=Children.CONTAINED)
    assert len(_refusal(policy, *LINUX).reasons) == 2


def test_targets_that_would_do_are_named() -> None:
    grants = (Grant("C:\\srv", Access.READ),)
    policy = Policy(appcontainer_name="x", grants=grants)
    assert set(_refusal(policy, *LINUX).working) == {"windows"} & set(targets())


def test_text_of_a_policy_stays_text() -> None:
    """The name of a path is data in a message too."""
    grants = (Grant("/a\u202eb", Access.READ_WRITE), Grant("/A\u202eB/x", Access.READ))
    policy = Policy(grants=grants)
    with pytest.raises(TargetsRefusedError) as caught:
        chosen_targets(policy, ["macos"])
    assert all(reason.isprintable() for reason in caught.value.reasons)


def test_nothing_is_compiled_for_a_target_that_lacks_something() -> None:
    """The driver's own word, should a caller not have asked."""
    with pytest.raises(UnheldError, match="linux-x86_64: ip needs a network"):
        compile_policy(Policy(ip=Ip.PRIVATE), "x", "linux-x86_64")
    assert compile_policy(replace(Policy(), ip=Ip.NONE), "x", "linux-x86_64")


def test_commands_refuse_alike(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written, every reason stands there, and the last line helps."""
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_bytes(_PRIVATE + b'[process]\nsignals = "isolated"\n')
    for command in (
        ["compile", "p.toml"],
        ["snapshot", "p.toml"],
        ["snapshot", "--check", "p.toml"],
        ["diff", "p.toml", "p.toml"],
        ["query", "p.toml", "read", "/srv"],
        ["report", "p.toml", "--html", "p.html"],
    ):
        words = [*command, *(f"--target={one}" for one in LINUX)]
        if command[0] == "query":
            words = ["query", *(f"--target={one}" for one in LINUX), *command[1:]]
        assert run(b"stockade", [word.encode() for word in words]) == 125
        out, err = capfd.readouterr()
        *lines, last = err.splitlines()
        assert out == ""
        if command[0] in ("diff", "report"):
            assert "p.toml` is refused:" in lines.pop(0)
        (line,) = lines
        assert line.startswith("stockade: p.toml:3: `network.ip` `private` is not")
        assert last.startswith("stockade: nothing is made of the policy; ")
        assert [one.name for one in tmp_path.iterdir()] == ["p.toml"]


def test_a_start_is_refused_by_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`run` and `check` have one target, so they offer no other."""
    monkeypatch.chdir(tmp_path)
    for command in ("run", "check"):
        for options, words in (
            (["--ip", "private"], "`network.ip` `private` is not built yet for `linux"),
            (["--ip", "all", "--expose", "127.0.0.1:1=2"], "`network.expose` is not"),
            (["--ip", "all", "--forward", "1=127.0.0.1:2"], "`network.forward` is not"),
            (["--ip", "private", "--egress", "1"], "`network.egress` is not"),
            (
                ["--signals", "isolated", "--children", "contained"],
                "`process.children` `contained` is not built yet",
            ),
            (["--project-files", "protected"], "`protected` is not built yet"),
            (["--read", "C:\\srv"], "a path must be written for `linux"),
        ):
            raw = [command, *options, "/bin/true"]
            assert run(b"stockade", [word.encode() for word in raw]) == 125
            out, err = capfd.readouterr()
            assert out == ""
            assert words in err
            assert "--target" not in err
            assert all(line.startswith("stockade: ") for line in err.splitlines())
