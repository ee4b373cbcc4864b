# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Spell paths the way Seatbelt sees them: no links of the system, no data volume.

Seatbelt matches the path that a name resolves to. Measured on macOS 14.4.1 by others
(Protonk/sandbox-boostrap, vfs-canonicalization): a rule on `/tmp` matches nothing, one
on `/private/tmp` matches both spellings, and one on `/System/Volumes/Data/...` nothing
that a firmlink leads to. What else is a link on a host, only the launcher can resolve.
"""

from __future__ import annotations

from functools import cache

from stockade.model.macos_set import every_macos_path

# Links of the root folder, which a program may look at under their own names.
LINKS_IN_ROOT = ("/etc", "/tmp", "/var")  # noqa: S108 - names to look for
_LINKED_TO = "/private"
_DATA = "/System/Volumes/Data"
# What /usr/share/firmlinks lists on macOS 14; a name of the data volume that is not
# among these keeps the long spelling.
_FIRMLINKS = (
    "/AppleInternal",
    "/Applications",
    "/Library",
    "/System/Library/Assets",
    "/System/Library/AssetsV2",
    "/System/Library/Caches",
    "/System/Library/PreinstalledAssets",
    "/System/Library/PreinstalledAssetsV2",
    "/System/Library/Speech",
    "/Users",
    "/Volumes",
    "/cores",
    "/opt",
    "/private",
    "/usr/libexec/cups",
    "/usr/local",
    "/usr/share/snmp",
)


def canonical_macos_path(path: str) -> str:
    """Give the spelling of an absolute, normalised path that a profile must hold.

    Folders of the system's own are named as the system names them, in any case.
    """
    tail = _below(path, _DATA)
    if tail and any(_below(tail, link) is not None for link in _FIRMLINKS):
        path = tail
    for link in LINKS_IN_ROOT:
        rest = _below(path, link)
        if rest is not None:
            path = f"{_LINKED_TO}{link}{rest}"
            break
    head, tail = path, ""
    while head:
        spelled = _spellings().get(head.casefold())
        if spelled:
            return f"{spelled}{tail}"
        head, _, last = head.rpartition("/")
        tail = f"/{last}{tail}"
    return path


@cache
def _spellings() -> dict[str, str]:
    """Give the paths of the start set, and the folders above them, by their folds."""
    found: dict[str, str] = {}
    for path in every_macos_path():
        end = len(path)
        while end > 0:
            found[path[:end].casefold()] = path[:end]
            end = path.rfind("/", 0, end)
    return found


def _below(path: str, folder: str) -> str | None:
    """Give what follows a folder in a path; the system volume ignores case."""
    head, rest = path[: len(folder)], path[len(folder) :]
    if head.casefold() != folder.casefold() or not (rest == "" or rest[0] == "/"):
        return None
    return rest
