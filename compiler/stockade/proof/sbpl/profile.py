# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read a profile: its directives and rules, with its parameters and imports.

profile = read_profile(text, {"P0": "/srv/app"})
profile.decide("file-read-data", context_of({"path": "/srv/app/x"}))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stockade.proof.sbpl.arguments import FILTERS, PROTOCOL_WORDS, Maker
from stockade.proof.sbpl.constants import word_named
from stockade.proof.sbpl.evaluate import Evaluator, Tail
from stockade.proof.sbpl.filters import Filter, require_all, require_any
from stockade.proof.sbpl.limits import MAX_IMPORTS, MAX_SERIALIZED, MAX_STATES
from stockade.proof.sbpl.modifiers import (
    MODIFIERS,
    Modifier,
    ModifierName,
    modifier_of,
)
from stockade.proof.sbpl.operations import ALIASES, IDLE, OPERATIONS
from stockade.proof.sbpl.place import (
    Place,
    ProfileRefusedError,
    Remark,
    UnreadableArgumentError,
)
from stockade.proof.sbpl.procedures import Made, procedures, texts_in
from stockade.proof.sbpl.reader import Form, ListForm, read_forms
from stockade.proof.sbpl.rules import Profile, Rule, RuleBook, finished
from stockade.proof.sbpl.values import (
    Builtin,
    Named,
    OperationName,
    Scope,
    Value,
    described,
)

_VERSIONS = (1, 2, 3)
_RULE_TEXT = 160


def read_profile(
    text: str,
    parameters: Mapping[str, str] | None = None,
    imports: Mapping[str, str] | None = None,
    *,
    strict: bool = False,
) -> Profile:
    """Read a profile; `imports` holds texts by the names they are imported by.

    Raises ProfileRefusedError where Apple's compiler would refuse, and, when `strict`,
    where nobody can say whether it would: without `strict` that is a remark.
    """
    reading = _Reading(parameters or {}, imports or {})
    try:
        reading.read(text, "")
    except RecursionError:
        why = "lists, calls and imports are nested too deep together"
        raise ProfileRefusedError(Place(1, 1), why) from None
    profile = reading.finish()
    if strict and profile.remarks:
        raise ProfileRefusedError(profile.remarks[0].place, profile.remarks[0].text)
    return profile


class _Reading:
    """What is known while a profile is read."""

    def __init__(
        self, parameters: Mapping[str, str], imports: Mapping[str, str]
    ) -> None:
        self._parameters = parameters
        self._asked: dict[str, None] = {}
        self._imports = imports
        self._imported = 0
        self._texts: dict[str, str] = {}
        self._name = ""
        self._versions: dict[str, int] = {}
        self._traced = False
        self._book = RuleBook()
        self._remarks: dict[str, Remark] = {}
        self._filters: list[Filter] = []
        self._modifiers: list[Modifier] = []
        self._made = Made()
        self._states = 0
        self._evaluator = Evaluator(self._doubt)
        self._evaluator.specials["debug"] = self._debug
        self._evaluator.specials["with-filter"] = self._with_filter
        self._evaluator.specials["with-modifier"] = self._with_modifier
        self._evaluator.specials["with-operations"] = self._with_operations
        self._scope = Scope(Scope(None, self._bindings()))

    def _bindings(self) -> dict[str, Value]:
        own: dict[str, Callable[[Sequence[Value]], Value]] = {
            "version": self._version,
            "import": self._import,
            "trace": self._trace,
            "record": lambda _given: None,
            "param": self._param,
            "getenv": self._param,
            "defined?": self._is_defined,
            "with": self._with,
            "allow": lambda given: self._rule("allow", given),
            "deny": lambda given: self._rule("deny", given),
            "apply": self._apply,
            "map": self._map,
            "for-each": self._map,
        }
        return {
            **procedures(self._made),
            **{name: Builtin(name, call) for name, call in own.items()},
            **{name: self._filter_maker(name, one) for name, one in FILTERS.items()},
            **PROTOCOL_WORDS,
            **MODIFIERS,
            **{name: OperationName(name) for name in OPERATIONS},
            **{name: OperationName(target) for name, target in ALIASES.items()},
            **{name: OperationName("") for name in IDLE},
        }

    def _filter_maker(self, name: str, make: Maker) -> Builtin:
        def call(given: Sequence[Value]) -> Value:
            made = make(given, self._doubt_here)
            self._states += made.states
            if self._states > MAX_STATES:
                raise UnreadableArgumentError("the profile has too many expressions")
            return made

        return Builtin(name, call)

    def read(self, text: str, name: str) -> None:
        """Read a text into the rules; `name` is that of an imported one."""
        outer = self._name
        self._texts[name], self._name = text, name
        forms, remarks = read_forms(text, name)
        for remark in remarks:
            self._doubt(remark.place, remark.text)
        for form in forms:
            self._evaluator.evaluate(form, self._scope)
        self._name = outer

    def finish(self) -> Profile:
        """Give the profile."""
        version = self._versions.get("")
        if version is None:
            self._doubt(Place(1, 1), "no version is specified")
        asked = tuple(self._asked)
        return finished(self._book, version, tuple(self._remarks.values()), asked)

    def _doubt(self, place: Place, text: str) -> None:
        self._remarks.setdefault(text, Remark(place, text))

    def _doubt_here(self, text: str) -> None:
        self._doubt(self._here().place, text)

    def _here(self) -> ListForm:
        call = self._evaluator.call
        if call is None:
            raise AssertionError("nothing was called")
        return call

    def _version(self, given: Sequence[Value]) -> Value:
        match list(given):
            case [int(number)] if number in _VERSIONS and number is not True:
                pass
            case _:
                raise UnreadableArgumentError("the version is not 1, 2 or 3")
        if self._versions.setdefault(self._name, number) != number:
            raise UnreadableArgumentError("only one version may be specified")
        if number != 1:
            self._doubt_here(
                f"what version {number} allows and denies by itself is not known"
            )
        return None

    def _debug(self, form: ListForm, _scope: Scope) -> Value | Tail:
        """Take what only asks for messages; version 2 does not have it."""
        if self._versions.get(self._name) == 2:
            raise ProfileRefusedError(form.place, "`debug` is not defined in version 2")
        return None

    def _trace(self, given: Sequence[Value]) -> Value:
        texts_in(given, 1)
        if self._traced:
            raise UnreadableArgumentError("only one trace path may be specified")
        self._traced = True
        return None

    def _import(self, given: Sequence[Value]) -> Value:
        (name,) = texts_in(given, 1)
        self._imported += 1
        if self._imported > MAX_IMPORTS:
            raise UnreadableArgumentError(f"more than {MAX_IMPORTS} texts are imported")
        if name in self._imports:
            self.read(self._imports[name], name)
        else:
            self._doubt_here(f"`{name}` is not at hand: its rules are missing")
        return None

    def _param(self, given: Sequence[Value]) -> Value:
        (name,) = texts_in(given, 1)
        self._asked[name] = None
        return self._parameters.get(name, False)

    def _is_defined(self, given: Sequence[Value]) -> Value:
        match list(given):
            case [Named(name)]:
                bound = self._scope.holder(name) is not None
                special = name in self._evaluator.specials
                return bound or special or word_named(name) is not None
        raise UnreadableArgumentError("takes a quoted name")

    def _with(self, given: Sequence[Value]) -> Value:
        match list(given):
            case [ModifierName() as named, *rest]:
                return modifier_of(named, rest)
        raise UnreadableArgumentError("takes a modifier and its argument")

    def _with_filter(self, form: ListForm, scope: Scope) -> Value | Tail:
        extra = self._extra(form, scope)
        if not isinstance(extra, Filter):
            raise ProfileRefusedError(form.place, "`with-filter` needs a filter first")
        self._filters.append(extra)
        self._inside(form.items[2:], scope)
        self._filters.pop()
        return None

    def _with_modifier(self, form: ListForm, scope: Scope) -> Value | Tail:
        extra = self._extra(form, scope)
        if isinstance(extra, ModifierName):
            try:
                extra = modifier_of(extra, [])
            except UnreadableArgumentError as fault:
                raise ProfileRefusedError(form.place, str(fault)) from None
        if not isinstance(extra, Modifier):
            why = "`with-modifier` needs a modifier first"
            raise ProfileRefusedError(form.place, why)
        self._modifiers.append(extra)
        self._inside(form.items[2:], scope)
        self._modifiers.pop()
        return None

    def _with_operations(self, form: ListForm, _scope: Scope) -> Value | Tail:
        raise ProfileRefusedError(
            form.place, "`with-operations` is known by name only, so nothing is decided"
        )

    def _extra(self, form: ListForm, scope: Scope) -> Value:
        if len(form.items) < 2:
            raise ProfileRefusedError(form.place, "nothing is given to what follows")
        return self._evaluator.evaluate(form.items[1], scope)

    def _inside(self, forms: Sequence[Form], scope: Scope) -> None:
        for one in forms:
            self._evaluator.evaluate(one, scope)

    def _apply(self, given: Sequence[Value]) -> Value:
        match list(given):
            case [procedure, *first, tuple() as rest]:
                return self._evaluator.apply(procedure, [*first, *rest], self._here())
        raise UnreadableArgumentError("takes a procedure and a list")

    def _map(self, given: Sequence[Value]) -> Value:
        match list(given):
            case [procedure, tuple() as members]:
                here = self._here()
                return self._made.listed(
                    [self._evaluator.apply(procedure, [one], here) for one in members]
                )
        raise UnreadableArgumentError("takes a procedure and one list")

    def _rule(self, action: str, given: Sequence[Value]) -> Value:
        form = self._here()
        operations: list[str] = []
        filters: list[Filter] = []
        modifiers: list[Modifier] = [*self._modifiers]
        for one in given:
            match one:
                case OperationName(name):
                    operations.append(name)
                case Filter():
                    filters.append(one)
                case Modifier():
                    modifiers.append(one)
                case _:
                    raise UnreadableArgumentError(
                        f"{described(one)} is neither operation, filter nor modifier"
                    )
        if not operations:
            raise UnreadableArgumentError("the rule names no operation")
        self._book.add(
            Rule(
                action,
                tuple(name for name in dict.fromkeys(operations) if name),
                self._filtered(filters),
                tuple(modifiers),
                form.place,
                self._written(form),
            )
        )
        if self._book.longest > MAX_SERIALIZED:
            self._doubt_here(
                "this rule and equal ones before it have no room in one rule, and"
                " some compilers of Apple's join them"
            )
        return None

    def _filtered(self, filters: Sequence[Filter]) -> Filter | None:
        """Join a rule's own filters, any of which will do, with those around it."""
        own = [require_any(filters)] if filters else []
        joined = [*own, *reversed(self._filters)]
        return require_all(joined) if joined else None

    def _written(self, form: ListForm) -> str:
        """Give a rule's text on one line."""
        text = self._texts[form.place.text][form.start : form.end]
        line = " ".join(text[: 4 * _RULE_TEXT].split())
        return line if len(line) <= _RULE_TEXT else f"{line[:_RULE_TEXT]}…"
