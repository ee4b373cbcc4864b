# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that an artifact that lacks one thing is refused, or is another artifact.

The judge is `stockade verify`: it knows the artifact alone, not the policy that it
was made from. What survives it is named here, with the reason.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest
import removal_page
from artifact_removals import Removal, removals

from policies import GRANTS
from stockade.artifact.canonical import canonical
from stockade.artifact.encode import encode
from stockade.artifact.errors import ArtifactMalformed, BundleRefused
from stockade.driver import bundle
from stockade.driver.linux import LINUX, build_linux
from stockade.model.artifact import Artifact, Level
from stockade.model.policy import (
    Children,
    Commands,
    Ip,
    PathMetadata,
    Policy,
    Signals,
    Symlinks,
    UnixSockets,
)
from stockade.proof.gate import GateRefusedError

# Between them every section has rows and every kind of operand is in some probe.
_POLICIES = {
    "a client alone": Policy(
        grants=GRANTS,
        ip=Ip.CLIENT,
        signals=Signals.ISOLATED,
        children=Children.NONE,
        commands=Commands.LISTED,
        pass_names=("LANG", "TZ"),
        set_values=(("HOME", "/srv/out"),),
    ),
    "services and links": Policy(
        grants=GRANTS,
        unix_sockets=UnixSockets.ALL,
        signals=Signals.TERMINATE,
        symlinks=Symlinks.ALLOW,
        path_metadata=PathMetadata.ALLOW,
    ),
    "the default": Policy(),
}
_ANOTHER = "what is left is the artifact of a policy that grants less"
_SURVIVORS = {
    "grants[] dropped": f"{_ANOTHER}, where the row is a path of the policy",
    "environment[] dropped": f"{_ANOTHER}: one variable fewer",
    "environment[].value emptied": "another policy's: the variable is set to nothing",
    "policy_name emptied": "the name is told, and decides nothing",
    "warnings[] dropped": "a caller may leave warnings out by name",
}


def _refused(removal: Removal[Artifact], whole: Artifact) -> bool | None:
    """Tell whether it is refused; None where nothing is missing from the bundle."""
    try:
        left = canonical(removal.artifact)
        if left == whole:
            return None
        # The comparison is cheaper than the proof, and refuses nearly all.
        if left.target == whole.target and any(bundle.foreign_parts(left)):
            return True
        bundle.verify(encode(left))
    except (ArtifactMalformed, BundleRefused, GateRefusedError):
        return True
    return False


def _walked(whole: Artifact, *, long: bool) -> list[Removal[Artifact]]:
    """Give the removals; the short run looks into the newest variant only."""
    inside = "levels[0].variants[" if long else "levels[0].variants[0]"
    return [
        one
        for one in removals(whole)
        if not re.match(r"levels\[0\]\.variants\[\d+\]\.", one.place)
        or one.place.startswith(inside)
    ]


def _survivors(policy: Policy, *, long: bool) -> tuple[int, list[Removal[Artifact]]]:
    whole = canonical(build_linux(policy, "x", "linux-x86_64"))
    assert not any(bundle.foreign_parts(whole))
    left: list[Removal[Artifact]] = []
    tried = 0
    for one in _walked(whole, long=long):
        refused = _refused(one, whole)
        tried += refused is not None
        if refused is False:
            left.append(one)
    return tried, left


@pytest.fixture(autouse=True)
def made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the artifact of each claimed policy once."""
    stages = replace(LINUX, build=cache(build_linux))
    monkeypatch.setattr(bundle, "back_end", lambda _target: stages)


def _check(policies: dict[str, Policy], *, long: bool, bless: bool) -> None:
    tried, seen = 0, dict.fromkeys(_SURVIVORS, 0)
    for name, policy in policies.items():
        count, left = _survivors(policy, long=long)
        tried += count
        for one in left:
            assert one.kind in _SURVIVORS, f"{name}: {one.place} is not noticed"
            seen[one.kind] += 1
    assert all(seen.values()), seen
    rows = [(f"`{kind}`", why) for kind, why in _SURVIVORS.items()]
    removal_page.compare("Artifacts", rows, (tried, sum(seen.values())), bless=bless)


def test_an_artifact_that_lacks_one_thing_is_refused(bless: bool) -> None:
    """Every row, right, operand, need, line and flag is missed by `verify`."""
    name = next(iter(_POLICIES))
    _check({name: _POLICIES[name]}, long=False, bless=bless)


@pytest.mark.long
def test_every_variant_that_lacks_one_thing_is_refused(bless: bool) -> None:
    _check(_POLICIES, long=True, bless=bless)


def test_a_policy_path_is_claimed_by_its_row_alone() -> None:
    """Control: of the rows of grants only those of the policy may go."""
    whole = canonical(build_linux(Policy(grants=GRANTS), "x", "linux-x86_64"))
    for index, row in enumerate(whole.grants):
        rows = (*whole.grants[:index], *whole.grants[index + 1 :])
        left = Removal("", replace(whole, grants=rows))
        # Of a policy without a writable path, no location need be trusted.
        claims_alone = row.policy and row.class_name != "read_write"
        assert _refused(left, whole) is not claims_alone


def test_a_level_without_variants_is_no_artifact() -> None:
    whole = canonical(build_linux(Policy(), "x", "linux-x86_64"))
    left = Removal("", replace(whole, levels=(Level("base", ()),)))
    assert _refused(left, whole)
