# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Decide what a container's token may do with an object: two passes, both must grant.

The first pass looks at the user's SIDs alone, as for every other program; the second at
those of the container and its capabilities, and takes nothing from the first.
Sources: J. Forshaw's reimplementation of the check (tyranid/windows-security-internals,
chapter 7), which grants a container nothing by a missing list or by ownership, and
lets labels up to medium pass; and the decisions that Chromium's
sandbox/win/src/app_container_unittest.cc demands of Windows.

Where sources disagree, each reading is decided: what does not come out the same under
all of them is undecided, and nobody may rely on it. Never compared with Windows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from stockade.proof.windows_acl.descriptor import Descriptor, Entry, Kind
from stockade.proof.windows_acl.masks import (
    DELETE,
    FILE_ALL_ACCESS,
    FILE_DELETE_CHILD,
    FILE_GENERIC_EXECUTE,
    FILE_GENERIC_READ,
    FILE_GENERIC_WRITE,
    READ_CONTROL,
    WRITE_DAC,
    WRITE_OWNER,
    mapped,
)
from stockade.proof.windows_acl.sids import (
    ALL_APPLICATION_PACKAGES,
    ALL_RESTRICTED_APPLICATION_PACKAGES,
    MEDIUM_LEVEL,
    OWNER_RIGHTS,
    names_containers,
)


class Answer(Enum):
    """What every reading says, or that they differ."""

    ALLOWED = "allowed"
    DENIED = "denied"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read what sources do not agree on.

    `package_denies_bind`: entries that deny a container's SIDs count. Forshaw's check
    and a reverse engineering of Windows 10 say they do not; MXC and landstrip rely on
    them.
    `restricted_is_all`: an entry for all restricted packages admits every container,
    not only those that opted out of the entries for all packages. Only the latter has
    a published decision.
    `junctions_need_read`: whoever goes through a junction must be able to read it.
    Tools grant that and work; what happens without is not published.
    """

    package_denies_bind: bool
    restricted_is_all: bool
    junctions_need_read: bool


READINGS = tuple(
    Reading(*choices) for choices in itertools.product((False, True), repeat=3)
)


@dataclass(frozen=True, slots=True)
class Token:
    """Who asks: a user's SIDs (and groups), a container's SID, its capabilities.

    `deny_only` are groups that only entries that deny see, such as the administrators
    in a token that was not elevated. `opted_out` is a container that entries for all
    application packages leave out. Privileges are not modelled: a container has none
    that helps with files, except to go through folders that it may not read.
    """

    user: frozenset[str]
    container: str
    capabilities: frozenset[str] = frozenset()
    deny_only: frozenset[str] = frozenset()
    opted_out: bool = False


def granted(token: Token, descriptor: Descriptor) -> tuple[int, ...]:
    """Give every right that a token has on an object, under each of READINGS."""
    as_user = _user_pass(token, descriptor) & _left_by_labels(descriptor)
    return tuple(as_user & one for one in _package_pass(token, descriptor))


def check(token: Token, descriptor: Descriptor, mask: int) -> Answer:
    """Tell whether a token gets all of the rights it asks for."""
    return asked(granted(token, descriptor), mask)


def asked(rights: Iterable[int], mask: int) -> Answer:
    """Tell whether all rights of a mask are among those of each reading."""
    wanted = mapped(mask)
    return agreed(not wanted & ~one for one in rights)


def agreed(answers: Iterable[bool]) -> Answer:
    """Put the answers of all readings together."""
    given = set(answers)
    if len(given) > 1:
        return Answer.UNDECIDED
    return Answer.ALLOWED if given == {True} else Answer.DENIED


def _first_match(entries: Iterable[Entry]) -> int:
    """Go through entries that apply; the first that names a right decides it."""
    allowed = denied = 0
    for entry in entries:
        mask = mapped(entry.mask)
        if entry.kind is Kind.ALLOW:
            allowed |= mask & ~denied
        else:
            denied |= mask & ~allowed
    return allowed


def _user_pass(token: Token, descriptor: Descriptor) -> int:
    if descriptor.dacl is None:
        return FILE_ALL_ACCESS
    effective = [one for one in descriptor.dacl.entries if one.effective]
    owns = descriptor.owner in token.user
    # An entry for the owner's rights takes the place of what owning implies.
    implied = 0
    if owns and not any(one.sid == OWNER_RIGHTS for one in effective):
        implied = READ_CONTROL | WRITE_DAC
    # No entry can deny what owning implies: it is granted before the list is read.
    return implied | _first_match(
        one
        for one in effective
        if one.sid in token.user
        or (owns and one.sid == OWNER_RIGHTS)
        or (one.kind is Kind.DENY and one.sid in token.deny_only)
    )


def _package_pass(token: Token, descriptor: Descriptor) -> tuple[int, ...]:
    """Go through the entries for containers, once where readings cannot differ."""
    if descriptor.dacl is None:
        return (0,) * len(READINGS)
    named = [
        one
        for one in descriptor.dacl.entries
        if one.effective and names_containers(one.sid) and _may_match(token, one.sid)
    ]
    if not any(map(_is_disputed, named)):
        return (_first_match(named),) * len(READINGS)
    return tuple(
        _first_match(one for one in named if _counts(token, one, reading))
        for reading in READINGS
    )


def _may_match(token: Token, sid: str) -> bool:
    """Tell whether an entry is for a container by some reading."""
    if sid == ALL_APPLICATION_PACKAGES:
        return not token.opted_out
    return sid in token.capabilities or sid in (
        token.container,
        ALL_RESTRICTED_APPLICATION_PACKAGES,
    )


def _is_disputed(entry: Entry) -> bool:
    return entry.kind is Kind.DENY or entry.sid == ALL_RESTRICTED_APPLICATION_PACKAGES


def _counts(token: Token, entry: Entry, reading: Reading) -> bool:
    if entry.kind is Kind.DENY and not reading.package_denies_bind:
        return False
    if entry.sid == ALL_RESTRICTED_APPLICATION_PACKAGES:
        return token.opted_out or reading.restricted_is_all
    return True


_CHANGES = FILE_GENERIC_WRITE | DELETE | FILE_DELETE_CHILD | WRITE_DAC | WRITE_OWNER
_CLASSES = (
    (0x1, _CHANGES),  # SYSTEM_MANDATORY_LABEL_NO_WRITE_UP
    (0x2, FILE_GENERIC_READ),  # SYSTEM_MANDATORY_LABEL_NO_READ_UP
    (0x4, FILE_GENERIC_EXECUTE),  # SYSTEM_MANDATORY_LABEL_NO_EXECUTE_UP
)


def _left_by_labels(descriptor: Descriptor) -> int:
    """Give what labels leave to a container, whose level is low.

    Without a label an object counts as medium, and containers pass what is medium
    or lower: their lists protect such objects.
    """
    for label in descriptor.labels:
        if label.effective and _level(label.sid) > _level(MEDIUM_LEVEL):
            allowed = 0
            for policy, rights in _CLASSES:
                allowed |= 0 if label.mask & policy else rights
            return allowed
    return FILE_ALL_ACCESS


def _level(sid: str) -> int:
    return int(sid.rpartition("-")[2])
