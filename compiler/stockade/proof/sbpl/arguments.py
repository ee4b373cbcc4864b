# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make filters out of the arguments that a profile gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stockade.proof.sbpl.address import PROTOCOLS, read_address
from stockade.proof.sbpl.constants import WORDS, Word
from stockade.proof.sbpl.context import Address, Context, Fact, ancestors, folded
from stockade.proof.sbpl.filters import (
    Filter,
    Kind,
    PathSet,
    path_filter,
    require_any,
    serialized_size,
)
from stockade.proof.sbpl.limits import MAX_SERIALIZED
from stockade.proof.sbpl.place import UnreadableArgumentError
from stockade.proof.sbpl.regex import Expression

# Tells a reader about an argument that nobody can be sure of.
Doubt: TypeAlias = Callable[[str], None]
Maker: TypeAlias = Callable[[Sequence[object], Doubt], Filter]

_PATH = Kind("path", "path")
# Filters of names: each also takes `-prefix` and `-regex`, and what category it is.
_NAMES = {
    "appleevent-destination": "ae-destination",
    "boot-arg": "boot-arg",
    "control-name": "network",
    "extension": "extension",
    "extension-class": "extension-class",
    "filesystem-name": "fs",
    "global-name": "mach",
    "info-type": "info",
    "iokit-connection": "iokit-connection",
    "iokit-property": "iokit-property",
    "iokit-registry-entry-class": "iokit-user-client",
    "ipc-posix-name": "posix-ipc",
    "kext-bundle-id": "kext-bundle-id",
    "local-name": "mach",
    "mac-policy-name": "mac-syscall",
    "mount-relative-path": "path",
    "notification-name": "notification",
    "nvram-variable": "nvram",
    "preference-domain": "preference-domain",
    "process-path": "process",
    "right-name": "auth-right-name",
    "signing-identifier": "process",
    "storage-class": "path",
    "sysctl-name": "sysctl",
    "target-signing-identifier": "target",
    "xattr": "xattr",
    "xpc-service-name": "mach",
}
# Filters of words and numbers.
_WORDS = {
    "csr": "system",
    "device-major": "device",
    "device-minor": "device",
    "fcntl-command": "fcntl",
    "fsctl-command": "fsctl",
    "host-special-port": "mach-special-port",
    "ioctl-command": "ioctl",
    "mac-syscall-number": "mac-syscall",
    "privilege-id": "priv",
    "process-attribute": "process",
    "semaphore-owner": "semaphore",
    "signal-number": "signal",
    "socket-domain": "socket",
    "socket-protocol": "socket",
    "socket-type": "socket",
    "syscall-number": "syscall",
    "system-attribute": "system",
    "target": "target",
    "uid": "process",
    "vnode-type": "vnode-type",
}


@dataclass(frozen=True, slots=True)
class Protocol:
    """The first argument of `local` and `remote`."""

    name: str


def _texts(arguments: Sequence[object], *, at_least: int = 1) -> list[str]:
    if len(arguments) < at_least:
        raise UnreadableArgumentError("the filter needs a string")
    found: list[str] = []
    for one in arguments:
        if not isinstance(one, str):
            said = "an undefined parameter" if one is False else "something else"
            raise UnreadableArgumentError(f"the filter needs a string, not {said}")
        if "\0" in one:
            raise UnreadableArgumentError("a zero byte would end the string for Apple")
        found.append(one)
    return found


def _literal(arguments: Sequence[object], _doubt: Doubt) -> Filter:
    return require_any(
        [path_filter(_PATH, PathSet(literals=(one,)), one) for one in _texts(arguments)]
    )


def _subpath(arguments: Sequence[object], doubt: Doubt) -> Filter:
    found: list[Filter] = []
    for one in _texts(arguments):
        folder = one
        if len(one) > 1 and one.endswith("/"):
            doubt("a `subpath` that ends in a slash: Apple's older compilers refuse it")
            folder = one.rstrip("/") or "/"
        found.append(path_filter(_PATH, PathSet(folders=(folder,)), one))
    return require_any(found)


def _path_ancestors(arguments: Sequence[object], doubt: Doubt) -> Filter:
    above: list[str] = []
    size = 0
    for found in (found for one in _texts(arguments) for found in ancestors(one)):
        # Each is as long as what lies above it, so a long path has them without end.
        size += serialized_size(found)
        if size > MAX_SERIALIZED:
            raise UnreadableArgumentError(
                "the folders above this path have no room in one rule: write several"
            )
        above.append(found)
    if not above:
        doubt("nothing lies above this path, and what Apple makes of that is not known")
        return path_filter(_PATH, PathSet(), "")
    return _literal(above, doubt)


def _path_prefix(arguments: Sequence[object], _doubt: Doubt) -> Filter:
    return require_any([_one_path_prefix(one) for one in _texts(arguments)])


def _one_path_prefix(prefix: str) -> Filter:
    folded_prefix = folded(prefix)

    def holds(context: Context) -> bool:
        start = folded_prefix if context.folds else prefix
        return context.path is not None and context.path.startswith(start)

    return Filter(holds, (_PATH,), serialized=serialized_size(prefix))


def _by_text(
    kind: Kind, fact: str, pattern: str, matches: Callable[[str], bool]
) -> Filter:
    """Make a filter that tries each string told under a name."""

    def holds(context: Context) -> bool:
        return any(
            isinstance(value, str) and matches(value) for value in context.values(fact)
        )

    return Filter(holds, (kind,), serialized=serialized_size(pattern))


def _regex(kind: Kind, fact: str) -> Maker:
    def make(arguments: Sequence[object], doubt: Doubt) -> Filter:
        found: list[Filter] = []
        for one in _texts(arguments):
            expression = Expression(one)
            if expression.is_void:
                doubt("a group with `?` is reported to match nothing")
            found.append(_by_expression(kind, fact, one, expression))
        return require_any(found)

    return make


def _by_expression(
    kind: Kind, fact: str, pattern: str, expression: Expression
) -> Filter:
    def holds(context: Context) -> bool:
        return any(
            isinstance(value, str) and expression.search(value, context.budget.spend)
            for value in context.values(fact)
        )

    size = serialized_size(pattern)
    return Filter(holds, (kind,), serialized=size, states=expression.states)


def _names(kind: Kind, fact: str, *, prefix: bool = False) -> Maker:
    def make(arguments: Sequence[object], _doubt: Doubt) -> Filter:
        return require_any(
            [
                _by_text(kind, fact, one, _starts(one) if prefix else one.__eq__)
                for one in _texts(arguments)
            ]
        )

    return make


def _starts(prefix: str) -> Callable[[str], bool]:
    return lambda value: value.startswith(prefix)


def _keys(value: object) -> list[str | int]:
    """Give what a word or a number may be called in a context."""
    if isinstance(value, Word):
        return [value.name] if value.number is None else [value.name, value.number]
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    raise UnreadableArgumentError("the filter needs a word or a number")


def _told_keys(value: Fact) -> list[str | int]:
    if isinstance(value, Address):
        return []
    word = WORDS.get(value) if isinstance(value, str) else None
    return _keys(word) if word else [value]


def _words(kind: Kind, fact: str) -> Maker:
    def make(arguments: Sequence[object], _doubt: Doubt) -> Filter:
        if not arguments:
            raise UnreadableArgumentError("the filter needs a word or a number")
        wanted = frozenset(key for one in arguments for key in _keys(one))

        def holds(context: Context) -> bool:
            return any(
                key in wanted
                for value in context.values(fact)
                for key in _told_keys(value)
            )

        return Filter(holds, (kind,))

    return make


def _file_mode(arguments: Sequence[object], _doubt: Doubt) -> Filter:
    match arguments:
        case [bool()]:
            pass
        case [int(bits)] if bits > 0:
            return Filter(
                lambda context: any(
                    isinstance(value, int) and value & bits == bits
                    for value in context.values("file-mode")
                ),
                (Kind("file-mode", "file-mode"),),
            )
    raise UnreadableArgumentError("`file-mode` needs one number, as `#o0004`")


def _address(end: str) -> Maker:
    """Make `local` or `remote`: an IP address, or a Unix socket by its path."""
    kind = Kind(end, "network")

    def make(arguments: Sequence[object], _doubt: Doubt) -> Filter:
        match arguments:
            case [Protocol("unix")]:
                return Filter(lambda context: context.path is not None, (_PATH,))
            case [Protocol("unix"), *rest]:
                if not all(isinstance(one, Filter) for one in rest):
                    raise UnreadableArgumentError("a Unix socket is named by a filter")
                return require_any([one for one in rest if isinstance(one, Filter)])
            case [Protocol(protocol)]:
                written = "*:*"
            case [Protocol(protocol), str(written)]:
                pass
            case _:
                raise UnreadableArgumentError(
                    f"`{end}` needs a protocol and an address in one string"
                )
        pattern = read_address(protocol, written)

        def holds(context: Context) -> bool:
            return any(
                isinstance(value, Address) and pattern.matches(value)
                for value in context.values(end) or _unbound(context, end)
            )

        return Filter(holds, (kind,))

    return make


def _unbound(context: Context, end: str) -> Iterator[Address]:
    """Give the local end of an IP socket that was never given one.

    So `(allow network* (local ip))` allows to connect anywhere: measured on macOS 14.3
    (NixOS/nix#10078). Whether such an end is `localhost` too is not known.
    """
    if end == "local":
        for value in context.values("remote"):
            if isinstance(value, Address):
                any_host = "::" if ":" in value.host else "0.0.0.0"  # noqa: S104
                yield Address(any_host, 0, value.protocol)


def _makers() -> dict[str, Maker]:
    found: dict[str, Maker] = {
        "file-mode": _file_mode,
        "local": _address("local"),
        "path": _literal,
        "path-ancestors": _path_ancestors,
        "path-prefix": _path_prefix,
        "path-regex": _regex(_PATH, "path"),
        "remote": _address("remote"),
        "subpath": _subpath,
        "tty": lambda _arguments, doubt: found["vnode-type"]([WORDS["TTY"]], doubt),
    }
    for name, category in _NAMES.items():
        kind = Kind(name, category)
        found[name] = _names(kind, name)
        found[f"{name}-prefix"] = _names(kind, name, prefix=True)
        found[f"{name}-regex"] = _regex(kind, name)
    for name, category in _WORDS.items():
        found[name] = _words(Kind(name, category), name)
    for alias, name in _ALIASES.items():
        found[alias] = found[name]
    return found


# Apple's own prelude of version 1 defines these.
_ALIASES = {
    "from": "local",
    "granted-extensions": "extension",
    "iokit-user-client-class": "iokit-registry-entry-class",
    "iokit-user-client-class-regex": "iokit-registry-entry-class-regex",
    "literal": "path",
    "mach-extension": "extension",
    "mount-relative-literal": "mount-relative-path",
    "path-literal": "path",
    "prefix": "path-prefix",
    "regex": "path-regex",
    "to": "remote",
}
FILTERS: dict[str, Maker] = _makers()
PROTOCOL_WORDS: dict[str, Protocol] = {
    **{name: Protocol(name) for name in PROTOCOLS},
    "unix": Protocol("unix"),
    "unix-socket": Protocol("unix"),
}
