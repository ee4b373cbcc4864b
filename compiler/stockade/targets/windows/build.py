# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build a Windows artifact: a container, its capabilities and what they open."""

from __future__ import annotations

import hashlib

from stockade.abi.sid import capability_sid, container_sid
from stockade.abi.targets import System
from stockade.model.artifact import (
    EnvironmentRow,
    Requirement,
    TrustedLocation,
    WarningLine,
)
from stockade.model.environment import variables
from stockade.model.key_rows import KeyRow, key_rows
from stockade.model.path_family import folded
from stockade.model.policy import (
    Access,
    Children,
    Ip,
    Junctions,
    Policy,
    Win32k,
)
from stockade.model.trusted_places import (
    TRUSTED_HOME_VARIABLES,
    TRUSTED_IN_WINDOWS_PROFILE,
    TRUSTED_ON_WINDOWS,
    TRUSTED_VARIABLES,
)
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    JobLimit,
    Mitigation,
    PathEntries,
    Removal,
    RemovalKind,
    UiLimit,
    WindowsArtifact,
)
from stockade.model.windows_set import OPEN_FOLDERS
from stockade.targets.windows.entries import (
    file_entries,
    folder_entries,
    junction_entries,
)
from stockade.targets.windows.host import preflight
from stockade.targets.windows.network import network_capabilities

_PREFIX = "stockade"
# 192 bits: with the longest number a name has 63 characters, and a container's own
# may have 64.
_HASH_DIGITS = 48
# Rises when the entries of an equal policy change: the old ones may still lie on files.
_ENTRIES_VERSION = "1"
_HANDLES = ("standard-input", "standard-output", "standard-error")


def build(
    policy: Policy,
    *,
    name: str,
    requirements: tuple[Requirement, ...],
    warnings: tuple[WarningLine, ...],
) -> WindowsArtifact:
    """Assemble the artifact of a policy that holds paths of Windows alone."""
    keys = key_rows(policy)
    base = _base(keys)
    container = container_sid(policy.appcontainer_name)
    program = _capability(base, 0, CapabilityKind.PROGRAM)
    paths = [
        (path, accesses, _capability(base, number, CapabilityKind.PATH))
        for number, (path, accesses) in enumerate(_accesses(policy), start=1)
    ]
    entries = tuple(
        _entries(path, accesses, capability, policy.junctions)
        for path, accesses, capability in paths
    )
    network = tuple(
        Capability(one, CapabilityKind.NETWORK, capability_sid(one))
        for one in network_capabilities(policy.ip)
    )
    capabilities = (program, *(one for _, _, one in paths), *network)
    return WindowsArtifact(
        target=System.WINDOWS.value,
        policy_name=name,
        streams=_streams(policy),
        keys=keys,
        container_name=policy.appcontainer_name,
        container_sid=container,
        capabilities=capabilities,
        program=file_entries(Access.READ_EXEC, program.sid),
        entries=entries,
        private_folder=folder_entries(Access.READ_WRITE, container),
        open_folders=OPEN_FOLDERS,
        job_limits=_job_limits(policy),
        ui_limits=tuple(UiLimit),
        mitigations=_mitigations(policy),
        handles=_HANDLES,
        junctions=policy.junctions.value,
        preflight=preflight(policy),
        removal=_removal(policy.appcontainer_name, container, capabilities, entries),
        environment=tuple(
            EnvironmentRow(one.name, one.value)
            for one in variables(policy, System.WINDOWS)
        ),
        requirements=requirements,
        trusted=_trusted(policy),
        warnings=warnings,
    )


def _base(keys: tuple[KeyRow, ...]) -> str:
    """Give what the names of a policy's own capabilities begin with.

    Whoever may start a container can ask for a capability by its name, so the names
    hold the whole policy: what one policy opened, another one's program does not get.
    """
    digest = hashlib.sha256()
    rows = (KeyRow("entries", _ENTRIES_VERSION), *keys)
    for row in rows:
        for text in (row.name, row.value):
            digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return f"{_PREFIX}.{digest.hexdigest()[:_HASH_DIGITS]}"


def _capability(base: str, number: int, kind: CapabilityKind) -> Capability:
    name = f"{base}.{number}"
    return Capability(name, kind, capability_sid(name))


def _accesses(policy: Policy) -> list[tuple[str, tuple[Access, ...]]]:
    """Give each path with its accesses, the widest last, in the order of their names.

    Of what one path may have together, the later in Access holds the earlier, but for
    a command in a folder's place: no policy writes and executes one path.
    """
    order = list(Access)
    found: dict[str, tuple[str, tuple[Access, ...]]] = {}
    for grant in sorted(policy.grants, key=lambda one: order.index(one.access)):
        key = folded(grant.path, System.WINDOWS)
        _, before = found.get(key, ("", ()))
        found[key] = (grant.path, (*before, grant.access))
    return [found[key] for key in sorted(found)]


def _entries(
    path: str,
    accesses: tuple[Access, ...],
    capability: Capability,
    junctions: Junctions,
) -> PathEntries:
    granted = junctions is Junctions.GRANT
    # A command is a file, so a folder of the same path has what else is granted.
    others = [one for one in accesses if one is not Access.COMMAND]
    return PathEntries(
        path=path,
        access=accesses[-1].value,
        capability=capability.name,
        folder=folder_entries((others or accesses)[-1], capability.sid),
        file=file_entries(accesses[-1], capability.sid),
        junction=junction_entries(capability.sid) if granted else (),
    )


def _job_limits(policy: Policy) -> tuple[JobLimit, ...]:
    """Choose the job's limits; none lets a process break away from it."""
    limits = (JobLimit.KILL_ON_CLOSE, JobLimit.DIE_ON_EXCEPTION)
    alone = policy.children is Children.NONE
    return (*limits, JobLimit.ONE_PROCESS) if alone else limits


def _mitigations(policy: Policy) -> tuple[Mitigation, ...]:
    """Choose what docs/windows.md explains with what each is known to break.

    An object that the program makes may get an access list of the program's choice,
    so a file of its own could be made executable to it. It then has a low label all
    the same, since the program runs at low integrity, and images with one are
    refused.
    """
    candidates = (
        (True, Mitigation.NO_EXTENSION_POINTS),
        (True, Mitigation.NO_UNTRUSTED_FONTS),
        (True, Mitigation.NO_REMOTE_IMAGES),
        (True, Mitigation.NO_LOW_LABEL_IMAGES),
        (policy.win32k is Win32k.DENY, Mitigation.NO_WIN32K),
        (policy.children is Children.NONE, Mitigation.NO_CHILD_PROCESSES),
    )
    return tuple(one for holds, one in candidates if holds)


def _streams(policy: Policy) -> tuple[str, ...]:
    """List the sockets that a standard stream may be.

    A socket keeps what it was made with, so only one that the program could make
    itself is let in; a connected Unix stream is how a parent passes a pipe.
    """
    kinds = ["unix-connected"]
    if policy.ip is Ip.CLIENT:
        kinds.append("tcp-connected")
    if policy.ip is Ip.ALL:
        kinds.append("inet")
    return tuple(kinds)


def _removal(
    name: str,
    container: str,
    capabilities: tuple[Capability, ...],
    entries: tuple[PathEntries, ...],
) -> tuple[Removal, ...]:
    """List what a removal takes back, in the order in which it does."""
    sids = {one.name: one.sid for one in capabilities}
    found: list[Removal] = []
    for one in entries:
        sid = sids[one.capability]
        found.append(Removal(RemovalKind.ENTRIES, one.path, sid))
        if one.junction:
            found.append(Removal(RemovalKind.JUNCTION_ENTRIES, one.path, sid))
    program = next(one for one in capabilities if one.kind is CapabilityKind.PROGRAM)
    return (
        *found,
        Removal(RemovalKind.PROGRAM_ENTRIES, "", program.sid),
        Removal(RemovalKind.LOOPBACK_EXEMPTION, name, container),
        Removal(RemovalKind.PROFILE, name, container),
    )


def _trusted(policy: Policy) -> tuple[TrustedLocation, ...]:
    if not any(grant.access is Access.READ_WRITE for grant in policy.grants):
        return ()
    return (
        *(TrustedLocation("home", path) for path in TRUSTED_IN_WINDOWS_PROFILE),
        *(TrustedLocation("absolute", path) for path in TRUSTED_ON_WINDOWS),
        *(TrustedLocation("variable", name) for name in TRUSTED_VARIABLES),
        *(TrustedLocation("variable-home", name) for name in TRUSTED_HOME_VARIABLES),
    )
