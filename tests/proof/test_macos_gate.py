# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Change macOS artifacts by hand, and see that the gate refuses every change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from stockade.abi.targets import System
from stockade.model.macos_artifact import MacosArtifact, Parameter, ParameterKind
from stockade.model.path_family import policy_on
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Expose,
    Forward,
    Grant,
    Ip,
    MemoryFiles,
    Policy,
    ProjectFiles,
    Signals,
    UnixSockets,
)
from stockade.model.request import PathAction, PathRequest, SeeRequest
from stockade.proof.gate import GateRefusedError
from stockade.proof.macos_evaluator import MacosEvaluator
from stockade.proof.macos_gate import judge
from stockade.proof.sbpl.reader import ListForm, read_forms
from stockade.targets.macos.build import build

# Each is reached by a link and has folders above it of its own.
_GRANTS = (
    Grant("/tmp/one/data", Access.READ),
    Grant("/tmp/one/data/in", Access.READ_WRITE),
    Grant("/tmp/two/out", Access.READ_WRITE),
    Grant("/var/three/tools", Access.READ_EXEC),
)
_POLICIES = {
    "plain": Policy(grants=_GRANTS),
    "private": Policy(
        grants=_GRANTS,
        ip=Ip.PRIVATE,
        signals=Signals.ISOLATED,
        children=Children.CONTAINED,
        expose=(Expose("127.0.0.1:9000", 8080),),
        forward=(Forward(5432, "h:1"),),
    ),
    "open": Policy(
        grants=_GRANTS,
        ip=Ip.ALL,
        unix_sockets=UnixSockets.ALL,
        mach_services=("org.example.a",),
        memory_files=MemoryFiles.ALLOWED,
    ),
}


def test_a_command_in_a_readable_folder_is_one_file() -> None:
    """GL-151: below it nothing is executed, and what else reads it still reads."""
    grants = tuple(
        Grant(path, access)
        for path, access in (
            ("/srv/in", Access.READ),
            ("/srv/in", Access.COMMAND),
            ("/srv/tools", Access.READ_EXEC),
            ("/srv/tools/one", Access.COMMAND),
            ("/srv/tools/one/two", Access.COMMAND),
        )
    )
    policy = Policy(grants=grants, commands=Commands.LISTED)
    artifact = _built(policy)
    judge(policy, artifact)
    decide = MacosEvaluator(artifact).decide
    for path, action, allowed in (
        ("/srv/in/x", PathAction.EXECUTE, False),
        ("/srv/in/x", PathAction.READ, True),
        ("/srv/in", PathAction.EXECUTE, True),
        ("/srv/tools/x", PathAction.EXECUTE, False),
        ("/srv/tools/one", PathAction.EXECUTE, True),
        ("/srv/tools/one/x", PathAction.EXECUTE, False),
        ("/srv/tools/one/two", PathAction.EXECUTE, True),
    ):
        assert decide(PathRequest(path, action)).allowed is allowed, path


def _built(policy: Policy) -> MacosArtifact:
    own = policy_on(policy, System.MACOS)
    return build(own, name="p", requirements=(), warnings=())


def _forms(profile: str) -> Iterator[ListForm]:
    for form in read_forms(profile, "")[0]:
        assert isinstance(form, ListForm)
        yield form


# "plain" has no rule that neither of these has.
@pytest.mark.parametrize("name", ["private", "open"])
def test_no_rule_can_be_left_out_unnoticed(name: str) -> None:
    policy = _POLICIES[name]
    artifact = _built(policy)
    judge(policy, artifact)
    unnoticed = []
    for form in _forms(artifact.profile):
        shorter = artifact.profile[: form.start] + artifact.profile[form.end :]
        try:
            judge(policy, replace(artifact, profile=shorter))
        except GateRefusedError:
            continue
        unnoticed.append(artifact.profile[form.start : form.end])
    # What parts long lists decides nothing, and the ways to paths are given twice where
    # none is a link: see the template, and the next test.
    assert [
        rule
        for rule in unnoticed
        if "(never))" not in rule and "(way-to (param" not in rule
    ] == []


def test_a_path_behind_a_link_is_seen_both_ways() -> None:
    """The launcher resolves a path; a program that goes by the link sees the link."""
    artifact = _built(_POLICIES["plain"])
    resolved = tuple(
        replace(one, value=f"/Volumes/far{one.value}")
        if one.kind is ParameterKind.PATH
        else one
        for one in artifact.parameters
    )
    evaluator = MacosEvaluator(replace(artifact, parameters=resolved))
    written = "/private/tmp/one/data"
    for path in (written, "/private/tmp/one", f"/Volumes/far{written}", "/Volumes/far"):
        assert evaluator.decide(SeeRequest(path)).allowed
    assert not evaluator.decide(SeeRequest("/Volumes/near")).allowed
    read = [
        evaluator.decide(PathRequest(path, PathAction.READ)).allowed
        for path in (written, f"/Volumes/far{written}")
    ]
    assert read == [False, True]


@pytest.mark.parametrize(
    "rule",
    [
        "(allow default)",
        '(allow file-read* (subpath "/"))',
        '(allow file-read-data (literal "/"))(allow file-read* (subpath "/"))',
        "(allow file-write* (vnode-type REGULAR-FILE))",
        "(allow file-mknod)",
        "(allow file-link)",
        "(allow file-write-create (vnode-type FIFO))",
        "(allow file-write-setugid)",
        "(allow file-test-existence)",
        "(allow process-exec*)",
        "(allow process-info*)",
        "(allow network-outbound (remote ip))",
        "(allow network-bind)",
        "(allow mach-lookup)",
        '(allow mach-lookup (global-name-prefix "com.apple."))',
        "(allow mach-register)",
        "(allow iokit-open-user-client)",
        "(allow lsopen)",
        "(allow job-creation)",
        "(allow sysctl*)",
        "(allow system-socket)(allow network*)",
        "(allow file-map-executable)",
        '(allow file-ioctl (ioctl-command (_IO "t" 114)))',
        "(allow socket-ioctl)",
        "(allow user-preference-read)",
        "(deny process-exec* (file-mode #o0100))",
        "(deny sysctl-read (vnode-type FIFO))",
        "(deny signal (target self))",
        '(deny file-read-data (literal "/"))',
        '(import "system.sb")',
        '(trace "/tmp/x")',
        '(allow process-exec* (literal (param "PROGRAM")) (with no-sandbox))',
        "(deny file-write* (with no-log))",
        "(version 2)",
        '(deny file-read-data (literal (param "NEVER")))',
        '(deny file-read-data (literal "/tmp/data"))',
        '(deny file-read-data (subpath "/x/"))',
    ],
)
def test_no_rule_can_be_added_unnoticed(rule: str) -> None:
    """Also rules that only take away: what a policy grants must be there."""
    policy = _POLICIES["plain"]
    artifact = _built(policy)
    with pytest.raises(GateRefusedError):
        judge(policy, replace(artifact, profile=f"{artifact.profile}\n{rule}\n"))


def test_a_refusal_names_the_request_and_the_rule() -> None:
    policy = _POLICIES["plain"]
    artifact = _built(policy)
    more = f'{artifact.profile}\n(allow file-write* (literal "/"))\n'
    with pytest.raises(GateRefusedError) as caught:
        judge(policy, replace(artifact, profile=more))
    assert "PathRequest(path='/'" in str(caught.value)
    assert '(allow file-write* (literal "/"))' in str(caught.value)


def _with_value(artifact: MacosArtifact, kind: ParameterKind, value: str) -> Parameter:
    found = next(one for one in artifact.parameters if one.kind is kind)
    return replace(found, value=value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ParameterKind.PATH, "/"),
        (ParameterKind.PATH, "/Users/me/other"),
        (ParameterKind.PATH, "/Users/me/data/"),
        (ParameterKind.PATH, "/Users//me"),
        (ParameterKind.PATH, "/Users/../me"),
        (ParameterKind.PATH, "relative"),
        (ParameterKind.PATH, ""),
        (ParameterKind.PATH, "/a\0b"),
        (ParameterKind.SYSTEM_PATH, "/Users"),
        (ParameterKind.PORT, "localhost:5433"),
        (ParameterKind.PORT, "*:5432"),
        (ParameterKind.PORT, "localhost:*"),
        (ParameterKind.PROGRAM, "/bin/sh"),
    ],
)
def test_no_value_can_be_changed_unnoticed(kind: ParameterKind, value: str) -> None:
    policy = _POLICIES["private"]
    artifact = _built(policy)
    changed = _with_value(artifact, kind, value)
    table = tuple(
        changed if one.name == changed.name else one for one in artifact.parameters
    )
    with pytest.raises(GateRefusedError):
        judge(policy, replace(artifact, parameters=table))


def test_every_parameter_has_one_value_and_one_use() -> None:
    policy = _POLICIES["plain"]
    artifact = _built(policy)
    first, *others = artifact.parameters
    unused = Parameter("UNUSED", ParameterKind.PATH, "/x")
    for table in (
        tuple(others),
        (*artifact.parameters, first),
        (unused, first, *others),
    ):
        with pytest.raises(GateRefusedError):
            judge(policy, replace(artifact, parameters=table))


def test_a_profile_that_takes_too_long_is_refused() -> None:
    """Also one that somebody put into a bundle; it would change no decision."""
    policy = _POLICIES["plain"]
    artifact = _built(policy)
    words = " ".join(f'"(.*)*(.*)*{number}x"' for number in range(1500))
    deny = f'(deny file-read-data (require-all (regex {words}) (subpath "/")))'
    # Equal neighbours would count as one rule, which has no room for so much.
    apart = '(allow file-read-data (require-all (path "/") (require-not (path "/"))))'
    rules = (deny + apart) * 6
    with pytest.raises(GateRefusedError, match="states for one request"):
        judge(policy, replace(artifact, profile=artifact.profile + rules))


def test_an_environment_of_another_policy_is_refused() -> None:
    policy = _POLICIES["plain"]
    other = _built(replace(policy, pass_names=("SECRET",)))
    with pytest.raises(GateRefusedError, match="SECRET"):
        judge(policy, other)


@pytest.mark.parametrize("access", [Access.READ, Access.READ_EXEC, Access.COMMAND])
@pytest.mark.parametrize(
    "path", ["/usr/bin/true", "/USR/BIN/true", "/system/library/x"]
)
def test_no_path_is_taken_for_another(path: str, access: Access) -> None:
    """Neither for the program, nor for another folder where case does not count."""
    commands = Commands.LISTED if access is Access.COMMAND else Commands.ANY
    policy = Policy(grants=(Grant(path, access),), commands=commands)
    artifact = build(
        policy_on(policy, System.MACOS), name="p", requirements=(), warnings=()
    )
    assert judge(policy, artifact) > 100


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_a_writable_device_of_the_system_holds_no_project(path: str) -> None:
    guarded = Policy(
        grants=(Grant(path, Access.READ_WRITE),), project_files=ProjectFiles.PROTECTED
    )
    artifact = build(guarded, name="p", requirements=(), warnings=())
    assert judge(guarded, artifact) > 100
