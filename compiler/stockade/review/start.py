# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what two artifacts hand to the program, and on what hosts they start it."""

from __future__ import annotations

from collections.abc import Iterator

from stockade.model.artifact import Artifact
from stockade.render.text import plain
from stockade.review.change import Case, Change, Kind
from stockade.review.subject import Subject

_START = "start"
_ABSENT = "absent"


def support_change(*, starts: bool) -> Change:
    """Say that a program starts, or no longer starts, on a host."""
    words = "now starts" if starts else "no longer starts"
    answers = ("refused", "allow") if starts else ("allow", "refused")
    return Change(
        Kind.NEWLY_ALLOWED if starts else Kind.NEWLY_DENIED,
        f"the program {words}",
        (Case(_START, _START, *answers),),
    )


def start_changes(old: Subject, new: Subject) -> Iterator[Change]:
    """Give what changes about the start itself, the same on every host."""
    yield from _environment(old, new)
    yield from _streams(old.artifact, new.artifact)
    yield from _trusted(old.artifact, new.artifact)
    yield from _missing_paths(old, new)


def _environment(old: Subject, new: Subject) -> Iterator[Change]:
    before = {row.name: row.value for row in old.artifact.environment}
    after = {row.name: row.value for row in new.artifact.environment}
    for name in sorted({**before, **after}):
        had = _source(before, name)
        has = _source(after, name)
        if had == has:
            continue
        if had == _ABSENT:
            kind, words, side = Kind.NEWLY_ALLOWED, "now reaches the program", new
        elif has == _ABSENT:
            kind, words, side = Kind.NEWLY_DENIED, "no longer reaches the program", old
        else:
            kind, words, side = Kind.MECHANISM, "has another source", new
        field = (
            "pass_names"
            if _source({row.name: row.value for row in side.artifact.environment}, name)
            == "passed"
            else "set_values"
        )
        yield Change(
            kind,
            f"variable `{name}` {words}: {had} before, {has} now",
            (Case(name, f"env {name}", had, has),),
            (side.key(field),),
        )


def _source(rows: dict[str, str | None], name: str) -> str:
    if name not in rows:
        return _ABSENT
    value = rows[name]
    return "passed" if value is None else f"set to `{plain(value)}`"


def _streams(old: Artifact, new: Artifact) -> Iterator[Change]:
    for kind, words, some, others, answers in (
        (
            Kind.NEWLY_ALLOWED, "may now be", new.streams, old.streams,
            ("refused", "allow"),
        ),
        (
            Kind.NEWLY_DENIED, "may no longer be", old.streams, new.streams,
            ("allow", "refused"),
        ),
    ):  # fmt: skip
        for name in some:
            if name not in others:
                yield Change(
                    kind,
                    f"a standard stream {words} of the kind {name}",
                    (Case(name, f"stream {name}", *answers),),
                )


def _trusted(old: Artifact, new: Artifact) -> Iterator[Change]:
    """Compare the places that no writable path may reach, where there are any."""
    if not (old.trusted and new.trusted):
        # Without a writable path the list is empty and decides nothing.
        return
    for kind, words, some, others, answers in (
        (
            Kind.NEWLY_ALLOWED, "may now", old.trusted, new.trusted,
            ("refused", "allow"),
        ),
        (
            Kind.NEWLY_DENIED, "may no longer", new.trusted, old.trusted,
            ("allow", "refused"),
        ),
    ):  # fmt: skip
        for row in some:
            if row not in others:
                yield Change(
                    kind,
                    f"a writable path {words} reach {row.base} `{row.path}`",
                    (Case(_START, f"start writing {row.base} {row.path}", *answers),),
                )


def _missing_paths(old: Subject, new: Subject) -> Iterator[Change]:
    had, has = _needed(old.artifact), _needed(new.artifact)
    for path in sorted(had.keys() & has.keys()):
        if had[path] != has[path]:
            kind = Kind.NEWLY_DENIED if has[path] else Kind.NEWLY_ALLOWED
            words = "is now refused" if has[path] else "is no longer refused"
            answers = ("allow", "refused") if has[path] else ("refused", "allow")
            yield Change(
                kind,
                f"a start on a host without `{path}` {words}",
                (Case(_START, f"start without {path}", *answers),),
            )


def _needed(artifact: Artifact) -> dict[str, bool]:
    """Tell for each path whether a start needs it."""
    found: dict[str, bool] = {}
    for row in artifact.grants:
        found[row.path] = found.get(row.path, False) or not row.optional
    return found
