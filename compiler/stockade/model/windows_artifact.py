# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what a Windows artifact is made of, between the stages that make and read it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stockade.model.artifact import (
    EnvironmentRow,
    Requirement,
    TrustedLocation,
    WarningLine,
)
from stockade.model.key_rows import KeyRow


class CapabilityKind(StrEnum):
    """What a capability of the container's token is for."""

    PATH = "path"
    NETWORK = "network"


@dataclass(frozen=True, slots=True)
class Capability:
    """One capability: its name, and the SID that Windows derives from the name."""

    name: str
    kind: CapabilityKind
    sid: str


@dataclass(frozen=True, slots=True)
class PathEntries:
    """The access entries that a granted path gets, as SDDL.

    `folder` is for a path that is a folder, `file` for one that is a file; each is a
    list of entries that name `capability`'s SID alone.
    """

    path: str
    access: str
    capability: str
    folder: tuple[str, ...]
    file: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preflight:
    """Something the host must have, checked before anything is changed."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class WindowsArtifact:
    """Everything one Windows bundle holds."""

    target: str
    policy_name: str
    streams: tuple[str, ...]
    keys: tuple[KeyRow, ...]
    container_name: str
    container_sid: str
    capabilities: tuple[Capability, ...]
    entries: tuple[PathEntries, ...]
    job_limits: tuple[str, ...]
    ui_limits: tuple[str, ...]
    mitigations: tuple[str, ...]
    junctions: str
    preflight: tuple[Preflight, ...]
    environment: tuple[EnvironmentRow, ...]
    requirements: tuple[Requirement, ...]
    trusted: tuple[TrustedLocation, ...]
    warnings: tuple[WarningLine, ...]
