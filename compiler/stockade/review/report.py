# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put findings in the order and the words in which people read them.

What several targets have in common is said once. Every form of the report, text,
Markdown, JSON and HTML, is made from the entries here; docs/review.md has the keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from stockade.model.intent import DENY
from stockade.model.place import Place
from stockade.render.prose import Sentence, code, sentence
from stockade.render.text import plain
from stockade.review.change import ALLOWED, NOTHING, Case, Change, Finding, Kind
from stockade.review.simulated import note, simulated

SHOWN_CASES = 5
_ORDER = tuple(Kind)
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


def entries(findings: Sequence[Finding]) -> tuple[Entry, ...]:
    """Join what targets have in common, the most dangerous first."""
    joined: dict[tuple[str, str, Change], list[Finding]] = {}
    for one in findings:
        alike = replace(one.change, cases=())
        joined.setdefault((one.level, one.hosts, alike), []).append(one)
    found = [
        Entry(
            tuple(one.target for one in some),
            level,
            hosts,
            replace(change, cases=_cases(some)),
        )
        for (level, hosts, change), some in joined.items()
    ]
    return tuple(
        sorted(found, key=lambda one: (_ORDER.index(one.change.kind), one.change.rank))
    )


def _cases(some: Sequence[Finding]) -> tuple[Case, ...]:
    """Join the cases of targets; those of some targets alone name them."""
    answered: dict[Case, list[tuple[Case, str]]] = {}
    for one in some:
        for case in one.change.cases:
            answered.setdefault(_question(case), []).append((case, one.target))
    targets: dict[Case, list[str]] = {}
    for alike in answered.values():
        # A judge that knows no errors says no other thing than one that does.
        joined = _joined([case for case, _ in alike])
        for case, target in alike:
            targets.setdefault(joined or case, []).append(target)
    whole = [case for case, names in targets.items() if len(names) == len(some)]
    part = [
        replace(case, targets=tuple(names))
        for case, names in targets.items()
        if len(names) < len(some)
    ]
    return (*whole, *part)


def _question(case: Case) -> Case:
    """Give a case without the answers that refuse."""
    before, after = (
        answer if answer == ALLOWED else plain("")
        for answer in (case.before, case.after)
    )
    return replace(case, before=before, after=after)


def _joined(cases: Sequence[Case]) -> Case | None:
    befores, afters = (
        tuple(dict.fromkeys(one)) for one in zip(*map(_answers, cases), strict=True)
    )
    if DENY not in befores and DENY not in afters:
        return None
    before, after = (plain(" or ".join(one)) for one in (befores, afters))
    return replace(cases[0], before=before, after=after)


def _answers(case: Case) -> tuple[str, str]:
    return case.before, case.after


def text_lines(found: Sequence[Entry], *, colour: bool = False) -> Iterator[str]:
    """Write entries for a terminal: a heading a kind, then sentence, cases, rules."""
    for kind in Kind:
        of_kind = [entry for entry in found if entry.change.kind is kind]
        if of_kind:
            heading = f"{kind} ({len(of_kind)})"
            yield f"\x1b[1;{_COLOURS[kind]}m{heading}\x1b[0m" if colour else heading
        for entry in of_kind:
            cases = entry.change.cases
            yield f"  {entry.change.sentence}"
            shown, more = shown_cases(cases)
            for case in shown:
                where = case_note(case)
                yield f"    {case_text(kind, case)}" + (f" ({where})" if where else "")
            if more:
                yield f"    and {more} more"
            yield f"    {place(entry)}"
    if note(targets_of(found)):
        yield note(targets_of(found))


def targets_of(found: Sequence[Entry]) -> tuple[str, ...]:
    """List the targets that entries speak of."""
    return tuple(dict.fromkeys(one for entry in found for one in entry.targets))


def case_text(kind: Kind, case: Case) -> str:
    """Write a case with its answers; of a mechanism what is there, or both."""
    if kind is not Kind.MECHANISM:
        return f"{case.witness}: {case.before} before, {case.after} now"
    if NOTHING in (case.before, case.after):
        only = case.after if case.before == NOTHING else case.before
        return f"{case.name}: {only}"
    return f"{case.name}: {case.before} before; {case.after} now"


def shown_cases(cases: Sequence[Case]) -> tuple[Sequence[Case], int]:
    """Give the cases that a report shows at once, and the number of the others."""
    shown = cases if len(cases) <= SHOWN_CASES + 1 else cases[:SHOWN_CASES]
    return shown, len(cases) - len(shown)


def case_note(case: Case) -> str:
    """Say the reason of a case, and where it holds if its change does elsewhere too."""
    where = (case.reason, case.hosts, ", ".join(case.targets))
    return "; ".join(part for part in where if part)


def place(entry: Entry) -> Sentence:
    """Say which rules make an entry, and where it holds."""
    where = f"{entry.level}, {entry.hosts}, {', '.join(entry.targets)}"
    if not entry.change.rules:
        return sentence(where)
    by: list[str | Sentence] = ["by "]
    for at, (key, places) in enumerate(_by_key(entry.change.rules).items()):
        known = [one for one in places if one]
        by += ["; " if at else "", code(key)]
        if known:
            by.append(f" ({_short(known)})")
    return sentence(*by, f"; {where}")


def _by_key(rules: Sequence[Place]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for rule in rules:
        found.setdefault(rule.key, []).append(plain(rule.where))
    return found


def _short(places: Sequence[str]) -> str:
    """Name the first place in full, and how many others there are."""
    if len(places) <= 3:
        return ", ".join(places)
    return f"{places[0]} and {len(places) - 1} more places"


def counts(found: Sequence[Entry]) -> str:
    """Count the entries of each kind that has some."""
    numbers = ((kind, sum(one.change.kind is kind for one in found)) for kind in Kind)
    words = [f"{number} {kind}" for kind, number in numbers if number]
    return ", ".join(words) or "no decision changes"


def json_text(found: Sequence[Entry]) -> str:
    """Write entries as one JSON object on one line; the keys are stable."""
    changes = [_json_entry(entry) for entry in found]
    found_for = simulated(targets_of(found))
    return json.dumps(
        {"version": 1, "simulated": found_for, "changes": changes}, ensure_ascii=True
    )


def _json_entry(entry: Entry) -> dict[str, object]:
    return {
        "kind": str(entry.change.kind).replace(" ", "-"),
        "sentence": str(entry.change.sentence),
        "targets": entry.targets,
        "level": entry.level,
        "hosts": entry.hosts,
        "rules": [
            {"key": plain(rule.key), "where": plain(rule.where)}
            for rule in entry.change.rules
        ],
        "cases": [
            {
                "name": case.name,
                "witness": case.witness,
                "before": case.before,
                "after": case.after,
                "spared": case.spared,
                "scope": case.scope,
                "reason": case.reason,
                "hosts": case.hosts or entry.hosts,
                "targets": case.targets or entry.targets,
            }
            for case in entry.change.cases
        ],
    }
