# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Take one thing out of what the compiler knows, everywhere it would show.

Rules are taken out of the list itself; what comes from elsewhere, such as probes and
lines, is taken out of every artifact that is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from stockade.abi.landlock import FS_RIGHTS, NET_RIGHTS, SCOPES, Right
from stockade.model.artifact import Artifact, Variant
from stockade.model.call_rules import CALL_RULES
from stockade.model.calls import CallRule

Change = Callable[[Artifact], Artifact]
_HANDLED: tuple[tuple[str, tuple[Right, ...]], ...] = (
    ("fs_required", FS_RIGHTS),
    ("fs_optional", FS_RIGHTS),
    ("net_required", NET_RIGHTS),
    ("net_optional", NET_RIGHTS),
    ("scope_required", SCOPES),
    ("scope_optional", SCOPES),
)
_TABLES = ("features", "classes", "ports", "canary_folders", "trusted", "warnings")


@dataclass(frozen=True, slots=True)
class RuleRemoval:
    """The rules that are left, and the calls that may be answered otherwise."""

    name: str
    rules: tuple[CallRule, ...]
    calls: tuple[str, ...]


def rule_removals() -> Iterator[RuleRemoval]:
    """Give the rules without one, one call, one test, one range or one condition."""
    for index, rule in enumerate(CALL_RULES):
        for what, left in _less(rule):
            rules = (*CALL_RULES[:index], *left, *CALL_RULES[index + 1 :])
            name = f"{_title(rule)}{what}"
            yield RuleRemoval(name, rules, rule.calls)


def _title(rule: CallRule) -> str:
    more = " …" if len(rule.calls) > 1 else ""
    return f"rule `{rule.calls[0]}{more}` ({rule.reason}; {rule.when})"


def _less(rule: CallRule) -> Iterator[tuple[str, tuple[CallRule, ...]]]:
    yield "", ()
    for call in rule.calls if len(rule.calls) > 1 else ():
        kept = tuple(one for one in rule.calls if one != call)
        yield f": call `{call}`", (replace(rule, calls=kept),)
    for index, test in enumerate(rule.tests):
        before, after = rule.tests[:index], rule.tests[index + 1 :]
        yield f": test {index}", (replace(rule, tests=(*before, *after)),)
        for at, (low, high) in enumerate(test.ranges if len(test.ranges) > 1 else ()):
            ranges = (*test.ranges[:at], *test.ranges[at + 1 :])
            tests = (*before, replace(test, ranges=ranges), *after)
            yield f": {low:#x} to {high:#x}", (replace(rule, tests=tests),)
        if test.own_pid:
            tests = (*before, replace(test, own_pid=False), *after)
            yield ": the own number", (replace(rule, tests=tests),)
    for word in rule.when.split() if rule.when != "always" else ():
        kept_words = [one for one in rule.when.split() if one != word]
        when = " ".join(kept_words) or "always"
        yield f": condition `{word}`", (replace(rule, when=when),)


def _of_variants(change: Callable[[Variant], Variant]) -> Change:
    def changed(artifact: Artifact) -> Artifact:
        levels = tuple(
            replace(level, variants=tuple(map(change, level.variants)))
            for level in artifact.levels
        )
        return replace(artifact, levels=levels)

    return changed


def _without_named(field: str, name: str) -> Change:
    """Take the probe or the requirement of a name out of every variant."""

    def change(variant: Variant) -> Variant:
        rows = tuple(row for row in getattr(variant, field) if row.name != name)
        return replace(variant, **{field: rows})

    return _of_variants(change)


def _without_need(line: str, feature: str) -> Change:
    def change(variant: Variant) -> Variant:
        rows = tuple(
            replace(row, needs=tuple(one for one in row.needs if one != feature))
            if row.name == line
            else row
            for row in variant.requirements
        )
        return replace(variant, requirements=rows)

    return _of_variants(change)


def _without_must(feature: str) -> Change:
    return _of_variants(
        lambda one: replace(
            one, must=tuple(name for name in one.must if name != feature)
        )
    )


def _without_bit(field: str, bit: int) -> Change:
    return _of_variants(
        lambda one: replace(one, **{field: getattr(one, field) & ~bit})  # type: ignore[arg-type]
    )


def _without_row(table: str, row: object) -> Change:
    return lambda one: replace(
        one, **{table: tuple(each for each in getattr(one, table) if each != row)}
    )


def _without_right(name: str, bit: int) -> Change:
    return lambda one: replace(
        one,
        classes=tuple(
            replace(each, rights=each.rights & ~bit) if each.name == name else each
            for each in one.classes
        ),
    )


def artifact_changes(artifacts: list[Artifact]) -> dict[str, Change]:
    """Name every removal that changes one of these artifacts, with the change."""
    found: dict[str, Change] = {}
    for artifact in artifacts:
        found.update(_of_tables(artifact))
        for variant in artifact.levels[0].variants:
            found.update(_of_variant(variant))
    return found


def _of_tables(artifact: Artifact) -> Iterator[tuple[str, Change]]:
    for table in _TABLES:
        for row in getattr(artifact, table):
            title = getattr(row, "id", None) or " ".join(
                str(getattr(row, name))
                for name in ("name", "when", "kind", "base", "path", "port")
                if hasattr(row, name)
            )
            yield f"`{table}`: {title}", _without_row(table, row)
    for word in artifact.streams:
        yield f"stream {word}", _without_row("streams", word)
    for grant in artifact.grants:
        if not grant.policy:
            yield f"system path `{grant.path}`", _without_row("grants", grant)
    for one in artifact.classes:
        for right in FS_RIGHTS:
            if one.rights & right.bit:
                title = f"right {right.name} of class {one.name}"
                yield title, _without_right(one.name, right.bit)


def _of_variant(variant: Variant) -> Iterator[tuple[str, Change]]:
    for probe in variant.probes:
        yield f"probe {probe.name}", _without_named("probes", probe.name)
    for line in variant.requirements:
        yield f"line {line.name}", _without_named("requirements", line.name)
        for feature in line.needs:
            yield f"need of {line.name}: {feature}", _without_need(line.name, feature)
    for feature in variant.must:
        yield f"condition of variants: {feature}", _without_must(feature)
    for field, rights in _HANDLED:
        for right in rights:
            if getattr(variant, field) & right.bit:
                title = f"handled {right.name} ({field.replace('_', ', ')})"
                yield title, _without_bit(field, right.bit)
