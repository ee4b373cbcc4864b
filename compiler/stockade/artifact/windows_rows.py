# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn a Windows artifact into rows; a capability becomes its place in the list."""

from __future__ import annotations

from collections.abc import Iterable

from stockade.artifact.errors import ArtifactMalformed
from stockade.artifact.names import bits_of, number_of
from stockade.artifact.rows import (
    Row,
    Rows,
    environment_row,
    key_row,
    requirement_row,
    slices,
    trusted_row,
    warning_row,
)
from stockade.model.windows_artifact import PathEntries, WindowsArtifact


def windows_rows(artifact: WindowsArtifact) -> Rows:
    """Make the rows of every section of a Windows bundle."""
    return Rows(
        {
            "requirements": lambda: map(requirement_row, artifact.requirements),
            "environment": lambda: map(environment_row, artifact.environment),
            "trusted": lambda: map(trusted_row, artifact.trusted),
            "warnings": lambda: map(warning_row, artifact.warnings),
            "keys": lambda: map(key_row, artifact.keys),
            "windows_settings": lambda: [_settings(artifact)],
            "capabilities": lambda: (
                (row.name, number_of("capability", row.kind), row.sid)
                for row in artifact.capabilities
            ),
            "path_entries": lambda: _path_entries(artifact),
            "access_entries": lambda: (
                row for path in artifact.entries for row in _access_entries(path)
            ),
            "container_entries": lambda: (
                *_entries("container_entry", "program", artifact.program),
                *_entries("container_entry", "private-folder", artifact.private_folder),
            ),
            "open_folders": lambda: ((path,) for path in artifact.open_folders),
            "preflight": lambda: (
                (row.name, number_of("preflight", row.kind), row.text)
                for row in artifact.preflight
            ),
            "removals": lambda: (
                (number_of("removal", row.kind), row.subject, row.sid)
                for row in artifact.removal
            ),
        }
    )


def _settings(artifact: WindowsArtifact) -> Row:
    return (
        artifact.policy_name,
        bits_of("stream", artifact.streams),
        artifact.container_name,
        artifact.container_sid,
        number_of("junctions", artifact.junctions),
        bits_of("job_limit", artifact.job_limits),
        bits_of("ui_limit", artifact.ui_limits),
        bits_of("mitigation", artifact.mitigations),
        bits_of("handle", artifact.handles),
    )


def _path_entries(artifact: WindowsArtifact) -> Iterable[Row]:
    numbers = {row.name: at for at, row in enumerate(artifact.capabilities)}
    if len(numbers) != len(artifact.capabilities):
        message = "two capabilities of one name"
        raise ArtifactMalformed(message)
    places = slices(len(_access_entries(row)) for row in artifact.entries)
    for row, place in zip(artifact.entries, places, strict=True):
        if row.capability not in numbers:
            message = f"capability `{row.capability}` of `{row.path}` is not listed"
            raise ArtifactMalformed(message)
        yield row.path, row.access, numbers[row.capability], *place


def _access_entries(path: PathEntries) -> tuple[Row, ...]:
    return (
        *_entries("access_entry", "folder", path.folder),
        *_entries("access_entry", "file", path.file),
        *_entries("access_entry", "junction", path.junction),
    )


def _entries(enumeration: str, kind: str, entries: tuple[str, ...]) -> tuple[Row, ...]:
    return tuple((number_of(enumeration, kind), entry) for entry in entries)
