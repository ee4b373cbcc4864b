# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold what an author set, each value with its place, from a file or from options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stockade.policy.format import KEYS, Key, Kind
from stockade.policy.tree import Array, Node, Scalar, Table
from stockade.source import Span


@dataclass(frozen=True, slots=True)
class Setting:
    """One key with its value; `key_span` is the key, or the option.

    A value that is not `sound` was reported; of a list, what is sound still counts.
    """

    key: Key
    node: Node
    key_span: Span
    sound: bool = True

    @property
    def word(self) -> str:
        """Return the value of a key that holds a word or a text."""
        return str(self.node.value) if isinstance(self.node, Scalar) else ""

    @property
    def flag(self) -> bool:
        """Return the value of a key that holds a boolean."""
        return isinstance(self.node, Scalar) and self.node.value is True

    @property
    def items(self) -> tuple[tuple[str, Span], ...]:
        """Return the strings of an array."""
        if not isinstance(self.node, Array):
            return ()
        return tuple(
            (item.value, item.span)
            for item in self.node.items
            if isinstance(item, Scalar) and isinstance(item.value, str)
        )

    @property
    def is_set(self) -> bool:
        """Tell whether the value is other than nothing: not false and not empty."""
        match self.node:
            case Scalar(value):
                return value is not False
            case Array(items):
                return bool(items)
            case Table(entries):
                return bool(entries)


Settings = Mapping[str, Setting]


@dataclass(frozen=True, slots=True)
class Widening:
    """A word of the file that an option replaced by a laxer one."""

    key: Key
    before: str
    after: str


def overlay(file: Settings, options: Settings) -> dict[str, Setting]:
    """Lay options over a file: paths add, everything else replaces."""
    merged = dict(file)
    for path, option in options.items():
        merged[path] = option
        below = file.get(path)
        if (
            below is not None
            and option.key.kind is Kind.PATHS
            and isinstance(below.node, Array)
            and isinstance(option.node, Array)
        ):
            both = Array((*below.node.items, *option.node.items), below.node.span)
            merged[path] = replace(below, node=both)
    return merged


def widenings(file: Settings, options: Settings) -> tuple[Widening, ...]:
    """List what options made laxer than the file has it, in the order of keys."""
    found = []
    for path, key in KEYS.items():
        below, option = file.get(path), options.get(path)
        if below is None or option is None or not (below.sound and option.sound):
            continue
        if key.kind is Kind.WORD:
            words = key.words
            if words.index(option.word) > words.index(below.word):
                found.append(Widening(key, below.word, option.word))
        elif key.kind is Kind.NAMES:
            before = [name for name, _ in below.items]
            added = [name for name, _ in option.items if name not in before]
            if added:
                found.append(Widening(key, ", ".join(before), ", ".join(added)))
    return tuple(found)
