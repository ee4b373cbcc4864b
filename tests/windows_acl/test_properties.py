# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the model with a second one, written as MS-DTYP 2.5.3.2 goes about it.

That goes through a list with what is still wanted and stops at a denial of any of it;
the model keeps what is granted instead. Both are ours: a fact that both have wrong
shows in neither.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as some

from stockade.proof.windows_acl.check import READINGS, Reading, Token, granted
from stockade.proof.windows_acl.descriptor import (
    AccessList,
    Descriptor,
    Entry,
    Flag,
    Kind,
    in_canonical_order,
    with_entries,
)
from stockade.proof.windows_acl.inherit import created_in, updated_below
from stockade.proof.windows_acl.masks import (
    FILE_ALL_ACCESS,
    READ_CONTROL,
    WRITE_DAC,
    mapped,
)
from stockade.proof.windows_acl.sids import OWNER_RIGHTS

_ME, _STRANGER, _ADMINS = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-1002", "S-1-5-32-544"
_BOX, _OWN, _OTHER = "S-1-15-2-1-2-3", "S-1-15-3-1024-1", "S-1-15-3-1024-2"
_USERS = frozenset({_ME, "S-1-1-0"})
_TOKEN = Token(_USERS, _BOX, frozenset({_OWN}), deny_only=frozenset({_ADMINS}))
_SIDS = some.sampled_from(
    [
        *(_ME, _STRANGER, _ADMINS, _BOX, _OWN, _OTHER, OWNER_RIGHTS),
        *("S-1-1-0", "S-1-3-0", "S-1-15-2-1", "S-1-15-2-2"),
    ]
)
_MASKS = some.one_of(
    some.sampled_from([0x1F01FF, 0x120089, 0x120116, 0x1200A9, 0x10000000, 0x80000000]),
    some.integers(0, FILE_ALL_ACCESS).map(lambda mask: mask & FILE_ALL_ACCESS),
)
_BITS = some.sampled_from([1 << bit for bit in range(21) if 1 << bit & FILE_ALL_ACCESS])


def _entries(flags: some.SearchStrategy[int]) -> some.SearchStrategy[Entry]:
    kinds = some.sampled_from([Kind.ALLOW, Kind.ALLOW, Kind.DENY])
    return some.builds(Entry, kinds, flags.map(Flag), _MASKS, _SIDS)


_ANY = _entries(some.integers(0, 0x1F))
_EXPLICIT = _entries(some.integers(0, 0xF))
_OWNERS = some.sampled_from([_ME, _STRANGER])
_DESCRIPTORS = some.builds(
    Descriptor,
    _OWNERS,
    some.just("S-1-5-21-1-2-3-513"),
    some.lists(_ANY, max_size=6).map(lambda found: AccessList(tuple(found))),
)


def _gets(descriptor: Descriptor, wanted: int, reading: Reading) -> bool:
    """Go through the list once, with what each pass still wants."""
    assert descriptor.dacl is not None
    entries = [
        one for one in descriptor.dacl.entries if not one.flags & Flag.INHERIT_ONLY
    ]
    packages = {_BOX, _OWN, "S-1-15-2-1"}
    if reading.restricted_is_all:
        packages.add("S-1-15-2-2")
    of_user = of_package = wanted
    mine = descriptor.owner in _USERS
    if mine and all(one.sid != OWNER_RIGHTS for one in entries):
        of_user &= ~(READ_CONTROL | WRITE_DAC)
    for entry in entries:
        mask = mapped(entry.mask)
        sid = descriptor.owner if entry.sid == OWNER_RIGHTS else entry.sid
        if entry.kind is Kind.ALLOW:
            of_user &= ~mask if sid in _USERS else -1
            of_package &= ~mask if sid in packages else -1
        elif ((sid in _USERS or sid == _ADMINS) and of_user & mask) or (
            reading.package_denies_bind and sid in packages and of_package & mask
        ):
            return False
    return not of_user | of_package


@settings(deadline=None, max_examples=400)
@given(_DESCRIPTORS, some.one_of(_MASKS, _BITS))
def test_both_ways_to_go_through_a_list_agree(
    descriptor: Descriptor, mask: int
) -> None:
    wanted = mapped(mask)
    found = granted(_TOKEN, descriptor)
    for reading, rights in zip(READINGS, found, strict=True):
        assert (not wanted & ~rights) is _gets(descriptor, wanted, reading)


@settings(deadline=None)
@given(_DESCRIPTORS, some.lists(_EXPLICIT, max_size=3), some.booleans(), _OWNERS)
def test_a_change_gives_children_what_new_ones_would_have(
    parent: Descriptor, added: list[Entry], folder: bool, owner: str
) -> None:
    """A child without entries of its own is as if it were made afterwards."""
    assert parent.dacl is not None
    nothing = AccessList(auto_inherited=True)
    group = parent.group
    after = Descriptor(parent.owner, group, with_entries(parent.dacl, tuple(added)))
    before, new = (
        created_in(above, folder=folder, owner=owner, group=group, otherwise=nothing)
        for above in (parent, after)
    )
    assert updated_below(after, before, folder=folder) == new
    assert updated_below(after, new, folder=folder) == new


@settings(deadline=None)
@given(some.lists(_ANY, max_size=6), some.lists(_EXPLICIT, max_size=3))
def test_added_entries_keep_a_canonical_list_so(
    before: list[Entry], added: list[Entry]
) -> None:
    ordered = tuple(
        sorted(before, key=lambda e: 2 if e.inherited else e.kind is not Kind.DENY)
    )
    assert in_canonical_order(ordered)
    once = with_entries(AccessList(ordered), tuple(added))
    assert in_canonical_order(once.entries)
    assert with_entries(once, tuple(added)) == once
    assert {*once.entries} == {*ordered, *added}


@settings(deadline=None)
@given(_DESCRIPTORS, some.lists(_EXPLICIT, max_size=3))
def test_entries_that_allow_never_take_a_right_away(
    descriptor: Descriptor, added: list[Entry]
) -> None:
    """What an artifact adds can only give, so a removal gives nothing either."""
    assert descriptor.dacl is not None
    allows = tuple(
        one for one in added if one.kind is Kind.ALLOW and one.sid != OWNER_RIGHTS
    )
    more = Descriptor(
        descriptor.owner, descriptor.group, with_entries(descriptor.dacl, allows)
    )
    pairs = zip(granted(_TOKEN, descriptor), granted(_TOKEN, more), strict=True)
    for before, after in pairs:
        assert not before & ~after
