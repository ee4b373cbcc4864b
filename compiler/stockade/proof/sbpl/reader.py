# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read tokens into expressions: symbols, strings, numbers, truth values and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from stockade.proof.sbpl.lexer import Kind, Lexer, Token
from stockade.proof.sbpl.limits import MAX_NESTING, MAX_NUMBER
from stockade.proof.sbpl.place import Place, ProfileRefusedError, Remark


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name; `place` is where it stands."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Constant:
    """A string, a number or a truth value as written."""

    value: str | int | float | bool
    place: Place


@dataclass(frozen=True, slots=True)
class ListForm:
    """Expressions in parentheses; `start` and `end` are offsets into the text."""

    items: tuple[Form, ...]
    place: Place
    start: int
    end: int


Form: TypeAlias = Symbol | Constant | ListForm

_DECIMAL = re.compile(r"[+-]?[0-9]{1,20}")
_FRACTION = re.compile(r"[+-]?[0-9]{1,15}\.[0-9]{1,15}")
_BASES = {
    "#b": (2, re.compile(r"[01]{1,64}")),
    "#o": (8, re.compile(r"[0-7]{1,22}")),
    "#d": (10, _DECIMAL),
    "#x": (16, re.compile(r"[0-9A-Fa-f]{1,16}")),
}
_OPEN_MARKS = re.compile(r"[`,#\[\]{}|]")


def read_forms(text: str, name: str) -> tuple[list[Form], list[Remark]]:
    """Read a whole text; `name` stands in places of an imported one."""
    lexer = Lexer(text, name)
    tokens = lexer.tokens()
    forms = [_form(token, tokens, lexer, 0) for token in tokens]
    return forms, lexer.remarks


def number_of(text: str) -> int | float | None:
    """Read a number as `string->number` does; None where it is none."""
    if _DECIMAL.fullmatch(text):
        return int(text)
    return float(text) if _FRACTION.fullmatch(text) else None


def _form(token: Token, tokens: Iterator[Token], lexer: Lexer, depth: int) -> Form:
    if depth > MAX_NESTING:
        raise ProfileRefusedError(
            token.place, f"lists are nested more than {MAX_NESTING} deep"
        )
    match token.kind:
        case Kind.STRING:
            return Constant(token.text, token.place)
        case Kind.ATOM:
            return _atom(token)
        case Kind.QUOTE:
            return _quoted(token, tokens, lexer, depth)
        case Kind.CLOSE:
            raise ProfileRefusedError(token.place, "this parenthesis closes nothing")
        case Kind.OPEN:
            return _list(token, tokens, lexer, depth)


def _list(
    opening: Token, tokens: Iterator[Token], lexer: Lexer, depth: int
) -> ListForm:
    items: list[Form] = []
    for token in tokens:
        if token.kind is Kind.CLOSE:
            return ListForm(tuple(items), opening.place, opening.start, token.end)
        items.append(_form(token, tokens, lexer, depth + 1))
    raise ProfileRefusedError(opening.place, "this parenthesis is never closed")


def _quoted(
    quote: Token, tokens: Iterator[Token], lexer: Lexer, depth: int
) -> ListForm:
    following = next(tokens, None)
    if following is None:
        raise ProfileRefusedError(quote.place, "nothing follows this quote")
    inner = _form(following, tokens, lexer, depth + 1)
    return ListForm(
        (Symbol("quote", quote.place), inner), quote.place, quote.start, following.end
    )


def _atom(token: Token) -> Form:
    text, place = token.text, token.place
    if text in {"#t", "#f"}:
        return Constant(text == "#t", place)
    base = _BASES.get(text[:2])
    if base and base[1].fullmatch(text[2:]):
        return Constant(_bounded(int(text[2:], base[0]), place), place)
    number = number_of(text)
    if number is not None:
        return Constant(_bounded(number, place), place)
    if _OPEN_MARKS.match(text):
        raise ProfileRefusedError(place, f"`{text}` is not read here")
    return Symbol(text, place)


def _bounded(number: float, place: Place) -> int | float:
    if abs(number) > MAX_NUMBER:
        raise ProfileRefusedError(place, "this number is too large")
    return number
