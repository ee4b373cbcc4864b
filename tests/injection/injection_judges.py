# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge that texts of a policy reach what is made of it as data alone.

Each judge compares a policy of hostile texts with its plain twin, and raises
AssertionError where more differs than the data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from hostile_text import Twins

from stockade.abi.targets import SYSTEM_OF, System
from stockade.artifact.canonical import canonical
from stockade.artifact.decode import decode
from stockade.artifact.manifest import manifest, read_manifest
from stockade.artifact.write import checked_bytes
from stockade.driver.compile import back_end
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.path_family import policy_on
from stockade.model.policy import Policy
from stockade.model.windows_artifact import CapabilityKind, WindowsArtifact
from stockade.plan.support import unbuilt
from stockade.proof.sbpl.profile import read_profile
from stockade.proof.windows_acl.descriptor import Kind
from stockade.proof.windows_acl.sddl import read_entry
from stockade.targets.macos import build as macos_build
from stockade.targets.windows import build as windows_build

_OWN_NAME = re.compile(r"stockade\.[0-9a-f]{48}\.[0-9]{1,5}")
# What a terminal or a reader's eye would obey.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_CHECKSUM = 0x12345678


def judge_profile(pair: Twins) -> None:
    """Hold the profile's text to be equal, and every path to a parameter."""
    hostile, plain = (_macos(one) for one in (pair.hostile, pair.plain))
    assert hostile.profile == plain.profile
    named = [(one.name, one.kind) for one in hostile.parameters]
    assert named == [(one.name, one.kind) for one in plain.parameters]
    values = [one.value for one in hostile.parameters]
    for grant in policy_on(pair.hostile, System.MACOS).grants:
        assert grant.path in values
    # Read as the system would, with the values of both: the same rules.
    rules = [[str(rule) for rule in _rules(one)] for one in (hostile, plain)]
    assert len(rules[0]) == len(rules[1]) > 0


def _macos(policy: Policy) -> MacosArtifact:
    own = policy_on(policy, System.MACOS)
    return macos_build.build(own, name="x", requirements=(), warnings=())


def _rules(artifact: MacosArtifact) -> Sequence[object]:
    parameters = {one.name: one.value or "/bin/x" for one in artifact.parameters}
    return read_profile(artifact.profile, parameters).rules


def judge_manifest(pair: Twins) -> None:
    """Hold what a Windows artifact consists of to be the same, and its entries to one.

    A name that a capability gets holds a sum of the policy, and nothing of its text.
    """
    hostile, plain = (_windows(one) for one in (pair.hostile, pair.plain))
    assert _shape(hostile) == _shape(plain)
    texts = [manifest(made) for made in (hostile, plain)]
    views = [json.loads(text) for text in texts]
    assert _json_shape(views[0]) == _json_shape(views[1])
    assert texts[0].isascii()
    assert read_manifest(texts[0]) == hostile
    for made in (hostile, plain):
        _judge_capabilities(made)
        _judge_entries(made)
    paths = [one.path for one in hostile.entries]
    granted = policy_on(pair.hostile, System.WINDOWS).grants
    assert sorted(paths) == sorted(grant.path for grant in granted)


def _windows(policy: Policy) -> WindowsArtifact:
    own = policy_on(policy, System.WINDOWS)
    return windows_build.build(own, name="x", requirements=(), warnings=())


def _shape(value: object) -> object:
    """Give what a value consists of, without its texts and the order they make."""
    if is_dataclass(value):
        names = [one.name for one in fields(value)]
        return tuple((name, _shape(getattr(value, name))) for name in names)
    if isinstance(value, tuple):
        return tuple(sorted(map(_shape, value), key=repr))
    # A word of our own is no free text.
    return str if type(value) is str else value


def _json_shape(view: object) -> object:
    if isinstance(view, dict):
        return {name: _json_shape(one) for name, one in view.items()}
    if isinstance(view, list):
        return sorted(map(_json_shape, view), key=repr)
    return type(view)


def _judge_capabilities(made: WindowsArtifact) -> None:
    for one in made.capabilities:
        own = one.kind is not CapabilityKind.NETWORK
        assert bool(_OWN_NAME.fullmatch(one.name)) is own
    names = [one.name for one in made.capabilities]
    assert len(set(names)) == len(names)


def _judge_entries(made: WindowsArtifact) -> None:
    sids = {one.name: one.sid for one in made.capabilities}
    for one in made.entries:
        for text in (*one.folder, *one.file, *one.junction):
            entry = read_entry(text)
            assert entry.kind is Kind.ALLOW
            assert entry.sid == sids[one.capability]


def judge_snapshot(pair: Twins, target: str) -> None:
    """Hold the snapshot to as many lines, under the same headings, all printable."""
    system = SYSTEM_OF[target]
    held = [_held(one, system) for one in (pair.hostile, pair.plain)]
    hostile, plain = (_snapshot(one, target) for one in held)
    assert len(hostile) == len(plain)
    assert _headings(hostile) == _headings(plain)
    assert not any(_OBEYED.search(line) for line in hostile)


def _held(policy: Policy, system: System) -> Policy:
    """Give a policy that the system holds, with the same texts."""
    names = [one.field for one in unbuilt(policy, system) if one.field != "grants"]
    change: dict[str, Any] = {name: getattr(Policy(), name) for name in names}
    return replace(policy, **change)


def _snapshot(policy: Policy, target: str) -> list[str]:
    stages = back_end(target)
    artifact = stages.build(policy, "x", target, frozenset())
    # Carried whole, through the launcher's own parser.
    assert decode(checked_bytes(artifact)) == canonical(artifact)
    return stages.show(policy, artifact, _CHECKSUM).split("\n")


def _headings(lines: list[str]) -> list[str]:
    return [line for line in lines if re.fullmatch(r"\[[A-Za-z ]+\]", line)]
