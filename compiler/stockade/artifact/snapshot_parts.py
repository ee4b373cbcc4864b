# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the parts that the text twins of all systems have.

INVARIANT: each line goes through `plain`, so no text of a policy makes two of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stockade.abi.targets import System
from stockade.model.any_artifact import AnyArtifact
from stockade.model.environment import Origin, variables
from stockade.model.path_family import left_out
from stockade.model.policy import Policy
from stockade.render.text import PlainText, plain

Part = dict[str, object]

_FOREIGN = {
    System.LINUX: "a path of Windows",
    System.MACOS: "a path of Windows",
    System.WINDOWS: "a path of Linux and macOS",
}
_MARKED = {Origin.BASE: " (base)", Origin.SYSTEM: " (system)"}


def part(title: str, lines: Iterable[str], empty: str = "none") -> Part:
    """Make a part of lines; `empty` stands where there are none."""
    texts: list[PlainText] = [plain(line) for line in lines]
    return {"title": plain(title), "lines": texts or [plain(empty)]}


def environment_part(policy: Policy, artifact: AnyArtifact, system: System) -> Part:
    """Show the program's variables, and which of them no key names."""
    origins = {one.name: one.origin for one in variables(policy, system)}
    lines = (
        (f"pass {row.name}" if row.value is None else f"set {row.name}={row.value}")
        + _MARKED.get(origins.get(row.name, Origin.PASS), "")
        for row in artifact.environment
    )
    return part("environment", lines, "empty")


def left_out_parts(policy: Policy, system: System) -> Iterator[Part]:
    """Show the paths that only other systems have, where there are any."""
    foreign = left_out(policy, system)
    if foreign:
        yield part("left out", (f"`{path}`, {_FOREIGN[system]}" for path in foreign))


def trusted_part(artifact: AnyArtifact) -> Part:
    """Show the places that no writable path may reach."""
    lines = (f"{row.base} `{row.path}`" for row in artifact.trusted)
    return part("no writable grant may reach", lines, "no grant is writable")


def warnings_part(artifact: AnyArtifact) -> Part:
    """Show the warnings, each with its identifier."""
    return part("warnings", (f"[{row.id}] {row.text}" for row in artifact.warnings))
