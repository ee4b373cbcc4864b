# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare how two Windows artifacts hold what they hold: container, entries, limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from stockade.model.windows_artifact import CapabilityKind, WindowsArtifact
from stockade.review.change import Fact
from stockade.review.parts import (
    needed_changes,
    part_fact,
    row_changes,
    warning_changes,
)

_Rows = Callable[[WindowsArtifact], Mapping[str, str]]


def windows_changes(old: WindowsArtifact, new: WindowsArtifact) -> Iterator[Fact]:
    """Give what changes beside decisions, requirements and the start."""
    yield from needed_changes(_needed(old), _needed(new))
    yield from warning_changes(old.warnings, new.warnings)
    for rank, what, rows in _TABLES:
        yield from row_changes(rank, what, rows(old), rows(new))
    yield from _renamed(old, new)


def _needed(artifact: WindowsArtifact) -> list[str]:
    return [row.path for row in artifact.entries]


def _container(artifact: WindowsArtifact) -> dict[str, str]:
    return {"container": f"{artifact.container_name} ({artifact.container_sid})"}


def _network(artifact: WindowsArtifact) -> dict[str, str]:
    return {
        row.name: row.sid
        for row in artifact.capabilities
        if row.kind is CapabilityKind.NETWORK
    }


def _entries(artifact: WindowsArtifact) -> dict[str, str]:
    """Give each path with its entries, without the SID that names this very policy."""
    return {
        f"{row.access} {row.path}": "; ".join(
            f"{what} {_own(artifact, ' '.join(entries))}"
            for what, entries in (
                ("folder", row.folder),
                ("file", row.file),
                ("junction", row.junction),
            )
            if entries
        )
        for row in artifact.entries
    }


def _own(artifact: WindowsArtifact, text: str) -> str:
    """Write a capability of a path for its SID, which every edit changes."""
    for row in artifact.capabilities:
        if row.kind is not CapabilityKind.NETWORK:
            text = text.replace(row.sid, str(row.kind))
    return text.replace(artifact.container_sid, "container")


def _beside(artifact: WindowsArtifact) -> dict[str, str]:
    """Give the entries of what no path rule names."""
    return {
        "program": _own(artifact, " ".join(artifact.program)),
        "private folder": _own(artifact, " ".join(artifact.private_folder)),
    }


def _removal(artifact: WindowsArtifact) -> dict[str, str]:
    return {
        f"{row.kind} {row.subject}": _own(artifact, row.sid) for row in artifact.removal
    }


def _preflight(artifact: WindowsArtifact) -> dict[str, str]:
    return {row.name: f"{row.kind}: {row.text}" for row in artifact.preflight}


def _set(name: str) -> _Rows:
    return lambda artifact: dict.fromkeys(map(str, getattr(artifact, name)), "set")


# How dangerous a change is, of what, and the rows to compare.
_TABLES: tuple[tuple[int, str, _Rows], ...] = (
    (71, "the container", _container),
    (77, "a capability for the network", _network),
    (77, "what a path is granted", _entries),
    (77, "what else has entries", _beside),
    (77, "a folder that Windows opens to every container", _set("open_folders")),
    (77, "a limit of the job", _set("job_limits")),
    (77, "a limit of the user interface", _set("ui_limits")),
    (77, "a mitigation", _set("mitigations")),
    (77, "a handle of the program", _set("handles")),
    (78, "what is done at junctions", lambda one: {"junctions": one.junctions}),
    (78, "what a host must have", _preflight),
    (79, "what a removal takes back", _removal),
)


def _renamed(old: WindowsArtifact, new: WindowsArtifact) -> Iterator[Fact]:
    """Tell of new names of capabilities, which make all entries be written anew."""
    before, after = (
        {
            row.name: row.sid
            for row in one.capabilities
            if row.kind is not CapabilityKind.NETWORK
        }
        for one in (old, new)
    )
    if before != after and before and after:
        texts = tuple(
            f"{len(one)}, the first {next(iter(one))}" for one in (before, after)
        )
        yield part_fact(
            72,
            "paths are granted to capabilities of other names, so a setup is due",
            "capabilities",
            texts,
        )
