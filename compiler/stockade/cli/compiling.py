# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Call the compiler, and tell a policy that is too big from a fault of the compiler."""

from __future__ import annotations

from stockade.artifact.errors import LimitExceeded
from stockade.cli.output import Refusal
from stockade.diagnostics import quote
from stockade.driver.compile import CompiledBundle, compile_policy, targets
from stockade.model.policy import Policy
from stockade.policy.suggest import suggestion
from stockade.targets.linux.assemble import ProgramTooLongError


def known_target(name: str) -> str:
    """Return a target's name; raise Refusal for one that cannot be compiled for."""
    if name in targets():
        return name
    near = suggestion(name, targets())
    listed = ", ".join(f"`{one}`" for one in targets())
    advice = f"did you mean `{near}`?" if near else f"there are {listed}"
    raise Refusal(f"unknown target {quote(name)}; {advice}")


def compile_one(
    policy: Policy, name: str, target: str, hidden: frozenset[str] = frozenset()
) -> CompiledBundle:
    """Compile for one target; raise Refusal where the policy is too big for it."""
    try:
        return compile_policy(
            policy, name, known_target(target), hidden_warnings=hidden
        )
    except (LimitExceeded, ProgramTooLongError) as error:
        raise Refusal(f"the policy is too big for {target}: {error}") from error
