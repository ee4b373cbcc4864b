# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check what a comparison says of two macOS or two Windows artifacts, made by hand."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from flat_subjects import OBEDIENT, macos_subject, subject_of, windows_subject

from policies import GRANTS
from stockade.abi.targets import System
from stockade.driver.linux import build_linux
from stockade.model.artifact import (
    EnvironmentRow,
    Requirement,
    TrustedLocation,
    WarningLine,
)
from stockade.model.macos_artifact import MacosArtifact, ProcessRule
from stockade.model.policy import (
    Access,
    Children,
    Forward,
    Grant,
    Ioctls,
    Ip,
    PathMetadata,
    Policy,
    ProjectFiles,
    Relays,
    Signals,
    UnixSockets,
)
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    JobLimit,
    Mitigation,
    Preflight,
    PreflightKind,
    Removal,
    RemovalKind,
    UiLimit,
    WindowsArtifact,
)
from stockade.review.change import Finding, Kind
from stockade.review.difference import differences
from stockade.review.report import entries, json_text, text_lines
from stockade.review.subject import AnySubject, Subject

_FLAT = (System.MACOS, System.WINDOWS)
_IN = {System.MACOS: "/srv/in", System.WINDOWS: "C:\\srv\\in"}
_SRV = {System.MACOS: "/srv", System.WINDOWS: "C:\\srv"}


def _found(old: Policy, new: Policy, system: System) -> tuple[Finding, ...]:
    return differences(subject_of(old, system), subject_of(new, system), OBEDIENT)


def _sentences(found: tuple[Finding, ...]) -> list[str]:
    return [str(one.change.sentence) for one in found]


@pytest.mark.parametrize("system", _FLAT)
def test_an_artifact_does_not_differ_from_itself(system: System) -> None:
    policy = Policy(ip=Ip.CLIENT, grants=(Grant(_IN[system], Access.READ_WRITE),))
    one = subject_of(policy, system)
    other = replace(one, artifact=replace(one.artifact, policy_name="another"))
    assert differences(one, other, OBEDIENT) == ()


@pytest.mark.parametrize("system", _FLAT)
def test_a_wider_path_opens_all_but_what_was_open(system: System) -> None:
    old = Policy(grants=(Grant(_IN[system], Access.READ),))
    new = replace(old, grants=(*old.grants, Grant(_SRV[system], Access.READ)))
    finding = _found(old, new, system)[0]
    assert finding.change.kind is Kind.NEWLY_ALLOWED
    assert (finding.level, finding.hosts) == ("base", "every host")
    # A backslash is doubled, as in all that is printed.
    srv, inner = (one[system].replace("\\", "\\\\") for one in (_SRV, _IN))
    assert str(finding.change.sentence) == (
        f"the program may now read files and list folders: `{srv}` and below"
        f" (in `{inner}` it could already)"
    )
    assert finding.change.rules[0].key == "filesystem.read"
    back = _found(new, old, system)[0]
    assert back.change.kind is Kind.NEWLY_DENIED
    assert "it still may" in str(back.change.sentence)


def test_names_on_windows_are_equal_in_any_case() -> None:
    old = Policy(grants=(Grant("C:\\Srv\\In", Access.READ),))
    new = replace(old, grants=(Grant("C:\\SRV", Access.READ), *old.grants))
    found = _found(old, new, System.WINDOWS)
    assert found[0].change.rules[0].key == "filesystem.read"
    assert len(found[0].change.rules) == 1


def test_this_machine_is_told_apart_by_the_version_of_ip() -> None:
    """Relays over IPv4 alone leave `::1` out, and that is all that changes."""
    old = Policy(
        ip=Ip.PRIVATE,
        signals=Signals.ISOLATED,
        forward=(Forward(5432, "127.0.0.1:15432"),),
        relays=Relays.IPV4,
    )
    found = _found(old, replace(old, relays=Relays.DUAL_STACK), System.MACOS)
    (change,) = (one.change for one in found if one.change.kind is Kind.NEWLY_ALLOWED)
    assert str(change.sentence) == (
        "the program may now connect by TCP to this machine over IPv6, port 5432"
    )
    assert [case.witness for case in change.cases] == ["connect [::1]:5432"]
    assert [rule.key for rule in change.rules] == ["relays"]


def test_one_file_in_two_spellings_is_said_once() -> None:
    """`.GIT/hooks` lies in `.git`, where names are equal in any case."""
    old = Policy(grants=(Grant("/srv/out", Access.READ_WRITE),))
    new = replace(old, project_files=ProjectFiles.PROTECTED)
    names = [
        case.name
        for one in _found(old, new, System.MACOS)
        if one.change.kind is Kind.NEWLY_DENIED
        for case in one.change.cases
        if case.witness.startswith("write ")
    ]
    assert "/srv/out/.git" in names
    assert not [name for name in names if "GIT" in name]


@pytest.mark.parametrize(
    ("change", "witness"),
    [
        ({"ip": Ip.ALL}, "connect example.com:443"),
        ({"unix_sockets": UnixSockets.ALL}, "connect unix /run/user/1000/bus"),
        ({"mach_services": ("com.example.a",)}, "service com.example.a"),
        ({"pass_names": ("LD_PRELOAD",)}, "env LD_PRELOAD"),
    ],
)
def test_a_key_is_named_with_a_witness(change: dict[str, object], witness: str) -> None:
    new = Policy(**change)  # type: ignore[arg-type]
    (found,) = (
        one.change
        for one in _found(Policy(), new, System.MACOS)
        if one.change.cases[0].witness == witness
    )
    assert found.kind is Kind.NEWLY_ALLOWED
    assert [rule.key for rule in found.rules] == list(change)


def test_a_key_that_a_system_does_not_heed_is_a_mechanism() -> None:
    """The deviation keeps metadata as it is, so no decision changes."""
    new = Policy(path_metadata=PathMetadata.ALLOW)
    found = _found(Policy(), new, System.MACOS)
    assert {one.change.kind for one in found} == {Kind.MECHANISM}


def test_a_key_that_decides_nothing_is_said_alone() -> None:
    """No finding means equal artifacts, and the keys are part of one."""
    (finding,) = _found(Policy(), Policy(ioctls=Ioctls.NO_INPUT), System.MACOS)
    assert finding.change.kind is Kind.MECHANISM
    assert "a key that decides nothing on this target" in _sentences((finding,))[0]


def test_what_targets_have_in_common_is_said_once() -> None:
    old = Policy(grants=GRANTS)
    new = replace(old, children=Children.NONE, signals=Signals.SELF)
    linux: list[AnySubject] = [
        Subject(build_linux(one, "x", "linux-x86_64"), one) for one in (old, new)
    ]
    found = entries(
        (
            *differences(linux[0], linux[1], OBEDIENT),
            *_found(old, new, System.MACOS),
        )
    )
    spawn = next(one for one in found if one.change.cases[0].witness == "spawn")
    assert spawn.targets == ("linux-x86_64", "macos")
    assert len(spawn.change.cases) == 1
    assert spawn.change.cases[0].after == "EPERM or deny"
    lines = list(text_lines(found))
    assert "    spawn: allow before, EPERM or deny now" in lines
    assert lines[-1].startswith("`macos` is simulated")
    assert '"simulated": ["macos"]' in json_text(found)


def test_a_renumbered_profile_says_one_line_a_path() -> None:
    """Parameters are counted; the one that is new must not rename the others."""
    old = Policy(grants=GRANTS)
    new = replace(old, grants=(Grant("/a", Access.READ), *GRANTS))
    lines = [
        case.after
        for one in _found(old, new, System.MACOS)
        for case in one.change.cases
        if case.name == "rule"
    ]
    assert lines == ['(allow read (subpath "/a"))']


def test_new_names_of_capabilities_are_one_change() -> None:
    """A capability's name holds a hash of the policy, so every edit renames all."""
    paths = tuple(Grant(f"C:\\{name}", Access.READ) for name in "abc")
    old = Policy(grants=paths)
    new = replace(old, grants=(*paths, Grant("C:\\d", Access.READ)))
    found = _found(old, new, System.WINDOWS)
    about = [one for one in _sentences(found) if "capabilit" in one]
    assert about == [
        "paths are granted to capabilities of other names, so a setup is due"
    ]
    entries_of = [
        case.name
        for one in found
        if "what a path is granted" in str(one.change.sentence)
        for case in one.change.cases
    ]
    assert entries_of == ["read C:\\\\d"]


_ROWS: dict[str, object] = {
    "environment": (EnvironmentRow("X", "1"),),
    "requirements": (Requirement("r", "title", "mechanism", ()),),
    "trusted": (TrustedLocation("home", ".ssh"),),
    "warnings": (WarningLine("w", "text"),),
    "streams": ("pty-master",),
}
_OF_MACOS: dict[str, object] = _ROWS | {
    "process_rules": (ProcessRule.SUPERVISE,),
    "profile": "(version 1)\n",
    "parameters": (),
    "keys": (),
}
_OF_WINDOWS: dict[str, object] = _ROWS | {
    "keys": (),
    "container_name": "Other",
    "container_sid": "S-1-15-2-9",
    "capabilities": (Capability("n", CapabilityKind.NETWORK, "S-1-15-3-1"),),
    "program": ("(A;;FR;;;S-1)",),
    "entries": (),
    "private_folder": ("(A;;FR;;;S-1)",),
    "open_folders": ("C:\\Windows",),
    "job_limits": (JobLimit.ONE_PROCESS,),
    "ui_limits": (UiLimit.DESKTOP,),
    "mitigations": (Mitigation.NO_WIN32K,),
    "handles": ("stdin",),
    "junctions": "grant",
    "preflight": (Preflight("p", PreflightKind.REQUIRED, "text"),),
    "removal": (Removal(RemovalKind.PROFILE, "x", "S-1"),),
}
_WRITES = {
    System.MACOS: Grant("/srv/out", Access.READ_WRITE),
    System.WINDOWS: Grant("C:\\out", Access.READ_WRITE),
}


@pytest.mark.parametrize(
    ("whole", "others"),
    [
        (macos_subject(Policy(grants=(_WRITES[System.MACOS],))), _OF_MACOS),
        (windows_subject(Policy(grants=(_WRITES[System.WINDOWS],))), _OF_WINDOWS),
    ],
    ids=_FLAT,
)
def test_every_field_of_an_artifact_is_compared(
    whole: Subject[MacosArtifact] | Subject[WindowsArtifact],
    others: dict[str, object],
) -> None:
    """A field that a later version adds must not change in silence."""
    compared = {one.name for one in fields(whole.artifact)}
    assert compared == {*others, "target", "policy_name"}
    for name, other in others.items():
        changes: dict[str, object] = {name: other}
        edited = replace(whole.artifact, **changes)  # type: ignore[arg-type]
        assert edited != whole.artifact, name
        assert differences(whole, replace(whole, artifact=edited), OBEDIENT), name
