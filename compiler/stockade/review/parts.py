# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the parts that artifacts of every system have, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from stockade.model.artifact import Requirement, WarningLine
from stockade.model.key_rows import KeyRow
from stockade.render.prose import Sentence, code, sentence
from stockade.render.text import plain
from stockade.review.change import NOTHING, Case, Fact, Kind, Topic


def requirement_changes(
    old: tuple[Requirement, ...], new: tuple[Requirement, ...]
) -> Iterator[Fact]:
    """Compare the lines of `check`."""
    before = {line.name: line for line in old}
    after = {line.name: line for line in new}
    for name in dict.fromkeys((*before, *after)):
        had, has = before.get(name), after.get(name)
        line = has or had
        if had == has or line is None:
            continue
        texts = _mechanism(had), _mechanism(has)
        rank, words = 73, "is held by other means"
        if has is None:
            rank, words = 70, "is no longer promised"
        elif had is None:
            rank, words = 72, "is promised now"
        thing = sentence(code(name), f" {words}: ", plain(line.title))
        yield part_fact(rank, thing, name, texts)


def _mechanism(line: Requirement | None) -> str:
    if line is None:
        return NOTHING
    needs = f"; needs {' '.join(line.needs)}" if line.needs else ""
    shown = "; shows the rights in force" if line.show_rights else ""
    return f"{line.mechanism}{needs}{shown}"


def needed_changes(old: Iterable[str], new: Iterable[str]) -> Iterator[Fact]:
    """Compare the paths that a start refuses to do without."""
    before, after = (dict.fromkeys(one, "needed") for one in (old, new))
    yield from row_changes(75, "a path that must exist at start", before, after)


def warning_changes(
    old: tuple[WarningLine, ...], new: tuple[WarningLine, ...]
) -> Iterator[Fact]:
    """Compare the warnings that a start prints."""
    before, after = ({row.id: row.text for row in one} for one in (old, new))
    yield from row_changes(76, "a warning", before, after)


def key_changes(old: tuple[KeyRow, ...], new: tuple[KeyRow, ...]) -> Iterator[Fact]:
    """Compare the keys that artifacts carry, for when nothing else tells them apart."""
    before, after = (
        {f"{row.name} {row.value}": "written" for row in one} for one in (old, new)
    )
    what = "a key that decides nothing on this target"
    yield from row_changes(80, what, before, after)


def row_changes(
    rank: int, what: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Fact]:
    """Compare rows by name, and their order."""
    for name in dict.fromkeys((*before, *after)):
        texts = before.get(name, NOTHING), after.get(name, NOTHING)
        if texts[0] != texts[1]:
            words = "is another"
            if name not in before:
                words = "is new"
            elif name not in after:
                words = "is gone"
            yield part_fact(rank, f"{what} {words}", name, texts)
    orders = tuple(
        " ".join(name for name in one if name in other)
        for one, other in ((before, after), (after, before))
    )
    if orders[0] != orders[1]:
        yield part_fact(rank, f"{what} stands elsewhere", what, orders)


def part_fact(
    rank: int, thing: Sentence | str, name: str, texts: tuple[str, ...]
) -> Fact:
    """Say of one part of an artifact what it was and is."""
    case = Case(plain(name), plain(name), plain(texts[0]), plain(texts[1]))
    whole = thing if isinstance(thing, Sentence) else sentence(thing)
    return Fact(Kind.MECHANISM, Topic.MECHANISM, rank, "", whole, case)
