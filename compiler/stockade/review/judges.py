# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what a comparison asks that only a judge outside this room knows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Filter, Probe
from stockade.model.difference import CallChange
from stockade.model.request import Decision, NeutralRequest
from stockade.review.walls import Answers

Compare = Callable[[Filter, Filter], tuple[CallChange, ...]]
Decide = Callable[[NeutralRequest], Decision]
MakeDecide = Callable[[AnyArtifact], Decide]


@dataclass(frozen=True, slots=True)
class Judges:
    """What knows artifacts, each of which raises where it cannot know.

    Of Linux one compares two filters in full, one makes one ready to answer calls,
    one writes a probe for a reader. The last makes an artifact of another system
    ready to answer requests.
    """

    compare: Compare
    load: Callable[[Filter], Answers]
    probe_text: Callable[[str, Probe], str]
    decide: MakeDecide
