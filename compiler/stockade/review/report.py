# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put findings in the order and the words in which people read them.

What several targets have in common is said once. Every form of the report, text,
Markdown, JSON and HTML, is made from the entries here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from stockade.render.text import plain
from stockade.review.change import Change, Finding, Kind

_SHOWN_CASES = 6
_COLOURS = {
    Kind.NEWLY_ALLOWED: "31",
    Kind.NEWLY_DENIED: "32",
    Kind.CHANGED_ERROR: "33",
    Kind.MECHANISM: "36",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One change, and where it holds."""

    targets: tuple[str, ...]
    level: str
    hosts: str
    change: Change


def entries(findings: tuple[Finding, ...]) -> tuple[Entry, ...]:
    """Join what targets have in common, the most dangerous kind first."""
    joined: dict[tuple[str, str, Change], list[str]] = {}
    for one in findings:
        joined.setdefault((one.level, one.hosts, one.change), []).append(one.target)
    order = tuple(Kind)
    found = [
        Entry(tuple(targets), level, hosts, change)
        for (level, hosts, change), targets in joined.items()
    ]
    return tuple(sorted(found, key=lambda entry: order.index(entry.change.kind)))


def text_lines(found: tuple[Entry, ...], *, colour: bool = False) -> Iterator[str]:
    """Write entries for a terminal: a heading a kind, then sentence, example, rule."""
    for kind in Kind:
        of_kind = [entry for entry in found if entry.change.kind is kind]
        if of_kind:
            heading = f"{kind} ({len(of_kind)})"
            yield f"\x1b[1;{_COLOURS[kind]}m{heading}\x1b[0m" if colour else heading
        for entry in of_kind:
            yield f"  {plain(entry.change.sentence)}"
            yield f"    {example(entry)}"
            yield f"    {place(entry)}"


def example(entry: Entry) -> str:
    """Write the first witness of an entry, with both answers."""
    first = entry.change.cases[0]
    more = len(entry.change.cases) - 1
    others = f", and {more} more" if more else ""
    return (
        f"{plain(first.witness)}: {plain(first.before)} before,"
        f" {plain(first.after)} now{others}"
    )


def place(entry: Entry) -> str:
    """Write where an entry holds, and which rules make it."""
    rules = ", ".join(plain(str(rule)) for rule in entry.change.rules)
    by = f"by {rules}; " if rules else ""
    return f"{by}{entry.level}, {entry.hosts}, {' '.join(entry.targets)}"


def json_text(found: tuple[Entry, ...]) -> str:
    """Write entries as one JSON object on one line; the keys are stable."""
    return json.dumps(
        {
            "changes": [
                {
                    "kind": str(entry.change.kind).replace(" ", "-"),
                    "sentence": entry.change.sentence,
                    "targets": entry.targets,
                    "level": entry.level,
                    "hosts": entry.hosts,
                    "rules": [
                        {"key": rule.key, "where": rule.where}
                        for rule in entry.change.rules
                    ],
                    "cases": [
                        {
                            "name": case.name,
                            "witness": case.witness,
                            "before": case.before,
                            "after": case.after,
                        }
                        for case in entry.change.cases
                    ],
                }
                for entry in found
            ]
        },
        ensure_ascii=True,
    )
