# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pass entries on by the published table: every combination of flags."""

from __future__ import annotations

import pytest

from stockade.proof.windows_acl.descriptor import AccessList, Descriptor
from stockade.proof.windows_acl.inherit import created_in, inherited, updated_below
from stockade.proof.windows_acl.sddl import (
    read_descriptor,
    read_entry,
    write_descriptor,
    write_entry,
)

_OWNER, _GROUP = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-513"


def _given(text: str, *, folder: bool) -> str:
    entries = (read_entry(text),)
    found = inherited(entries, folder=folder, owner=_OWNER, group=_GROUP)
    return "".join(map(write_entry, found))


@pytest.mark.parametrize(
    ("flags", "file", "folder"),
    [
        ("", None, None),
        ("NP", None, None),
        ("IO", None, None),
        ("OI", "ID", "OIIOID"),
        ("OINP", "ID", None),
        ("OIIO", "ID", "OIIOID"),
        ("OINPIO", "ID", None),
        ("CI", None, "CIID"),
        ("CINP", None, "ID"),
        ("CIIO", None, "CIID"),
        ("CINPIO", None, "ID"),
        ("OICI", "ID", "OICIID"),
        ("OICINP", "ID", "ID"),
        ("OICIIO", "ID", "OICIID"),
        ("OICINPIO", "ID", "ID"),
        ("OICIID", "ID", "OICIID"),
    ],
)
def test_flags_are_passed_on_by_the_table(
    flags: str, file: str | None, folder: str | None
) -> None:
    """Table 12.12 of cc961983: to a file, to a folder."""
    for kind in ("A", "D"):
        entry = f"({kind};{flags};FR;;;SY)"
        for given, expected in (
            (_given(entry, folder=False), file),
            (_given(entry, folder=True), folder),
        ):
            wanted = "" if expected is None else f"({kind};{expected};FR;;;SY)"
            assert given == wanted


@pytest.mark.parametrize(
    ("entry", "file", "folder"),
    [
        (
            "(A;OICI;GR;;;SY)",
            "(A;ID;FR;;;SY)",
            "(A;ID;FR;;;SY)(A;OICIIOID;0x80000000;;;SY)",
        ),
        (
            "(A;OICIIO;FA;;;CO)",
            f"(A;ID;FA;;;{_OWNER})",
            f"(A;ID;FA;;;{_OWNER})(A;OICIIOID;FA;;;CO)",
        ),
        (
            "(A;CINP;GA;;;CG)",
            "",
            f"(A;ID;FA;;;{_GROUP})",
        ),
        ("(A;OI;GA;;;CO)", f"(A;ID;FA;;;{_OWNER})", "(A;OIIOID;0x10000000;;;CO)"),
    ],
)
def test_what_is_general_becomes_exact_and_is_kept(
    entry: str, file: str, folder: str
) -> None:
    """A folder gets two entries: one that counts, one for those below."""
    assert _given(entry, folder=False) == file
    assert _given(entry, folder=True) == folder


_TOKENS = AccessList((read_entry("(A;;FA;;;SY)"),))


def _created(parent: str, *, folder: bool) -> str:
    made = created_in(
        read_descriptor(parent),
        folder=folder,
        owner=_OWNER,
        group=_GROUP,
        otherwise=_TOKENS,
    )
    assert (made.owner, made.group) == (_OWNER, _GROUP)
    return write_descriptor(Descriptor(dacl=made.dacl, labels=made.labels))


def test_a_new_object_has_what_its_folder_passes_on() -> None:
    parent = "D:P(A;;FA;;;BA)(D;OI;FW;;;BU)(A;CI;FR;;;AU)S:(ML;OICI;NW;;;LW)"
    assert _created(parent, folder=False) == "D:AI(D;ID;FW;;;BU)S:(ML;ID;NW;;;LW)"
    assert _created(parent, folder=True) == (
        "D:AI(D;OIIOID;FW;;;BU)(A;CIID;FR;;;AU)S:(ML;OICIID;NW;;;LW)"
    )


def test_a_new_object_has_the_tokens_list_only_where_nothing_is_passed_on() -> None:
    """A single entry that is passed on takes the token's list away."""
    assert _created("D:(A;;FA;;;BA)", folder=False) == "D:(A;;FA;;;SY)"
    assert _created("D:NO_ACCESS_CONTROL", folder=True) == "D:(A;;FA;;;SY)"
    assert _created("D:(A;;FA;;;BA)(A;OI;FR;;;WD)", folder=False) == (
        "D:AI(A;ID;FR;;;WD)"
    )


def _updated(parent: str, child: str, *, folder: bool) -> str:
    after = updated_below(
        read_descriptor(parent), read_descriptor(child), folder=folder
    )
    return write_descriptor(after)


def test_a_change_reaches_what_lies_below() -> None:
    """Own entries stay in front; inherited ones are those of the folder now."""
    parent = "D:(A;OICI;FR;;;AC)(D;OICI;FW;;;WD)"
    child = "O:SYD:(D;;FX;;;BU)(A;;FA;;;SY)(A;ID;FA;;;BA)"
    assert _updated(parent, child, folder=False) == (
        "O:SYD:AI(D;;FX;;;BU)(A;;FA;;;SY)(A;ID;FR;;;AC)(D;ID;FW;;;WD)"
    )
    assert _updated("D:", child, folder=True) == "O:SYD:AI(D;;FX;;;BU)(A;;FA;;;SY)"


def test_a_change_ends_at_protected_lists() -> None:
    parent = "D:(A;OICI;FR;;;AC)"
    for child in ("D:P(A;;FA;;;SY)", "D:PAI", "D:NO_ACCESS_CONTROL"):
        assert _updated(parent, child, folder=True) == child
    assert _updated(parent, "D:", folder=True) == "D:AI(A;OICIID;FR;;;AC)"
