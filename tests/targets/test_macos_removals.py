# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Leave out each rule of a profile once: the gate refuses, or it says why not here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from macos_asked import built

from stockade.model.macos_artifact import MacosArtifact
from stockade.policy import read_policy
from stockade.proof.gate import GateRefusedError
from stockade.proof.macos_gate import judge
from stockade.proof.sbpl.reader import ListForm, read_forms

_CASES = Path(__file__).parent / "cases" / "macos"
# Quick ones first: a rule that one of them needs is not tried again.
_NAMES = ("strictest", "worker", "private-ports", "everything-open")
_LAST = "client-in-a-checkout"
# What no request of the gate needs, by how it begins, and who needs it.
_SPARED = {
    "(deny file-read-metadata file-test-existence\n  (never))": "room in a rule",
    "(allow file-clone file-link file-write* file-write-create": "room in a rule",
    "(allow file-read-metadata file-test-existence\n  (literal (param": (
        "ways to paths that lie on the ways to others here"
    ),
    "(deny file-map-executable\n": "no wider grant is there to take from",
    "(allow ipc-sysv*)": "no request asks for System V objects",
    "(deny file-write-create file-write-unlink\n  (regex": (
        "a request names the folder of what it makes, not the folder itself"
    ),
}


def _rules(artifact: MacosArtifact) -> Iterator[tuple[str, MacosArtifact]]:
    """Give each rule with the artifact that lacks it."""
    text = artifact.profile
    forms, _ = read_forms(text, "")
    for form in forms:
        assert isinstance(form, ListForm)
        rule = text[form.start : form.end]
        if rule.startswith(("(allow", "(deny")):
            without = text[: form.start] + text[form.end :]
            yield rule, replace(artifact, profile=without)


def test_no_rule_can_be_left_out_unnoticed() -> None:
    """S2-329: what the gate does not need has a reason, and nothing else has one."""
    needed: dict[str, None] = {}
    spare: dict[str, None] = {}
    for name in (*_NAMES, _LAST):
        policy = read_policy((_CASES / f"{name}.toml").read_text("utf-8"), name)
        for rule, without in _rules(built(policy)):
            if rule in needed or (rule in spare and name == _LAST):
                continue
            try:
                judge(policy, without)
            except GateRefusedError:
                needed[rule] = None
            else:
                spare[rule] = None
    assert len(needed) > 60
    left = [rule for rule in spare if rule not in needed]
    unexplained = [
        rule for rule in left if not any(rule.startswith(one) for one in _SPARED)
    ]
    assert not unexplained
    unused = [one for one in _SPARED if not any(rule.startswith(one) for rule in left)]
    assert not unused
