# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare what two variants allow on every path there is.

Rights only change at paths that a rule names, so those, and the root, stand for all.
Each right is followed by itself: it changes from a path on, but for what lies below
and had it, or has it, all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stockade.abi.landlock import fs_mask
from stockade.model.decide import decide, folders_above
from stockade.model.policy import Policy
from stockade.model.request import PathAction, PathRequest, Situation
from stockade.render.prose import Sentence, code, listed, sentence
from stockade.render.text import plain
from stockade.review.change import ALLOWED, Case, Fact, Kind, Topic
from stockade.review.keys import Keys
from stockade.review.request_words import PROGRAM, request_text
from stockade.review.walls import NOT_THERE, Table, VariantWalls

_REFUSED = "EACCES"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Right:
    """What a right lets a program do, in words, and how dangerous that is."""

    action: PathAction
    rank: int
    deed: str


# RESOLVE_UNIX is decided with all else that sockets need: see reach_changes.
RIGHTS: Mapping[str, _Right] = {
    "WRITE_FILE": _Right(PathAction.WRITE, 10, "write files"),
    "TRUNCATE": _Right(PathAction.TRUNCATE, 12, "empty files"),
    "MAKE_REG": _Right(PathAction.CREATE_FILE, 11, "create files"),
    "MAKE_DIR": _Right(PathAction.CREATE_FOLDER, 13, "create folders"),
    "REMOVE_FILE": _Right(PathAction.REMOVE_FILE, 13, "remove files"),
    "REMOVE_DIR": _Right(PathAction.REMOVE_FOLDER, 14, "remove folders"),
    "REFER": _Right(PathAction.MOVE, 14, "move files between folders"),
    "MAKE_SYM": _Right(PathAction.CREATE_LINK, 14, "make symbolic links"),
    "MAKE_SOCK": _Right(PathAction.CREATE_SOCKET, 14, "make sockets"),
    "MAKE_FIFO": _Right(PathAction.CREATE_FIFO, 14, "make pipes"),
    "MAKE_CHAR": _Right(
        PathAction.CREATE_CHARACTER_DEVICE, 10, "make character devices"
    ),
    "MAKE_BLOCK": _Right(PathAction.CREATE_BLOCK_DEVICE, 10, "make block devices"),
    "EXECUTE": _Right(PathAction.EXECUTE, 16, "run programs"),
    "READ_FILE": _Right(PathAction.READ, 20, "read files"),
    "READ_DIR": _Right(PathAction.LIST, 21, "list folders"),
    "IOCTL_DEV": _Right(PathAction.DEVICE_REQUEST, 22, "send requests to devices"),
}
# S_IFCHR, S_IFBLK of linux/stat.h; a device request that no list knows.
_DEVICES = {"MAKE_CHAR": 0o020000, "MAKE_BLOCK": 0o060000}
_UNLISTED = 0x7FFF0001
_AT_FDCWD = (1 << 64) - 100


def file_changes(
    walls: tuple[VariantWalls, VariantWalls],
    landlock_abi: int,
    abis: tuple[int, int],
    keys: Keys,
) -> Iterator[Fact]:
    """Give what two variants decide otherwise about paths on one kind of host."""
    old, new = (effective_table(side, landlock_abi) for side in walls)
    arch = walls[0].arch
    for kind, tables, answers in (
        (Kind.NEWLY_ALLOWED, (old, new), (_REFUSED, ALLOWED)),
        (Kind.NEWLY_DENIED, (new, old), (ALLOWED, _REFUSED)),
    ):
        for name, path, spared in regions(*tables):
            right = RIGHTS[name]
            request = PathRequest(path, right.action)
            rules = keys.of(_meaning(arch, request), abis, request)
            case = _case(request, arch, answers, spared)
            thing = region(kind, path, spared)
            yield Fact(kind, Topic.FILES, right.rank, right.deed, thing, case, rules)
    yield from _program(walls, landlock_abi)


def _meaning(arch: str, request: PathRequest) -> Callable[[Policy, int], bool]:
    # What ABIs before the right's answer is the filter's or nobody's.
    return lambda policy, abi: decide(policy, Situation(arch, abi), request).allowed


def _case(
    request: PathRequest, arch: str, answers: tuple[str, str], spared: Sequence[str]
) -> Case:
    before, after = map(plain, answers)
    text = request_text(request, arch)
    return Case(plain(request.path), text, before, after, tuple(map(plain, spared)))


def effective_table(walls: VariantWalls, landlock_abi: int) -> Table:
    """Read a table as it works beside the filter on a kernel of one Landlock ABI."""
    table = walls.table()
    closed = _closed(walls, table.not_judged, landlock_abi)
    rights = {path: mask & ~closed for path, mask in table.rights.items()}
    free = table.not_judged & ~closed
    truncate, write = fs_mask("TRUNCATE"), fs_mask("WRITE_FILE")
    if free & truncate and walls.call("truncate", 0, 0) != ALLOWED:
        # Then a file is only emptied by who opens it for writing.
        free &= ~truncate | (truncate if free & write else 0)
        rights = {
            path: mask & ~truncate | (truncate if mask & write else 0)
            for path, mask in rights.items()
        }
    return Table(rights, free)


def _closed(walls: VariantWalls, not_judged: int, landlock_abi: int) -> int:
    """Join the rights that the filter, or an old kernel, refuses wherever they are."""
    mask = 0
    for name, kind in _DEVICES.items():
        answers = (
            walls.call("mknod", 0, kind, 0),
            walls.call("mknodat", _AT_FDCWD, 0, kind, 0),
        )
        if all(one != ALLOWED for one in answers if one != NOT_THERE):
            mask |= fs_mask(name)
    device = fs_mask("IOCTL_DEV")
    if not_judged & device and walls.call("ioctl", 3, _UNLISTED) != ALLOWED:
        mask |= device
    if landlock_abi < 2:
        # Without the right to it Landlock refuses every move between folders.
        mask |= fs_mask("REFER")
    return mask


def regions(without: Table, with_: Table) -> Iterator[tuple[str, str, list[str]]]:
    """Find where one table has a right that the other lacks: right, path, what not.

    Rights only grow on the way down, so what is spared stays so below.
    """
    more: dict[str, int] = {}
    above: dict[str, str] = {}
    # A folder sorts before all that is in it.
    for path in sorted({"/": 0, **without.rights, **with_.rights}):
        more[path] = with_.on(path) & ~without.on(path)
        folders = (one for one in folders_above(path) if one != path and one in above)
        above[path] = next(folders, "")
    some = 0
    for mask in more.values():
        some |= mask
    for name in RIGHTS:
        bit = fs_mask(name)
        if not some & bit:
            continue
        tops: dict[str, str] = {}
        found: dict[str, list[str]] = {}
        for path, mask in more.items():
            was = bool(more.get(above[path], 0) & bit)
            tops[path] = tops[above[path]] if was else path
            if mask & bit and not was:
                found[path] = []
            elif was and not mask & bit:
                found[tops[path]].append(path)
        yield from ((name, path, spared) for path, spared in found.items())


def region(kind: Kind, path: str, spared: Sequence[str]) -> Sentence:
    """Name a path with all below but what is spared."""
    whole = sentence("any path") if path == "/" else sentence(code(path), " and below")
    return but_for(kind, whole, spared)


def but_for(kind: Kind, whole: Sentence, spared: Sequence[str]) -> Sentence:
    """Take paths out of what was named."""
    if not spared:
        return whole
    words = "could already" if kind is Kind.NEWLY_ALLOWED else "still may"
    return sentence(whole, " (in ", listed(map(code, spared), _SHOWN), f" it {words})")


def _program(
    walls: tuple[VariantWalls, VariantWalls], landlock_abi: int
) -> Iterator[Fact]:
    """Compare what is allowed on the program, whose path only a start knows."""
    had, has = (_program_rights(side, landlock_abi) for side in walls)
    thing = sentence("the program's own file")
    for name, right in RIGHTS.items():
        bit = fs_mask(name)
        if (had ^ has) & bit:
            kind = Kind.NEWLY_ALLOWED if has & bit else Kind.NEWLY_DENIED
            answers = (_REFUSED, ALLOWED) if has & bit else (ALLOWED, _REFUSED)
            request = PathRequest(PROGRAM, right.action)
            case = _case(request, walls[0].arch, answers, ())
            yield Fact(kind, Topic.FILES, right.rank, right.deed, thing, case)


def _program_rights(walls: VariantWalls, landlock_abi: int) -> int:
    rights = {entry.name: entry.rights for entry in walls.artifact.classes}
    # What is not judged changes at `/` already, and is said there.
    handled = walls.variant.fs_required | walls.variant.fs_optional
    closed = _closed(walls, ~handled, landlock_abi)
    return rights[walls.artifact.program_class] & handled & ~closed
