# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Answer requests from a macOS artifact, as published facts say that macOS would.

Simulated: no profile of this project ever ran on a Mac. INVARIANT: nothing here knows
a policy or how a profile is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from stockade.model.calls import ALLOW
from stockade.model.macos_artifact import MacosArtifact, Parameter, ParameterKind
from stockade.model.request import (
    Decision,
    EnvironmentRequest,
    NeutralRequest,
    UnixRequest,
)
from stockade.proof.macos_questions import Ask, Question, question
from stockade.proof.sbpl.context import TooCostlyError, context_of
from stockade.proof.sbpl.profile import read_profile
from stockade.proof.sbpl.rules import Profile, Verdict

DENY = "deny"
# What the kernel asks is not known, and it matters.
UNSURE = "unsure"
# Where no policy has a path: a start names the program, and no request is about it.
PROGRAM = "/stockade-program/program"


def parameter_values(parameters: Iterable[Parameter], program: str) -> dict[str, str]:
    """Give what the launcher passes, where every path leads where it says."""
    return {
        one.name: program if one.kind is ParameterKind.PROGRAM else one.value
        for one in parameters
    }


class MacosEvaluator:
    """Decide requests by an artifact's profile, with its parameters in place.

    `folds` tells whether names of files are equal in any case, as on most volumes.
    Raises ProfileRefusedError where the profile cannot be read without doubt.
    """

    def __init__(
        self, artifact: MacosArtifact, program: str = PROGRAM, *, folds: bool = True
    ) -> None:
        values = parameter_values(artifact.parameters, program)
        self.profile: Profile = read_profile(artifact.profile, values, strict=True)
        self._environment = [row.name for row in artifact.environment]
        self.program = program
        self._folds = folds
        self._answers: dict[Ask, Verdict] = {}

    def decide(self, request: NeutralRequest) -> Decision:
        """Decide one request; `unsure` where it depends on what nobody measured.

        Also where no decision is found in bounded time.
        """
        if isinstance(request, EnvironmentRequest):
            named = request.name in self._environment
            return Decision(ALLOW if named else DENY, "variables of the artifact")
        if isinstance(request, UnixRequest) and request.address.startswith("@"):
            return Decision(DENY, "macOS has no abstract names")
        try:
            return self._answer(question(request))
        except TooCostlyError as fault:
            return Decision(UNSURE, str(fault))

    def _answer(self, asked: Question) -> Decision:
        needs = [self.verdict(ask) for ask in asked.needs]
        refused = [one for one in needs if not one.allowed]
        if not refused:
            return Decision(ALLOW, str(needs[0]))
        for way in asked.ways:
            if all(self.verdict(ask).allowed for ask in way):
                open_way = f"{way[-1].operation}: {self.verdict(way[-1])}"
                return Decision(UNSURE, f"{refused[0]}, but {open_way}")
        return Decision(DENY, str(refused[0]))

    def verdict(self, ask: Ask) -> Verdict:
        """Decide one operation."""
        found = self._answers.get(ask)
        if found is None:
            facts = dict(ask.facts)
            facts["process-path"] = self.program
            context = context_of(facts, folds=self._folds)
            found = self.profile.decide(ask.operation, context)
            self._answers[ask] = found
        return found
