# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare how two macOS artifacts hold what they hold: the profile and its values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from stockade.model.macos_artifact import MacosArtifact, ParameterKind
from stockade.review.change import NOTHING, Fact
from stockade.review.parts import (
    needed_changes,
    part_fact,
    row_changes,
    warning_changes,
)

_PARAMETER = re.compile(r'\(param "([^"]*)"\)')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|;.*')
_PROFILE = 78


def macos_changes(old: MacosArtifact, new: MacosArtifact) -> Iterator[Fact]:
    """Give what changes beside decisions, requirements and the start."""
    yield from needed_changes(_needed(old), _needed(new))
    yield from warning_changes(old.warnings, new.warnings)
    yield from row_changes(
        71, "what a launcher does beside the profile", _rules(old), _rules(new)
    )
    found = (
        *_profile(_lines(old), _lines(new)),
        *row_changes(79, "a value that the profile takes", _values(old), _values(new)),
    )
    yield from found
    if not found and (old.profile, old.parameters) != (new.profile, new.parameters):
        texts = tuple(
            " ".join(row.name for row in one.parameters) for one in (old, new)
        )
        yield part_fact(
            79, "the profile and its values are laid out otherwise", "values", texts
        )


def _rules(artifact: MacosArtifact) -> dict[str, str]:
    return dict.fromkeys(map(str, artifact.process_rules), "done")


def _needed(artifact: MacosArtifact) -> list[str]:
    return [row.value for row in artifact.parameters if row.kind is ParameterKind.PATH]


def _values(artifact: MacosArtifact) -> dict[str, str]:
    return {
        f"{row.kind} {row.value}".rstrip(): "taken"
        for row in artifact.parameters
        if row.kind not in (ParameterKind.PATH, ParameterKind.WRITTEN)
    }


def _lines(artifact: MacosArtifact) -> list[str]:
    """Give each line of the profile with the head of its rule, and values for names.

    The names are counted through, so that one more path would rename all that follow.
    """
    values = {row.name: row.value or f"{row.kind}" for row in artifact.parameters}

    def value(match: re.Match[str]) -> str:
        return f'"{values.get(match[1], match[0])}"'

    found, head, depth = [], "", 0
    for line in artifact.profile.splitlines():
        text = line.strip()
        # Values come later: theirs may hold what a rule is made of.
        opened = _depth(text)
        if text and not text.startswith(";"):
            if depth == 0:
                head = "" if opened == 0 else text
            if text.strip("()") and (depth or opened == 0):
                found.append(_PARAMETER.sub(value, _closed(f"{head} {text}".strip())))
            depth += opened
    return found


def _closed(text: str) -> str:
    """Close what a head and one line of its rule leave open, and no more."""
    left = _depth(text)
    return text + ")" * left if left >= 0 else text[:left]


def _depth(text: str) -> int:
    """Count the forms that a line leaves open, or closes if less than none."""
    bare = _STRING.sub("", text)
    return bare.count("(") - bare.count(")")


def _profile(old: list[str], new: list[str]) -> Iterator[Fact]:
    before, after = Counter(old), Counter(new)
    for lines, more, words in (
        (old, before - after, "is gone"),
        (new, after - before, "is new"),
    ):
        for line in lines:
            if more[line]:
                more[line] -= 1
                texts = (line, NOTHING) if lines is old else (NOTHING, line)
                thing = f"a rule of the profile {words}"
                yield part_fact(_PROFILE, thing, "rule", texts)
    kept = before & after
    orders = _in_order(old, kept), _in_order(new, kept)
    if orders[0] != orders[1]:
        moved = next(pair for pair in zip(*orders, strict=True) if pair[0] != pair[1])
        yield part_fact(
            _PROFILE, "rules of the profile stand elsewhere", "first", moved
        )


def _in_order(lines: list[str], kept: Counter[str]) -> list[str]:
    left = Counter(kept)
    found = []
    for line in lines:
        if left[line]:
            left[line] -= 1
            found.append(line)
    return found
