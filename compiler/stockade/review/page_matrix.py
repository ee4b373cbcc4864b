# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prepare the matrix of an artifact for a page: what holds what on which host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stockade.abi.features import FEATURES
from stockade.model.artifact import Artifact, Level, Requirement, Variant
from stockade.render.text import HtmlText, html_name, html_text
from stockade.review.hosts import Host, hosts_of, in_words
from stockade.review.page_text import Link


@dataclass(frozen=True, slots=True)
class Cell:
    """One answer: a mark, its word, and a class of the page."""

    mark: HtmlText
    word: HtmlText
    style: HtmlText


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that holds a requirement, and on which hosts it does."""

    text: HtmlText
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One requirement: the answer of each host, what holds it, and its keys."""

    name: HtmlText
    title: HtmlText
    cells: tuple[Cell, ...]
    parts: tuple[Part, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The requirements of one level by host."""

    level: HtmlText
    hosts: tuple[HtmlText, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Column:
    """Hosts that choose one variant and lack the same of what its lines need."""

    hosts: tuple[Host, ...]
    variant: Variant | None
    unmet: frozenset[str]

    def line(self, name: str) -> Requirement | None:
        lines = self.variant.requirements if self.variant else ()
        return next((line for line in lines if line.name == name), None)


_HELD = Cell(html_text("✓"), html_text("held"), html_name("held"))
_UNUSED = Cell(html_text("·"), html_text("not used"), html_name("unused"))
_ABSENT = Cell(html_text("·"), html_text("not promised"), html_name("unused"))
_REFUSED = Cell(html_text("✕"), html_text("refused"), html_name("refused"))


def matrices(
    artifact: Artifact, links: Mapping[str, tuple[Link, ...]]
) -> tuple[Matrix, ...]:
    """Give a matrix a level; `links` are the keys of each requirement."""
    every = hosts_of((artifact,))
    return tuple(_matrix(level, every, links) for level in artifact.levels)


def one_column(
    level: str, host: str, lines: Sequence[Requirement]
) -> tuple[Matrix, ...]:
    """Give the matrix of an artifact that tells no kinds of hosts apart."""
    rows = tuple(
        Row(
            html_text(line.name),
            html_text(line.title),
            (_HELD,),
            tuple(Part(html_text(part), (_HELD,)) for part in _parts(line)),
            (),
        )
        for line in lines
    )
    return (Matrix(html_text(level), (html_text(host),), rows),) if rows else ()


def _matrix(
    level: Level, every: tuple[Host, ...], links: Mapping[str, tuple[Link, ...]]
) -> Matrix:
    columns = tuple(_columns(level, every))
    names = dict.fromkeys(
        line.name
        for column in columns
        if column.variant
        for line in column.variant.requirements
    )
    return Matrix(
        html_text(level.name),
        tuple(html_text(in_words(column.hosts, every)) for column in columns),
        tuple(_row(name, columns, links.get(name, ())) for name in names),
    )


def _columns(level: Level, every: tuple[Host, ...]) -> Iterator[_Column]:
    grouped: dict[tuple[Variant | None, frozenset[str]], list[Host]] = {}
    for host in every:
        variant = host.variant(level)
        unmet = frozenset(
            line.name
            for line in (variant.requirements if variant else ())
            if not all(FEATURES[need] & host.features for need in line.needs)
        )
        grouped.setdefault((variant, unmet), []).append(host)
    for (variant, unmet), hosts in grouped.items():
        yield _Column(tuple(hosts), variant, unmet)


def _row(name: str, columns: tuple[_Column, ...], links: tuple[Link, ...]) -> Row:
    lines = [column.line(name) for column in columns]
    parts = dict.fromkeys(part for line in lines if line for part in _parts(line))
    return Row(
        html_text(name),
        html_text(next((line.title for line in lines if line), name)),
        tuple(_cell(name, column) for column in columns),
        tuple(
            Part(
                html_text(part),
                tuple(
                    _HELD if line and part in _parts(line) else _UNUSED
                    for line in lines
                ),
            )
            for part in parts
        ),
        links,
    )


def _cell(name: str, column: _Column) -> Cell:
    if column.variant is None or name in column.unmet:
        return _REFUSED
    return _HELD if column.line(name) else _ABSENT


def _parts(line: Requirement) -> tuple[str, ...]:
    return tuple(line.mechanism.split("; "))
