# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write a policy as rows of names and texts, and read it back.

A bundle for macOS or Windows carries them, so that its policy is told again from
the file alone. INVARIANT: `policy_of(key_rows(policy)) == policy`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from stockade.model.path_family import is_normal
from stockade.model.policy import Access, Egress, Expose, Forward, Grant, Policy, Reach

_GRANT = "grant."
# Stands between the parts of a row's value; no part before the last holds one.
_MARK = " "


class KeyRowsError(ValueError):
    """Rows that no policy is written as; the message says which."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One value of a field of the policy; a field that holds a list has many."""

    name: str
    value: str


def key_rows(policy: Policy) -> tuple[KeyRow, ...]:
    """Write every value that is not the default, in the order of the fields."""
    empty = Policy()
    found: list[KeyRow] = []
    for field in fields(Policy):
        value = getattr(policy, field.name)
        if value == getattr(empty, field.name):
            continue
        found += [KeyRow(name, text) for name, text in _texts(field.name, value)]
    return tuple(found)


def _texts(name: str, value: Any) -> list[tuple[str, str]]:
    match value:
        case str():
            return [(name, str(value))]
        case Egress(port, reach):
            return [(name, f"{port}{_MARK}{reach}")]
        case tuple():
            return [_item(name, one) for one in value]
    message = f"{name} holds {value!r}, which has no text"
    raise KeyRowsError(message)


def _item(name: str, one: object) -> tuple[str, str]:
    match one:
        case str():
            return name, one
        case Grant(path, access):
            return f"{_GRANT}{access}", path
        case Expose(listen, port):
            return name, f"{port}{_MARK}{listen}"
        case Forward(port, to):
            return name, f"{port}{_MARK}{to}"
        case (str() as variable, str() as value):
            return name, f"{variable}={value}"
    message = f"{name} holds {one!r}, which has no text"
    raise KeyRowsError(message)


def policy_of(rows: Iterable[KeyRow]) -> Policy:
    """Read rows back; raises KeyRowsError for rows that `key_rows` never writes."""
    given = tuple(rows)
    kinds = get_type_hints(Policy)
    values: dict[str, Any] = {}
    for row in given:
        name = "grants" if row.name.startswith(_GRANT) else row.name
        if name not in kinds:
            message = f"`{row.name}` is no field of a policy"
            raise KeyRowsError(message)
        try:
            _add(values, name, kinds[name], row)
        except ValueError as error:
            message = f"`{row.name}` cannot hold `{row.value}`"
            raise KeyRowsError(message) from error
    policy = Policy(**values)
    if key_rows(policy) != given:
        raise KeyRowsError("rows are not in their order, or repeat")
    return policy


def _add(values: dict[str, Any], name: str, kind: Any, row: KeyRow) -> None:
    if name == "grants":
        access = Access(row.name.removeprefix(_GRANT))
        grant = Grant(_path(row.value), access)
        values[name] = (*values.get(name, ()), grant)
    elif name == "egress":
        port, _, reach = row.value.partition(_MARK)
        values[name] = Egress(int(port), Reach(reach))
    elif name in {"expose", "forward"}:
        port, _, other = row.value.partition(_MARK)
        one = (
            Expose(other, int(port)) if name == "expose" else Forward(int(port), other)
        )
        values[name] = (*values.get(name, ()), one)
    elif name == "set_values":
        variable, _, text = row.value.partition("=")
        values[name] = (*values.get(name, ()), (variable, text))
    elif name == "project_write":
        values[name] = (*values.get(name, ()), _path(row.value))
    elif words := _words(kind):
        values[name] = words(row.value)
    elif kind is str:
        values[name] = row.value
    else:
        values[name] = (*values.get(name, ()), row.value)


def _path(text: str) -> str:
    if not is_normal(text):
        raise ValueError(text)
    return text


def _words(kind: Any) -> type[StrEnum] | None:
    for one in (kind, *get_args(kind)):
        if isinstance(one, type) and issubclass(one, StrEnum):
            return one
    return None
