# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read and write descriptors as SDDL: what is understood, and what is refused where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from stockade.proof.windows_acl.descriptor import (
    NONE,
    AccessList,
    Descriptor,
    Entry,
    Flag,
    Kind,
    in_canonical_order,
    with_entries,
)
from stockade.proof.windows_acl.sddl import (
    LONGEST,
    SddlError,
    read_descriptor,
    read_entry,
    write_descriptor,
    write_entry,
)
from stockade.proof.windows_acl.sids import SID_BY_LETTERS

_CAPABILITY = (
    "S-1-15-3-1024-3424233489-972189580-2057154623-747635277-1604371224"
    "-316187997-3786583170-1043257646"
)


def test_a_folder_of_windows_is_read() -> None:
    """The parts, flags, rights by name and by number, letters and literal SIDs."""
    text = (
        f"O:BAG:SYD:PAI(D;;WD;;;WD)(A;OICIIO;GA;;;CO)(A;OICI;0x1200a9;;;AC)"
        f"(A;CIIDNP;FRFX;;;{_CAPABILITY})S:(ML;OI;NWNR;;;LW)"
    )
    found = read_descriptor(text)
    everywhere = Flag.OBJECT_INHERIT | Flag.CONTAINER_INHERIT
    assert found.owner == "S-1-5-32-544"
    assert found.group == "S-1-5-18"
    assert found.dacl == AccessList(
        (
            Entry(Kind.DENY, NONE, 0x40000, "S-1-1-0"),
            Entry(Kind.ALLOW, everywhere | Flag.INHERIT_ONLY, 0x10000000, "S-1-3-0"),
            Entry(Kind.ALLOW, everywhere, 0x1200A9, "S-1-15-2-1"),
            Entry(
                Kind.ALLOW,
                Flag.CONTAINER_INHERIT | Flag.INHERITED | Flag.NO_PROPAGATE,
                0x1200A9,
                _CAPABILITY,
            ),
        ),
        protected=True,
        auto_inherited=True,
    )
    assert found.labels == (Entry(Kind.LABEL, Flag.OBJECT_INHERIT, 0x3, "S-1-16-4096"),)
    assert write_descriptor(found) == (
        f"O:BAG:SYD:PAI(D;;0x40000;;;WD)(A;OICIIO;0x10000000;;;CO)"
        f"(A;OICI;0x1200a9;;;AC)(A;CINPID;0x1200a9;;;{_CAPABILITY})"
        "S:(ML;OI;NWNR;;;LW)"
    )


@pytest.mark.parametrize("text", ["", "O:SY", "D:NO_ACCESS_CONTROL"])
def test_no_list_is_not_an_empty_one(text: str) -> None:
    assert read_descriptor(text).dacl is None
    assert read_descriptor("D:").dacl == AccessList()
    assert read_descriptor("D:P").dacl == AccessList(protected=True)


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("X:", 0, "next part"),
        ("D:G:SY", 2, "next part"),
        ("O:DA", 2, "SID"),
        ("O:wd", 2, "SID"),
        ("O:S-1-5", 2, "SID"),
        ("O:S-1-5-", 2, "SID"),
        ("O:S-1-5-01", 9, "too many"),
        ("O:S-1-5-4294967296", 2, "too large"),
        ("O:S-1-281474976710656-1", 2, "too large"),
        ("O:S-1-5-18-", 10, "too many"),
        ("O:S-1-5" + "-1" * 16, 37, "too many"),
        ("D:AIAI", 2, "repeated"),
        ("D:AR", 2, "next part"),
        ("D:(A;;FA;;;SY", 13, "expected"),
        ("D:(A;;FA", 6, "expected"),
        ("D:(OA;;FA;;;SY)", 3, "`OA`"),
        ("D:(XA;;FA;;;SY;(x))", 3, "`XA`"),
        ("D:(ML;;NW;;;LW)", 3, "`ML`"),
        ("D:(a;;FA;;;SY)", 3, "`a`"),
        ("D:(A;OIXX;FA;;;SY)", 7, "`XX`"),
        ("D:(A;O;FA;;;SY)", 5, "`O`"),
        ("D:(A;;FAF;;;SY)", 8, "`F`"),
        ("D:(A;;;;;SY)", 6, "expected rights"),
        ("D:(A;;0x;;;SY)", 6, "`0x`"),
        ("D:(A;;0x100000000;;;SY)", 6, "`0x`"),
        ("D:(A;;FA;guid;;SY)", 9, "object types"),
        ("D:(A;;FA;;guid;SY)", 10, "object types"),
        ("D:(A;;FA;;;SY) ", 14, "next part"),
        ("D: (A;;FA;;;SY)", 2, "next part"),
        ("D:(A;;FA;;;SY;)", 13, "expected"),
        ("S:(AU;SA;FA;;;WD)", 3, "`AU`"),
        ("S:(ML;;NW;;;WD)", 12, "level"),
        ("D:(A;;FA;;;\u0660Y)", 11, "SID"),
    ],
)
def test_what_is_not_understood_is_refused_where_it_stands(
    text: str, at: int, words: str
) -> None:
    with pytest.raises(SddlError, match=words) as refused:
        read_descriptor(text)
    assert refused.value.position == at
    assert f"character {at + 1}" in str(refused.value)


def test_a_text_is_bounded() -> None:
    """An ACL has a length of 16 bits; nothing longer is gone through."""
    entry = "(A;;FA;;;SY)"
    with pytest.raises(SddlError, match="65535 bytes"):
        read_descriptor("D:" + entry * 4000)
    assert read_descriptor("D:" + entry * 3000).dacl is not None
    for read in (read_descriptor, read_entry):
        with pytest.raises(SddlError, match="more than"):
            read("(" * (LONGEST + 1))
        with pytest.raises(SddlError, match=r"next part|expected"):
            read("(" * LONGEST)


_SIDS = some.sampled_from([*SID_BY_LETTERS.values(), _CAPABILITY, "S-1-15-2-2"])
_ENTRIES = some.builds(
    Entry,
    some.sampled_from([Kind.ALLOW, Kind.DENY]),
    some.integers(0, 0x1F).map(Flag),
    some.integers(0, 0xFFFFFFFF),
    _SIDS,
)
_LISTS = some.builds(
    AccessList, some.lists(_ENTRIES).map(tuple), some.booleans(), some.booleans()
)
_LABELS = some.builds(
    Entry,
    some.just(Kind.LABEL),
    some.integers(0, 0x1F).map(Flag),
    some.integers(0, 0xFF),
    some.sampled_from([SID_BY_LETTERS[name] for name in ("LW", "ME", "HI", "SI")]),
)


@settings(deadline=None)
@given(
    some.builds(
        Descriptor,
        some.one_of(some.just(""), _SIDS),
        some.one_of(some.just(""), _SIDS),
        some.one_of(some.none(), _LISTS),
        some.lists(_LABELS, max_size=2).map(tuple),
    )
)
def test_what_is_written_is_read_again(descriptor: Descriptor) -> None:
    text = write_descriptor(descriptor)
    assert read_descriptor(text) == descriptor
    assert write_descriptor(read_descriptor(text)) == text
    for entry in () if descriptor.dacl is None else descriptor.dacl.entries:
        assert read_entry(write_entry(entry)) == entry


@settings(deadline=None)
@given(some.text(alphabet="OGDS:PAI();FRX0x1-5LWY\n\u0660", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read_descriptor(text)
    except SddlError as refused:
        assert 0 <= refused.position <= len(text)
    else:
        assert read_descriptor(write_descriptor(found)) == found


def _list(text: str) -> AccessList:
    dacl = read_descriptor(text).dacl
    assert dacl is not None
    return dacl


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("D:", True),
        ("D:(D;;FA;;;WD)(A;;FA;;;SY)(D;ID;FA;;;BU)(A;ID;FA;;;WD)", True),
        ("D:(D;;FA;;;WD)(A;;FA;;;SY)(A;ID;FA;;;WD)(D;ID;FA;;;BU)", True),
        ("D:(A;;FA;;;SY)(D;;FA;;;WD)", False),
        ("D:(A;ID;FA;;;SY)(A;;FA;;;WD)", False),
    ],
)
def test_canonical_order_is_told(text: str, *, canonical: bool) -> None:
    """Explicit entries first, denials first among them; inherited as they came."""
    assert in_canonical_order(_list(text).entries) is canonical


def test_entries_are_added_at_their_places() -> None:
    before = _list("D:PAI(D;;FA;;;BU)(A;;FA;;;SY)(A;ID;FA;;;BA)")
    added = (
        read_entry("(A;OICI;FR;;;AC)"),
        read_entry("(D;;FW;;;WD)"),
        read_entry("(A;;FA;;;SY)"),
    )
    after = with_entries(before, added)
    assert write_descriptor(Descriptor(dacl=after)) == (
        "D:PAI(D;;FW;;;WD)(D;;FA;;;BU)(A;OICI;FR;;;AC)(A;;FA;;;SY)(A;ID;FA;;;BA)"
    )
    assert in_canonical_order(after.entries)
    assert with_entries(after, added) == after


def test_entries_go_first_where_a_list_has_another_order() -> None:
    before = _list("D:(A;;FA;;;SY)(D;;FA;;;WD)")
    after = with_entries(before, (read_entry("(A;;FR;;;AC)"),))
    assert write_descriptor(Descriptor(dacl=after)) == (
        "D:(A;;FR;;;AC)(A;;FA;;;SY)(D;;FA;;;WD)"
    )
