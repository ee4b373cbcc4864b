# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what a macOS artifact is made of, between the stages that make and read it."""

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


class ParameterKind(StrEnum):
    """Who knows a parameter's value: the policy, or the launcher at a start."""

    # A path that must exist, resolved by the launcher before it is handed over.
    PATH = "path"
    # The same path as the policy spells it: the links on the way to it must be seen.
    WRITTEN = "written"
    # A path of the system, left as it is where nothing is there.
    SYSTEM_PATH = "system-path"
    # `localhost:PORT`.
    PORT = "port"
    # The program's resolved path; `value` is empty.
    PROGRAM = "program"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that the profile takes by name and never holds itself."""

    name: str
    kind: ParameterKind
    value: str


class ProcessRule(StrEnum):
    """What the launcher does beside applying the profile, before the program runs."""

    # Rights of the superuser would survive the profile.
    REFUSE_ROOT = "refuse-root"
    # All but 0, 1 and 2, and before the profile is applied: libraries open sockets
    # of their own later.
    CLOSE_DESCRIPTORS = "close-descriptors"
    # Stay the parent, and end every process of the program when it ends.
    SUPERVISE = "supervise"


@dataclass(frozen=True, slots=True)
class MacosArtifact:
    """Everything one macOS bundle holds."""

    target: str
    policy_name: str
    streams: tuple[str, ...]
    process_rules: tuple[ProcessRule, ...]
    keys: tuple[KeyRow, ...]
    profile: str
    parameters: tuple[Parameter, ...]
    environment: tuple[EnvironmentRow, ...]
    requirements: tuple[Requirement, ...]
    trusted: tuple[TrustedLocation, ...]
    warnings: tuple[WarningLine, ...]
