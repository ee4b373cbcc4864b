# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuse keys that contradict each other, on every platform alike.

They are judged on file and options together, and also between keys that this
version does not build, so that a policy is wrong everywhere or nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stockade.diagnostics import Code, Note, Report
from stockade.model.policy import Commands, Policy
from stockade.policy.format import KEYS, MACH_SERVICES, Kind
from stockade.policy.settings import Setting, Settings


@dataclass(frozen=True, slots=True)
class _Need:
    """A key that, with one of `words` or when set at all, needs another key's word."""

    path: str
    words: tuple[str, ...]
    other: str
    allowed: tuple[str, ...]
    why: str


_NEEDS = (
    _Need("network.expose", (), "network.ip", ("private", "all"),
          "an exposed program listens"),
    _Need("network.forward", (), "network.ip", ("private", "client", "all"),
          "a forwarded port is reached over IP"),
    _Need("network.egress", (), "network.ip", ("private",),
          "the broker is the only way out of a private network"),
    _Need("network.sockets", ("none",), "network.ip", ("none",),
          "a network is reached by sockets"),
    _Need("network.sockets", ("none",), "network.unix_sockets", ("none",),
          "they are sockets too"),
    _Need("macos.relays", ("ipv4",), "network.ip", ("private",),
          "only a private network has relays to restrict"),
    _Need("macos.mach_services", (), "network.ip", ("client", "all"),
          "the service itself connects out"),
    _Need("process.end_with_parent", (), "process.signals", ("isolated", "self"),
          "the program could end what is to end it"),
    _Need("process.signals", ("self",), "process.children", ("none",),
          "its children would be other processes"),
    _Need("process.children", ("none", "contained"), "network.unix_sockets", ("none",),
          "a service could start processes for it"),
    _Need("process.children", ("contained",), "process.signals", ("isolated", "self"),
          "the program could end what is to end it"),
    _Need("commands.allow", (), "process.memory_files", ("refused", "sealed"),
          "a memory file would run what the list leaves out"),
)  # fmt: skip


def check_conflicts(settings: Settings, report: Report) -> None:
    """Report each key whose need is not met."""
    for need in _NEEDS:
        setting = settings.get(need.path)
        other = settings.get(need.other)
        if setting is None or not setting.sound or not _applies(need, setting):
            continue
        if other and not other.sound:
            continue
        word = other.word if other else str(KEYS[need.other].default)
        if word in need.allowed:
            continue
        *first, last = (f"`{one}`" for one in need.allowed)
        allowed = f"{', '.join(first)} or {last}" if first else last
        note = (
            Note(f"`{need.other}` is `{word}` here", other.node.span)
            if other
            else Note(f"`{need.other}` is `{word}` unless set")
        )
        report.add(
            Code.CONFLICTING_KEYS,
            f"{_subject(setting)} needs `{need.other}` to be {allowed}: {need.why}",
            setting.node.span,
            note,
        )


def contradictions(policy: Policy) -> Iterator[str]:
    """Name in words what a policy without a file says that no file may say."""
    for need in _NEEDS:
        field, other = (path.rpartition(".")[2] for path in (need.path, need.other))
        if field == "allow":
            holds = policy.commands is Commands.LISTED
        else:
            value = getattr(policy, field, "")
            holds = value in need.words if need.words else bool(value)
        # Nothing stands for a key that is not written.
        word = getattr(policy, other) or KEYS[need.other].default
        if holds and word not in need.allowed:
            yield f"`{field}` beside this `{other}`: {need.why}"
    for name in policy.mach_services:
        if name not in MACH_SERVICES:
            yield f"`{name}` is no service that a policy may name"


def _applies(need: _Need, setting: Setting) -> bool:
    if need.words:
        return setting.word in need.words
    # Without a default even an empty value asks for something: no command at all.
    return setting.is_set or setting.key.default is None


def _subject(setting: Setting) -> str:
    path = setting.key.path
    return (
        f'`{path} = "{setting.word}"`' if setting.key.kind is Kind.WORD else f"`{path}`"
    )
