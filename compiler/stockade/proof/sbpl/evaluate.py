# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Evaluate the Scheme that profiles are written in, in bounded steps and depth.

Calls in the last place of a procedure take no depth, so that loops may be long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from stockade.proof.sbpl.constants import WORDS, word_named
from stockade.proof.sbpl.limits import MAX_DEPTH, MAX_STEPS
from stockade.proof.sbpl.place import (
    Place,
    ProfileRefusedError,
    UnreadableArgumentError,
)
from stockade.proof.sbpl.reader import Constant, Form, ListForm, Symbol
from stockade.proof.sbpl.values import (
    Builtin,
    Closure,
    Named,
    Scope,
    Value,
    described,
    is_true,
)


@dataclass(frozen=True, slots=True)
class Tail:
    """What is left to evaluate, in place of a value."""

    form: Form
    scope: Scope


class Evaluator:
    """Evaluate forms; `specials` are the words whose arguments are not evaluated.

    `doubt` is told of words that are known by their form alone.
    """

    def __init__(self, doubt: Callable[[Place, str], None]) -> None:
        self.specials: dict[str, Callable[[ListForm, Scope], Value | Tail]] = {
            "quote": self._quote,
            "define": self._define,
            "lambda": self._lambda,
            "if": self._if,
            "cond": self._cond,
            "when": self._when,
            "unless": self._unless,
            "begin": lambda form, scope: self._body(form.items[1:], form, scope),
            "and": self._and,
            "or": self._or,
            "let": self._let,
            "let*": self._let_in_turn,
            "letrec": self._let_in_turn,
            "set!": self._set,
        }
        self._doubt = doubt
        self._steps = 0
        self._depth = 0
        # Where the innermost call stands, for procedures that keep it.
        self.call: ListForm | None = None

    def evaluate(self, form: Form, scope: Scope) -> Value:
        """Give what a form is worth; raises ProfileRefusedError."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ProfileRefusedError(form.place, "calls are nested too deep")
        try:
            found: Value | Tail = Tail(form, scope)
            while isinstance(found, Tail):
                found = self._step(found.form, found.scope)
            return found
        finally:
            self._depth -= 1

    def _step(self, form: Form, scope: Scope) -> Value | Tail:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise ProfileRefusedError(form.place, f"takes more than {MAX_STEPS} steps")
        match form:
            case Constant(value):
                return value
            case Symbol():
                return self._looked_up(form, scope)
            case ListForm():
                return self._listed(form, scope)

    def _listed(self, form: ListForm, scope: Scope) -> Value | Tail:
        if not form.items:
            raise ProfileRefusedError(form.place, "an empty list calls nothing")
        head = form.items[0]
        if isinstance(head, Symbol) and head.name in self.specials:
            return self.specials[head.name](form, scope)
        procedure = self.evaluate(head, scope)
        given = [self.evaluate(one, scope) for one in form.items[1:]]
        return self._called(procedure, given, form)

    def _looked_up(self, symbol: Symbol, scope: Scope) -> Value:
        holder = scope.holder(symbol.name)
        if holder:
            return holder.names[symbol.name]
        word = word_named(symbol.name)
        if word is None:
            raise ProfileRefusedError(symbol.place, f"`{symbol.name}` is not defined")
        if word.name not in WORDS:
            self._doubt(symbol.place, f"whether `{word.name}` exists is not known")
        return word

    def apply(self, procedure: Value, given: Sequence[Value], form: ListForm) -> Value:
        """Call a procedure from one of ours."""
        found = self._called(procedure, given, form)
        return (
            self.evaluate(found.form, found.scope) if isinstance(found, Tail) else found
        )

    def _called(
        self, procedure: Value, given: Sequence[Value], form: ListForm
    ) -> Value | Tail:
        if isinstance(procedure, Builtin):
            self.call = form
            try:
                return procedure.call(given)
            except UnreadableArgumentError as fault:
                why = f"in `{procedure.name}`: {fault}"
                raise ProfileRefusedError(form.place, why) from None
        if not isinstance(procedure, Closure):
            why = f"{described(procedure)} is no procedure"
            raise ProfileRefusedError(form.place, why)
        wanted = len(procedure.parameters)
        if len(given) < wanted or (len(given) > wanted and not procedure.rest):
            why = f"`{procedure.name}` takes {wanted} arguments, not {len(given)}"
            raise ProfileRefusedError(form.place, why)
        inner = Scope(
            procedure.scope, dict(zip(procedure.parameters, given, strict=False))
        )
        if procedure.rest:
            inner.names[procedure.rest] = tuple(given[wanted:])
        return self._body(procedure.body, form, inner)

    def _body(
        self, forms: Sequence[Form], form: ListForm, scope: Scope
    ) -> Value | Tail:
        for one in forms[:-1]:
            self.evaluate(one, scope)
        return Tail(forms[-1], scope) if forms else _malformed(form)

    def _quote(self, form: ListForm, _scope: Scope) -> Value:
        match form.items:
            case (_, quoted):
                return _quoted(quoted)
        return _malformed(form)

    def _define(self, form: ListForm, scope: Scope) -> Value:
        match form.items:
            case (_, Symbol(name), value):
                found = self.evaluate(value, scope)
                scope.names[name] = found
                return Named(name)
            case (_, ListForm((Symbol(name), *parameters)), *body) if body:
                closure = _closure(form, name, parameters, body, scope)
                scope.names[name] = closure
                return Named(name)
        return _malformed(form)

    def _lambda(self, form: ListForm, scope: Scope) -> Value:
        match form.items:
            case (_, ListForm(parameters), *body) if body:
                return _closure(form, "lambda", parameters, body, scope)
            case (_, Symbol(rest), *body) if body:
                return Closure("lambda", (), rest, tuple(body), scope)
        return _malformed(form)

    def _if(self, form: ListForm, scope: Scope) -> Value | Tail:
        match form.items:
            case (_, condition, then):
                held = is_true(self.evaluate(condition, scope))
                return Tail(then, scope) if held else None
            case (_, condition, then, otherwise):
                held = is_true(self.evaluate(condition, scope))
                return Tail(then if held else otherwise, scope)
        return _malformed(form)

    def _cond(self, form: ListForm, scope: Scope) -> Value | Tail:
        for clause in form.items[1:]:
            match clause:
                case ListForm((Symbol("else"), *body)) if body:
                    return self._body(body, form, scope)
                case ListForm((condition, *body)):
                    value = self.evaluate(condition, scope)
                    if is_true(value):
                        return self._body(body, form, scope) if body else value
                case _:
                    return _malformed(form)
        return None

    def _when(self, form: ListForm, scope: Scope) -> Value | Tail:
        if len(form.items) < 3:
            return _malformed(form)
        held = is_true(self.evaluate(form.items[1], scope))
        return self._body(form.items[2:], form, scope) if held else None

    def _unless(self, form: ListForm, scope: Scope) -> Value | Tail:
        if len(form.items) < 3:
            return _malformed(form)
        held = is_true(self.evaluate(form.items[1], scope))
        return None if held else self._body(form.items[2:], form, scope)

    def _and(self, form: ListForm, scope: Scope) -> Value | Tail:
        for one in form.items[1:-1]:
            value = self.evaluate(one, scope)
            if not is_true(value):
                return value
        return Tail(form.items[-1], scope) if len(form.items) > 1 else True

    def _or(self, form: ListForm, scope: Scope) -> Value | Tail:
        for one in form.items[1:-1]:
            value = self.evaluate(one, scope)
            if is_true(value):
                return value
        return Tail(form.items[-1], scope) if len(form.items) > 1 else False

    def _let(self, form: ListForm, scope: Scope) -> Value | Tail:
        match form.items:
            case (_, Symbol(name), ListForm(bindings), *body) if body:
                pairs = [_binding(form, one) for one in bindings]
                inner = Scope(scope)
                parameters = [parameter for parameter, _ in pairs]
                loop = _closure(form, name, parameters, body, inner)
                inner.names[name] = loop
                given = [self.evaluate(value, scope) for _, value in pairs]
                return self._called(loop, given, form)
            case (_, ListForm(bindings), *body) if body:
                pairs = [_binding(form, one) for one in bindings]
                values = {
                    symbol.name: self.evaluate(value, scope) for symbol, value in pairs
                }
                return self._body(body, form, Scope(scope, values))
        return _malformed(form)

    def _let_in_turn(self, form: ListForm, scope: Scope) -> Value | Tail:
        """Bind one name after the other, each seeing those before and its own."""
        match form.items:
            case (_, ListForm(bindings), *body) if body:
                inner = Scope(scope)
                for one in bindings:
                    symbol, value = _binding(form, one)
                    inner.names[symbol.name] = self.evaluate(value, inner)
                return self._body(body, form, inner)
        return _malformed(form)

    def _set(self, form: ListForm, scope: Scope) -> Value:
        match form.items:
            case (_, Symbol(name, place), value):
                found = self.evaluate(value, scope)
                holder = scope.holder(name)
                if holder is None:
                    raise ProfileRefusedError(place, f"`{name}` is not defined")
                holder.names[name] = found
                return found
        return _malformed(form)


def _quoted(form: Form) -> Value:
    match form:
        case Constant(value):
            return value
        case Symbol(name):
            return Named(name)
        case ListForm(items):
            return tuple(_quoted(one) for one in items)


def _binding(form: ListForm, binding: Form) -> tuple[Symbol, Form]:
    match binding:
        case ListForm((Symbol() as symbol, value)):
            return symbol, value
    return _malformed(form)


def _closure(
    form: ListForm,
    name: str,
    parameters: Sequence[Form],
    body: Sequence[Form],
    scope: Scope,
) -> Closure:
    names = [one.name for one in parameters if isinstance(one, Symbol)]
    rest = ""
    if len(names) > 1 and names[-2] == ".":
        rest = names[-1]
        names = names[:-2]
    if len(names) + (2 if rest else 0) != len(parameters) or "." in names:
        return _malformed(form)
    return Closure(name, tuple(names), rest, tuple(body), scope)


def _malformed(form: ListForm) -> NoReturn:
    head = form.items[0]
    name = head.name if isinstance(head, Symbol) else "this"
    raise ProfileRefusedError(form.place, f"`{name}` is not written like this")
