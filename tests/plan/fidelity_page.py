# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the page that says of every key and value how well which host holds it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from stockade.driver.fidelity import by_hosts, in_words
from stockade.model.policy import Access, Egress, Expose, Forward, Grant, Policy
from stockade.plan.fidelity import standings
from stockade.policy.format import KEYS, Key, Kind
from stockade.policy.places import key_of

_HEAD = """\
# How well each key is held

For every key and value, alone beside the defaults: what holds it on which Linux hosts,
by the requirements of [requirements.md](requirements.md). `weaker than the word says`
names the warnings that `check` prints ([command-line.md](command-line.md)).
`stockade fidelity POLICY` says the same of a policy as a whole. The page is written
from the compiler's own tables (`make bless TESTS=tests/plan`).

| key | value | hosts | |
| --- | --- | --- | --- |
"""
# Policies that show the keys whose values are lists.
_LISTS: dict[str, Policy] = {
    "filesystem.read": Policy(grants=(Grant("/srv", Access.READ),)),
    "filesystem.read_exec": Policy(grants=(Grant("/srv", Access.READ_EXEC),)),
    "filesystem.read_write": Policy(grants=(Grant("/srv", Access.READ_WRITE),)),
    "filesystem.project_write": Policy(project_write=("/srv",)),
    "network.expose": Policy(expose=(Expose("127.0.0.1:18080", 8080),)),
    "network.forward": Policy(forward=(Forward(18081, "127.0.0.1:8081"),)),
    "network.egress": Policy(egress=Egress(1080)),
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
    for standing, hosts in by_hosts(dict(standings(policy))[field]):
        yield f"| `{name}` | {value} | {hosts} | {in_words(standing)} |"
