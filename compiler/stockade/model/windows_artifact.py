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

    # The program file, which a start names.
    PROGRAM = "program"
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

    `folder` is for a path that is a folder, `file` for one that is a file, `junction`
    for a junction of the user's own on the way to a folder. Each is a list of entries
    that allow, and that name `capability`'s SID alone.
    """

    path: str
    access: str
    capability: str
    folder: tuple[str, ...]
    file: tuple[str, ...]
    junction: tuple[str, ...]


class JobLimit(StrEnum):
    """A limit of the job that holds the program and all it starts."""

    # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
    KILL_ON_CLOSE = "kill-on-close"
    # JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION: no dialog waits for a user.
    DIE_ON_EXCEPTION = "die-on-unhandled-exception"
    # JOB_OBJECT_LIMIT_ACTIVE_PROCESS with 1
    ONE_PROCESS = "one-active-process"


class UiLimit(StrEnum):
    """A JOB_OBJECT_UILIMIT; the last two are left out where Windows lacks them.

    In the order of their bits, from 0x2 to 0x200; 0x1, on handles, is not used.
    """

    READ_CLIPBOARD = "read-clipboard"
    WRITE_CLIPBOARD = "write-clipboard"
    SYSTEM_PARAMETERS = "system-parameters"
    DISPLAY_SETTINGS = "display-settings"
    GLOBAL_ATOMS = "global-atoms"
    DESKTOP = "desktop"
    EXIT_WINDOWS = "exit-windows"
    # Since build 22621.
    IME = "ime"
    # Since build 26100.
    INJECTION = "injection"


class Mitigation(StrEnum):
    """A policy of the process, in force from its first instruction on."""

    # Bits 32, 48, 52, 56 and 28 of PROC_THREAD_ATTRIBUTE_MITIGATION_POLICY, ALWAYS_ON
    # of each: winbase.h, PROCESS_CREATION_MITIGATION_POLICY_*.
    NO_EXTENSION_POINTS = "no-extension-points"
    NO_UNTRUSTED_FONTS = "no-untrusted-fonts"
    NO_REMOTE_IMAGES = "no-remote-images"
    NO_LOW_LABEL_IMAGES = "no-low-label-images"
    NO_WIN32K = "no-win32k"
    # PROC_THREAD_ATTRIBUTE_CHILD_PROCESS_POLICY with CHILD_PROCESS_RESTRICTED.
    NO_CHILD_PROCESSES = "no-child-processes"


class PreflightKind(StrEnum):
    """What follows where the host does not have it."""

    # The start is refused.
    REQUIRED = "required"
    # The start is refused until `setup` has run with an administrator's rights.
    SETUP = "setup"
    # The name is a warning's identifier, the text its words.
    WARNING = "warning"
    # Some programs fail; nothing of the confinement is missing.
    ADVICE = "advice"
    # Read again once it is set, before the program runs; a difference refuses.
    READ_BACK = "read-back"


@dataclass(frozen=True, slots=True)
class Preflight:
    """Something the host must have, checked before anything is changed."""

    name: str
    kind: PreflightKind
    text: str


class RemovalKind(StrEnum):
    """What a removal takes back; nothing that the launcher did not write."""

    # Of the path, the entries of the capability.
    ENTRIES = "entries"
    # The same of the program file, where a removal names it.
    PROGRAM_ENTRIES = "program-entries"
    # The same of junctions on the way to the path.
    JUNCTION_ENTRIES = "junction-entries"
    LOOPBACK_EXEMPTION = "loopback-exemption"
    # The container's profile, and its private folder with it.
    PROFILE = "profile"


@dataclass(frozen=True, slots=True)
class Removal:
    """One thing to take back: of a path or of the container, by a SID."""

    kind: RemovalKind
    subject: str
    sid: str


@dataclass(frozen=True, slots=True)
class WindowsArtifact:
    """Everything one Windows bundle holds.

    `program` and `private_folder` are entries as in PathEntries: for the program
    file, whose SID is that of the capability of this kind, and for the folder that
    Windows gives the container, whose SID is the container's own.
    """

    target: str
    policy_name: str
    streams: tuple[str, ...]
    keys: tuple[KeyRow, ...]
    container_name: str
    container_sid: str
    capabilities: tuple[Capability, ...]
    program: tuple[str, ...]
    entries: tuple[PathEntries, ...]
    private_folder: tuple[str, ...]
    # What Windows itself opens to every container, to read and execute.
    open_folders: tuple[str, ...]
    job_limits: tuple[JobLimit, ...]
    ui_limits: tuple[UiLimit, ...]
    mitigations: tuple[Mitigation, ...]
    handles: tuple[str, ...]
    junctions: str
    preflight: tuple[Preflight, ...]
    removal: tuple[Removal, ...]
    environment: tuple[EnvironmentRow, ...]
    requirements: tuple[Requirement, ...]
    trusted: tuple[TrustedLocation, ...]
    warnings: tuple[WarningLine, ...]
