# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold a security descriptor: its owner, its list of entries and its label."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag, StrEnum


class Kind(StrEnum):
    """What an entry does, by its type's letters."""

    ALLOW = "A"
    DENY = "D"
    # The mandatory label: whom of lower integrity it keeps from what.
    LABEL = "ML"


class Flag(IntFlag):
    """Where an entry is passed on to, and where it came from (winnt.h)."""

    OBJECT_INHERIT = 0x1
    CONTAINER_INHERIT = 0x2
    NO_PROPAGATE = 0x4
    INHERIT_ONLY = 0x8
    INHERITED = 0x10


NONE = Flag(0)
_INHERIT_ONLY = int(Flag.INHERIT_ONLY)


@dataclass(frozen=True, slots=True)
class Entry:
    """One access control entry; a label's SID is its level, its mask its policy."""

    kind: Kind
    flags: Flag
    mask: int
    sid: str

    @property
    def effective(self) -> bool:
        """Tell whether it counts for the object that has it."""
        # Flags of their own type would take most of the time of a check.
        return not int(self.flags) & _INHERIT_ONLY

    @property
    def inherited(self) -> bool:
        """Tell whether a folder above passed it on."""
        return bool(self.flags & Flag.INHERITED)


@dataclass(frozen=True, slots=True)
class AccessList:
    """Entries in the order in which they decide.

    `protected` lists take nothing from the folder above; `auto_inherited` says that
    inherited entries are marked, as every current Windows does.
    """

    entries: tuple[Entry, ...] = ()
    protected: bool = False
    auto_inherited: bool = False


@dataclass(frozen=True, slots=True)
class Descriptor:
    """Who owns an object and who may do what with it.

    Without a list everybody may do everything, except containers. Names that SDDL
    left out are empty.
    """

    owner: str = ""
    group: str = ""
    dacl: AccessList | None = None
    labels: tuple[Entry, ...] = ()


# Explicit entries before inherited ones, in each part those that deny first
# (learn.microsoft.com: "Order of ACEs in a DACL"). Inherited ones keep the order in
# which the parents had them: the nearest first.
def in_canonical_order(entries: tuple[Entry, ...]) -> bool:
    """Tell whether a list is laid out as Windows' own tools would."""
    ranks = [
        2 if one.inherited else 0 if one.kind is Kind.DENY else 1 for one in entries
    ]
    return ranks == sorted(ranks)


def with_entries(before: AccessList, added: tuple[Entry, ...]) -> AccessList:
    """Add explicit entries to a list at their canonical places.

    A list in another order keeps it: new ones go before what was there, those that
    deny first, so that each decides.
    """
    fresh = tuple(one for one in added if one not in before.entries)
    denies = tuple(one for one in fresh if one.kind is Kind.DENY)
    allows = tuple(one for one in fresh if one.kind is not Kind.DENY)
    at = 0
    if in_canonical_order(before.entries):
        at = sum(not one.inherited and one.kind is Kind.DENY for one in before.entries)
    entries = (*denies, *before.entries[:at], *allows, *before.entries[at:])
    return AccessList(entries, before.protected, before.auto_inherited)
