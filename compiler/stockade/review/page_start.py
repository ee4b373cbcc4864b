# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare for a page what a Linux artifact says about the start of a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stockade.abi.landlock import NET_RIGHTS, names_of
from stockade.model.artifact import Artifact
from stockade.render.text import HtmlText, html_text


@dataclass(frozen=True, slots=True)
class NamedList:
    """A short list under a heading, and what stands there when it is empty."""

    title: HtmlText
    lines: tuple[HtmlText, ...]
    empty: HtmlText


def start_lists(artifact: Artifact) -> tuple[NamedList, ...]:
    """Give what a program starts with, and what its start refuses."""
    return tuple(
        NamedList(html_text(title), tuple(map(html_text, lines)), html_text(empty))
        for title, lines, empty in _lists(artifact)
    )


def _lists(artifact: Artifact) -> Iterator[tuple[str, list[str], str]]:
    yield from (
        (
            "Environment",
            [
                f"{row.name}, passed on"
                if row.value is None
                else f"{row.name}={row.value}"
                for row in artifact.environment
            ],
            "empty",
        ),
        (
            "Ports",
            [
                f"{row.port or 'chosen by the kernel'}:"
                f" {', '.join(names_of(NET_RIGHTS, row.rights))}"
                for row in artifact.ports
            ],
            "none",
        ),
        ("Standard streams may be", list(artifact.streams), "nothing"),
        ("Given up", list(artifact.concessions), "nothing"),
        (
            "No writable path may reach",
            [f"{row.base} {row.path}" for row in artifact.trusted],
            "no path is writable",
        ),
    )
