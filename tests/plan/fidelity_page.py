# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the page that says of every key and value how well which host holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from stockade.driver.fidelity import by_hosts, in_words, systems
from stockade.model.policy import (
    Access,
    Egress,
    Expose,
    Forward,
    Grant,
    Ip,
    Policy,
    ProjectFiles,
    Signals,
)
from stockade.plan.fidelity import standings
from stockade.policy.format import KEYS, Key, Kind
from stockade.policy.places import key_of

_HEAD = """\
# How well each key is held

For every key and value, alone beside the defaults: what holds it on which Linux hosts,
on macOS and on Windows, by the requirements of [requirements.md](requirements.md).
**Nothing here was ever run on a Mac or on Windows**: what these rows say is simulated
where a request decides it, and otherwise derived from documentation
([evidence.md](evidence.md)).
`weaker than the word says` names the warnings that `check` prints
([command-line.md](command-line.md)); in brackets stands what the system does otherwise,
by the tables that the evaluators are held to. `means nothing` says of a value that it
takes nothing away there.
`stockade fidelity POLICY` says the same of a policy as a whole. The page is written
from the compiler's own tables (`make bless TESTS=tests/plan`).

| key | value | hosts | |
| --- | --- | --- | --- |
"""
_PRIVATE = Policy(ip=Ip.PRIVATE, signals=Signals.ISOLATED)
# Policies that show the keys whose values are lists.
_LISTS: dict[str, Policy] = {
    "filesystem.read": Policy(grants=(Grant("/srv", Access.READ),)),
    "filesystem.read_exec": Policy(grants=(Grant("/srv", Access.READ_EXEC),)),
    "filesystem.read_write": Policy(grants=(Grant("/srv", Access.READ_WRITE),)),
    "filesystem.project_write": Policy(
        grants=(Grant("/srv", Access.READ_WRITE),),
        project_files=ProjectFiles.PROTECTED,
        project_write=("/srv",),
    ),
    "network.expose": replace(_PRIVATE, expose=(Expose("127.0.0.1:18080", 8080),)),
    "network.forward": replace(_PRIVATE, forward=(Forward(18081, "127.0.0.1:8081"),)),
    "network.egress": replace(_PRIVATE, egress=Egress(1080)),
    "environment.pass": Policy(pass_names=("LANG",)),
    "environment.set": Policy(set_values=(("LANG", "C"),)),
    "macos.mach_services": Policy(mach_services=("com.apple.trustd.agent",)),
    "windows.appcontainer_name": Policy(appcontainer_name="example.app"),
}


def page() -> str:
    """Give the page's text."""
    rows = (row for key in KEYS.values() for row in _rows(key))
    return _HEAD + "".join(f"{row}\n" for row in rows)


def _rows(key: Key) -> Iterator[str]:
    name = key.path
    field = _field(name)
    if name in _LISTS:
        yield from _held(name, "any", _LISTS[name], field or "grants")
    elif name == "commands.allow":
        yield from _held(name, "a list", _policy("commands", "listed"), "commands")
    elif key.kind is not Kind.WORD:
        yield f"| `{name}` | | every host | refused: not built yet |"
    else:
        for word in key.words:
            if field and word in key.built:
                policy = _policy(field, word)
                yield from _held(name, f"`{word}`", policy, field)
            elif word == key.default:
                said = "nothing to hold: all that this version does"
                yield f"| `{name}` | `{word}` | every host | {said} |"
            else:
                yield f"| `{name}` | `{word}` | every host | refused: not built yet |"


def _field(name: str) -> str | None:
    return next((one.name for one in fields(Policy) if key_of(one.name) == name), None)


def _policy(field: str, word: str) -> Policy:
    kind = get_type_hints(Policy)[field]
    (words,) = (
        one
        for one in (kind, *get_args(kind))
        if isinstance(one, type) and issubclass(one, StrEnum)
    )
    change: dict[str, Any] = {field: words(word)}
    return replace(Policy(), **change)


def _held(name: str, value: str, policy: Policy, field: str) -> Iterator[str]:
    for standing, hosts in by_hosts(dict(standings(policy, [field]))[field]):
        yield f"| `{name}` | {value} | {hosts} | {in_words(standing)} |"
    for system, found in systems(_of_every_system(policy), [field]):
        for _, standing in found:
            yield f"| `{name}` | {value} | {system} | {in_words(standing)} |"


def _of_every_system(policy: Policy) -> Policy:
    """Add what Windows needs, and its paths beside the others."""
    return replace(
        policy,
        grants=(
            *policy.grants,
            *(replace(one, path=f"C:{_windows(one.path)}") for one in policy.grants),
        ),
        project_write=(
            *policy.project_write,
            *(f"C:{_windows(path)}" for path in policy.project_write),
        ),
        appcontainer_name=policy.appcontainer_name or "example.app",
    )


def _windows(path: str) -> str:
    return path.replace("/", "\\")
