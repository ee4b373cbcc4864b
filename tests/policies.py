# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name policies and kernels that several tests go through."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import fields
from enum import StrEnum

from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Grant,
    Ioctls,
    Ip,
    Ipc,
    KernelSurface,
    MemoryFiles,
    Others,
    PathMetadata,
    Policy,
    SelfCheck,
    Signals,
    Sockets,
    Symlinks,
    UnixSockets,
)

GRANTS = (
    Grant("/opt/tools", Access.READ_EXEC),
    Grant("/srv/in", Access.READ),
    Grant("/srv/out", Access.READ_WRITE),
)

# Keys that change a filter or a table, with the values that Linux holds.
_KEYS: dict[str, tuple[StrEnum | None, ...]] = {
    "ip": (Ip.NONE, Ip.CLIENT, Ip.ALL),
    "unix_sockets": tuple(UnixSockets),
    "sockets": tuple(Sockets),
    "signals": tuple(Signals),
    "children": (Children.ALLOWED, Children.NONE),
    "path_metadata": tuple(PathMetadata),
    "symlinks": tuple(Symlinks),
    "commands": tuple(Commands),
    "others": tuple(Others),
    "ioctls": tuple(Ioctls),
    # Without a value the strict one holds, and adds no line.
    "self_check": (None, *SelfCheck),
    "ipc": (None, *Ipc),
    "memory_files": (None, *MemoryFiles),
    "kernel_surface": (None, *KernelSurface),
}
# Values of how many keys must meet in some policy, whatever the keys.
_STRENGTH = 2

_Chosen = dict[str, StrEnum | None]
_Meeting = tuple[tuple[str, StrEnum | None], ...]


def _contradicts(chosen: _Chosen) -> bool:
    """Tell whether the format refuses these values together."""
    unix = chosen.get("unix_sockets", UnixSockets.NONE)
    ip = chosen.get("ip", Ip.NONE)
    if chosen.get("sockets") is Sockets.NONE and ip is not Ip.NONE:
        return True
    alone = chosen.get("children") is Children.NONE
    if chosen.get("signals") is Signals.SELF:
        if chosen.get("children", Children.NONE) is not Children.NONE:
            return True
        alone = True
    return unix is not UnixSockets.NONE and (
        alone or chosen.get("sockets") is Sockets.NONE
    )


def _meetings(keys: Iterable[str]) -> Iterator[_Meeting]:
    for some in itertools.combinations(keys, _STRENGTH):
        for values in itertools.product(*(_KEYS[key] for key in some)):
            yield tuple(zip(some, values, strict=True))


def _covering() -> Iterator[_Chosen]:
    """Choose combinations until all values that can meet have met.

    Each begins with what has not met yet; every other key takes the value with
    which most of it meets.
    """
    missing = dict.fromkeys(
        meeting for meeting in _meetings(_KEYS) if not _contradicts(dict(meeting))
    )
    while missing:
        chosen: _Chosen = dict(next(iter(missing)))
        for key, values in _KEYS.items():
            if key in chosen:
                continue
            possible = [
                {**chosen, key: value}
                for value in values
                if not _contradicts({**chosen, key: value})
            ]
            chosen = max(possible, key=lambda more: len(_met(more, missing)))
        for meeting in _met(chosen, missing):
            del missing[meeting]
        yield {key: chosen[key] for key in _KEYS}


def _met(chosen: _Chosen, missing: dict[_Meeting, None]) -> list[_Meeting]:
    return [
        meeting
        for meeting in missing
        if all(chosen.get(key) is value for key, value in meeting)
    ]


def _policy(chosen: _Chosen) -> Policy:
    return Policy(grants=GRANTS, **chosen)  # type: ignore[arg-type]


# Every combination of every two keys, and the default.
KEY_COMBINATIONS = tuple(
    dict.fromkeys((Policy(grants=GRANTS), *map(_policy, _covering())))
)
LANDLOCK_ABIS = tuple(range(1, 12))


def label(policy: Policy) -> str:
    """Name a policy by the keys that are not as they are by default."""
    default = Policy()
    words = [
        f"{one.name}={getattr(policy, one.name)}"
        for one in fields(Policy)
        if one.name in _KEYS and getattr(policy, one.name) != getattr(default, one.name)
    ]
    return "-".join(words) or "default"
