# SPDX-License-Identifier: Apache-2.0 OR MIT
r"""Match the regular expressions of profiles, at a bounded cost.

Read are alternatives, groups, `* + ?`, `.`, classes, `^ $` and escaped punctuation:
what public profiles use. The cost is the text's length times the expression's states:
all states are followed side by side and none is tried again, so that no expression
makes deciding slow. See docs/decisions/0052.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from stockade.proof.sbpl.limits import MAX_FILTER_DEPTH, MAX_REGEX
from stockade.proof.sbpl.place import UnreadableArgumentError


class _VoidError(Exception):
    """The expression has a group that starts with a question mark."""


class _Test(Enum):
    """What a state asks for before its follower is reached."""

    CHARACTER = auto()
    NOTHING = auto()
    START = auto()
    END = auto()
    MATCH = auto()


@dataclass(slots=True)
class _State:
    """One state: a test and where it leads, by number."""

    test: _Test
    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    next: list[int] = field(default_factory=list)

    def takes(self, character: str) -> bool:
        """Tell whether one character leads on."""
        inside = any(low <= character <= high for low, high in self.ranges)
        return inside is not self.negated


# A part of an expression: its first state, and the states that lead out of it.
_Part = tuple[int, list[int]]
_SPECIAL = "^$.[]()*+?{}|"
_ANY = (("\0", "\U0010ffff"),)
# More sets of states than any real expression meets.
_MAX_CACHED = 4_096


class Expression:
    """A compiled expression; `search` finds it anywhere in a text.

    Most begin with `^` and a path. That part is compared as it is, so that a path
    elsewhere costs nothing, and only what follows has states.
    """

    def __init__(self, text: str) -> None:
        if len(text) > MAX_REGEX:
            raise UnreadableArgumentError(
                f"the expression has more than {MAX_REGEX} characters"
            )
        self._states: list[_State] = []
        self._steps: dict[tuple[tuple[int, ...], str], tuple[int, ...]] = {}
        # A report says of `(?i)` that it compiles and then matches nothing.
        self.is_void = False
        self._first = 0
        self._prefix, rest = _parted(text)
        try:
            self._first = self._parsed(text, rest)
        except _VoidError:
            self.is_void = True

    def _parsed(self, text: str, rest: str) -> int:
        parser = _Parser(rest, self._states)
        first = parser.whole()
        if self._prefix is None or not parser.has_alternatives:
            return first
        # `^a|b` is anchored in one alternative only.
        self._prefix = None
        self._states.clear()
        return _Parser(text, self._states).whole()

    @property
    def states(self) -> int:
        """Count the states, which a decision may follow for each character."""
        return len(self._states) + 1

    def search(self, text: str, spend: Callable[[int], None] = lambda _: None) -> bool:
        """Tell whether the expression matches some part of a text.

        `spend` is told the states that were followed, for each character.
        """
        if self.is_void or not text.startswith(self._prefix or ""):
            return False
        start = len(self._prefix or "")
        active: tuple[int, ...] = (self._first,)
        for at in range(start, len(text)):
            closed = self._closed(active, at=at, end=False)
            spend(len(closed))
            if self._matched(closed):
                return True
            active = self._step(closed, text[at])
            if self._prefix is None:
                active = (*active, self._first)
            elif not active:
                return False
        return self._matched(self._closed(active, at=len(text), end=True))

    def _matched(self, closed: tuple[int, ...]) -> bool:
        return any(self._states[one].test is _Test.MATCH for one in closed)

    def _closed(
        self, active: tuple[int, ...], *, at: int, end: bool
    ) -> tuple[int, ...]:
        """Add what is reached without a character."""
        seen = dict.fromkeys(active)
        waiting = list(seen)
        while waiting:
            state = self._states[waiting.pop()]
            if (
                state.test is _Test.NOTHING
                or (state.test is _Test.START and at == 0)
                or (state.test is _Test.END and end)
            ):
                for following in state.next:
                    if following not in seen:
                        seen[following] = None
                        waiting.append(following)
        return tuple(seen)

    def _step(self, closed: tuple[int, ...], character: str) -> tuple[int, ...]:
        key = (closed, character)
        found = self._steps.get(key)
        if found is None:
            states = (self._states[one] for one in closed)
            found = tuple(
                dict.fromkeys(
                    following
                    for state in states
                    if state.test is _Test.CHARACTER and state.takes(character)
                    for following in state.next
                )
            )
            if len(self._steps) < _MAX_CACHED:
                self._steps[key] = found
        return found


def _parted(text: str) -> tuple[str | None, str]:
    """Part an anchored expression into the literal text of its start, and the rest."""
    if not text.startswith("^"):
        return None, text
    prefix: list[str] = []
    at = 1
    while at < len(text):
        literal, end = text[at], at + 1
        if literal == "\\":
            literal, end = text[at + 1 : at + 2], at + 2
            if not literal or literal.isalnum():
                break
        elif literal in _SPECIAL:
            break
        if text[end : end + 1] and text[end] in "*+?{":
            break
        prefix.append(literal)
        at = end
    return "".join(prefix), text[at:]


class _Parser:
    """Read an expression into states (Thompson's construction)."""

    def __init__(self, text: str, states: list[_State]) -> None:
        self._text = text
        self._at = 0
        self._states = states
        # Whether one stands outside all groups.
        self.has_alternatives = False

    def whole(self) -> int:
        """Read all of it; give the first state."""
        first, ends = self._alternatives(0)
        if self._at < len(self._text):
            raise UnreadableArgumentError("the expression closes a group too many")
        match = self._add(_State(_Test.MATCH))
        self._join(ends, match)
        return first

    def _add(self, state: _State) -> int:
        self._states.append(state)
        return len(self._states) - 1

    def _join(self, ends: list[int], to: int) -> None:
        for end in ends:
            self._states[end].next.append(to)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        if self._at == len(self._text):
            raise UnreadableArgumentError("the expression ends too early")
        self._at += 1
        return self._text[self._at - 1]

    def _alternatives(self, depth: int) -> _Part:
        if depth > MAX_FILTER_DEPTH:
            raise UnreadableArgumentError("the expression's groups are too deep")
        parts = [self._sequence(depth)]
        while self._peek() == "|":
            self._take()
            self.has_alternatives |= depth == 0
            parts.append(self._sequence(depth))
        if len(parts) == 1:
            return parts[0]
        fork = self._add(_State(_Test.NOTHING, next=[first for first, _ in parts]))
        return fork, [end for _, ends in parts for end in ends]

    def _sequence(self, depth: int) -> _Part:
        first = self._add(_State(_Test.NOTHING))
        ends = [first]
        while self._peek() not in ("", "|", ")"):
            start, next_ends = self._repeated(depth)
            self._join(ends, start)
            ends = next_ends
        return first, ends

    def _repeated(self, depth: int) -> _Part:
        start, ends = self._single(depth)
        while self._peek() and self._peek() in "*+?":
            mark = self._take()
            fork = self._add(_State(_Test.NOTHING, next=[start]))
            if mark == "?":
                start, ends = fork, [*ends, fork]
                continue
            self._join(ends, fork)
            start, ends = (fork if mark == "*" else start), [fork]
        return start, ends

    def _single(self, depth: int) -> _Part:
        character = self._take()
        if character == "(":
            return self._group(depth)
        only = self._add(self._plain(character))
        return only, [only]

    def _group(self, depth: int) -> _Part:
        if self._peek() == "?":
            raise _VoidError
        part = self._alternatives(depth + 1)
        if self._peek() != ")":
            raise UnreadableArgumentError("the expression's group has no end")
        self._take()
        return part

    def _plain(self, character: str) -> _State:
        match character:
            case "[":
                return self._class()
            case "^":
                return _State(_Test.START)
            case "$":
                return _State(_Test.END)
            case ".":
                return _State(_Test.CHARACTER, _ANY)
            case "*" | "+" | "?":
                raise UnreadableArgumentError(f"nothing stands before `{character}`")
            case "{":
                raise UnreadableArgumentError(
                    "whether `{` repeats in Apple's expressions is not known;"
                    " write `[{]` for the character"
                )
        literal = self._escaped() if character == "\\" else character
        return _State(_Test.CHARACTER, ((literal, literal),))

    def _escaped(self) -> str:
        character = self._take()
        if character.isalnum():
            raise UnreadableArgumentError(
                f"what `\\{character}` means in Apple's expressions is not known"
            )
        return character

    def _class(self) -> _State:
        negated = self._peek() == "^"
        if negated:
            self._take()
        ranges: list[tuple[str, str]] = []
        while self._peek() != "]" or not ranges:
            low = self._take()
            if low == "[" and self._peek() and self._peek() in ":=.":
                raise UnreadableArgumentError("named classes are not known here")
            low = self._escaped() if low == "\\" else low
            high = low
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
                self._take()
                high = self._take()
                high = self._escaped() if high == "\\" else high
            if high < low:
                raise UnreadableArgumentError("a range of the expression is empty")
            ranges.append((low, high))
        self._take()
        return _State(_Test.CHARACTER, tuple(ranges), negated)
