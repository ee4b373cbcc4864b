# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read what the headers of ELF, Mach-O and PE programs say, and nothing else.

Sources: elf(5); Apple's <mach-o/loader.h> and <mach-o/nlist.h>; Microsoft's PE format.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_PT_DYNAMIC, _PT_INTERP, _PT_RELRO = 2, 3, 0x6474E552
_DT_NEEDED = 1
_LC_SEGMENT, _LC_SYMTAB, _LC_SIGNATURE, _LC_BUILD = 0x19, 2, 0x1D, 0x32
# The same number with and without what says that a loader must understand it.
_LC_DYLIBS = {0xC, 0x80000018, 0x8000001F}
_MACH_PIE, _MACH_TWO_LEVELS = 0x200000, 0x80
_EXECUTE, _WRITE = 4, 2


@dataclass(frozen=True, slots=True)
class Program:
    """What one program's headers say."""

    format: str
    machine: int
    # Loaded where the system likes.
    movable: bool
    libraries: tuple[str, ...]
    # Names that a loader looks up in them.
    imports: frozenset[str]
    # A segment or section is writable and executable.
    writable_code: bool
    details: dict[str, object]


def read(content: bytes) -> Program:
    """Tell the format by its first bytes."""
    if content[:4] == b"\x7fELF":
        return _elf(content)
    if content[:4] == b"\xcf\xfa\xed\xfe":
        return _mach(content)
    if content[:2] == b"MZ":
        return _pe(content)
    raise ValueError(content[:4])


def _elf(content: bytes) -> Program:
    kind, machine = struct.unpack_from("<HH", content, 16)
    at, size, count = struct.unpack_from("<Q14xHH", content, 32)
    headers = [
        struct.unpack_from("<IIQQQQQQ", content, place)
        for place in range(at, at + size * count, size)
    ]
    flags = [flag for _, flag, *_ in headers]
    kinds = {kind for kind, *_ in headers}
    needed = [
        value
        for header in headers
        if header[0] == _PT_DYNAMIC
        for tag, value in struct.iter_unpack("<QQ", _at(content, header[2], header[5]))
        if tag == _DT_NEEDED
    ]
    return Program(
        format="elf",
        machine=machine,
        movable=kind == 3,
        libraries=tuple(map(str, needed)),
        imports=frozenset(),
        writable_code=any(flag & 3 == 3 for flag in flags),
        details={"interpreter": _PT_INTERP in kinds, "relro": _PT_RELRO in kinds},
    )


def _at(content: bytes, offset: int, length: int) -> bytes:
    return content[offset : offset + length]


def _commands(content: bytes) -> Iterator[tuple[int, int]]:
    """Give number and place of each load command."""
    count = struct.unpack_from("<I", content, 16)[0]
    at = 32
    for _ in range(count):
        number, size = struct.unpack_from("<II", content, at)
        yield number, at
        at += size


def _mach(content: bytes) -> Program:
    machine, _, kind = struct.unpack_from("<III", content, 4)
    flags = struct.unpack_from("<I", content, 24)[0]
    libraries: list[str] = []
    imports: frozenset[str] = frozenset()
    writable_code = False
    details: dict[str, object] = {"program": kind == 2, "signature": None}
    for number, at in _commands(content):
        if number == _LC_SEGMENT:
            most, first = struct.unpack_from("<II", content, at + 56)
            both = _EXECUTE | _WRITE
            writable_code |= most & both == both or first & both == both
        elif number in _LC_DYLIBS:
            name = struct.unpack_from("<I", content, at + 8)[0]
            libraries.append(_text(content, at + name))
        elif number == _LC_SYMTAB:
            imports = _undefined(content, *struct.unpack_from("<IIII", content, at + 8))
        elif number == _LC_BUILD:
            platform, oldest = struct.unpack_from("<II", content, at + 8)
            details["platform"] = platform
            details["oldest"] = (oldest >> 16, oldest >> 8 & 255)
        elif number == _LC_SIGNATURE:
            place = struct.unpack_from("<I", content, at + 8)[0]
            details["signature"] = _identifier(content, place)
    assert flags & _MACH_TWO_LEVELS, "each import names its library"
    return Program(
        format="mach-o",
        machine=machine,
        movable=bool(flags & _MACH_PIE),
        libraries=tuple(libraries),
        imports=imports,
        writable_code=writable_code,
        details=details,
    )


def _text(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode()


def _undefined(
    content: bytes, symbols: int, count: int, strings: int, _: int
) -> frozenset[str]:
    """Give the names of symbols whose type says that they lie elsewhere."""
    found = set()
    for number in range(count):
        name, kind = struct.unpack_from("<IB", content, symbols + 16 * number)
        if kind & 0x0E == 0 and kind & 0x01:
            found.add(_text(content, strings + name))
    return frozenset(found)


def _identifier(content: bytes, place: int) -> str:
    """Give what the one code directory of a signature calls the program."""
    magic, _, _, _, offset = struct.unpack_from(">IIIII", content, place)
    assert magic == 0xFADE0CC0
    directory = place + offset
    assert struct.unpack_from(">I", content, directory) == (0xFADE0C02,)
    name = struct.unpack_from(">I", content, directory + 20)[0]
    return _text(content, directory + name)


@dataclass(frozen=True, slots=True)
class _Section:
    address: int
    size: int
    offset: int
    flags: int


def _pe(content: bytes) -> Program:
    header = struct.unpack_from("<I", content, 60)[0]
    assert content[header : header + 4] == b"PE\0\0"
    machine, count = struct.unpack_from("<HH", content, header + 4)
    options = header + 24
    size = struct.unpack_from("<H", content, header + 20)[0]
    assert struct.unpack_from("<H", content, options) == (0x20B,)
    subsystem, flags = struct.unpack_from("<HH", content, options + 68)
    sections = []
    for number in range(count):
        at = options + size + 40 * number
        virtual, address, raw, offset = struct.unpack_from("<IIII", content, at + 8)
        bits = struct.unpack_from("<I", content, at + 36)[0]
        sections.append(_Section(address, max(virtual, raw), offset, bits))
    imports = struct.unpack_from("<I", content, options + 112 + 8)[0]
    table = dict(_imports(content, sections, imports))
    return Program(
        format="pe",
        machine=machine,
        movable=flags & 0x60 == 0x60,  # anywhere, and above 4 GiB
        libraries=tuple(sorted(table)),
        imports=frozenset().union(*table.values()),
        writable_code=any(
            section.flags & 0xA0000000 == 0xA0000000 for section in sections
        ),
        details={"console": subsystem == 3, "no_execution_of_data": bool(flags & 256)},
    )


def _place(sections: list[_Section], address: int) -> int:
    for one in sections:
        if one.address <= address < one.address + one.size:
            return address - one.address + one.offset
    raise ValueError(address)


def _imports(
    content: bytes, sections: list[_Section], address: int
) -> Iterator[tuple[str, frozenset[str]]]:
    at = _place(sections, address)
    while True:
        names, _, _, library, _ = struct.unpack_from("<IIIII", content, at)
        if library == 0:
            return
        entries = _place(sections, names)
        found = set()
        while entry := struct.unpack_from("<Q", content, entries)[0]:
            # None is imported by number: then the top bit would be set.
            found.add(_text(content, _place(sections, entry) + 2))
            entries += 8
        yield _text(content, _place(sections, library)), frozenset(found)
        at += 20
