# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold what expressions are worth, and where names are bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from stockade.proof.sbpl.reader import Form

# Strings, numbers, truth values, lists (tuples), filters and the classes below.
Value: TypeAlias = object


@dataclass(frozen=True, slots=True)
class Named:
    """A quoted name."""

    name: str


@dataclass(frozen=True, slots=True)
class OperationName:
    """An operation as rules name it; `name` is empty for one that is idle."""

    name: str


@dataclass(frozen=True, slots=True)
class Builtin:
    """A procedure of the language."""

    name: str
    call: Callable[[Sequence[Value]], Value]


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A procedure of the profile; `rest` takes what its parameters leave over."""

    name: str
    parameters: tuple[str, ...]
    rest: str
    body: tuple[Form, ...]
    scope: Scope


@dataclass(slots=True, eq=False)
class Scope:
    """Names and their values, inside another scope or not."""

    outer: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)

    def holder(self, name: str) -> Scope | None:
        """Find the scope that binds a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope


def is_true(value: Value) -> bool:
    """Tell whether a condition holds: everything but `#f` is true."""
    return value is not False


def described(value: Value) -> str:
    """Name a value in a message."""
    match value:
        case bool():
            return "#t" if value else "#f"
        case str():
            return f'"{value[:40]}"'
        case int() | float():
            return str(value)
        case OperationName(name) | Named(name) | Builtin(name) | Closure(name):
            return f"`{name}`"
        case tuple():
            return "a list"
        case _:
            return f"a {type(value).__name__.lower()}"
