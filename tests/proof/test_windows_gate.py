# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Break Windows artifacts in one place each: the gate refuses every one by its reason.

The unbroken artifact passes the same gate, so no refusal is of anything else.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from stockade.abi.sid import capability_sid, container_sid
from stockade.model.artifact import EnvironmentRow
from stockade.model.policy import Access, Children, Grant, Ip, Junctions, Policy, Win32k
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    PathEntries,
    WindowsArtifact,
)
from stockade.proof.gate import GateRefusedError
from stockade.proof.windows_gate import judge
from stockade.targets.windows.build import build

_READ, _EXEC, _WRITE = "C:\\app\\data", "C:\\app\\bin", "D:\\out"
_POLICY = Policy(
    appcontainer_name="example.app",
    ip=Ip.CLIENT,
    children=Children.NONE,
    grants=(
        Grant(_EXEC, Access.READ_EXEC),
        Grant(_READ, Access.READ),
        Grant(_WRITE, Access.READ_WRITE),
        Grant("/srv", Access.READ),
    ),
)


def _built(policy: Policy = _POLICY) -> WindowsArtifact:
    own = replace(
        policy, grants=tuple(one for one in policy.grants if "\\" in one.path)
    )
    return build(own, name="example", requirements=(), warnings=())


def _entries(path: str, change: Callable[[PathEntries], PathEntries]) -> _Break:
    def broken(artifact: WindowsArtifact) -> WindowsArtifact:
        return replace(
            artifact,
            entries=tuple(
                change(one) if one.path == path else one for one in artifact.entries
            ),
        )

    return broken


def _texts(path: str, old: str, new: str) -> _Break:
    """Change a path's entries as text; `SID` stands for the capability's own."""

    def change(one: PathEntries) -> PathEntries:
        folder = tuple(text.replace(old, new) for text in one.folder)
        file = tuple(text.replace(old, new) for text in one.file)
        assert (folder, file) != (one.folder, one.file)
        return replace(one, folder=folder, file=file)

    return _entries(path, change)


def _more(path: str, *texts: str) -> _Break:
    """Add entries of the path's own capability to a folder."""

    def broken(artifact: WindowsArtifact) -> WindowsArtifact:
        (one,) = (each for each in artifact.entries if each.path == path)
        (sid,) = (
            each.sid for each in artifact.capabilities if each.name == one.capability
        )
        added = tuple(text.replace("SID", sid) for text in texts)
        changed = replace(one, folder=(*one.folder, *added))
        return _entries(path, lambda _: changed)(artifact)

    return broken


def _without(field: str, at: int) -> _Break:
    def broken(artifact: WindowsArtifact) -> WindowsArtifact:
        found = list(getattr(artifact, field))
        del found[at]
        changed: WindowsArtifact = replace(artifact, **{field: tuple(found)})
        return changed

    return broken


def _with_capability(name: str, kind: CapabilityKind) -> _Break:
    added = Capability(name, kind, capability_sid(name))
    return lambda artifact: replace(
        artifact, capabilities=(*artifact.capabilities, added)
    )


def _moved_entries(path: str) -> _Break:
    return _entries(_READ, lambda one: replace(one, path=path))


_Break = Callable[[WindowsArtifact], WindowsArtifact]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (
            lambda one: replace(one, container_sid=container_sid("other")),
            "SID is not that of `example.app`",
        ),
        (lambda one: replace(one, container_name="no/name"), "container"),
        (
            lambda one: replace(
                one,
                capabilities=(
                    replace(one.capabilities[1], sid=one.capabilities[2].sid),
                    *one.capabilities[2:],
                ),
            ),
            "SID is not that of the capability",
        ),
        (
            lambda one: replace(
                one, capabilities=(*one.capabilities, one.capabilities[0])
            ),
            "one name",
        ),
        (_with_capability("internetClientServer", CapabilityKind.NETWORK), "network"),
        (_with_capability("registryRead", CapabilityKind.NETWORK), "kind"),
        (_with_capability("documentsLibrary", CapabilityKind.PATH), "kind"),
        (_with_capability("example.extra", CapabilityKind.PATH), "capability of its"),
        (_with_capability("example.extra", CapabilityKind.PROGRAM), "not one capab"),
        (_without("capabilities", -1), "network"),
        (
            lambda one: replace(
                one,
                preflight=tuple(
                    each for each in one.preflight if "loopback" not in each.name
                ),
            ),
            "loopback",
        ),
        (_without("entries", 0), "paths"),
        (_moved_entries("C:\\app"), "paths"),
        (_moved_entries("\\\\server\\share"), "paths"),
        (
            _entries(_READ, lambda one: replace(one, access="read_write")),
            "not granted as",
        ),
        (
            _entries(_READ, lambda one: replace(one, file=one.folder[1:])),
            "a file is passed on",
        ),
        (_texts(_READ, "(A;", "(D;"), "denies"),
        (_texts(_READ, "(A;", "(XA;"), "`XA`"),
        (_texts(_READ, ";;;S-1-15-3-1024-", ";;;S-1-15-3-1024-1-"), "another SID"),
        (_texts(_READ, "OIIO", "OIIOID"), "inherited"),
        (_more(_READ, "(D;OICI;FW;;;SID)"), "order"),
        (_more(_READ, "(A;OICI;FR;;;AC)"), "another SID"),
        (_more(_READ, "(A;OICI;FR;;;WD)"), "another SID"),
        (_more(_READ, "(A;OICI;FW;;;SID)"), "more than to read"),
        (_more(_READ, "(A;CIIO;0x10000;;;SID)"), "more than to read"),
        (_more(_READ, "(A;OIIO;FX;;;SID)"), "EXECUTE"),
        (_more(_WRITE, "(A;OIIO;FX;;;SID)"), "could be executed"),
        (_more(_WRITE, "(A;;0x10000;;;SID)"), "itself could be removed"),
        (_more(_WRITE, "(A;CI;0x40;;;SID)"), "protected in it"),
        (_more(_WRITE, "(A;OICI;WD;;;SID)"), "the list, the owner"),
        (_more(_WRITE, "(A;OICI;GA;;;SID)"), "the list, the owner"),
        (_texts(_WRITE, "CIIO", "CIIONP"), "should be `ALLOW`"),
        (_texts(_EXEC, "OICI", "CI"), "should be `ALLOW`"),
        (_texts(_EXEC, "0x1200a9", "0x120089"), "should be `ALLOW`"),
        (_texts(_READ, "0x120089", "0x1"), "is `undecided`"),
        (_entries(_READ, lambda one: replace(one, folder=())), "should be `ALLOW`"),
        (_entries(_READ, lambda one: replace(one, file=())), "should be `ALLOW`"),
        (_entries(_READ, lambda one: replace(one, junction=())), "junctions"),
        (
            _entries(
                _READ,
                lambda one: replace(
                    one, junction=(one.junction[0].replace("(A;;", "(A;OICI;"),)
                ),
            ),
            "own reading",
        ),
        (lambda one: replace(one, program=one.entries[0].file), "another SID"),
        (lambda one: replace(one, private_folder=()), "should be `ALLOW`"),
        (
            lambda one: replace(
                one, private_folder=(f"(A;OICI;FA;;;{one.container_sid})",)
            ),
            "the private folder",
        ),
        (lambda one: replace(one, open_folders=("C:\\",)), "Windows opens"),
        (lambda one: replace(one, mitigations=()), "mitigation"),
        (lambda one: replace(one, job_limits=()), "outlive"),
        (lambda one: replace(one, job_limits=one.job_limits[:1]), "limit of processes"),
        (_without("removal", 0), "takes back"),
        (_without("removal", -1), "takes back"),
        (
            lambda one: replace(
                one, environment=(*one.environment, EnvironmentRow("LD_PRELOAD", "x"))
            ),
            "environment",
        ),
        (_without("environment", 0), "environment"),
        (_without("keys", 0), "keys"),
    ],
)
def test_a_broken_artifact_is_refused_by_its_reason(broken: _Break, words: str) -> None:
    artifact = _built()
    assert judge(_POLICY, artifact) > 200
    with pytest.raises(GateRefusedError, match=words):
        judge(_POLICY, broken(artifact))


@pytest.mark.parametrize(
    "other",
    [
        replace(_POLICY, ip=Ip.NONE),
        replace(_POLICY, children=Children.ALLOWED),
        replace(_POLICY, win32k=Win32k.DENY),
        replace(_POLICY, junctions=Junctions.REFUSE),
        replace(_POLICY, appcontainer_name="example.other"),
        replace(_POLICY, grants=_POLICY.grants[1:]),
        replace(_POLICY, pass_names=("HOME",)),
    ],
)
def test_an_artifact_of_another_policy_is_refused(other: Policy) -> None:
    judge(other, _built(other))
    with pytest.raises(GateRefusedError):
        judge(_POLICY, _built(other))


@pytest.mark.parametrize(
    ("grant", "words"),
    [
        (Grant("C:\\", Access.READ), "root"),
        (Grant("C:\\Users", Access.READ), "root"),
        (Grant("C:\\Users\\me", Access.READ_WRITE), "root"),
        (Grant("C:\\Windows\\Temp", Access.READ_WRITE), "every container executes"),
        (Grant("C:\\a.", Access.READ), "local drive"),
        (Grant("C:\\a\\..\\b", Access.READ), "local drive"),
        (Grant("C:\\a:b", Access.READ), "local drive"),
    ],
)
def test_no_entry_is_set_where_too_much_hangs_on_it(grant: Grant, words: str) -> None:
    """S2-352, S2-356: and on no path that has other spellings."""
    policy = replace(_POLICY, grants=(grant,))
    with pytest.raises(GateRefusedError, match=words):
        judge(policy, _built(policy))
    for path in ("C:\\Users\\me\\x", "C:\\Windows-x", "C:\\a"):
        below = replace(_POLICY, grants=(replace(grant, path=path),))
        judge(below, _built(below))


@pytest.mark.parametrize(
    ("path", "beside"),
    [
        ("D:\\out\\bin", "D:\\out-bin"),
        ("C:\\Users\\me\\AppData\\Local", "C:\\Users\\me\\AppData\\Local\\x"),
        (
            "C:\\Users\\me\\AppData\\Local\\Packages\\Example.APP\\AC",
            "C:\\Users\\me\\AppData\\Local\\Packages\\example.other",
        ),
    ],
)
def test_what_two_entries_together_would_write_and_execute(
    path: str, beside: str
) -> None:
    """A token holds the capabilities of all paths, and its private folder's."""
    for one, words in ((beside, ""), (path, "overlaps|container writes")):
        grants = (Grant(_WRITE, Access.READ_WRITE), Grant(one, Access.READ_EXEC))
        policy = replace(_POLICY, grants=tuple(sorted(grants)))
        if not words:
            judge(policy, _built(policy))
            continue
        with pytest.raises(GateRefusedError, match=words):
            judge(policy, _built(policy))


def test_a_refused_decision_names_request_and_both_answers() -> None:
    broken = _texts(_EXEC, "0x1200a9", "0x120089")(_built())
    with pytest.raises(GateRefusedError) as refused:
        judge(_POLICY, broken)
    for words in ("windows: PathRequest", _EXEC.replace("\\", "\\\\"), "execute"):
        assert words in str(refused.value)
    assert "is `deny` (no entry" in str(refused.value)


def test_a_usual_policy_is_judged_while_nobody_waits() -> None:
    """Measured 7 to 15 ms on two busy processors; the bound leaves room for worse."""
    artifact = _built()
    began = time.process_time()
    judge(_POLICY, artifact)
    assert time.process_time() - began < 0.5
