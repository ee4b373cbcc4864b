# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pack files into an uncompressed initramfs (cpio, "newc" format).

Written here and not by a tool, since the archive holds a device node and files
of root, which an unprivileged run of the matrix could not lay out first.
Compression would cost more time in the emulator than it saves.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ALIGNMENT = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One member: an absolute path, type and mode bits, owner, content or device."""

    path: str
    mode: int
    content: bytes = b""
    owner: int = 0
    device: tuple[int, int] = (0, 0)


def folder(path: str, mode: int = 0o755, owner: int = 0) -> Entry:
    """Return a folder; the root must be searchable by everyone as well."""
    return Entry(path, stat.S_IFDIR | mode, owner=owner)


def file(path: str, content: bytes, mode: int = 0o644, owner: int = 0) -> Entry:
    """Return a regular file."""
    return Entry(path, stat.S_IFREG | mode, content, owner)


def moved(entry: Entry, path: str) -> Entry:
    """Return the same member in another place."""
    return replace(entry, path=path)


def link(path: str, target: str) -> Entry:
    """Return a symbolic link."""
    return Entry(path, stat.S_IFLNK | 0o777, target.encode())


def console() -> Entry:
    """Return the node without which process 1 starts with no descriptors."""
    return Entry("/dev/console", stat.S_IFCHR | 0o600, device=(5, 1))


def write_image(target: Path, entries: Iterable[Entry]) -> None:
    """Write an archive with every parent folder named once, parents first."""
    members = {entry.path: entry for entry in entries}
    for path in list(members):
        for parent in PurePosixPath(path).parents:
            members.setdefault(str(parent), folder(str(parent)))
    with target.open("wb") as out:
        for number, path in enumerate(sorted(members), start=1):
            _write_member(out, number, members[path])
        _write_member(out, 0, Entry("/TRAILER!!!", 0))


def _write_member(out: BinaryIO, inode: int, entry: Entry) -> None:
    name = (entry.path.lstrip("/") or ".").encode() + b"\0"
    fields = (
        inode,
        entry.mode,
        entry.owner,
        entry.owner,
        1,  # links
        0,  # time: the same bytes on every day
        len(entry.content),
        0,
        0,
        *entry.device,
        len(name),
        0,
    )
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    parts = (header + name, entry.content)
    out.writelines(part + bytes(-len(part) % _ALIGNMENT) for part in parts)
