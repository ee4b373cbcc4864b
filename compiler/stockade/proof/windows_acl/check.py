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

    user: tuple[str, ...]
    container: str
    capabilities: tuple[str, ...] = ()
    deny_only: tuple[str, ...] = ()
    opted_out: bool = False


def granted(token: Token, descriptor: Descriptor, reading: Reading) -> int:
    """Give every right that a token has on an object under one reading."""
    as_user = _user_pass(token, descriptor)
    as_package = _package_pass(token, descriptor, reading)
    return as_user & as_package & _left_by_labels(descriptor)


def check(token: Token, descriptor: Descriptor, mask: int) -> Answer:
    """Tell whether a token gets all of the rights it asks for."""
    wanted = mapped(mask)
    return agreed(
        not wanted & ~granted(token, descriptor, reading) for reading in READINGS
    )


def agreed(answers: Iterable[bool]) -> Answer:
    """Put the answers of all readings together."""
    given = set(answers)
    if len(given) > 1:
        return Answer.UNDECIDED
    return Answer.ALLOWED if given == {True} else Answer.DENIED


def _first_match(entries: Iterable[tuple[Entry, bool]]) -> int:
    """Go through entries that apply; the first that names a right decides it."""
    allowed = denied = 0
    for entry, denies_bind in entries:
        mask = mapped(entry.mask)
        if entry.kind is Kind.ALLOW:
            allowed |= mask & ~denied
        elif denies_bind:
            denied |= mask & ~allowed
    return allowed


def _user_pass(token: Token, descriptor: Descriptor) -> int:
    if descriptor.dacl is None:
        return FILE_ALL_ACCESS
    sids = set(token.user)
    effective = [one for one in descriptor.dacl.entries if one.effective]
    owns = descriptor.owner in sids
    # An entry for the owner's rights takes the place of what owning implies.
    implied = 0
    if owns and not any(one.sid == OWNER_RIGHTS for one in effective):
        implied = READ_CONTROL | WRITE_DAC
    if owns:
        sids.add(OWNER_RIGHTS)
    # No entry can deny what owning implies: it is granted before the list is read.
    return implied | _first_match(
        (one, True)
        for one in effective
        if one.sid in sids or (one.kind is Kind.DENY and one.sid in token.deny_only)
    )


def _package_pass(token: Token, descriptor: Descriptor, reading: Reading) -> int:
    if descriptor.dacl is None:
        return 0
    sids = {token.container, *token.capabilities}
    if token.opted_out or reading.restricted_is_all:
        sids.add(ALL_RESTRICTED_APPLICATION_PACKAGES)
    if not token.opted_out:
        sids.add(ALL_APPLICATION_PACKAGES)
    return _first_match(
        (one, reading.package_denies_bind)
        for one in descriptor.dacl.entries
        if one.effective and one.sid in sids and names_containers(one.sid)
    )


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
