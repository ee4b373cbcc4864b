# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check what a query answers for macOS and Windows: decision, keys, deviation."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from flat_subjects import by_keys, subject_of

from stockade.abi.targets import System
from stockade.model.any_artifact import AnyArtifact
from stockade.model.place import Place, Places
from stockade.model.policy import Access, Grant, Ip, Others, Policy
from stockade.model.request import (
    AnyRequest,
    CallRequest,
    Decision,
    EnvironmentRequest,
    InspectRequest,
    NeutralRequest,
    PathAction,
    PathRequest,
    StartRequest,
    UnixRequest,
)
from stockade.render.shell import shell_words
from stockade.review.flat_query import flat_answer
from stockade.review.judges import Decide
from stockade.review.query import json_text, text_lines
from stockade.review.request_words import read_request

_IN = {System.MACOS: "/srv/in", System.WINDOWS: "C:\\srv\\in"}
_FLAT = (System.MACOS, System.WINDOWS)


def _policy(system: System) -> Policy:
    return Policy(grants=(Grant(_IN[system], Access.READ),), pass_names=("LANG",))


def _line(policy: Policy, system: System, request: AnyRequest) -> str:
    found = flat_answer(subject_of(policy, system), request, by_keys)
    line, note = text_lines((found,))
    assert note == f"`{system}` is simulated: decided by evaluators, never run there"
    return line


@pytest.mark.parametrize("system", _FLAT)
def test_an_answer_names_target_rule_and_key(system: System) -> None:
    policy = _policy(system)
    grant = policy.grants[0]
    subject = subject_of(policy, system)
    placed = Places({}, {grant: Place("filesystem.read", "p.toml:3")})
    subject = replace(subject, places=placed)
    # Names are equal in any case.
    request = PathRequest(_IN[system].upper() + _IN[system][-3] + "x", PathAction.READ)
    found = flat_answer(subject, request, by_keys)
    assert found.decision == "allow"
    assert found.reason.keys == (Place("filesystem.read", "p.toml:3"),)
    line = next(iter(text_lines((found,))))
    assert line.startswith(f"base, every host, {system}: allow: read `")
    assert line.endswith("; by `filesystem.read` (p.toml:3)")


def test_a_refusal_names_the_rules_that_cover_in_vain() -> None:
    policy = _policy(System.MACOS)
    line = _line(policy, System.MACOS, PathRequest("/srv/in/x", PathAction.WRITE))
    assert line.startswith("base, every host, macos: denied: ")
    assert "by `filesystem.read`" in line


def test_a_deviation_is_named_with_its_warning() -> None:
    line = _line(
        Policy(ip=Ip.CLIENT),
        System.MACOS,
        UnixRequest("/private/var/run/mDNSResponder"),
    )
    assert ": allow: " in line
    assert "weaker than meant, `resolver-is-reached`: names resolve by" in line
    assert "[resolver-socket]" in line
    line = _line(Policy(others=Others.VISIBLE), System.MACOS, InspectRequest())
    assert "denied" in line
    assert "stricter than meant, `others-look-gone`" in line


def test_a_judge_that_answers_as_meant_names_no_deviation() -> None:
    """What is told is why the judge answers so, and not what a table would say."""

    def allowing(_: AnyArtifact) -> Decide:
        def answer(_request: NeutralRequest) -> Decision:
            return Decision("ALLOW", "line 1: (allow default)")

        return answer

    subject = subject_of(Policy(), System.MACOS)
    found = flat_answer(subject, InspectRequest(), allowing)
    assert (found.decision, found.reason.text) == ("allow", "line 1: (allow default)")


def test_what_is_the_same_on_every_host_needs_no_judge() -> None:
    policy = _policy(System.MACOS)
    assert ": allow: the caller's value is passed on" in _line(
        policy, System.MACOS, EnvironmentRequest("LANG")
    )
    assert ": absent: " in _line(policy, System.MACOS, EnvironmentRequest("X"))
    without = StartRequest(without="/srv/in")
    assert ": refused: the path of read `/srv/in`" in _line(
        policy, System.MACOS, without
    )
    with pytest.raises(ValueError, match="a target of Linux"):
        _line(policy, System.MACOS, CallRequest("x86_64", 0))


def test_an_answer_that_sources_leave_open_is_no_denial() -> None:
    def unsure(_: AnyArtifact) -> Decide:
        return lambda _request: Decision("unsure", "two readings")

    found = flat_answer(subject_of(Policy(), System.MACOS), InspectRequest(), unsure)
    assert ": unsure: two readings" in next(iter(text_lines((found,))))
    (answer,) = json.loads(json_text((found,)))["answers"]
    assert (answer["decision"], answer["allowed"]) == ("unsure", False)
    assert answer["simulated"] == ["macos"]


def test_a_path_of_windows_is_asked_as_it_is_written() -> None:
    policy = _policy(System.WINDOWS)
    request = read_request(shell_words("read 'c:/SRV/in/x y'"), "")
    assert ": allow: " in _line(policy, System.WINDOWS, request)
