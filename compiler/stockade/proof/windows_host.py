# SPDX-License-Identifier: Apache-2.0 OR MIT
r"""Describe a Windows host on which an artifact's entries are in force.

The user may do everything everywhere, so that no list of his hides what the container's
entries give. System folders are open to all application packages, as Windows installs
them; the container's private folder lies in the user's profile. Any other path is
there, as a folder and as a file, with what the folder above passes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from stockade.model.path_family import folders_above
from stockade.model.windows_artifact import WindowsArtifact
from stockade.proof.windows_acl.check import Token
from stockade.proof.windows_acl.descriptor import AccessList, Entry, with_entries
from stockade.proof.windows_acl.sddl import read_descriptor, read_entry
from stockade.proof.windows_acl.sids import (
    ADMINISTRATORS,
    AUTHENTICATED_USERS,
    EVERYONE,
    USERS,
)
from stockade.proof.windows_acl.tree import Place, PlaceKind, Tree, parent_of

_USER, _GROUP = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-513"
_DRIVE = f"O:SYG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;{_USER})"
# As `icacls` shows them on an installed Windows: read and execute, all below included.
_PACKAGES_SIDS = ("AC", "S-1-15-2-2")
_OPEN = tuple(read_entry(f"(A;OICI;0x1200a9;;;{sid})") for sid in _PACKAGES_SIDS)
_OPEN_FILE = tuple(read_entry(f"(A;;0x1200a9;;;{sid})") for sid in _PACKAGES_SIDS)
# Written here a second time: the judge takes no fact from what it judges.
OPEN_FOLDERS = ("C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)")
_PACKAGES = "C:\\Users\\user\\AppData\\Local\\Packages"


@dataclass(frozen=True, slots=True)
class Host:
    """A described host and the container's token on it."""

    token: Token
    tree: Tree
    private_folder: str
    # What a granted or open path has where it is a file.
    _files: dict[str, tuple[Entry, ...]]
    _known: dict[tuple[str, bool], tuple[int, ...]] = field(default_factory=dict)

    def rights(self, path: str, *, folder: bool) -> tuple[int, ...]:
        """Give the token's rights on a path under each reading, in their order."""
        key = (path, folder)
        found = self._known.get(key)
        if found is None:
            found = self.tree.rights_on(self.token, self._place(path, folder=folder))
            self._known[key] = found
        return found

    def _place(self, path: str, *, folder: bool) -> Place:
        above = parent_of(path)
        if folder or above is None:
            _make_folders(self.tree, path)
            return self.tree.resolve(path)[0]
        _make_folders(self.tree, above)
        place = self.tree.would_be(path, PlaceKind.FILE)
        entries = self._files.get(path.casefold(), ())
        dacl = place.descriptor.dacl
        if not entries or dacl is None:
            return place
        changed = replace(place.descriptor, dacl=with_entries(dacl, entries))
        return replace(place, descriptor=changed)


def described_host(artifact: WindowsArtifact) -> Host:
    """Put a host together and apply an artifact's entries as a launcher does.

    Raises SddlError for an entry that cannot be read, PathRefusedError for a path that
    is none of a local drive.
    """
    own = AccessList(_entries((f"(A;;FA;;;{_USER})", "(A;;FA;;;SY)")))
    tree = Tree(_USER, _GROUP, own)
    for path in OPEN_FOLDERS:
        _make_folders(tree, path)
        tree.grant(path, _OPEN)
    private = f"{_PACKAGES}\\{artifact.container_name}\\AC"
    _make_folders(tree, private)
    tree.grant(private, _entries(artifact.private_folder))
    for one in artifact.entries:
        _make_folders(tree, one.path)
        tree.grant(one.path, _entries(one.folder))
    files = {path.casefold(): _OPEN_FILE for path in OPEN_FOLDERS}
    for one in artifact.entries:
        key = one.path.casefold()
        files[key] = (*files.get(key, ()), *_entries(one.file))
    return Host(_token(artifact), tree, private, files)


def _token(artifact: WindowsArtifact) -> Token:
    return Token(
        user=frozenset({_USER, _GROUP, EVERYONE, AUTHENTICATED_USERS, USERS}),
        container=artifact.container_sid,
        capabilities=frozenset(one.sid for one in artifact.capabilities),
        deny_only=frozenset({ADMINISTRATORS}),
    )


def _entries(texts: tuple[str, ...]) -> tuple[Entry, ...]:
    return tuple(read_entry(text) for text in texts)


def _make_folders(tree: Tree, path: str) -> None:
    if path in tree:
        return
    for folder in reversed(tuple(folders_above(path))):
        if folder in tree:
            continue
        if parent_of(folder) is None:
            tree.add_drive(folder, read_descriptor(_DRIVE))
        else:
            tree.add(folder)
