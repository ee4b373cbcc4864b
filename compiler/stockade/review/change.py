# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what a comparison finds: the kind of change, in words, with a witness."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum

from stockade.model.place import Place
from stockade.render.prose import Sentence
from stockade.render.text import PlainText

ALLOWED = "allow"
# Where a change holds that no level of a policy makes.
EVERY_LEVEL = "every level"
# Stands on the side that lacks what a change of mechanism is about.
NOTHING = "none"


class Kind(StrEnum):
    """What happens to a decision, the most dangerous first."""

    NEWLY_ALLOWED = "newly allowed"
    NEWLY_DENIED = "newly denied"
    CHANGED_ERROR = "changed error"
    MECHANISM = "mechanism changed"


class Scope(StrEnum):
    """What a path of a case stands for."""

    # All below it as well, but for what is spared.
    BELOW = "below"
    ITSELF = "itself"
    # All in its folder but for what is spared; the path is an entry of no one's.
    FOLDER = "folder"


class Topic(Enum):
    """What a change is about; changes of one topic are put into words alike."""

    REACH = "reach"
    FILES = "files"
    # What is done to files beside reading and writing them.
    NAMES = "names"
    VARIABLES = "variables"
    START = "start"
    CALLS = "calls"
    MECHANISM = "mechanism"


@dataclass(frozen=True, slots=True)
class Case:
    """One decision that changes: what it is about, a request, both answers.

    `witness` is a request as `stockade query` takes it, printable as it is; of a path
    it stands for as much as `scope` says but for what `spared` names. `reason` is that
    of a refusal.
    `hosts` and `targets` are empty where the case holds wherever its change does.
    """

    name: PlainText
    witness: PlainText
    before: PlainText
    after: PlainText
    spared: tuple[PlainText, ...] = ()
    reason: str = ""
    hosts: str = ""
    targets: tuple[str, ...] = ()
    scope: Scope = Scope.BELOW


@dataclass(frozen=True, slots=True)
class Fact:
    """One decision that changes on one kind of host, before equal ones are joined.

    `deed` is what may be done and `thing` to what, `rank` how dangerous it is, the
    least number the most.
    """

    kind: Kind
    topic: Topic
    rank: int
    deed: str
    thing: Sentence
    case: Case
    rules: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """Decisions that change for one reason on some hosts; `cases` is never empty.

    `rules` are the keys that make the change, of the side that has them. Of a change
    of mechanism the witness is the part of the artifact that differs. `rank` orders
    the changes of a kind, the most dangerous first.
    """

    kind: Kind
    sentence: Sentence
    cases: tuple[Case, ...]
    rules: tuple[Place, ...] = ()
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """A change with where it holds: target, level, and hosts in words."""

    target: str
    level: str
    hosts: str
    change: Change


def kind_of(before: str, after: str) -> Kind | None:
    """Name what happens where one answer takes the place of another."""
    if before == after:
        return None
    if after == ALLOWED:
        return Kind.NEWLY_ALLOWED
    return Kind.NEWLY_DENIED if before == ALLOWED else Kind.CHANGED_ERROR
