# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe hosts by hand: lists that are inherited, protected, foreign; junctions."""

from __future__ import annotations

import pytest

from stockade.abi.sid import capability_sid, container_sid
from stockade.proof.windows_acl.check import Answer, Token
from stockade.proof.windows_acl.descriptor import AccessList, Entry
from stockade.proof.windows_acl.masks import (
    DELETE,
    FILE_ADD_FILE,
    FILE_DELETE_CHILD,
    FILE_EXECUTE,
    FILE_GENERIC_READ,
    FILE_READ_ATTRIBUTES,
    FILE_READ_DATA,
    FILE_WRITE_DATA,
)
from stockade.proof.windows_acl.sddl import (
    read_descriptor,
    read_entry,
    write_descriptor,
)
from stockade.proof.windows_acl.tree import (
    PathRefusedError,
    PlaceKind,
    Tree,
    parent_of,
)

_ME, _GROUP = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-513"
_STRANGER = "S-1-5-21-1-2-3-1002"
_BOX = container_sid("example.box")
_READS, _WRITES = capability_sid("example.read"), capability_sid("example.write")
_TOKEN = Token(
    frozenset({_ME, "S-1-1-0", "S-1-5-11", "S-1-5-32-545"}),
    _BOX,
    frozenset({_READS, _WRITES}),
)
# The root, and the profile of a user, as a new Windows 11 has them.
_ROOT = (
    "O:SYG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)"
    "(A;OICIIO;0x1301bf;;;AU)(A;;LC;;;AU)"
)
_PROFILE = f"O:SYG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;{_ME})"
_READ = (f"(A;OICI;FR;;;{_READS})",)
# Written files are not executed: folders' right to go through has the same bit.
_WRITE = (f"(A;CI;0x1301bf;;;{_WRITES})", f"(A;OIIO;0x13019f;;;{_WRITES})")


def _entries(texts: tuple[str, ...]) -> tuple[Entry, ...]:
    return tuple(read_entry(text) for text in texts)


def _tree() -> Tree:
    own = AccessList(
        _entries((f"(A;;FA;;;{_ME})", "(A;;FA;;;SY)", f"(A;;FA;;;{_BOX})"))
    )
    tree = Tree(_ME, _GROUP, own)
    tree.add_drive("C:\\", read_descriptor(_ROOT))
    tree.add("C:\\Users")
    tree.add("C:\\Users\\me", descriptor=read_descriptor(_PROFILE))
    tree.add("C:\\Users\\me\\data")
    tree.add("C:\\Users\\me\\data\\sub")
    tree.add("C:\\Users\\me\\data\\sub\\a.txt", PlaceKind.FILE)
    tree.add("C:\\Users\\me\\.ssh")
    tree.add("C:\\Users\\me\\.ssh\\id", PlaceKind.FILE)
    return tree


_DATA, _FILE = "C:\\Users\\me\\data", "C:\\Users\\me\\data\\sub\\a.txt"


def _reads(tree: Tree, path: str) -> Answer:
    return tree.check(_TOKEN, path, FILE_GENERIC_READ)


def _list(tree: Tree, path: str) -> str:
    return write_descriptor(tree.resolve(path)[0].descriptor)


def test_a_grant_reaches_all_below_and_nothing_else() -> None:
    tree = _tree()
    before = {
        path: _list(tree, path) for path in ("C:\\", "C:\\Users", "C:\\Users\\me")
    }
    assert _reads(tree, _FILE) is Answer.DENIED
    tree.grant(_DATA, _entries(_READ))
    for path in (_DATA, _DATA + "\\sub", _FILE, _FILE.upper()):
        assert _reads(tree, path) is Answer.ALLOWED
    for path in ("C:\\", "C:\\Users", "C:\\Users\\me", "C:\\Users\\me\\.ssh\\id"):
        assert _reads(tree, path) is Answer.DENIED
    for mask in (FILE_WRITE_DATA, FILE_EXECUTE, DELETE, FILE_ADD_FILE):
        assert tree.check(_TOKEN, _FILE, mask) is Answer.DENIED
    # Nothing above the granted folder was changed.
    assert {path: _list(tree, path) for path in before} == before


def test_a_new_object_is_granted_as_its_folder_is() -> None:
    tree = _tree()
    tree.grant(_DATA, _entries(_READ))
    tree.add(_DATA + "\\later")
    tree.add(_DATA + "\\later\\b.txt", PlaceKind.FILE)
    assert _reads(tree, _DATA + "\\later\\b.txt") is Answer.ALLOWED
    tree.add("C:\\Users\\me\\b.txt", PlaceKind.FILE)
    assert _reads(tree, "C:\\Users\\me\\b.txt") is Answer.DENIED


def test_a_protected_list_takes_nothing_from_above() -> None:
    tree = _tree()
    closed = read_descriptor(f"O:{_ME}D:PAI(A;OICI;FA;;;{_ME})")
    tree.add(_DATA + "\\closed", descriptor=closed)
    tree.add(_DATA + "\\closed\\c.txt", PlaceKind.FILE)
    tree.grant(_DATA, _entries(_READ))
    assert _reads(tree, _FILE) is Answer.ALLOWED
    assert _reads(tree, _DATA + "\\closed") is Answer.DENIED
    assert _reads(tree, _DATA + "\\closed\\c.txt") is Answer.DENIED
    tree.grant(_DATA + "\\closed", _entries(_READ))
    assert _reads(tree, _DATA + "\\closed\\c.txt") is Answer.ALLOWED


def test_a_foreign_owners_list_keeps_the_user_and_so_the_program_out() -> None:
    """A grant gives a container nothing that the user lacks."""
    tree = _tree()
    foreign = read_descriptor(
        f"O:{_STRANGER}D:PAI(A;OICI;FA;;;{_STRANGER})(A;OICI;FR;;;{_READS})"
    )
    tree.add("C:\\Users\\other", descriptor=foreign)
    assert _reads(tree, "C:\\Users\\other") is Answer.DENIED
    stranger = Token(frozenset({_STRANGER}), _BOX, frozenset({_READS}))
    answer = tree.check(stranger, "C:\\Users\\other", FILE_GENERIC_READ)
    assert answer is Answer.ALLOWED


@pytest.mark.parametrize(
    ("dacl", "answer"),
    [
        # Explicit, and before what the folder passes on.
        ("D:AI(D;;FR;;;WD)", Answer.DENIED),
        # In an order that Windows' tools do not make, the first entry decides all
        # the same.
        (f"D:(A;;FA;;;{_ME})(A;;FR;;;{_READS})(D;;FR;;;WD)", Answer.ALLOWED),
        (f"D:(A;;FW;;;{_ME})(D;;FR;;;WD)(A;;FA;;;{_ME})", Answer.DENIED),
        # Nobody may rely on a denial of the container.
        (f"D:(D;;FR;;;{_READS})", Answer.UNDECIDED),
        (f"D:(D;;FR;;;{_BOX})", Answer.UNDECIDED),
    ],
)
def test_an_own_list_decides_before_a_grant_from_above(
    dacl: str, answer: Answer
) -> None:
    tree = _tree()
    tree.add(_DATA + "\\d.txt", PlaceKind.FILE, read_descriptor(f"O:{_ME}{dacl}"))
    user = f"(A;OICI;FA;;;{_ME})"
    tree.grant(_DATA, _entries((*_READ, user)))
    assert _reads(tree, _DATA + "\\d.txt") is answer
    assert _reads(tree, _FILE) is Answer.ALLOWED


def test_written_files_cannot_be_executed_and_folders_can_be_gone_through() -> None:
    """S2-351."""
    tree = _tree()
    tree.grant(_DATA, _entries(_WRITE))
    tree.add(_DATA + "\\sub\\new.exe", PlaceKind.FILE)
    for path in (_FILE, _DATA + "\\sub\\new.exe"):
        assert tree.check(_TOKEN, path, FILE_WRITE_DATA) is Answer.ALLOWED
        assert tree.check(_TOKEN, path, FILE_EXECUTE) is Answer.DENIED
    for path in (_DATA, _DATA + "\\sub"):
        assert tree.check(_TOKEN, path, FILE_EXECUTE) is Answer.ALLOWED
        assert tree.check(_TOKEN, path, FILE_ADD_FILE) is Answer.ALLOWED
    # One entry for both would let files be executed: the control.
    tree.grant(_DATA, _entries((f"(A;OICI;0x1301bf;;;{_WRITES})",)))
    assert tree.check(_TOKEN, _FILE, FILE_EXECUTE) is Answer.ALLOWED


def test_a_folder_that_deletes_children_needs_no_right_of_theirs() -> None:
    tree = _tree()
    tree.grant(_DATA, _entries((f"(A;CI;0x1301bf;;;{_WRITES})",)))
    assert tree.check(_TOKEN, _FILE, DELETE) is Answer.DENIED
    assert tree.check(_TOKEN, _FILE, FILE_READ_ATTRIBUTES) is Answer.ALLOWED
    assert tree.check(_TOKEN, _FILE, FILE_READ_DATA) is Answer.DENIED
    more = (f"(A;CI;0x{0x1301BF | FILE_DELETE_CHILD:x};;;{_WRITES})",)
    tree.grant(_DATA, _entries(more))
    assert tree.check(_TOKEN, _FILE, DELETE) is Answer.ALLOWED


def test_a_junction_leads_to_what_its_target_allows() -> None:
    tree = _tree()
    there = _DATA + "\\there"
    tree.add(there, PlaceKind.JUNCTION, target="C:\\Users\\me\\.ssh")
    tree.grant(_DATA, _entries(_WRITE))
    assert tree.check(_TOKEN, _FILE, FILE_READ_DATA) is Answer.ALLOWED
    assert tree.check(_TOKEN, there + "\\id", FILE_READ_DATA) is Answer.DENIED
    assert tree.check(_TOKEN, there, FILE_ADD_FILE) is Answer.DENIED
    # The entries were not passed on through it.
    assert _WRITES not in _list(tree, "C:\\Users\\me\\.ssh\\id")
    # A target that is granted itself can be reached: the control.
    tree.grant("C:\\Users\\me\\.ssh", _entries(_READ))
    assert tree.check(_TOKEN, there + "\\id", FILE_READ_DATA) is Answer.ALLOWED


def test_a_junction_that_cannot_be_read_leads_nobody_knows_where() -> None:
    """S2-357: so a launcher gives it an entry, and nothing relies on its absence."""
    tree = _tree()
    tree.add("C:\\link", PlaceKind.JUNCTION, target=_DATA)
    tree.grant(_DATA, _entries(_READ))
    assert _reads(tree, _FILE) is Answer.ALLOWED
    assert _reads(tree, "C:\\link\\sub\\a.txt") is Answer.UNDECIDED
    tree.grant("C:\\link", _entries((f"(A;;FR;;;{_READS})",)))
    assert _reads(tree, "C:\\link\\sub\\a.txt") is Answer.ALLOWED
    assert _reads(tree, _FILE) is Answer.ALLOWED


def test_each_junction_on_the_way_counts() -> None:
    tree = _tree()
    tree.add("C:\\far", PlaceKind.JUNCTION, target="C:\\near")
    tree.add("C:\\near", PlaceKind.JUNCTION, target=_DATA)
    tree.grant(_DATA, _entries(_READ))
    readable = _entries((f"(A;;FR;;;{_READS})",))
    tree.grant("C:\\near", readable)
    assert _reads(tree, "C:\\near\\sub") is Answer.ALLOWED
    assert _reads(tree, "C:\\far\\sub") is Answer.UNDECIDED
    tree.grant("C:\\far", readable)
    assert _reads(tree, "C:\\far\\sub") is Answer.ALLOWED


def test_a_removal_takes_a_sids_own_entries_alone() -> None:
    tree = _tree()
    tree.grant(_DATA, _entries((*_READ, *_WRITE)))
    tree.grant(_DATA + "\\sub", _entries(_READ))
    tree.revoke(_DATA + "\\sub", _READS)
    # What the folder above passes on stays, and so do entries of others.
    assert _reads(tree, _FILE) is Answer.ALLOWED
    tree.revoke(_DATA, _READS)
    assert _READS not in _list(tree, _FILE)
    for path in (_DATA, _FILE):
        assert tree.check(_TOKEN, path, FILE_WRITE_DATA) is Answer.ALLOWED
    tree.revoke(_DATA, _WRITES)
    assert tree.check(_TOKEN, _FILE, FILE_WRITE_DATA) is Answer.DENIED


def test_names_may_grow_where_case_is_folded() -> None:
    tree = _tree()
    tree.add("C:\\stra\u00dfe", PlaceKind.JUNCTION, target=_DATA)
    assert tree.resolve("C:\\STRASSE\\sub")[0].path == _DATA + "\\sub"
    assert "C:\\Stra\u00dfe" in tree


def test_junctions_may_lead_to_junctions_but_not_in_circles() -> None:
    tree = _tree()
    tree.add("C:\\one", PlaceKind.JUNCTION, target="C:\\two")
    tree.add("C:\\two", PlaceKind.JUNCTION, target="C:\\")
    place, passed = tree.resolve("C:\\one\\Users\\me")
    assert (place.path, len(passed)) == ("C:\\Users\\me", 2)
    tree.add("C:\\round", PlaceKind.JUNCTION, target="C:\\round")
    with pytest.raises(PathRefusedError, match="too many junctions"):
        tree.resolve("C:\\round\\x")


def test_a_grant_changes_what_new_files_get_for_their_own_user() -> None:
    """Where a folder passed nothing on, files had the token's list; now they have not.

    Neither the user nor the program can read what is made there afterwards, which a
    launcher has to look for before it adds entries.
    """
    tree = _tree()
    alone = read_descriptor(f"O:{_ME}D:P(A;;FA;;;{_ME})")
    tree.add(_DATA + "\\alone", descriptor=alone)
    tree.add(_DATA + "\\alone\\before", PlaceKind.FILE)
    before = tree.resolve(_DATA + "\\alone\\before")[0].descriptor
    tree.grant(_DATA + "\\alone", _entries(_WRITE))
    tree.add(_DATA + "\\alone\\after", PlaceKind.FILE)
    after = tree.resolve(_DATA + "\\alone\\after")[0].descriptor
    assert f"(A;;FA;;;{_ME})" in write_descriptor(before)
    assert _ME not in write_descriptor(after).removeprefix(f"O:{_ME}")
    assert tree.check(_TOKEN, _DATA + "\\alone\\after", 1) is Answer.DENIED
    assert tree.check(_TOKEN, _DATA + "\\alone\\before", 1) is Answer.ALLOWED


def test_nothing_is_added_where_there_is_no_list() -> None:
    """A list in its place would take everyone else's access away."""
    tree = _tree()
    tree.add(_DATA + "\\open", descriptor=read_descriptor(f"O:{_ME}"))
    assert _reads(tree, _DATA + "\\open") is Answer.DENIED
    with pytest.raises(PathRefusedError, match="no list"):
        tree.grant(_DATA + "\\open", _entries(_READ))


@pytest.mark.parametrize(
    "path",
    [
        *("\\\\server\\share\\x", "\\\\?\\C:\\x", "\\\\.\\C:", "\\\\localhost\\C$\\x"),
        *("C:", "C:x", "x\\y", "C:/x", "C:\\x/y", "C:\\x\\", "C:\\\\x", "", "\\x"),
        *("C:\\a\\..\\b", "C:\\a\\.", "C:\\a ", "C:\\a.", "C:\\a.\\b", "C:\\a:s"),
        *("C:\\a\nb", "C:\\a\x00", "C:\\a*", "C:\\a?", "C:\\a|b", 'C:\\a"', "1:\\a"),
    ],
)
def test_paths_that_are_not_of_a_local_drive_are_refused(path: str) -> None:
    """S2-358: also other spellings of a path, which would escape the comparison."""
    tree = _tree()
    for ask in (tree.resolve, tree.add, lambda text: tree.grant(text, ())):
        with pytest.raises(PathRefusedError):
            ask(path)
    assert tree.resolve(_FILE)[0].path == _FILE


def test_places_need_a_folder_above_them() -> None:
    tree = _tree()
    for path in ("D:\\x", "C:\\none\\x", _FILE + "\\x", "E:\\"):
        with pytest.raises(PathRefusedError):
            tree.add(path)
    with pytest.raises(PathRefusedError, match="no root"):
        tree.add_drive("C:\\x", read_descriptor(_ROOT))
    assert parent_of("C:\\") is None
    assert parent_of("C:\\x") == "C:\\"
