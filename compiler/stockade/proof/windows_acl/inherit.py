# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pass entries on from a folder to what lies in it, as Windows does.

Source: "Rules of Inheritance" (learn.microsoft.com, cc961983, table 12.12) and MS-DTYP
2.5.3.4. At the creation of an object the system does it; when a folder's list is
changed later, the caller's library does it for each object below, up to protected
lists.
"""

from __future__ import annotations

from stockade.proof.windows_acl.descriptor import (
    NONE,
    AccessList,
    Descriptor,
    Entry,
    Flag,
    Kind,
)
from stockade.proof.windows_acl.masks import mapped
from stockade.proof.windows_acl.sids import CREATOR_GROUP, CREATOR_OWNER

_PASSED_ON = Flag.OBJECT_INHERIT | Flag.CONTAINER_INHERIT


def inherited(
    entries: tuple[Entry, ...], *, folder: bool, owner: str, group: str
) -> tuple[Entry, ...]:
    """List what a folder's entries give to an object in it, in their order."""
    creators = {CREATOR_OWNER: owner, CREATOR_GROUP: group}
    found: list[Entry] = []
    for entry in entries:
        found += _to_folder(entry, creators) if folder else _to_file(entry, creators)
    return tuple(found)


def _to_file(entry: Entry, creators: dict[str, str]) -> list[Entry]:
    if not entry.flags & Flag.OBJECT_INHERIT:
        return []
    return [_settled(entry, creators, NONE)]


def _to_folder(entry: Entry, creators: dict[str, str]) -> list[Entry]:
    further = entry.flags & _PASSED_ON
    stops = bool(entry.flags & Flag.NO_PROPAGATE)
    if not entry.flags & Flag.CONTAINER_INHERIT:
        # Files further below are meant: the folder only hands it on.
        hands_on = further and not stops
        return [_kept(entry, further)] if hands_on else []
    if stops:
        return [_settled(entry, creators, NONE)]
    settled = _settled(entry, creators, further)
    if (settled.mask, settled.sid) == (entry.mask, entry.sid):
        return [settled]
    # What was general is settled for this folder, and kept as it is for those below.
    return [_settled(entry, creators, NONE), _kept(entry, further)]


def _settled(entry: Entry, creators: dict[str, str], further: Flag) -> Entry:
    """Give an entry that counts for the object, its general parts made exact."""
    label = entry.kind is Kind.LABEL
    mask = entry.mask if label else mapped(entry.mask)
    sid = creators.get(entry.sid, entry.sid)
    return Entry(entry.kind, further | Flag.INHERITED, mask, sid)


def _kept(entry: Entry, further: Flag) -> Entry:
    flags = further | Flag.INHERIT_ONLY | Flag.INHERITED
    return Entry(entry.kind, flags, entry.mask, entry.sid)


def created_in(
    parent: Descriptor, *, folder: bool, owner: str, group: str, otherwise: AccessList
) -> Descriptor:
    """Give a new object's descriptor where its creator names none.

    Its list is what the folder passes on; `otherwise`, the list that the creator's
    token has for such cases, counts only where the folder passes nothing on.
    """
    above = () if parent.dacl is None else parent.dacl.entries
    entries = inherited(above, folder=folder, owner=owner, group=group)
    labels = inherited(parent.labels, folder=folder, owner=owner, group=group)
    dacl = AccessList(entries, auto_inherited=True) if entries else otherwise
    return Descriptor(owner, group, dacl, labels)


def updated_below(parent: Descriptor, child: Descriptor, *, folder: bool) -> Descriptor:
    """Give a child's descriptor after its folder's list was changed.

    Protected lists, and objects without a list, stay as they are.
    """
    if child.dacl is None or child.dacl.protected or parent.dacl is None:
        return child
    own = tuple(one for one in child.dacl.entries if not one.inherited)
    passed = inherited(
        parent.dacl.entries, folder=folder, owner=child.owner, group=child.group
    )
    dacl = AccessList((*own, *passed), auto_inherited=True)
    return Descriptor(child.owner, child.group, dacl, child.labels)
