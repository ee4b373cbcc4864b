# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask an artifact of Windows for decisions; each refusal beside what it leaves open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stockade.abi.sid import capability_sid
from stockade.model.artifact import EnvironmentRow
from stockade.model.calls import ALLOW
from stockade.model.intent import DENY
from stockade.model.policy import Access, Children, Grant, Ip, Policy
from stockade.model.request import (
    BindRequest,
    ConnectRequest,
    EnvironmentRequest,
    HardLinkRequest,
    InspectRequest,
    ListenRequest,
    MetadataRequest,
    NeutralRequest,
    PathAction,
    PathRequest,
    SeeRequest,
    ServiceRequest,
    SetIdRequest,
    SignalRequest,
    SpawnRequest,
    Transport,
    UnixRequest,
)
from stockade.model.windows_artifact import PathEntries, WindowsArtifact
from stockade.proof.windows_acl.tree import PathRefusedError
from stockade.proof.windows_evaluator import UNDECIDED, WindowsEvaluator
from stockade.targets.windows.build import build

_READ, _EXEC, _WRITE = "C:\\app\\data", "C:\\app\\bin", "D:\\out"
_OWN = "C:\\Users\\Somebody\\AppData\\Local\\Packages\\example.app"
_POLICY = Policy(
    appcontainer_name="example.app",
    grants=(
        Grant(_EXEC, Access.READ_EXEC),
        Grant(_READ, Access.READ),
        Grant(_WRITE, Access.READ_WRITE),
    ),
)


def _built(policy: Policy = _POLICY) -> WindowsArtifact:
    return build(policy, name="example", requirements=(), warnings=())


def _asked(request: NeutralRequest, artifact: WindowsArtifact | None = None) -> str:
    return WindowsEvaluator(artifact or _built()).decide(request).action


_READING = {PathAction.READ, PathAction.LIST}
_WRITING = _READING | {
    PathAction.WRITE,
    PathAction.TRUNCATE,
    PathAction.CREATE_FILE,
    PathAction.CREATE_FOLDER,
    PathAction.CREATE_SOCKET,
    PathAction.REMOVE_FILE,
    PathAction.REMOVE_FOLDER,
    PathAction.MOVE,
    PathAction.DEVICE_REQUEST,
}


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (_READ, _READING),
        (f"{_READ}\\deep\\er", _READING),
        (_READ.upper(), _READING),
        (_EXEC, _READING | {PathAction.EXECUTE}),
        (f"{_EXEC}\\tool.exe", _READING | {PathAction.EXECUTE}),
        (_WRITE, _WRITING),
        (f"{_WRITE}\\deep\\er", _WRITING),
        ("C:\\Windows\\System32\\ntdll.dll", _READING | {PathAction.EXECUTE}),
        ("C:\\Program Files\\x\\x.exe", _READING | {PathAction.EXECUTE}),
        *((path, set()) for path in ("C:\\", "C:\\app", "D:\\", "E:\\x", "D:\\out-x")),
        *((f"{_OWN}\\{name}", _WRITING) for name in ("AC\\x", "ac\\Temp\\x")),
        *((path, set()) for path in (_OWN, f"{_OWN}-x\\AC\\x", f"{_OWN}\\AC-x")),
        *((path, set()) for path in ("C:\\Users\\user", "C:\\app\\data.txt")),
    ],
)
def test_paths_allow_what_their_entries_give(
    path: str, allowed: set[PathAction]
) -> None:
    """S2-351, S2-353, S2-356: nothing above or beside a granted path is open."""
    evaluator = WindowsEvaluator(_built())
    found = {
        action
        for action in PathAction
        if action is not PathAction.CONNECT
        and evaluator.decide(PathRequest(path, action)).allowed
    }
    assert found == allowed
    others = [
        evaluator.decide(PathRequest(path, action)).action
        for action in PathAction
        if action is not PathAction.CONNECT and action not in allowed
    ]
    assert set(others) == {DENY}


def test_a_decision_names_what_gave_it() -> None:
    evaluator = WindowsEvaluator(_built())
    for path, words in (
        (f"{_READ}\\x", f"the entries of `{_READ}`"),
        ("C:\\Windows", "all application packages"),
        ("C:\\app", "no entry"),
        (f"{_OWN}\\AC\\x", "the container's own folder"),
    ):
        assert words in evaluator.decide(PathRequest(path, PathAction.READ)).rule


def test_the_denial_of_a_private_network_says_what_it_hangs_on() -> None:
    for ip, held in ((Ip.CLIENT, True), (Ip.NONE, False)):
        evaluator = WindowsEvaluator(_built(replace(_POLICY, ip=ip)))
        decided = evaluator.decide(ConnectRequest("192.168.0.7", 80))
        assert decided.action == DENY
        assert ("counts as private" in decided.rule) is held


def test_files_have_attributes_links_and_sockets_where_they_are_writable() -> None:
    below = f"{_WRITE}\\x"
    for make in (MetadataRequest, HardLinkRequest, UnixRequest):
        assert _asked(make(below)) == ALLOW
        for path in (
            f"{_READ}\\x",
            f"{_EXEC}\\x",
            "C:\\elsewhere\\x",
            "C:\\Windows\\x",
        ):
            assert _asked(make(path)) == DENY
    # A second name for the granted path itself would lie in a folder beside it.
    assert _asked(HardLinkRequest(_WRITE)) == DENY
    assert _asked(HardLinkRequest("D:\\")) == DENY
    assert _asked(MetadataRequest(_WRITE)) == ALLOW


def test_what_windows_has_not_is_refused() -> None:
    below = f"{_WRITE}\\x"
    for request in (
        SetIdRequest(below),
        UnixRequest("@name"),
        ServiceRequest("com.apple.trustd.agent"),
        *(
            PathRequest(below, action)
            for action in (
                PathAction.CREATE_LINK,
                PathAction.CREATE_FIFO,
                PathAction.CREATE_BLOCK_DEVICE,
                PathAction.CREATE_CHARACTER_DEVICE,
            )
        ),
    ):
        assert _asked(request) == DENY
    assert _asked(PathRequest(below, PathAction.CREATE_FILE)) == ALLOW
    assert _asked(SeeRequest("C:\\elsewhere\\x")) == ALLOW


@pytest.mark.parametrize(
    ("ip", "public", "private"),
    [
        (Ip.NONE, DENY, DENY),
        (Ip.PRIVATE, DENY, DENY),
        (Ip.CLIENT, ALLOW, DENY),
        (Ip.ALL, ALLOW, ALLOW),
    ],
)
def test_capabilities_lead_to_networks(ip: Ip, public: str, private: str) -> None:
    """S2-006, S2-007, S2-021, S2-036."""
    artifact = _built(replace(_POLICY, ip=ip))
    for transport in Transport:
        for host in ("203.0.113.7", "2001:db8::7", "example.org"):
            assert _asked(ConnectRequest(host, 80, transport), artifact) == public
        for host in (
            "10.1.2.3",
            "192.168.1.1",
            "fe80::1",
            "fd00::1",
            "::ffff:10.1.2.3",
        ):
            assert _asked(ConnectRequest(host, 80, transport), artifact) == private
        # The loopback among the container's own processes, whatever the policy.
        for host in ("127.0.0.1", "::1", "localhost", "::ffff:127.0.0.1"):
            assert _asked(ConnectRequest(host, 80, transport), artifact) == ALLOW
        assert _asked(BindRequest(80, transport), artifact) == ALLOW
    assert _asked(ListenRequest(80), artifact) == ALLOW


def test_a_decision_on_the_loopback_says_whose_it_is() -> None:
    """S2-007, S2-035: what leads out or in there is named, where anything does."""
    for ip, connects, listens in (
        (Ip.NONE, "own processes", "own processes"),
        (Ip.PRIVATE, "own processes", "own processes"),
        (Ip.CLIENT, "exemption", "own processes"),
        (Ip.ALL, "exemption", "lets connections in"),
    ):
        evaluator = WindowsEvaluator(_built(replace(_POLICY, ip=ip)))
        assert connects in evaluator.decide(ConnectRequest("127.0.0.1", 80)).rule
        for request in (ListenRequest(80), BindRequest(80)):
            assert listens in evaluator.decide(request).rule


def test_processes_are_reached_inside_the_container_alone() -> None:
    for signal in (0, 9, 15):
        assert _asked(SignalRequest(signal, inside=True)) == ALLOW
        assert _asked(SignalRequest(signal)) == DENY
    assert _asked(InspectRequest()) == DENY


def test_children_are_refused_by_two_walls_or_nobody_may_rely_on_it() -> None:
    """S2-178: a host may take one of the settings and ignore it."""
    alone = _built(replace(_POLICY, children=Children.NONE))
    assert _asked(SpawnRequest()) == ALLOW
    assert _asked(SpawnRequest(), alone) == DENY
    for half in (replace(alone, job_limits=()), replace(alone, mitigations=())):
        assert _asked(SpawnRequest(), half) == UNDECIDED


def test_variables_have_names_in_any_case() -> None:
    """S2-366."""
    rows = (EnvironmentRow("SystemRoot", None), EnvironmentRow("Mode", "x"))
    artifact = replace(_built(), environment=rows)
    for name in ("SystemRoot", "SYSTEMROOT", "MODE"):
        assert _asked(EnvironmentRequest(name), artifact) == ALLOW
    assert _asked(EnvironmentRequest("LD_PRELOAD"), artifact) == DENY


def _with_folder(*texts: str) -> WindowsArtifact:
    """Give one path entries of one's own; `SID` stands for its capability's."""
    artifact = _built()
    (one,) = (each for each in artifact.entries if each.path == _READ)
    (sid,) = (each.sid for each in artifact.capabilities if each.name == one.capability)
    entries = tuple(text.replace("SID", sid) for text in texts)
    changed: tuple[PathEntries, ...] = tuple(
        replace(each, folder=entries, file=()) if each is one else each
        for each in artifact.entries
    )
    return replace(artifact, entries=changed)


def test_a_right_too_few_or_a_denial_is_nothing_to_rely_on() -> None:
    """S2-348: an entry that denies makes an answer undecided, never a refusal."""
    read = PathRequest(f"{_READ}\\x", PathAction.READ)
    for texts, action in (
        (("(A;OICI;FR;;;SID)",), ALLOW),
        (("(A;OICI;0x1;;;SID)",), UNDECIDED),
        (("(A;OICI;0x8;;;SID)",), DENY),
        (("(A;CI;FR;;;SID)",), DENY),
        (("(A;OICINP;FR;;;SID)",), ALLOW),
        (("(D;OICI;FR;;;SID)", "(A;OICI;FR;;;SID)"), UNDECIDED),
        (("(A;OICI;FA;;;BU)",), DENY),
        (("(A;OICI;FR;;;AC)",), ALLOW),
        ((), DENY),
    ):
        assert _asked(read, _with_folder(*texts)) == action, texts
    deep = PathRequest(f"{_READ}\\y\\x", PathAction.READ)
    assert _asked(deep, _with_folder("(A;OICINP;FR;;;SID)")) == DENY
    assert _asked(deep, _with_folder("(A;OICI;FR;;;SID)")) == ALLOW


def test_a_capability_that_the_token_lacks_opens_nothing() -> None:
    """The entry stays on disk; a run without the capability has no use of it."""
    artifact = _built()
    kept = tuple(
        one for one in artifact.capabilities if one.sid.startswith("S-1-15-3-1024-")
    )
    assert capability_sid("internetClient") not in [one.sid for one in kept]
    without = replace(artifact, capabilities=kept[:1])
    request = PathRequest(f"{_READ}\\x", PathAction.READ)
    assert _asked(request, without) == DENY
    assert _asked(request, artifact) == ALLOW


@pytest.mark.parametrize("path", ["\\\\server\\share\\x", "C:\\a\\..\\b", "C:\\a."])
def test_no_decision_is_made_up_for_paths_of_other_kinds(path: str) -> None:
    """S2-358."""
    with pytest.raises(PathRefusedError):
        _asked(PathRequest(path, PathAction.READ))
    assert _asked(PathRequest("C:\\a", PathAction.READ)) == DENY
