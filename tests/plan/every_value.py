# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Go through every value of every key, each beside what it needs to have an effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from stockade.abi.targets import System
from stockade.model.policy import (
    Access,
    Children,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Policy,
    ProjectFiles,
    Signals,
)
from stockade.plan.support import unbuilt

NAMED = Policy(appcontainer_name="example.app")
# One value of each field that holds no word.
_LISTS: dict[str, object] = {
    "grants": (Grant("/srv", Access.READ_WRITE), Grant("C:\\srv", Access.READ_WRITE)),
    "pass_names": ("LANG",),
    "set_values": (("LANG", "C"),),
    "project_write": ("/srv/w", "C:\\srv\\w"),
    "expose": (Expose("127.0.0.1:18080", 8080),),
    "forward": (Forward(18081, "127.0.0.1:8081"),),
    "egress": Egress(1080),
    "mach_services": ("com.apple.trustd.agent",),
    "appcontainer_name": "other.app",
}


def words(field: str) -> tuple[StrEnum, ...]:
    """Give the words of a field, none for one that holds a list or a name."""
    kind = get_type_hints(Policy)[field]
    return tuple(
        word
        for one in (kind, *get_args(kind))
        if isinstance(one, type) and issubclass(one, StrEnum)
        for word in one
    )


def every_value() -> Iterator[tuple[str, object]]:
    """Give every value of every field but the one that holds without it."""
    default = Policy()
    for one in fields(Policy):
        for value in words(one.name) or (_LISTS[one.name],):
            if value is not getattr(default, one.name):
                yield one.name, value


# What a value does something beside only.
_GRANTS = tuple(
    Grant(f"{root}{name}", access)
    for root, mark in (("/srv/", "/"), ("C:\\srv\\", "\\"))
    for name, access in (
        ("w", Access.READ_WRITE),
        ("x", Access.READ_EXEC),
        (f"x{mark}one", Access.COMMAND),
    )
)
_PRIVATE: dict[str, Any] = {"ip": Ip.PRIVATE, "signals": Signals.ISOLATED}
_BESIDE: dict[str, dict[str, Any]] = {
    "commands": {"grants": _GRANTS, "children": Children.NONE},
    "project_files": {"grants": _GRANTS},
    "project_write": {"grants": _GRANTS, "project_files": ProjectFiles.PROTECTED},
    "expose": _PRIVATE,
    "forward": _PRIVATE,
    "egress": _PRIVATE,
    "relays": {**_PRIVATE, "forward": (Forward(1, "127.0.0.1:2"),)},
    "mach_services": {"ip": Ip.CLIENT},
}


def base_of(field: str, system: System) -> Policy:
    """Give what a field has an effect beside, as far as the system holds it."""
    beside = replace(NAMED, **_BESIDE.get(field, {}))
    return NAMED if unbuilt(beside, system) else beside
