# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask the profile of a policy about single operations, as the kernel would."""

from __future__ import annotations

from functools import lru_cache

from stockade.abi.targets import System
from stockade.model.macos_artifact import MacosArtifact, ParameterKind
from stockade.model.path_family import policy_on
from stockade.model.policy import Policy
from stockade.proof.sbpl.context import Fact, context_of
from stockade.proof.sbpl.profile import read_profile
from stockade.proof.sbpl.rules import Profile
from stockade.targets.macos.build import build

PROGRAM = "/Applications/Some.app/program"


def built(policy: Policy) -> MacosArtifact:
    """Build the artifact of a policy as it was written."""
    own = policy_on(policy, System.MACOS)
    return build(own, name="p", requirements=(), warnings=())


@lru_cache(maxsize=32)
def loaded(policy: Policy) -> Profile:
    """Read the profile of a policy; a word that Apple may not know fails the test."""
    artifact = built(policy)
    values = {
        one.name: PROGRAM if one.kind is ParameterKind.PROGRAM else one.value
        for one in artifact.parameters
    }
    return read_profile(artifact.profile, values, strict=True)


def asked(
    policy: Policy, operation: str, path: str | None = None, **facts: Fact | list[Fact]
) -> bool:
    """Tell whether an operation is allowed; a fact's `_` stands for `-`."""
    told = {name.replace("_", "-"): value for name, value in facts.items()}
    if path is not None:
        told["path"] = path
    return loaded(policy).decide(operation, context_of(told)).allowed
