# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List what tools run or trust in a checkout, at the top of a writable folder.

A program that may write a checkout could leave something there that runs later,
outside, with the rights of whoever works in it. Hooks folders and settings that a
checkout's own git settings name are not among these: that takes reading them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from stockade.abi.targets import System
from stockade.model.path_family import family_of, folded, folders_above
from stockade.model.policy import Access, Policy, ProjectFiles

# Each with all below it, whether it is there or not.
PROJECT_NAMES = (
    ".envrc",
    ".git",
    ".husky",
    ".idea",
    ".lefthook",
    ".lefthook-local",
    ".pre-commit-config.yaml",
    ".vscode",
)
# The settings of Lefthook: each of these before its name, or nothing, and so on.
PROJECT_FOLDER = ".config"
LEFTHOOK_FOLDERS = (".", f"{PROJECT_FOLDER}/")
LEFTHOOK = "lefthook"
LEFTHOOK_LOCAL = "-local"
LEFTHOOK_ENDINGS = (".json", ".jsonc", ".toml", ".yaml", ".yml")

ALL_PROJECT_NAMES: tuple[str, ...] = (
    *PROJECT_NAMES,
    *(
        f"{folder}{LEFTHOOK}{local}{ending}"
        for folder in ("", *LEFTHOOK_FOLDERS)
        for local in ("", LEFTHOOK_LOCAL)
        for ending in LEFTHOOK_ENDINGS
    ),
)


def protected_folders(policy: Policy) -> Iterator[str]:
    """Give the writable folders whose project files stay as they are."""
    if policy.project_files is ProjectFiles.PROTECTED:
        for grant in policy.grants:
            writable = grant.access is Access.READ_WRITE
            if writable and grant.path not in policy.project_write:
                yield grant.path


def is_protected(policy: Policy, system: System, path: str) -> bool:
    """Tell whether a path is a protected file of a policy or lies below one."""
    if policy.project_files is ProjectFiles.WRITABLE:
        return False
    places = _protected_places(policy, system)
    return any(folded(above, system) in places for above in folders_above(path))


@lru_cache(maxsize=8)
def _protected_places(policy: Policy, system: System) -> frozenset[str]:
    return frozenset(
        folded(f"{folder.rstrip(mark)}{mark}{name.replace('/', mark)}", system)
        for folder, mark in _marked(policy)
        for name in ALL_PROJECT_NAMES
    )


def _marked(policy: Policy) -> Iterator[tuple[str, str]]:
    for folder in protected_folders(policy):
        yield folder, family_of(folder).value
