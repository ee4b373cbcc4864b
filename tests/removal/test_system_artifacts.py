# SPDX-License-Identifier: Apache-2.0 OR MIT
"""S2-404 What is missing from a macOS or Windows artifact is noticed by `verify`.

Their bundles carry the policy's keys, so all else is compared with what the keys make.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from artifact_removals import removals

from stockade.artifact.canonical import canonical
from stockade.artifact.encode import encode
from stockade.artifact.errors import ArtifactMalformed, BundleRefused
from stockade.driver import bundle
from stockade.driver.compile import back_end
from stockade.model.any_artifact import AnyArtifact
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.policy import Access, Children, Grant, Ip, Policy, Signals
from stockade.model.windows_artifact import WindowsArtifact
from stockade.proof.gate import GateRefusedError

_POLICIES = {
    "macos": Policy(
        grants=(
            Grant("/srv/in", Access.READ),
            Grant("/srv/out", Access.READ_WRITE),
            Grant("/srv/tools", Access.READ_EXEC),
        ),
        ip=Ip.CLIENT,
        signals=Signals.SELF,
        children=Children.NONE,
        pass_names=("LANG",),
        set_values=(("HOME", "/srv/out"),),
        mach_services=("com.apple.trustd.agent",),
    ),
    "windows": Policy(
        grants=(
            Grant("C:\\in", Access.READ),
            Grant("D:\\out", Access.READ_WRITE),
        ),
        ip=Ip.ALL,
        children=Children.NONE,
        pass_names=("LANG",),
        set_values=(("HOME", "D:\\out"),),
        appcontainer_name="example.app",
    ),
}
# The same as for Linux: both are told and decide nothing.
_SURVIVORS = {"policy_name emptied", "warnings[] dropped"}


def _refused(left: AnyArtifact, whole: AnyArtifact) -> bool | None:
    """Tell whether it is refused; None where nothing is missing from the bundle."""
    try:
        found: AnyArtifact = canonical(left)
        if found == whole:
            return None
        if found.target == whole.target and any(bundle.foreign_parts(found)):
            return True
        bundle.verify(encode(found))
    except (ArtifactMalformed, BundleRefused, GateRefusedError):
        return True
    return False


@pytest.mark.parametrize("target", _POLICIES)
def test_an_artifact_that_lacks_one_thing_is_refused(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = back_end(target)
    stages = replace(stages, build=cache(stages.build))
    monkeypatch.setattr(bundle, "back_end", lambda _target: stages)
    made = stages.build(_POLICIES[target], "x", target, frozenset())
    assert isinstance(made, MacosArtifact | WindowsArtifact)
    whole = canonical(made)
    assert not any(bundle.foreign_parts(whole))
    tried, left = 0, []
    for one in removals(whole):
        refused = _refused(one.artifact, whole)
        tried += refused is not None
        if refused is False:
            left.append(one)
    assert {one.kind for one in left} == _SURVIVORS
    assert tried > 200
