# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge one value against its key: its type, its words, the members of an entry."""

from __future__ import annotations

from datetime import date, datetime, time

from stockade.diagnostics import Code, Report, quote
from stockade.policy.format import MACH_SERVICES, Key, Kind
from stockade.policy.suggest import suggestion
from stockade.policy.tree import Array, Node, Scalar, Table
from stockade.source import Span

_SCALAR_NAMES = (
    (bool, "a boolean"),
    (int, "an integer"),
    (float, "a float"),
    (str, "a string"),
    (datetime, "a date-time"),
    (date, "a date"),
    (time, "a time"),
)


def type_name(node: Node) -> str:
    """Return the TOML type of a value, with its article."""
    match node:
        case Table():
            return "a table"
        case Array():
            return "an array"
        case Scalar(value):
            return next(
                name for type_, name in _SCALAR_NAMES if isinstance(value, type_)
            )


def is_well_formed(key: Key, node: Node, key_span: Span, report: Report) -> bool:
    """Tell whether a value has the type and the words of its key; report if not."""
    match key.kind:
        case Kind.WORD:
            sound = _is_word(key, node, report)
        case Kind.TEXT:
            sound = _is_scalar(key, node, str, report)
        case Kind.FLAG:
            sound = _is_scalar(key, node, bool, report)
        case Kind.PORT:
            sound = _is_scalar(key, node, int, report)
        case Kind.PATHS | Kind.NAMES:
            sound = _is_list(key, node, report)
        case Kind.VALUES:
            sound = _is_values(key, node, report)
        case Kind.ENTRY:
            sound = _is_entry(key, node, key_span, report)
        case _:  # Kind.ENTRIES
            sound = _is_entries(key, node, report)
    return sound


def _is_scalar(key: Key, node: Node, wanted: type, report: Report) -> bool:
    # Not isinstance: a boolean is an integer to Python, and not to TOML.
    if isinstance(node, Scalar) and type(node.value) is wanted:
        return True
    _refuse(key, node, key.kind.value, report)
    return False


def _is_word(key: Key, node: Node, report: Report) -> bool:
    if not _is_scalar(key, node, str, report):
        return False
    assert isinstance(node, Scalar)
    word = str(node.value)
    if word in key.words:
        return True
    near = suggestion(word, key.words)
    listed = ", ".join(f"`{one}`" for one in key.words)
    report.add(
        Code.UNKNOWN_VALUE,
        f"{quote(word)} is no value of `{key.path}`",
        node.span,
        advice=f"did you mean `{near}`?" if near else f"one of {listed}",
    )
    return False


def _is_list(key: Key, node: Node, report: Report) -> bool:
    if not isinstance(node, Array):
        _refuse(key, node, key.kind.value, report)
        return False
    wrong = [item for item in node.items if not _is_string(item)]
    for item in wrong:
        message = f"each of `{key.path}` must be a string, not {type_name(item)}"
        report.add(Code.WRONG_TYPE, message, item.span)
    if wrong or key.path != "macos.mach_services":
        return not wrong
    strange = [
        item
        for item in node.items
        if isinstance(item, Scalar) and item.value not in MACH_SERVICES
    ]
    for item in strange:
        report.add(
            Code.UNKNOWN_VALUE,
            f"{quote(str(item.value))} is no service that a policy may allow",
            item.span,
            advice=f"only {quote(MACH_SERVICES[0])} is taken",
        )
    return not strange


def _is_string(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, str)


def _is_values(key: Key, node: Node, report: Report) -> bool:
    if not isinstance(node, Table):
        _refuse(key, node, key.kind.value, report)
        return False
    wrong = [
        (name, entry)
        for name, entry in node.entries.items()
        if not _is_string(entry.node)
    ]
    for name, entry in wrong:
        message = f"{quote(name)} must be a string, not {type_name(entry.node)}"
        report.add(Code.WRONG_TYPE, message, entry.node.span)
    return not wrong


def _is_entries(key: Key, node: Node, report: Report) -> bool:
    if not isinstance(node, Array):
        _refuse(key, node, key.kind.value, report)
        return False
    sound = [_is_entry(key, item, item.span, report) for item in node.items]
    return all(sound)


def _is_entry(key: Key, node: Node, key_span: Span, report: Report) -> bool:
    if not isinstance(node, Table):
        _refuse(key, node, Kind.ENTRY.value, report)
        return False
    members = key.members or {}
    sound = True
    for name, entry in node.entries.items():
        member = members.get(name)
        if member is None:
            near = suggestion(name, members)
            report.add(
                Code.UNKNOWN_KEY,
                f"unknown key {quote(name)} in `{key.path}`",
                entry.key_span,
                advice=f"did you mean `{near}`?" if near else "",
            )
            sound = False
        else:
            sound &= is_well_formed(member, entry.node, entry.key_span, report)
    for name, member in members.items():
        if member.required and name not in node.entries:
            message = f"`{key.path}` needs `{name}`"
            report.add(Code.MISSING_KEY, message, key_span)
            sound = False
    return sound


def _refuse(key: Key, node: Node, wanted: str, report: Report) -> None:
    report.add(
        Code.WRONG_TYPE,
        f"`{key.path}` must be {wanted}, not {type_name(node)}",
        node.span,
    )
