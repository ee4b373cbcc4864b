# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Do what Scheme's own procedures do with strings, numbers and lists.

Only those that profiles use. All results are counted, so that no profile can make
strings or lists without end.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from stockade.proof.sbpl.filters import Filter, require_all, require_any, require_not
from stockade.proof.sbpl.limits import MAX_LISTED, MAX_MADE, MAX_NUMBER
from stockade.proof.sbpl.place import UnreadableArgumentError
from stockade.proof.sbpl.reader import number_of
from stockade.proof.sbpl.values import Builtin, Closure, Named, Value, described

Given: TypeAlias = Sequence[Value]
_Call: TypeAlias = Callable[[Given], Value]
_SPECIAL = "\\.[]{}()*+?|^$"


@dataclass(slots=True)
class Made:
    """Count what a profile makes."""

    characters: int = 0
    members: int = 0

    def text(self, text: str) -> str:
        """Count a string."""
        self.characters += len(text)
        if self.characters > MAX_MADE:
            raise UnreadableArgumentError("the profile makes too many strings")
        return text

    def listed(self, members: Given) -> tuple[Value, ...]:
        """Count a list."""
        self.members += len(members) + 1
        if self.members > MAX_LISTED:
            raise UnreadableArgumentError("the profile makes too many lists")
        return tuple(members)


def procedures(made: Made) -> dict[str, Builtin]:
    """Give the procedures that need nothing but their arguments."""
    found: dict[str, _Call] = {
        **_of_strings(made),
        **_of_numbers(),
        **_of_lists(made),
        **_questions(),
        "require-all": lambda given: require_all(filters_in(given)),
        "require-any": lambda given: require_any(filters_in(given)),
        "require-not": lambda given: require_not(filters_in(given, 1)[0]),
        "error": _error,
    }
    return {name: Builtin(name, call) for name, call in found.items()}


def texts_in(given: Given, count: int | None = None) -> list[str]:
    """Take arguments that must be strings."""
    found = [one for one in _counted(given, count) if isinstance(one, str)]
    if len(found) < len(given):
        odd = next(one for one in given if not isinstance(one, str))
        raise UnreadableArgumentError(f"needs a string, not {described(odd)}")
    return found


def filters_in(given: Given, count: int | None = None) -> list[Filter]:
    """Take arguments that must be filters, at least one."""
    found = [one for one in _counted(given, count) if isinstance(one, Filter)]
    if len(found) < len(given) or not found:
        raise UnreadableArgumentError("needs filters and nothing else")
    return found


def _counted(given: Given, count: int | None) -> Given:
    if count is not None and len(given) != count:
        raise UnreadableArgumentError(
            f"takes {count} argument{'s' if count != 1 else ''}, not {len(given)}"
        )
    return given


def _numbers_in(given: Given, count: int | None = None) -> list[int | float]:
    found = [
        one
        for one in _counted(given, count)
        if isinstance(one, (int, float)) and not isinstance(one, bool)
    ]
    if len(found) < len(given) or not found:
        raise UnreadableArgumentError("needs numbers and nothing else")
    return found


def _list_in(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, tuple):
        raise UnreadableArgumentError(f"needs a list, not {described(value)}")
    return value


def _of_strings(made: Made) -> dict[str, _Call]:
    return {
        "string-append": lambda given: made.text("".join(texts_in(given))),
        "regex-quote": lambda given: made.text(_regex_quoted(texts_in(given, 1)[0])),
        "substring": lambda given: made.text(_substring(given)),
        "string-length": lambda given: len(texts_in(given, 1)[0]),
        "string=?": lambda given: _in_order(texts_in(given), operator.eq),
        "string<?": lambda given: _in_order(texts_in(given), operator.lt),
        "string->number": lambda given: _number_or_false(texts_in(given, 1)[0]),
        "number->string": lambda given: made.text(str(_numbers_in(given, 1)[0])),
    }


def _regex_quoted(text: str) -> str:
    return "".join(f"\\{one}" if one in _SPECIAL else one for one in text)


def _substring(given: Given) -> str:
    match list(given):
        case [str(text), int(start)]:
            end = len(text)
        case [str(text), int(start), int(end)]:
            pass
        case _:
            raise UnreadableArgumentError("takes a string, a start and an end")
    if not 0 <= start <= end <= len(text):
        raise UnreadableArgumentError("the part lies outside the string")
    return text[start:end]


def _number_or_false(text: str) -> int | float | bool:
    number = number_of(text)
    return False if number is None else _bounded(number)


def _in_order(values: Sequence[Any], holds: Callable[[Any, Any], bool]) -> bool:
    if len(values) < 2:
        raise UnreadableArgumentError("takes two arguments or more")
    return all(holds(one, two) for one, two in itertools.pairwise(values))


def _of_numbers() -> dict[str, _Call]:
    orders: dict[str, Callable[[Any, Any], bool]] = {
        "=": operator.eq,
        "<": operator.lt,
        ">": operator.gt,
        "<=": operator.le,
        ">=": operator.ge,
    }
    divisions: dict[str, Callable[[int, int], int]] = {
        # Python rounds down; Scheme's quotient goes towards zero.
        "quotient": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) is (b < 0) else -1),
        "remainder": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
        "modulo": operator.mod,
    }
    return {
        **{name: _comparing(holds) for name, holds in orders.items()},
        **{name: _dividing(divide) for name, divide in divisions.items()},
        "+": lambda given: _bounded(sum(_numbers_in(given))),
        "-": lambda given: _bounded(_difference(_numbers_in(given))),
        "*": lambda given: _bounded(_product(_numbers_in(given))),
        "min": lambda given: min(_numbers_in(given)),
        "max": lambda given: max(_numbers_in(given)),
        "abs": lambda given: abs(_numbers_in(given, 1)[0]),
        "zero?": lambda given: _numbers_in(given, 1)[0] == 0,
        # Apple's prelude composes the lower half of an ioctl's number with it.
        "_IO": _io_number,
    }


def _comparing(holds: Callable[[Any, Any], bool]) -> _Call:
    return lambda given: _in_order(_numbers_in(given), holds)


def _dividing(divide: Callable[[int, int], int]) -> _Call:
    def call(given: Given) -> int:
        match _numbers_in(given, 2):
            case [int(dividend), int(divisor)] if divisor:
                return divide(dividend, divisor)
        raise UnreadableArgumentError("divides a whole number by another than 0")

    return call


def _difference(numbers: list[int | float]) -> int | float:
    return -numbers[0] if len(numbers) == 1 else numbers[0] - sum(numbers[1:])


def _product(numbers: list[int | float]) -> int | float:
    found: int | float = 1
    for number in numbers:
        found = _bounded(found * number)
    return found


def _bounded(number: float) -> int | float:
    if not math.isfinite(number) or abs(number) > MAX_NUMBER:
        raise UnreadableArgumentError("a number becomes too large")
    return number


def _io_number(given: Given) -> int:
    match list(given):
        case [str(group), int(number)] if len(group) == 1 and 0 <= number < 256:
            return ord(group) * 256 + number
    raise UnreadableArgumentError("`_IO` takes one character and a number")


def _of_lists(made: Made) -> dict[str, _Call]:
    return {
        "list": made.listed,
        "cons": lambda given: made.listed(_cons(_counted(given, 2))),
        "car": lambda given: _member(_counted(given, 1)[0], 0),
        "cadr": lambda given: _member(_counted(given, 1)[0], 1),
        "cdr": lambda given: made.listed(_rest(_counted(given, 1)[0])),
        "length": lambda given: len(_list_in(_counted(given, 1)[0])),
        "reverse": lambda given: made.listed(_list_in(_counted(given, 1)[0])[::-1]),
        "append": lambda given: made.listed(
            [one for part in given for one in _list_in(part)]
        ),
    }


def _cons(given: Given) -> Given:
    return (given[0], *_list_in(given[1]))


def _member(value: Value, at: int) -> Value:
    members = _list_in(value)
    if len(members) <= at:
        raise UnreadableArgumentError("the list is too short")
    return members[at]


def _rest(value: Value) -> Given:
    _member(value, 0)
    return _list_in(value)[1:]


def _questions() -> dict[str, _Call]:
    kinds: dict[str, type | tuple[type, ...]] = {
        "string?": str,
        "boolean?": bool,
        "symbol?": Named,
        "list?": tuple,
        "procedure?": (Builtin, Closure),
        "sbpl-filter?": Filter,
    }
    return {
        **{name: _of_kind(kind) for name, kind in kinds.items()},
        **dict.fromkeys(("eq?", "eqv?", "equal?"), _equal),
        "not": lambda given: _counted(given, 1)[0] is False,
        "null?": lambda given: _counted(given, 1)[0] == (),
        "pair?": lambda given: _counted(given, 1)[0] != () and _is_list(given[0]),
        "number?": lambda given: _is_number(_counted(given, 1)[0]),
    }


def _of_kind(kind: type | tuple[type, ...]) -> _Call:
    return lambda given: isinstance(_counted(given, 1)[0], kind)


def _is_list(value: Value) -> bool:
    return isinstance(value, tuple)


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equal(given: Given) -> bool:
    one, two = _counted(given, 2)
    if isinstance(one, tuple) and isinstance(two, tuple):
        # Lists that share parts could be compared without end.
        raise UnreadableArgumentError("lists are not compared here")
    return type(one) is type(two) and one == two


def _error(given: Given) -> Value:
    said = " ".join(one if isinstance(one, str) else described(one) for one in given)
    raise UnreadableArgumentError(f"the profile gives up: {said[:200]}")
