# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what two Landlock tables allow on every path there is.

Rights only change at paths that a rule names, so those, and the root, stand for all:
each is compared with what changes above it, and a change is said once, at its top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from stockade.abi.landlock import FS_RIGHTS
from stockade.model.artifact import Artifact, Variant
from stockade.model.decide import covers, folders_above
from stockade.model.place import Place
from stockade.model.request import PathAction
from stockade.model.system_set import readable_system_paths
from stockade.review.change import Case, Change, Kind
from stockade.review.subject import Subject, changed_fields

# What each right lets a program do, as `stockade query` calls it.
ACTIONS: Mapping[str, PathAction] = {
    "EXECUTE": PathAction.EXECUTE,
    "WRITE_FILE": PathAction.WRITE,
    "READ_FILE": PathAction.READ,
    "READ_DIR": PathAction.LIST,
    "REMOVE_DIR": PathAction.REMOVE_FOLDER,
    "REMOVE_FILE": PathAction.REMOVE_FILE,
    "MAKE_CHAR": PathAction.CREATE_CHARACTER_DEVICE,
    "MAKE_DIR": PathAction.CREATE_FOLDER,
    "MAKE_REG": PathAction.CREATE_FILE,
    "MAKE_SOCK": PathAction.CREATE_SOCKET,
    "MAKE_FIFO": PathAction.CREATE_FIFO,
    "MAKE_BLOCK": PathAction.CREATE_BLOCK_DEVICE,
    "MAKE_SYM": PathAction.CREATE_LINK,
    "REFER": PathAction.MOVE,
    "TRUNCATE": PathAction.TRUNCATE,
    "IOCTL_DEV": PathAction.DEVICE_REQUEST,
    "RESOLVE_UNIX": PathAction.CONNECT,
}
_ALL = (1 << len(FS_RIGHTS)) - 1
PROGRAM = "the program's own file"


@dataclass(frozen=True, slots=True)
class Table:
    """The rights on named paths, joined, and those that the kernel does not judge."""

    rights: Mapping[str, int]
    not_judged: int

    def on(self, path: str) -> int:
        """Join the rights on a path and on every folder above it."""
        mask = self.not_judged
        for above in folders_above(path):
            mask |= self.rights.get(above, 0)
        return mask


def table_of(artifact: Artifact, variant: Variant) -> Table:
    """Read the table that one variant of an artifact makes in force."""
    masks = {entry.name: entry.rights for entry in artifact.classes}
    rights: dict[str, int] = {}
    for row in artifact.grants:
        rights[row.path] = rights.get(row.path, 0) | masks[row.class_name]
    handled = variant.fs_required | variant.fs_optional
    return Table(rights, _ALL & ~handled)


def file_changes(
    old: Subject, new: Subject, before: Variant, after: Variant
) -> Iterator[Change]:
    """Give what two variants decide otherwise about paths, equal changes as one."""
    tables = table_of(old.artifact, before), table_of(new.artifact, after)
    regions = changed_regions(*tables)
    for kind, side, answers in (
        (Kind.NEWLY_ALLOWED, new, ("EACCES", "allow")),
        (Kind.NEWLY_DENIED, old, ("allow", "EACCES")),
    ):
        grouped: dict[tuple[int, tuple[Place, ...]], list[str]] = {}
        for path, (gained, lost) in regions.items():
            mask = gained if kind is Kind.NEWLY_ALLOWED else lost
            if mask:
                rules = _rules(old, new, side, path)
                grouped.setdefault((mask, rules), []).append(path)
        for (mask, rules), paths in grouped.items():
            actions = _actions(mask)
            cases = (
                Case(path, f"{action} {path}", *answers)
                for path in paths
                for action in actions
            )
            yield Change(
                kind, _sentence(kind, paths, actions, regions), tuple(cases), rules
            )
    yield from _program(old.artifact, new.artifact, before, after)


def changed_regions(old: Table, new: Table) -> dict[str, tuple[int, int]]:
    """Give the rights gained and lost at each path from which on that changes.

    A region ends where another one begins; what lies in none has not changed.
    """
    changed: dict[str, tuple[int, int]] = {}
    for path in sorted({"/": 0, **old.rights, **new.rights}):
        had, has = old.on(path), new.on(path)
        change = has & ~had, had & ~has
        above = next((one for one in folders_above(path) if one in changed), "")
        if change != changed.get(above, (0, 0)):
            changed[path] = change
    return changed


def _sentence(
    kind: Kind, paths: list[str], actions: list[str], regions: Mapping[str, object]
) -> str:
    named = []
    for path in paths:
        inner = [
            f"`{one}`"
            for one in regions
            if one != path and covers(path, one) and one not in paths
        ]
        but = f" (but for {' and '.join(inner)})" if inner else ""
        named.append(f"`{path}` and below{but}")
    words = "newly" if kind is Kind.NEWLY_ALLOWED else "no longer"
    return f"{', '.join(named)}: {words} open to {', '.join(actions)}"


def _rules(old: Subject, new: Subject, side: Subject, path: str) -> tuple[Place, ...]:
    found: dict[Place, None] = {}
    for row in side.artifact.grants:
        if covers(row.path, path):
            place = side.grant(row.path, row.class_name) if row.policy else None
            keys = (place,) if place else _system_keys(old, new, side)
            found |= dict.fromkeys(keys)
    return tuple(found)


def _system_keys(old: Subject, new: Subject, side: Subject) -> tuple[Place, ...]:
    """Find the keys that change the system set between two policies."""
    keys = []
    for name in changed_fields(old.policy, new.policy):
        alone = replace(old.policy, **{name: getattr(new.policy, name)})
        if readable_system_paths(alone) != readable_system_paths(old.policy):
            keys.append(side.key(name))
    return tuple(keys) or (side.key("system"),)


def _actions(mask: int) -> list[str]:
    return [str(ACTIONS[right.name]) for right in FS_RIGHTS if right.bit & mask]


def _program(
    old: Artifact, new: Artifact, before: Variant, after: Variant
) -> Iterator[Change]:
    """Compare what is allowed on the program, whose path only a start knows."""
    had, has = (_program_rights(*side) for side in ((old, before), (new, after)))
    for kind, mask, answers in (
        (Kind.NEWLY_ALLOWED, has & ~had, ("EACCES", "allow")),
        (Kind.NEWLY_DENIED, had & ~has, ("allow", "EACCES")),
    ):
        if mask:
            actions = _actions(mask)
            yield Change(
                kind,
                f"{PROGRAM}: {', '.join(actions)}",
                tuple(Case(one, f"{one} PROGRAM", *answers) for one in actions),
            )


def _program_rights(artifact: Artifact, variant: Variant) -> int:
    rights = {entry.name: entry.rights for entry in artifact.classes}
    # What is not judged changes at `/` already, and is said there.
    handled = variant.fs_required | variant.fs_optional
    return rights[artifact.program_class] & handled
