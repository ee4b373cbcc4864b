# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show what a system cannot hold, and that nothing else is without effect there."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from every_value import NAMED, base_of, every_value, words

from stage import REPOSITORY
from stockade.abi.targets import System
from stockade.driver.linux import build_linux
from stockade.model.path_family import policy_on
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Policy,
    ProjectFiles,
    Signals,
)
from stockade.model.policy import System as SystemSet
from stockade.model.windows_artifact import CapabilityKind
from stockade.plan.support import ALIKE, NOTHING, Lack, unbuilt
from stockade.policy.places import key_of
from stockade.targets.macos import build as macos_build
from stockade.targets.windows import build as windows_build


def _lacking(policy: Policy, system: System) -> list[tuple[str, str]]:
    return [(one.field, one.word) for one in unbuilt(policy, system)]


def test_default_is_held_everywhere() -> None:
    for system in System:
        assert unbuilt(NAMED, system) == ()


def _made(policy: Policy, system: System) -> str:
    """Write what is made of a policy, without what only repeats its words."""
    own = policy_on(policy, system)
    if system is System.LINUX:
        # A warning that a key allows nothing is no effect.
        return repr(replace(build_linux(own, "x", "linux-x86_64"), warnings=()))
    build = macos_build.build if system is System.MACOS else windows_build.build
    made = build(own, name="x", requirements=(), warnings=())
    text = repr(replace(made, keys=()))  # type: ignore[type-var]
    # The names hold a sum of all words, also of those that mean nothing there.
    for number, one in enumerate(getattr(made, "capabilities", ())):
        if one.kind is not CapabilityKind.NETWORK:
            text = text.replace(one.sid, f"SID {number}").replace(one.name, "name")
    return text


@pytest.mark.parametrize("system", System)
@pytest.mark.parametrize(("field", "value"), list(every_value()), ids=str)
def test_what_a_system_holds_changes_its_artifact(
    system: System, field: str, value: object
) -> None:
    """S1-003, S1-125: a value is refused, or listed as without effect, or has one."""
    change: dict[str, Any] = {field: value}
    base = base_of(field, system)
    policy = replace(base, **change)
    refused = bool(unbuilt(policy, system))
    listed = field in NOTHING[system] or (field, str(value)) in ALIKE[system]
    assert refused or listed is (_made(policy, system) == _made(base, system))


@pytest.mark.parametrize("system", System)
def test_no_list_names_what_does_not_exist(system: System) -> None:
    default = Policy()
    for field in NOTHING[system]:
        assert hasattr(default, field)
    for field, word in ALIKE[system]:
        assert word in [str(one) for one in words(field)]


@pytest.mark.parametrize("system", System)
def test_no_value_is_both_refused_and_meaningless(system: System) -> None:
    for field, value in every_value():
        change: dict[str, Any] = {field: value}
        lacking = [one for one, _ in _lacking(replace(NAMED, **change), system)]
        if field in lacking:
            assert field not in NOTHING[system]


def test_what_linux_does_not_build() -> None:
    private = Policy(
        ip=Ip.PRIVATE,
        expose=(Expose("127.0.0.1:1", 2),),
        forward=(Forward(3, "127.0.0.1:4"),),
        egress=Egress(5),
        signals=Signals.ISOLATED,
        children=Children.CONTAINED,
        project_files=ProjectFiles.PROTECTED,
    )
    assert _lacking(private, System.LINUX) == [
        ("ip", "private"),
        ("expose", ""),
        ("forward", ""),
        ("egress", ""),
        ("children", "contained"),
        ("project_files", "protected"),
    ]
    assert all(one.lack is Lack.NOT_BUILT for one in unbuilt(private, System.LINUX))
    assert _lacking(private, System.MACOS) == []
    named = replace(private, appcontainer_name="x")
    assert _lacking(named, System.WINDOWS) == [
        ("expose", ""),
        ("forward", ""),
        ("egress", ""),
        ("project_files", "protected"),
    ]


def test_ports_out_of_a_private_network_need_isolated_signals_on_a_mac() -> None:
    """S2-052: and on no other system, nor where nothing leads out."""
    for ports in ({"egress": Egress(1)}, {"forward": (Forward(1, "127.0.0.1:2"),)}):
        change: dict[str, Any] = {"ip": Ip.PRIVATE, **ports}
        policy = replace(NAMED, **change)
        (lack,) = unbuilt(policy, System.MACOS)
        assert (lack.field, lack.lack) == ("signals", Lack.IMPOSSIBLE)
        for signals in (Signals.ISOLATED, Signals.SELF):
            assert not unbuilt(replace(policy, signals=signals), System.MACOS)
        assert "signals" not in dict(_lacking(policy, System.WINDOWS))
    expose = replace(NAMED, ip=Ip.PRIVATE, expose=(Expose("127.0.0.1:1", 2),))
    assert not unbuilt(expose, System.MACOS)
    client = replace(NAMED, ip=Ip.CLIENT, forward=(Forward(1, "127.0.0.1:2"),))
    assert not unbuilt(client, System.MACOS)


def test_no_program_starts_on_a_mac_without_its_system() -> None:
    """S2-321: but where everything may be read anyway."""
    none = replace(NAMED, system=SystemSet.NONE)
    assert _lacking(none, System.MACOS) == [("system", "none")]
    assert not unbuilt(none, System.LINUX)
    root = (Grant("/", Access.READ_EXEC),)
    assert not unbuilt(replace(none, grants=root), System.MACOS)


@pytest.mark.parametrize(
    ("write", "other", "access", "how"),
    [
        ("/A", "/a", Access.READ_EXEC, "overlaps executable"),
        ("/a/B", "/A", Access.READ_EXEC, "overlaps executable"),
        ("/a", "/A/b", Access.COMMAND, "overlaps executable"),
        ("/a", "/A/b", Access.READ, "holds path"),
        ("/\u00e9", "/e\u0301/x", Access.READ, "holds path"),
        ("/tmp/a", "/private/tmp/a", Access.READ_EXEC, "overlaps executable"),
        ("/System/Volumes/Data/Users/a", "/Users/A/b", Access.READ, "holds path"),
    ],
)
def test_overlaps_where_case_does_not_count(
    write: str, other: str, access: Access, how: str
) -> None:
    """S2-337: refused for a Mac only."""
    grants = (Grant(write, Access.READ_WRITE), Grant(other, access))
    commands = Commands.LISTED if access is Access.COMMAND else Commands.ANY
    policy = Policy(grants=grants, commands=commands)
    (lack,) = unbuilt(policy, System.MACOS)
    assert (lack.field, lack.grant) == ("grants", grants[0])
    assert lack.why.startswith(how)
    assert not unbuilt(policy, System.LINUX)
    apart = (Grant(write, Access.READ_WRITE), Grant("/other", access))
    assert not unbuilt(replace(policy, grants=apart), System.MACOS)


def test_libraries_of_a_mac_are_never_writable() -> None:
    """S2-337: by any spelling; a program that loads nothing would not start."""
    for path, lacking in (
        ("/", True),
        ("/usr", True),
        ("/USR/lib/x", True),
        ("/System", True),
        ("/var/db/dyld", True),
        ("/usr/local", False),
        ("/usr/libexec", False),
        ("/private/var/tmp", False),
    ):
        for access in (Access.READ, Access.READ_WRITE):
            policy = Policy(grants=(Grant(path, access),))
            found = bool(unbuilt(policy, System.MACOS))
            assert found is (lacking and access is Access.READ_WRITE), path
            assert not unbuilt(policy, System.LINUX)


def test_longest_path_of_a_mac() -> None:
    """S2-332: what rules are sized by; `/tmp` is longer than it looks."""
    for path, lacking in (
        ("/" + "a" * 1022, False),
        ("/" + "a" * 1023, True),
        ("/" + "é" * 511, False),
        ("/tmp/" + "a" * 1011, True),
        ("/tmp/" + "a" * 1010, False),
        ("/a" * 50, False),
        ("/a" * 51, True),
    ):
        policy = Policy(grants=(Grant(path, Access.READ),))
        assert bool(unbuilt(policy, System.MACOS)) is lacking
        assert not unbuilt(policy, System.LINUX)


@pytest.mark.parametrize("path", ["/", "/etc", "/private/var", "/dev", "/dev/tty"])
def test_folders_of_a_mac_are_no_commands(path: str) -> None:
    listed = Policy(commands=Commands.LISTED, grants=(Grant(path, Access.COMMAND),))
    (lack,) = unbuilt(listed, System.MACOS)
    assert (lack.lack, lack.word) == (Lack.IMPOSSIBLE, path)
    file = (Grant("/usr/bin/true", Access.COMMAND),)
    assert not unbuilt(replace(listed, grants=file), System.MACOS)


def test_what_windows_lacks() -> None:
    """S1-051 S2-338 GL-201."""
    assert _lacking(Policy(), System.WINDOWS) == [("appcontainer_name", "")]
    listed = replace(NAMED, commands=Commands.LISTED)
    assert _lacking(listed, System.WINDOWS) == [("commands", "")]
    assert not unbuilt(replace(listed, children=Children.NONE), System.WINDOWS)
    drive = replace(NAMED, grants=(Grant("C:\\", Access.READ),))
    assert _lacking(drive, System.WINDOWS) == [("grants", "C:\\")]
    for path in ("C:\\Users", "C:\\users\\Me"):
        profile = replace(NAMED, grants=(Grant(path, Access.READ),))
        assert _lacking(profile, System.WINDOWS) == [("grants", path)]
        below = replace(NAMED, grants=(Grant(f"{path}\\x\\y", Access.READ),))
        assert not unbuilt(below, System.WINDOWS)
    names = replace(NAMED, pass_names=("Path",), set_values=(("PATH", "x"),))
    assert _lacking(names, System.WINDOWS) == [("set_values", "PATH")]
    assert not unbuilt(names, System.LINUX)


@pytest.mark.parametrize(
    ("path", "beside"),
    [
        ("C:\\Windows", "C:\\Windows-x"),
        ("C:\\program files\\x\\y", "C:\\program files-x"),
    ],
)
def test_what_windows_opens_to_execute_cannot_be_made_writable(
    path: str, beside: str
) -> None:
    """S2-352."""
    writable = replace(NAMED, grants=(Grant(path, Access.READ_WRITE),))
    assert _lacking(writable, System.WINDOWS) == [("grants", path)]
    for allowed in (Grant(path, Access.READ), Grant(beside, Access.READ_WRITE)):
        assert not unbuilt(replace(NAMED, grants=(allowed,)), System.WINDOWS)


def test_a_system_without_one_of_the_paths_is_lacking() -> None:
    posix = replace(NAMED, grants=(Grant("/srv", Access.READ),))
    windows = replace(NAMED, grants=(Grant("C:\\srv", Access.READ),))
    both = replace(NAMED, grants=(*posix.grants, *windows.grants))
    for system in System:
        lacking = windows if system is not System.WINDOWS else posix
        assert _lacking(lacking, system) == [("grants", "")]
        assert not unbuilt(both, system)


def test_page_of_the_format_tells_what_is_lacking() -> None:
    """For each value of each key: the row names it, in the system's column."""
    page = (REPOSITORY / "docs" / "policy.md").read_text("utf-8")
    table = page.split("## What a system cannot hold\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("|").split("|") for line in table.split("\n") if "|" in line]
    told = {
        system: " ".join(row[0] for row in rows if row[column].strip())
        for column, system in enumerate(System, start=1)
    }
    for system, (field, value) in itertools.product(System, every_value()):
        change: dict[str, Any] = {field: value}
        policy = replace(base_of(field, system), **change)
        for lack in unbuilt(policy, system):
            name = (key_of(lack.field) or lack.field).rpartition(".")[2]
            assert name in told[system], (lack, system)
