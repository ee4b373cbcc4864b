# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Apply real artifacts to hosts made by hand: odd lists, junctions, other policies.

Each refusal stands beside the same request where nothing is odd.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from stockade.model.policy import Access, Grant, Policy
from stockade.model.windows_artifact import WindowsArtifact
from stockade.proof.windows_acl.check import Answer, Token
from stockade.proof.windows_acl.descriptor import AccessList, Entry
from stockade.proof.windows_acl.masks import (
    DELETE,
    FILE_ADD_FILE,
    FILE_EXECUTE,
    FILE_GENERIC_READ,
    FILE_GENERIC_WRITE,
)
from stockade.proof.windows_acl.sddl import (
    read_descriptor,
    read_entry,
    write_descriptor,
)
from stockade.proof.windows_acl.tree import PlaceKind, Tree
from stockade.targets.windows.build import build

_ME, _GROUP = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-513"
_STRANGER = "S-1-5-21-1-2-3-1002"
_POLICY = Policy(
    appcontainer_name="example.app",
    grants=(
        Grant("C:\\app\\bin", Access.READ_EXEC),
        Grant("D:\\work\\in", Access.READ),
        Grant("D:\\work\\out", Access.READ_WRITE),
    ),
)
_DRIVE = (
    "O:SYG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)"
    "(A;OICIIO;0x1301bf;;;AU)"
)
_OUT, _IN, _BIN = "D:\\work\\out", "D:\\work\\in", "C:\\app\\bin"
_KEYS = "C:\\Users\\me\\.ssh"


def _built(policy: Policy = _POLICY) -> WindowsArtifact:
    return build(policy, name="example", requirements=(), warnings=())


def _token(artifact: WindowsArtifact) -> Token:
    user = frozenset({_ME, _GROUP, "S-1-1-0", "S-1-5-11", "S-1-5-32-545"})
    capabilities = frozenset(one.sid for one in artifact.capabilities)
    admins = frozenset({"S-1-5-32-544"})
    return Token(user, artifact.container_sid, capabilities, admins)


def _entries(*texts: str) -> tuple[Entry, ...]:
    return tuple(map(read_entry, texts))


def _host() -> Tree:
    tree = Tree(_ME, _GROUP, AccessList(_entries(f"(A;;FA;;;{_ME})", "(A;;FA;;;SY)")))
    for drive in ("C:\\", "D:\\"):
        tree.add_drive(drive, read_descriptor(_DRIVE))
    for path in ("C:\\app", _BIN, "D:\\work", _IN, _OUT, f"{_OUT}\\deep"):
        tree.add(path)
    tree.add("C:\\Users")
    profile = f"O:SYG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;{_ME})"
    tree.add("C:\\Users\\me", descriptor=read_descriptor(profile))
    tree.add(_KEYS)
    tree.add(f"{_KEYS}\\id", PlaceKind.FILE)
    for folder in (_BIN, _IN, _OUT, f"{_OUT}\\deep"):
        tree.add(f"{folder}\\file", PlaceKind.FILE)
    return tree


def _applied(tree: Tree, artifact: WindowsArtifact) -> None:
    for one in artifact.entries:
        tree.grant(one.path, _entries(*one.folder))


def _answers(tree: Tree, path: str, *masks: int) -> list[Answer]:
    token = _token(_built())
    return [tree.check(token, path, mask) for mask in masks]


_READ, _WRITE = FILE_GENERIC_READ, FILE_GENERIC_WRITE
_YES, _NO, _UNSURE = Answer.ALLOWED, Answer.DENIED, Answer.UNDECIDED


def test_an_installed_host_gives_what_the_described_one_does() -> None:
    """S2-346, S2-356: there the user has less, and no list above is changed."""
    tree = _host()
    closed = ("C:\\", "D:\\", "C:\\app", "D:\\work", f"{_KEYS}\\id")
    before = [write_descriptor(tree.resolve(path)[0].descriptor) for path in closed]
    for path in (_IN, _OUT, _BIN):
        assert _answers(tree, f"{path}\\file", _READ, _WRITE) == [_NO, _NO]
    _applied(tree, _built())
    masks = (_READ, _WRITE, FILE_EXECUTE, DELETE)
    assert _answers(tree, f"{_IN}\\file", *masks) == [_YES, _NO, _NO, _NO]
    assert _answers(tree, f"{_BIN}\\file", *masks) == [_YES, _NO, _YES, _NO]
    assert _answers(tree, f"{_OUT}\\deep\\file", *masks) == [_YES, _YES, _NO, _YES]
    assert _answers(tree, _OUT, FILE_ADD_FILE, DELETE) == [_YES, _NO]
    for path in closed:
        assert _answers(tree, path, *masks) == [_NO] * len(masks)
    after = [write_descriptor(tree.resolve(path)[0].descriptor) for path in closed]
    assert after == before


def test_a_policy_gets_nothing_of_what_another_one_wrote() -> None:
    """S2-354: entries stay on disk, and their capability is the policy's own."""
    tree = _host()
    _applied(tree, _built())
    wider = replace(
        _POLICY, grants=(*_POLICY.grants, Grant("D:\\work\\more", Access.READ))
    )
    other = _token(_built(wider))
    assert tree.check(other, f"{_OUT}\\file", _READ) is _NO
    tree.add("D:\\work\\more")
    _applied(tree, _built(wider))
    assert tree.check(other, f"{_OUT}\\file", _READ) is _YES
    assert _answers(tree, f"{_OUT}\\file", _READ) == [_YES]
    assert _answers(tree, "D:\\work\\more", _READ) == [_NO]


def test_a_junction_made_by_the_program_leads_to_nothing_new() -> None:
    """S2-245: what it leads to is judged, and a later start passes nothing through."""
    tree = _host()
    _applied(tree, _built())
    for name, target in (("keys", _KEYS), ("tools", _BIN), ("own", f"{_OUT}\\deep")):
        tree.add(f"{_OUT}\\{name}", PlaceKind.JUNCTION, target=target)
    _applied(tree, _built())
    assert _answers(tree, f"{_OUT}\\keys\\id", _READ, _WRITE) == [_NO, _NO]
    assert _answers(tree, f"{_OUT}\\tools\\file", _READ, _WRITE) == [_YES, _NO]
    assert _answers(tree, f"{_OUT}\\tools", FILE_ADD_FILE) == [_NO]
    assert _answers(tree, f"{_OUT}\\own\\file", _READ, _WRITE) == [_YES, _YES]


@pytest.mark.parametrize(
    ("descriptor", "answers"),
    [
        # Nothing is passed on to it.
        (f"O:{_ME}D:PAI(A;OICI;FA;;;{_ME})", [_NO, _NO]),
        # Whose list leaves the user out, and so the program.
        (f"O:{_STRANGER}D:(A;OICI;FA;;;{_STRANGER})", [_YES, _YES]),
        (f"O:{_STRANGER}D:PAI(A;OICI;FA;;;{_STRANGER})", [_NO, _NO]),
        # Denials of the user bind where they come first.
        (f"O:{_ME}D:(D;OICI;FW;;;WD)", [_NO, _NO]),
        (f"O:{_ME}D:(D;OICI;0x2;;;{_ME})", [_YES, _NO]),
        ("O:SYD:(A;OICI;FA;;;WD)(D;OICI;FA;;;WD)", [_YES, _YES]),
        # Those of the container make an answer that nobody may rely on.
        ("O:SYD:(D;OICI;FW;;;AC)", [_UNSURE, _UNSURE]),
        # A label above the user's own level.
        ("O:SYD:S:(ML;OICI;NW;;;HI)", [_YES, _NO]),
    ],
)
def test_folders_below_a_grant_have_lists_of_their_own(
    descriptor: str, answers: list[Answer]
) -> None:
    """Objects found in a granted folder, before a start applies its entries."""
    tree = _host()
    tree.add(f"{_OUT}\\odd", descriptor=read_descriptor(descriptor))
    tree.add(f"{_OUT}\\odd\\file", PlaceKind.FILE)
    _applied(tree, _built())
    assert _answers(tree, f"{_OUT}\\odd\\file", _READ, _WRITE) == answers
    assert _answers(tree, f"{_OUT}\\file", _READ, _WRITE) == [_YES, _YES]


def test_what_is_open_to_execute_stays_so_when_it_becomes_writable() -> None:
    """S2-352: why a start looks for such entries and refuses."""
    tree = _host()
    _applied(tree, _built())
    assert _answers(tree, f"{_OUT}\\file", _WRITE, FILE_EXECUTE) == [_YES, _NO]
    tree.grant("D:\\work", _entries("(A;OICI;0x1200a9;;;AC)"))
    assert _answers(tree, f"{_OUT}\\file", _WRITE, FILE_EXECUTE) == [_YES, _YES]


def test_a_removal_leaves_every_list_as_it_was() -> None:
    """S2-346: what is taken away by SID at the granted paths goes below as well."""
    tree, untouched = _host(), _host()
    artifact = _built()
    _applied(tree, artifact)
    paths = (_OUT, f"{_OUT}\\deep", f"{_OUT}\\deep\\file", _IN, f"{_BIN}\\file")
    lists = [write_descriptor(untouched.resolve(one)[0].descriptor) for one in paths]
    changed = [write_descriptor(tree.resolve(one)[0].descriptor) for one in paths]
    assert all(a != b for a, b in zip(lists, changed, strict=True))
    for one in artifact.removal:
        if one.kind.value == "entries":
            tree.revoke(one.subject, one.sid)
    after = [write_descriptor(tree.resolve(one)[0].descriptor) for one in paths]
    assert after == lists
