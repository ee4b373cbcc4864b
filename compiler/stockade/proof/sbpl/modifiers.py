# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the modifiers of rules: what an answer does beside allowing or denying.

Which action takes which: 0x3c3e/sandblaster misc/modifiers.json @e322f397 (macOS 15),
and Apple's compiler stub says the same of older ones. Which operation takes which:
the table of macOS 10.15 (simbple, as in `operations`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stockade.proof.sbpl.constants import Word
from stockade.proof.sbpl.place import UnreadableArgumentError

_BOTH = ("allow", "deny")
# The actions that take a modifier, and how many arguments it has.
_MODIFIERS: dict[str, tuple[tuple[str, ...], int]] = {
    "assign-storage-class": (("allow",), 1),
    "authority": (_BOTH, 0),
    "default-sandbox": (("allow",), 1),
    "deprecated": (_BOTH, 0),
    "errno": (("deny",), 1),
    "grant": (("allow",), 0),
    "message": (_BOTH, 1),
    "no-approval-prompt": (("allow",), 0),
    "no-report": (("deny",), 0),
    "no-sandbox": (("allow",), 0),
    "no-times": (("allow",), 0),
    "report": (("allow",), 0),
    "rootless": (_BOTH, 0),
    "send-signal": (_BOTH, 1),
    "telemetry": (_BOTH, 0),
    "user-approval": (("allow",), 1),
}
# Modifiers of some operations alone.
_OPERATIONS = {
    "assign-storage-class": ("storage-class-map",),
    "default-sandbox": ("process-exec*", "process-exec-interpreter"),
    "grant": ("system-privilege",),
    "no-sandbox": ("process-exec*", "process-exec-interpreter"),
    "no-times": ("file-read-metadata",),
}
MODIFIER_ALIASES = {
    "no-log": "no-report",
    "no-profile": "no-sandbox",
    "rootless-modifier": "rootless",
}


@dataclass(frozen=True, slots=True)
class ModifierName:
    """A modifier as a profile names it after `with`."""

    name: str


@dataclass(frozen=True, slots=True)
class Modifier:
    """A modifier with its argument, as rules hold it."""

    name: str
    argument: str = ""


MODIFIERS: dict[str, ModifierName] = {
    name: ModifierName(MODIFIER_ALIASES.get(name, name))
    for name in (*_MODIFIERS, *MODIFIER_ALIASES)
}


def modifier_of(named: ModifierName, arguments: Sequence[object]) -> Modifier:
    """Make a modifier; raises UnreadableArgumentError on arguments it lacks."""
    count = _MODIFIERS[named.name][1]
    if len(arguments) != count:
        raise UnreadableArgumentError(
            f"`{named.name}` takes {count or 'no'} argument{'s' if count != 1 else ''}"
        )
    if not arguments:
        return Modifier(named.name)
    match arguments[0]:
        case Word(name):
            return Modifier(named.name, name)
        case bool():
            pass
        case int(number):
            return Modifier(named.name, str(number))
        case str(text):
            return Modifier(named.name, text)
    raise UnreadableArgumentError(f"`{named.name}` cannot take this")


def check_modifiers(action: str, operation: str, modifiers: Sequence[Modifier]) -> None:
    """Refuse a modifier twice, on the wrong action or on the wrong operation."""
    seen: list[str] = []
    for name in (one.name for one in modifiers):
        if name in seen:
            raise UnreadableArgumentError(f"the modifier `{name}` stands twice")
        seen.append(name)
        if action not in _MODIFIERS[name][0]:
            raise UnreadableArgumentError(f"`{action}` does not take `{name}`")
        if operation not in _OPERATIONS.get(name, (operation,)):
            raise UnreadableArgumentError(f"`{operation}` does not take `{name}`")
