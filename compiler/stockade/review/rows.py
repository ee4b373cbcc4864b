# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the path rows of an artifact, and say where a policy's own were written."""

from __future__ import annotations

from collections.abc import Callable

from stockade.model.artifact import GrantRow
from stockade.model.decide import covers
from stockade.model.place import Place
from stockade.model.policy import Access, Grant
from stockade.model.request import PathAction
from stockade.render.text import PlainText, plain
from stockade.review.subject import LinuxSubject

_ACCESSES = {str(access): access for access in Access}


def listed(rows: tuple[GrantRow, ...]) -> str:
    """Name rows as a snapshot does."""
    return ", ".join(f"{row.class_name} `{row.path}`" for row in rows)


def places_of(subject: LinuxSubject, rows: tuple[GrantRow, ...]) -> tuple[Place, ...]:
    """Give the places of the policy's own path rules among some rows."""
    return tuple(
        subject.place(Grant(row.path, _ACCESSES[row.class_name]))
        for row in rows
        if row.policy
    )


def explain(
    subject: LinuxSubject, path: str, allows: Callable[[GrantRow, PathAction], bool]
) -> PlainText:
    """Say in one line what is allowed on a path, and by which rules."""
    said = []
    for row in subject.artifact.grants:
        if covers(row.path, path):
            actions = [str(action) for action in PathAction if allows(row, action)]
            places = places_of(subject, (row,)) or (subject.key("system"),)
            by = ", ".join(map(str, places))
            said.append(f"{', '.join(actions)}, by {by}, {listed((row,))}")
    return plain(f"{path}: {'; '.join(said) or 'no rule covers it'}")
