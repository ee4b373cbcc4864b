# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name where a system does not do exactly what a policy means, and what it does.

INVARIANT: a back end that answers a request other than `intend` and without a row
here is wrong, and a row that no request needs is wrong as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stockade.abi.targets import System
from stockade.model.calls import ALLOW
from stockade.model.intent import DENY, intend
from stockade.model.policy import Policy
from stockade.model.request import Decision, NeutralRequest


@dataclass(frozen=True, slots=True)
class Deviation:
    """One difference: `weaker` where more is allowed than meant, else less is.

    `fields` are the fields of the policy that it takes from; `warning` is the ID of
    the warning that tells of it, or empty where less is allowed.
    """

    name: str
    system: System
    fields: tuple[str, ...]
    weaker: bool
    applies: Callable[[Policy, NeutralRequest], bool]
    text: str
    warning: str = ""


def expect(
    policy: Policy,
    system: System,
    request: NeutralRequest,
    deviations: Sequence[Deviation],
) -> tuple[Decision, Deviation | None]:
    """Say what a system's artifact must decide, and by which deviation.

    The first row that turns the meaning round decides; rows that would leave it as it
    is do not apply.
    """
    meant = intend(policy, system, request)
    for row in deviations:
        if row.weaker is not meant.allowed and row.applies(policy, request):
            return Decision(ALLOW if row.weaker else DENY, row.name), row
    return meant, None
