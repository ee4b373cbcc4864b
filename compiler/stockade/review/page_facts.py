# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Gather for a page what one artifact holds: requirements, paths, start, warnings."""

from __future__ import annotations

from dataclasses import dataclass

from stockade.model.artifact import WarningLine
from stockade.render.prose import sentence
from stockade.render.text import HtmlText, html_text
from stockade.review.page_matrix import Matrix, matrices
from stockade.review.page_paths import Meaning, Node, linux_tree, meanings
from stockade.review.page_start import NamedList, start_lists
from stockade.review.page_text import Anchors, Link, Piece, pieces
from stockade.review.subject import LinuxSubject


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A line with a name of its own."""

    name: HtmlText
    text: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """All of one artifact that a page shows, the same for targets that share it."""

    note: HtmlText
    matrices: tuple[Matrix, ...]
    nodes: tuple[Node, ...]
    meanings: tuple[Meaning, ...]
    lists: tuple[NamedList, ...]
    warnings: tuple[NamedLine, ...]


def linux_facts(
    subject: LinuxSubject, links: dict[str, tuple[Link, ...]], anchors: Anchors
) -> Facts:
    """Give the facts of a Linux artifact; `links` are the keys of each requirement."""
    artifact = subject.artifact
    return Facts(
        html_text(""),
        matrices(artifact, links),
        linux_tree(subject, anchors),
        meanings(artifact),
        start_lists(artifact),
        warning_lines(artifact.warnings),
    )


def warning_lines(rows: tuple[WarningLine, ...]) -> tuple[NamedLine, ...]:
    """Give the warnings as lines of a page."""
    return tuple(
        NamedLine(html_text(row.id), pieces(sentence(row.text))) for row in rows
    )
