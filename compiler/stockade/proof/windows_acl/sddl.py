# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read and write security descriptors as text, the part of SDDL that files need.

Source: learn.microsoft.com, "Security Descriptor String Format" and "ACE Strings".
Read are owner, group, entries that allow or deny, and the mandatory label. Whatever
else SDDL has, conditions and object types among them, is refused by name: an
entry that is not understood may grant something.
"""

from __future__ import annotations

import re

from stockade.proof.windows_acl.descriptor import (
    NONE,
    AccessList,
    Descriptor,
    Entry,
    Flag,
    Kind,
)
from stockade.proof.windows_acl.sids import (
    LETTERS_BY_SID,
    SID_BY_LETTERS,
    SYSTEM_LEVEL,
)

# An ACL is at most 65,535 bytes; in text an entry is some four times as long.
LONGEST = 4 * 65_535
_LARGEST_ACL, _ACL_HEADER, _ACE_HEADER = 65_535, 8, 8
_SID = re.compile(
    r"S-1-(0|[1-9][0-9]{0,14})((?:-(?:0|[1-9][0-9]{0,9})){1,15})", re.ASCII
)
_FLAGS = {
    "OI": Flag.OBJECT_INHERIT,
    "CI": Flag.CONTAINER_INHERIT,
    "NP": Flag.NO_PROPAGATE,
    "IO": Flag.INHERIT_ONLY,
    "ID": Flag.INHERITED,
}
# Files' own, then those of every object and those of directory services, whose bits
# files use otherwise.
_FILE_RIGHTS = {"FA": 0x1F01FF, "FR": 0x120089, "FW": 0x120116, "FX": 0x1200A0}
_RIGHTS = {
    **_FILE_RIGHTS,
    "GA": 0x10000000,
    "GX": 0x20000000,
    "GW": 0x40000000,
    "GR": 0x80000000,
    "SD": 0x10000,
    "RC": 0x20000,
    "WD": 0x40000,
    "WO": 0x80000,
    "CC": 0x1,
    "DC": 0x2,
    "LC": 0x4,
    "SW": 0x8,
    "RP": 0x10,
    "WP": 0x20,
    "DT": 0x40,
    "LO": 0x80,
    "CR": 0x100,
}
_LABEL_RIGHTS = {"NW": 0x1, "NR": 0x2, "NX": 0x4}
_LIST_FLAGS = ("P", "AI")
_NO_LIST = "NO_ACCESS_CONTROL"


class SddlError(ValueError):
    """A text is no descriptor, or holds what is not read here."""

    def __init__(self, position: int, problem: str) -> None:
        super().__init__(f"{problem}, at character {position + 1}")
        self.position = position


def read_descriptor(text: str) -> Descriptor:
    """Read `O:…G:…D:…S:…`, each part at most once and in this order."""
    if len(text) > LONGEST:
        raise SddlError(LONGEST, f"more than {LONGEST} characters")
    reader = _Reader(text)
    owner = reader.sid() if reader.took("O:") else ""
    group = reader.sid() if reader.took("G:") else ""
    dacl = reader.access_list() if reader.took("D:") else None
    labels = reader.labels() if reader.took("S:") else ()
    reader.end()
    return Descriptor(owner, group, dacl, labels)


def read_entry(text: str) -> Entry:
    """Read a single entry, `(…)`, that allows or denies."""
    if len(text) > LONGEST:
        raise SddlError(LONGEST, f"more than {LONGEST} characters")
    reader = _Reader(text)
    entry = reader.entry((Kind.ALLOW, Kind.DENY))
    reader.end()
    return entry


class _Reader:
    """Go through a text once, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def took(self, word: str) -> bool:
        """Go past a word if it is next."""
        if not self._text.startswith(word, self._at):
            return False
        self._at += len(word)
        return True

    def end(self) -> None:
        """Demand that nothing is left."""
        if self._at != len(self._text):
            raise SddlError(self._at, "not the next part of a descriptor")

    def sid(self) -> str:
        """Take a SID: two letters, or `S-1-…`."""
        found = _SID.match(self._text, self._at)
        if found is None:
            letters = self._text[self._at : self._at + 2]
            if letters not in SID_BY_LETTERS:
                raise SddlError(self._at, "not a SID that is known")
            self._at += 2
            return SID_BY_LETTERS[letters]
        numbers = [int(one) for one in found[2].split("-")[1:]]
        if int(found[1]) >= 1 << 48 or max(numbers) >= 1 << 32:
            raise SddlError(self._at, "a number of this SID is too large")
        self._at = found.end()
        if self._text[self._at : self._at + 1] in {*"-0123456789"}:
            raise SddlError(self._at, "this SID has too many numbers or digits")
        return found[0]

    def access_list(self) -> AccessList | None:
        """Take the flags and entries of a list; None for one that is not there."""
        if self.took(_NO_LIST):
            return None
        start, flags = self._at, []
        while name := next((one for one in _LIST_FLAGS if self.took(one)), ""):
            flags.append(name)
        if len(set(flags)) != len(flags):
            raise SddlError(start, "a flag is repeated")
        entries = self._entries((Kind.ALLOW, Kind.DENY))
        return AccessList(entries, "P" in flags, "AI" in flags)

    def labels(self) -> tuple[Entry, ...]:
        """Take the labels of a system list, the only entries of it that decide."""
        self.took("AI")
        return self._entries((Kind.LABEL,))

    def _entries(self, kinds: tuple[Kind, ...]) -> tuple[Entry, ...]:
        found, size = [], _ACL_HEADER
        while self._text.startswith("(", self._at):
            start = self._at
            found.append(self.entry(kinds))
            size += _ACE_HEADER + 8 + 4 * (found[-1].sid.count("-") - 2)
            if size > _LARGEST_ACL:
                raise SddlError(start, "a list is at most 65535 bytes")
        return tuple(found)

    def entry(self, kinds: tuple[Kind, ...]) -> Entry:
        """Take `(type;flags;rights;;;SID)`."""
        self._expect("(")
        start = self._at
        letters = self._field()
        if letters not in kinds:
            raise SddlError(start, f"entries of type `{letters}` are not read here")
        kind = Kind(letters)
        flags = self._flags()
        mask = self._mask(_LABEL_RIGHTS if kind is Kind.LABEL else _RIGHTS)
        for _ in range(2):
            start = self._at
            if self._field():
                raise SddlError(start, "object types are not read here")
        start = self._at
        sid = self.sid()
        if kind is Kind.LABEL and sid.rpartition("-")[0] != _LEVELS:
            raise SddlError(start, "not a level of integrity")
        self._expect(")")
        return Entry(kind, flags, mask, sid)

    def _expect(self, mark: str) -> None:
        if not self.took(mark):
            raise SddlError(self._at, f"expected `{mark}`")

    def _field(self) -> str:
        """Take what stands before the next semicolon."""
        end = self._text.find(";", self._at)
        if end < 0:
            raise SddlError(self._at, "expected `;`")
        field = self._text[self._at : end]
        self._at = end + 1
        return field

    def _flags(self) -> Flag:
        start, flags = self._at, NONE
        for at, name in _pairs(self._field(), start):
            if name not in _FLAGS:
                raise SddlError(at, f"`{name}` is no flag that is read here")
            flags |= _FLAGS[name]
        return flags

    def _mask(self, rights: dict[str, int]) -> int:
        start, mask = self._at, 0
        field = self._field()
        if re.fullmatch(r"0x[0-9a-fA-F]{1,8}", field):
            return int(field, 16)
        if not field:
            raise SddlError(start, "expected rights")
        for at, name in _pairs(field, start):
            if name not in rights:
                raise SddlError(at, f"`{name}` is no right that is read here")
            mask |= rights[name]
        return mask


_LEVELS = SYSTEM_LEVEL.rpartition("-")[0]


def _pairs(field: str, start: int) -> list[tuple[int, str]]:
    """Cut a field into names of two letters, each with its position."""
    return [(start + at, field[at : at + 2]) for at in range(0, len(field), 2)]


def write_descriptor(descriptor: Descriptor) -> str:
    """Write a descriptor as SDDL, always the same text for the same one."""
    parts = []
    if descriptor.owner:
        parts.append(f"O:{_sid_text(descriptor.owner)}")
    if descriptor.group:
        parts.append(f"G:{_sid_text(descriptor.group)}")
    dacl = descriptor.dacl
    if dacl is None:
        parts.append(f"D:{_NO_LIST}")
    else:
        flags = "P" * dacl.protected + "AI" * dacl.auto_inherited
        parts.append(f"D:{flags}{''.join(map(write_entry, dacl.entries))}")
    if descriptor.labels:
        parts.append(f"S:{''.join(map(write_entry, descriptor.labels))}")
    return "".join(parts)


def write_entry(entry: Entry) -> str:
    """Write one entry as SDDL."""
    flags = "".join(name for name, flag in _FLAGS.items() if entry.flags & flag)
    sid = _sid_text(entry.sid)
    return f"({entry.kind};{flags};{_mask_text(entry)};;;{sid})"


def _mask_text(entry: Entry) -> str:
    if entry.kind is Kind.LABEL:
        names = [name for name, bit in _LABEL_RIGHTS.items() if entry.mask & bit]
        if entry.mask and sum(_LABEL_RIGHTS[name] for name in names) == entry.mask:
            return "".join(names)
    else:
        for name, mask in _FILE_RIGHTS.items():
            if entry.mask == mask:
                return name
    return f"0x{entry.mask:x}"


def _sid_text(sid: str) -> str:
    return LETTERS_BY_SID.get(sid, sid)
