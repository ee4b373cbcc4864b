# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what a comparison finds: the kind of change, in words, with a witness."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stockade.model.place import Place


class Kind(StrEnum):
    """What happens to a decision, the most dangerous first."""

    NEWLY_ALLOWED = "newly allowed"
    NEWLY_DENIED = "newly denied"
    CHANGED_ERROR = "changed error"
    MECHANISM = "mechanism changed"


@dataclass(frozen=True, slots=True)
class Case:
    """One decision that changes: what it is about, a request, both answers.

    `witness` is a request as `stockade query` takes it.
    """

    name: str
    witness: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """Decisions that change for one reason on some hosts; `cases` is never empty.

    `rules` are the keys that make the change, of the side that has them. Of a change
    of mechanism the witness is the part of the artifact that differs.
    """

    kind: Kind
    sentence: str
    cases: tuple[Case, ...]
    rules: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A change with where it holds: target, level, and hosts in words."""

    target: str
    level: str
    hosts: str
    change: Change
