# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the tree of a policy file into settings: known keys with their values.

What is wrong is reported and marked, so that the passes behind can go on with the
rest and say nothing more about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from stockade.diagnostics import Code, Report, quote
from stockade.policy.format import (
    FALLBACK,
    KEYS,
    LEVEL_WORDS,
    RUN_ONLY,
    TABLES,
    VERSION,
    Key,
)
from stockade.policy.settings import Setting
from stockade.policy.suggest import suggestion
from stockade.policy.tree import Array, Entry, Node, Scalar, Table
from stockade.policy.value import is_well_formed, type_name
from stockade.source import Source, Span

_LEVEL_NAME = re.compile(r"[a-z0-9-]{1,32}")
_BASE_LEVEL = "base"


def read_settings(tree: Table, source: Source, report: Report) -> dict[str, Setting]:
    """Return the settings of a file, reporting everything else in it."""
    settings: dict[str, Setting] = {}
    _check_version(tree, source, report)
    for name, entry in tree.entries.items():
        if name in TABLES:
            if isinstance(entry.node, Table):
                _read_table(name, entry.node, settings, report)
            else:
                _refuse_type(name, "a table", entry, report)
        elif name == FALLBACK:
            _check_levels(entry, report)
        elif name != "version":
            _refuse_unknown(name, entry, (*TABLES, FALLBACK, "version"), "", report)
    return settings


def _check_version(tree: Table, source: Source, report: Report) -> None:
    entry = tree.entries.get("version")
    if entry is None:
        report.add(
            Code.NO_VERSION,
            "the policy does not say its `version`",
            Span(source, 0, 0),
            advice=f"begin the file with `version = {VERSION}`",
        )
        return
    node = entry.node
    if not isinstance(node, Scalar) or type(node.value) is not int:
        _refuse_type("version", "an integer", entry, report)
    elif node.value != VERSION:
        report.add(
            Code.OTHER_VERSION,
            "this is another version of the policy format than the one known here",
            node.span,
            advice=f"the only version so far is {VERSION}",
        )


def _read_table(
    table: str, node: Table, settings: dict[str, Setting], report: Report
) -> None:
    for name, entry in node.entries.items():
        key = TABLES[table].get(name)
        if key is None:
            _refuse_unknown(name, entry, TABLES[table], table, report)
        else:
            sound = is_well_formed(key, entry.node, entry.key_span, report)
            settings[key.path] = Setting(key, entry.node, entry.key_span, sound)


def _check_levels(entry: Entry, report: Report) -> None:
    if not isinstance(entry.node, Array):
        _refuse_type(FALLBACK, "an array of tables", entry, report)
        return
    for level in entry.node.items:
        if isinstance(level, Table):
            _check_level(level, report)
        else:
            report.add(
                Code.WRONG_TYPE,
                f"each level of `{FALLBACK}` must be a table, not {type_name(level)}",
                level.span,
            )
    if entry.node.items:
        report.add(
            Code.NOT_SUPPORTED_YET,
            "fallback levels are not supported yet",
            entry.key_span,
            advice="leave them out and write what this host is to enforce",
        )


def _check_level(level: Table, report: Report) -> None:
    _check_level_name(level, report)
    for table, entry in level.entries.items():
        if table == "name":
            continue
        if table not in TABLES:
            _refuse_unknown(table, entry, (*TABLES, "name"), "", report)
        elif not isinstance(entry.node, Table):
            _refuse_type(table, "a table", entry, report)
        else:
            for name, inner in entry.node.entries.items():
                _check_level_key(table, name, inner, report)


def _check_level_name(level: Table, report: Report) -> None:
    entry = level.entries.get("name")
    if entry is None:
        message = "a fallback level needs a `name`"
        report.add(Code.MISSING_KEY, message, level.span)
    elif not isinstance(entry.node, Scalar) or not isinstance(entry.node.value, str):
        _refuse_type("name", "a string", entry, report)
    elif not _LEVEL_NAME.fullmatch(entry.node.value) or entry.node.value == _BASE_LEVEL:
        report.add(
            Code.UNKNOWN_VALUE,
            f"{quote(entry.node.value)} cannot name a fallback level",
            entry.node.span,
            advice="use 1 to 32 of a-z, 0-9 and `-`; `base` is the policy itself",
        )


def _check_level_key(table: str, name: str, entry: Entry, report: Report) -> None:
    key = TABLES[table].get(name)
    if key is None:
        _refuse_unknown(name, entry, TABLES[table], table, report)
        return
    word = LEVEL_WORDS.get(key.path)
    if word and isinstance(entry.node, Scalar) and entry.node.value == word:
        return
    if not key.in_level:
        report.add(
            Code.NOT_IN_A_LEVEL,
            f"`{key.path}` is the same in every level and cannot be set in one",
            entry.key_span,
        )
        return
    is_well_formed(key, entry.node, entry.key_span, report)


def _refuse_type(name: str, wanted: str, entry: Entry, report: Report) -> None:
    report.add(
        Code.WRONG_TYPE,
        f"`{name}` must be {wanted}, not {type_name(entry.node)}",
        entry.node.span,
    )


def _refuse_unknown(
    name: str, entry: Entry, known: Iterable[str], table: str, report: Report
) -> None:
    where = f" in `[{table}]`" if table else ""
    what = "table" if not table and _is_opened(entry.node) else "key"
    report.add(
        Code.UNKNOWN_KEY,
        f"unknown {what} {quote(name)}{where}",
        entry.key_span,
        advice=_advice(name, known, table),
    )


def _is_opened(node: Node) -> bool:
    """Tell whether a value is a table or consists of tables."""
    if isinstance(node, Array):
        return bool(node.items) and all(isinstance(item, Table) for item in node.items)
    return isinstance(node, Table)


def _advice(name: str, known: Iterable[str], table: str) -> str:
    near = suggestion(name, known)
    if near:
        return f"did you mean `{near}`?"
    if name in RUN_ONLY:
        return f"this is chosen for each run, with `{RUN_ONLY[name]}`"
    homes = _tables_with(name, KEYS)
    if homes:
        return f"`{name}` belongs to {homes}"
    if not table:
        elsewhere = suggestion(name, [key.name for key in KEYS.values()])
        if elsewhere:
            return f"did you mean `{elsewhere}` of {_tables_with(elsewhere, KEYS)}?"
    return ""


def _tables_with(name: str, keys: Mapping[str, Key]) -> str:
    return " or ".join(f"`[{key.table}]`" for key in keys.values() if key.name == name)
