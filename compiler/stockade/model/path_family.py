# SPDX-License-Identifier: Apache-2.0 OR MIT
r"""Tell paths of Windows from all others, and go through the folders above them.

A policy may name paths of both: `/srv/app` and `C:\app`. Each system takes its own.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from functools import lru_cache

from stockade.abi.targets import System
from stockade.model.macos_paths import canonical_macos_path
from stockade.model.place import Place, Places
from stockade.model.policy import Access, Grant, Policy

_DRIVE = re.compile(r"[A-Za-z]:\\")


class Family(Enum):
    """How the parts of a path are written."""

    POSIX = "/"
    WINDOWS = "\\"


def family_of(path: str) -> Family:
    """Tell the family of an absolute, normalised path."""
    return Family.WINDOWS if _DRIVE.match(path) else Family.POSIX


def is_normal(path: str) -> bool:
    """Tell whether a path is absolute and normalised, as a policy's paths are."""
    family = family_of(path)
    root, mark, below = path.partition(family.value)
    if not mark or (family is Family.POSIX and root) or root != root.upper():
        return False
    return not below or not {"", ".", ".."}.intersection(below.split(mark))


def family_on(system: System) -> Family:
    """Tell which paths a system takes."""
    return Family.WINDOWS if system is System.WINDOWS else Family.POSIX


@lru_cache(maxsize=4096)
def folders_above(path: str) -> tuple[str, ...]:
    """Give a path and every folder above it, up to the root or the drive's."""
    mark = family_of(path).value
    root = path[: path.index(mark) + 1]
    found = []
    while len(path) > len(root):
        found.append(path)
        path = path.rpartition(mark)[0]
    return (*found, root)


def folded(path: str, system: System) -> str:
    """Give what stands for all spellings of a path that may mean the same file.

    Names on Windows, and on most volumes of a Mac, are equal in any case.
    """
    return path if system is System.LINUX else path.casefold()


@lru_cache(maxsize=64)
def granted_paths(policy: Policy, system: System, access: Access) -> frozenset[str]:
    """Give the paths that are granted an access, folded; asked for again and again."""
    return frozenset(
        folded(grant.path, system) for grant in policy.grants if grant.access is access
    )


def policy_on(policy: Policy, system: System) -> Policy:
    """Give a policy without the paths of other systems, spelled as this one sees them.

    INVARIANT: a policy that went through here comes back as it is.
    """
    own = family_on(system)
    kept = {
        Grant(_spelled(one.path, system), one.access)
        for one in policy.grants
        if family_of(one.path) is own
    }
    freed = {
        _spelled(path, system)
        for path in policy.project_write
        if family_of(path) is own
    }
    return replace(
        policy, grants=tuple(sorted(kept)), project_write=tuple(sorted(freed))
    )


def places_on(places: Places, system: System) -> Places:
    """Give the places of path rules by the rules that `policy_on` makes of them.

    Of two that become one rule the first written stands.
    """
    own = family_on(system)
    grants: dict[Grant, Place] = {}
    for grant, place in places.grants.items():
        if family_of(grant.path) is own:
            spelled = Grant(_spelled(grant.path, system), grant.access)
            grants.setdefault(spelled, place)
    return Places(places.keys, grants)


def _spelled(path: str, system: System) -> str:
    return canonical_macos_path(path) if system is System.MACOS else path


def left_out(policy: Policy, system: System) -> tuple[str, ...]:
    """List the granted paths that `policy_on` drops, sorted, each once."""
    own = family_on(system)
    foreign = {
        one.path: None for one in policy.grants if family_of(one.path) is not own
    }
    return tuple(sorted(foreign))
