# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Take one allowance at a time out of a policy, to see that its program needs it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import tomlkit

GRANTS = ("read", "read_exec", "read_write")
# Values of a key, strictest first, and the value without the key.
LADDERS = {
    ("filesystem", "symlinks"): (("deny", "allow"), "deny"),
    ("network", "ip"): (("none", "client", "all"), "none"),
    ("network", "unix_sockets"): (("none", "all"), "none"),
    ("process", "children"): (("none", "allowed"), "allowed"),
    ("process", "ipc"): (("isolated", "shared"), "isolated"),
    ("process", "signals"): (("isolated", "terminate", "any"), "any"),
    ("linux", "path_metadata"): (("deny", "allow"), "deny"),
}


def granted(text: str) -> list[str]:
    """List the paths that a policy grants."""
    grants = tomllib.loads(text).get("filesystem", {})
    return [path for key in GRANTS for path in grants.get(key, ())]


def without_path(text: str, path: str) -> str:
    """Return a policy without one path."""
    document = tomlkit.parse(text)
    for key in GRANTS:
        paths = document.get("filesystem", {}).get(key, [])
        if path in paths:
            paths.remove(path)
    return tomlkit.dumps(document)


def features(text: str) -> tuple[str, ...]:
    """Name the features that a policy needs and that not every kernel has."""
    process = tomllib.loads(text).get("process", {})
    several = process.get("children", "allowed") != "none"
    isolated = process.get("signals", "any") == "isolated"
    return ("landlock-abi-6",) if several and isolated else ()


def reductions(text: str) -> Iterator[tuple[str, str]]:
    """Give each policy that allows one thing less, with what was taken out."""
    for path in granted(text):
        yield path, without_path(text, path)
    for variable in tomllib.loads(text).get("environment", {}).get("set", {}):
        document = tomlkit.parse(text)
        del document["environment"]["set"][variable]  # type: ignore[index, union-attr]
        yield variable, tomlkit.dumps(document)
    for (table, key), (values, default) in LADDERS.items():
        document = tomlkit.parse(text)
        settings = document.setdefault(table, tomlkit.table())
        place = values.index(settings.get(key, default))
        if place > 0:
            settings[key] = values[place - 1]
            yield f"{table}.{key}", tomlkit.dumps(document)
