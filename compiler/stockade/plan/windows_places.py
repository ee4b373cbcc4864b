# SPDX-License-Identifier: Apache-2.0 OR MIT
r"""Refuse places of Windows by their names: whose lists are nobody's to change.

Names are those of an installed Windows: the system on drive `C:`, profiles below
`C:\Users`. Where a host has them elsewhere, or under a second name, the launcher is
to find it at every start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stockade.abi.targets import System
from stockade.model.overlap import EXECUTING
from stockade.model.path_family import folded, folders_above
from stockade.model.policy import Access, Grant
from stockade.model.trusted_places import (
    TRUSTED_IN_WINDOWS_PROFILE,
    TRUSTED_ON_WINDOWS,
)
from stockade.model.windows_set import open_to_containers

# More folders above a path than programs have, and few enough to judge each.
_DEEPEST = 128
# The folder of all profiles and one in it.
_PROFILES = re.compile(r"C:\\Users(?:\\[^\\]+)?", re.IGNORECASE)


def fault_of_place(grant: Grant, container: str) -> str:
    """Say why a container gets no entry at a path, going on after "it", or nothing."""
    if grant.path.count("\\") > _DEEPEST:
        return f"lies more than {_DEEPEST} folders deep"
    if grant.path.endswith("\\"):
        return "is the root of a drive, whose list of access is never changed"
    if _PROFILES.fullmatch(grant.path):
        return (
            "holds a user's whole profile, whose list of access is never changed; name"
            " folders in it"
        )
    for folder in _private_folders(grant.path, container):
        if _is_at_or_above(folder, grant.path):
            return "is the container's own folder, which it writes without a grant"
        if grant.access in EXECUTING and _is_at_or_above(grant.path, folder):
            return "would be executable, and the container writes its own folder there"
    return _fault_of_writing(grant) if grant.access is Access.READ_WRITE else ""


def _fault_of_writing(grant: Grant) -> str:
    if open_to_containers(grant.path):
        return "would be writable, and every container may execute what is there"
    for place in _trusted(grant.path):
        if _is_at_or_above(grant.path, place) or _is_at_or_above(place, grant.path):
            return f"would be writable, and the user's programs trust `{place}`"
    return ""


def _private_folders(path: str, container: str) -> Iterator[str]:
    """Give the folder that Windows keeps for a container of the user of a path."""
    for above in folders_above(path):
        if _PROFILES.fullmatch(above) and above.count("\\") > 1:
            yield f"{above}\\AppData\\Local\\Packages\\{container}"


def _trusted(path: str) -> Iterator[str]:
    """Give the places that others trust, those of a profile where a path is in one."""
    yield from TRUSTED_ON_WINDOWS
    for above in folders_above(path):
        if _PROFILES.fullmatch(above) and above.count("\\") > 1:
            yield from (f"{above}\\{name}" for name in TRUSTED_IN_WINDOWS_PROFILE[1:])


def _is_at_or_above(upper: str, path: str) -> bool:
    wanted = folded(upper, System.WINDOWS)
    return any(folded(one, System.WINDOWS) == wanted for one in folders_above(path))
