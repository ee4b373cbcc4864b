# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask two artifacts the same, and name the keys that make them differ.

What is decided comes from judges of the artifacts; what the policies mean is asked
for the keys alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stockade.abi.targets import System
from stockade.model.deviation import expect
from stockade.model.deviations import DEVIATIONS
from stockade.model.place import Place
from stockade.model.policy import Policy
from stockade.model.request import Decision, FileRequest, NeutralRequest
from stockade.review.change import ALLOWED
from stockade.review.judges import Decide
from stockade.review.keys import Keys

# What is asked of Linux alone, by the keys' questions.
_NO_ABIS = (0, 0)


@dataclass(frozen=True, slots=True)
class Sides:
    """The judges of an old and a new artifact, and the keys between them."""

    system: System
    old: Decide
    new: Decide
    keys: Keys

    def answers(self, request: NeutralRequest) -> tuple[str, str]:
        """Ask both."""
        return in_word(self.old(request)), in_word(self.new(request))

    def rules(
        self, request: NeutralRequest, path: FileRequest | None = None
    ) -> tuple[Place, ...]:
        """Name the keys whose change alone changes what a request may expect."""
        return self.keys.of(self._meaning(request), _NO_ABIS, path)

    def _meaning(self, request: NeutralRequest) -> Callable[[Policy, int], bool]:
        rows = DEVIATIONS[self.system]
        return lambda policy, _: expect(policy, self.system, request, rows)[0].allowed


def in_word(decision: Decision) -> str:
    """Write what a judge decides: that it allows, or denies, or cannot tell."""
    return ALLOWED if decision.allowed else decision.action
