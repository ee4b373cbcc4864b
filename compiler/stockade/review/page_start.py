# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare for a page what an artifact says about the start of a program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stockade.abi.landlock import NET_RIGHTS, names_of
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Artifact
from stockade.render.text import HtmlText, html_text

# Title, lines, and what stands there when there are none.
ListRow: TypeAlias = tuple[str, Sequence[str], str]


@dataclass(frozen=True, slots=True)
class NamedList:
    """A short list under a heading, and what stands there when it is empty."""

    title: HtmlText
    lines: tuple[HtmlText, ...]
    empty: HtmlText


def start_lists(artifact: Artifact) -> tuple[NamedList, ...]:
    """Give what a program of Linux starts with, and what its start refuses."""
    return named_lists(
        (
            environment(artifact),
            (
                "Ports",
                [
                    f"{row.port or 'chosen by the kernel'}:"
                    f" {', '.join(names_of(NET_RIGHTS, row.rights))}"
                    for row in artifact.ports
                ],
                "none",
            ),
            streams(artifact),
            ("Given up", artifact.concessions, "nothing"),
            trusted(artifact),
        )
    )


def named_lists(rows: Iterable[ListRow]) -> tuple[NamedList, ...]:
    """Make lists of titles, lines, and what stands where there are none."""
    return tuple(
        NamedList(html_text(title), tuple(map(html_text, lines)), html_text(empty))
        for title, lines, empty in rows
    )


def environment(artifact: AnyArtifact) -> ListRow:
    """List the variables that a program gets."""
    lines = [
        f"{row.name}, passed on" if row.value is None else f"{row.name}={row.value}"
        for row in artifact.environment
    ]
    return "Environment", lines, "empty"


def streams(artifact: AnyArtifact) -> ListRow:
    """List the kinds of standard streams that not every program may have."""
    return "Standard streams may be", artifact.streams, "nothing"


def trusted(artifact: AnyArtifact) -> ListRow:
    """List the places that a start keeps writable paths away from."""
    lines = [f"{row.base} {row.path}" for row in artifact.trusted]
    return "No writable path may reach", lines, "no path is writable"
