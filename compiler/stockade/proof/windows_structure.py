# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check what must hold of every Windows artifact, whatever its decisions are.

Names and SIDs belong together, entries only allow and name their own capability alone,
nothing above a granted path is touched, and all that is written is taken back.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.sid import capability_sid, container_sid
from stockade.abi.targets import System
from stockade.model.environment import variables
from stockade.model.key_rows import key_rows
from stockade.model.overlap import EXECUTING, overlaps
from stockade.model.path_family import folded, folders_above
from stockade.model.policy import Access, Children, Ip, Junctions, Policy, Win32k
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    JobLimit,
    Mitigation,
    PathEntries,
    PreflightKind,
    RemovalKind,
    WindowsArtifact,
)
from stockade.proof.windows_acl.descriptor import Entry, Flag, Kind, in_canonical_order
from stockade.proof.windows_acl.masks import (
    DELETE,
    FILE_ALL_ACCESS,
    FILE_DELETE_CHILD,
    FILE_EXECUTE,
    FILE_GENERIC_EXECUTE,
    FILE_GENERIC_READ,
    WRITE_DAC,
    WRITE_OWNER,
    mapped,
)
from stockade.proof.windows_acl.sddl import read_entry
from stockade.proof.windows_acl.tree import parent_of
from stockade.proof.windows_host import OPEN_FOLDERS

# internetClientServer and privateNetworkClientServer let connections in as well.
_NETWORK: dict[Ip, frozenset[str]] = {
    Ip.NONE: frozenset(),
    Ip.PRIVATE: frozenset(),
    Ip.CLIENT: frozenset({"internetClient"}),
    Ip.ALL: frozenset(
        {"internetClient", "internetClientServer", "privateNetworkClientServer"}
    ),
}
_PROFILES = "c:\\users"
_EXEMPT, _NOT_EXEMPT = "loopback-exemption", "no-loopback-exemption"
_READS = FILE_GENERIC_READ | FILE_GENERIC_EXECUTE
# Who may change a list can give himself the rest.
_NEVER = WRITE_DAC | WRITE_OWNER


def faults(policy: Policy, artifact: WindowsArtifact) -> Iterator[str]:
    """Say what is wrong with an artifact's parts; nothing for one that is right.

    Raises SddlError for an entry that cannot be read, NameNotDerivableError for a name
    that has no SID.
    """
    yield from _of_policy(policy, artifact)
    yield from _of_names(artifact)
    yield from _of_network(policy, artifact)
    yield from _of_paths(policy, artifact)
    yield from _of_paths_together(policy, artifact)
    yield from _of_entries(artifact)
    yield from _of_limits(policy, artifact)
    yield from _of_removal(artifact)


def _of_policy(policy: Policy, artifact: WindowsArtifact) -> Iterator[str]:
    """Compare what an artifact takes over from its policy word by word."""
    held_variables = [(one.name, one.value) for one in artifact.environment]
    meant = [(one.name, one.value) for one in variables(policy, System.WINDOWS)]
    for what, held, wanted in (
        ("container", artifact.container_name, policy.appcontainer_name),
        ("treatment of junctions", artifact.junctions, policy.junctions.value),
        ("environment", held_variables, meant),
        ("list of keys", artifact.keys, key_rows(policy)),
    ):
        if held != wanted:
            yield f"the {what} is not that of the policy"


def _of_names(artifact: WindowsArtifact) -> Iterator[str]:
    if artifact.container_sid != container_sid(artifact.container_name):
        yield f"the SID is not that of `{artifact.container_name}`"
    for one in artifact.capabilities:
        if one.sid != capability_sid(one.name):
            yield f"the SID is not that of the capability `{one.name}`"
    for what, found in (
        ("name", [one.name.casefold() for one in artifact.capabilities]),
        ("SID", [one.sid for one in artifact.capabilities]),
    ):
        if len(set(found)) != len(found):
            yield f"two capabilities have one {what}"
    # A number of its own means a capability of Windows, which opens more than files.
    for one in artifact.capabilities:
        hashed = one.sid.startswith("S-1-15-3-1024-")
        if hashed is (one.kind is CapabilityKind.NETWORK):
            yield f"the capability `{one.name}` is not of the kind `{one.kind}`"


def _of_network(policy: Policy, artifact: WindowsArtifact) -> Iterator[str]:
    found = {one.name for one in _of_kind(artifact, CapabilityKind.NETWORK)}
    if found != _NETWORK[policy.ip]:
        yield f"the network capabilities are not those of `ip = {policy.ip}`"
    wanted = _EXEMPT if policy.ip in (Ip.CLIENT, Ip.ALL) else _NOT_EXEMPT
    stated = {
        one.name: one.kind
        for one in artifact.preflight
        if one.name in (_EXEMPT, _NOT_EXEMPT)
    }
    if stated != {wanted: PreflightKind.SETUP}:
        yield f"the loopback is not prepared as `{wanted}`"


def _of_kind(artifact: WindowsArtifact, kind: CapabilityKind) -> tuple[Capability, ...]:
    return tuple(one for one in artifact.capabilities if one.kind is kind)


def _of_paths(policy: Policy, artifact: WindowsArtifact) -> Iterator[str]:
    """Compare with the policy, and keep away from what other paths lie below."""
    paths = [folded(one.path, System.WINDOWS) for one in artifact.entries]
    granted = {folded(one.path, System.WINDOWS) for one in policy.grants}
    if sorted(paths) != sorted(granted):
        yield "the paths with entries are not those of the policy, each once"
    accesses: dict[str, list[str]] = {}
    for grant in policy.grants:
        key = folded(grant.path, System.WINDOWS)
        accesses.setdefault(key, []).append(grant.access.value)
    for one in artifact.entries:
        if _is_a_root(one.path):
            yield f"`{one.path}` is a drive's root, or the root of users' profiles"
        if one.access not in accesses.get(folded(one.path, System.WINDOWS), ()):
            yield f"`{one.path}` is not granted as `{one.access}`"
        if _writable_and_open(one):
            yield f"`{one.path}` would be writable where every container executes"
    names = [one.capability for one in artifact.entries]
    own = [one.name for one in _of_kind(artifact, CapabilityKind.PATH)]
    if sorted(names) != sorted(own):
        yield "not every path has a capability of its own"
    if sorted(artifact.open_folders) != sorted(OPEN_FOLDERS):
        yield "the folders that Windows opens are not those that are known"


def _of_paths_together(policy: Policy, artifact: WindowsArtifact) -> Iterator[str]:
    """Look for what is written by one entry and executed by another.

    One token holds the capabilities of both, and each entry alone looks right.
    """
    for overlap in overlaps(policy.grants, lambda path: folded(path, System.WINDOWS)):
        yield f"`{overlap.writable.path}` overlaps `{overlap.other.path}`"
    for one in artifact.entries:
        if one.access in EXECUTING and _meets_private_folder(one.path, artifact):
            yield f"`{one.path}` would be executable where the container writes"


def _writable_and_open(entries: PathEntries) -> bool:
    above = [folded(one, System.WINDOWS) for one in folders_above(entries.path)]
    return entries.access == Access.READ_WRITE.value and any(
        folded(one, System.WINDOWS) in above for one in OPEN_FOLDERS
    )


def _meets_private_folder(path: str, artifact: WindowsArtifact) -> bool:
    """Tell whether a path is at, above or below the container's folder of any user."""
    names = path.casefold().split("\\")
    own = ("appdata", "local", "packages", artifact.container_name.casefold())
    below = zip(names[3:], own, strict=False)
    return "\\".join(names[:2]) == _PROFILES and all(a == b for a, b in below)


def _is_a_root(path: str) -> bool:
    """Tell whether too much lies below a path to change its list for one program."""
    above = parent_of(path)
    return above is None or _PROFILES in (path.casefold(), above.casefold())


def _of_entries(artifact: WindowsArtifact) -> Iterator[str]:
    sids = {one.name: one.sid for one in artifact.capabilities}
    for one in artifact.entries:
        sid = sids.get(one.capability, "")
        writes = one.access == Access.READ_WRITE.value
        where = f"`{one.path}`"
        for texts, folder in ((one.folder, True), (one.file, False)):
            yield from _of_list(where, texts, sid, writes=writes, folder=folder)
        if (artifact.junctions == Junctions.GRANT.value) is not bool(one.junction):
            yield f"{where}: junctions are treated otherwise than written"
        for entry in map(read_entry, one.junction):
            if entry.flags or entry.mask & ~FILE_GENERIC_READ:
                yield f"{where}: a junction gets more than its own reading"
        yield from _of_list(where, one.junction, sid, writes=False, folder=False)
    programs = _of_kind(artifact, CapabilityKind.PROGRAM)
    if len(programs) != 1:
        yield "not one capability is for the program file"
    for own in programs:
        yield from _of_list(
            "the program file", artifact.program, own.sid, writes=False, folder=False
        )
    yield from _of_list(
        "the private folder",
        artifact.private_folder,
        artifact.container_sid,
        writes=True,
        folder=True,
    )


def _of_list(
    where: str, texts: tuple[str, ...], sid: str, *, writes: bool, folder: bool
) -> Iterator[str]:
    entries = tuple(map(read_entry, texts))
    if not in_canonical_order(entries):
        yield f"{where}: the entries are in no canonical order"
    for entry in entries:
        if entry.kind is not Kind.ALLOW or entry.inherited:
            yield f"{where}: an entry denies, or claims to be inherited"
        if entry.sid != sid:
            yield f"{where}: an entry names another SID than its own"
        if entry.flags and not folder:
            yield f"{where}: an entry of a file is passed on"
        yield from _of_rights(where, entry, writes=writes, folder=folder)


def _of_rights(
    where: str, entry: Entry, *, writes: bool, folder: bool
) -> Iterator[str]:
    mask = mapped(entry.mask)
    if mask & (_NEVER | ~FILE_ALL_ACCESS):
        yield f"{where}: an entry gives the list, the owner or a right that is none"
    if not writes and mask & ~_READS:
        yield f"{where}: an entry gives more than to read and execute"
    counts_for_files = not folder or bool(entry.flags & Flag.OBJECT_INHERIT)
    if writes and counts_for_files and mask & FILE_EXECUTE:
        yield f"{where}: files that are written could be executed"
    if entry.effective and mask & DELETE:
        yield f"{where}: the granted path itself could be removed"
    if mask & FILE_DELETE_CHILD:
        yield f"{where}: what is protected in it could be removed"


def _of_limits(policy: Policy, artifact: WindowsArtifact) -> Iterator[str]:
    wanted = {
        Mitigation.NO_CHILD_PROCESSES: policy.children is Children.NONE,
        Mitigation.NO_WIN32K: policy.win32k is Win32k.DENY,
        # What a program makes it may open as it likes: docs/acl.md.
        Mitigation.NO_LOW_LABEL_IMAGES: True,
    }
    for mitigation, holds in wanted.items():
        if (mitigation in artifact.mitigations) is not holds:
            yield f"the mitigation `{mitigation}` is not as the policy means it"
    if JobLimit.KILL_ON_CLOSE not in artifact.job_limits:
        yield "processes outlive the launcher"
    if (JobLimit.ONE_PROCESS in artifact.job_limits) is not (
        policy.children is Children.NONE
    ):
        yield "the job's limit of processes is not as the policy means it"


def _of_removal(artifact: WindowsArtifact) -> Iterator[str]:
    """Compare what is written with what is taken back."""
    sids = {one.name: one.sid for one in artifact.capabilities}
    written = {
        (RemovalKind.PROFILE, artifact.container_name, artifact.container_sid),
        (
            RemovalKind.LOOPBACK_EXEMPTION,
            artifact.container_name,
            artifact.container_sid,
        ),
    }
    for program in _of_kind(artifact, CapabilityKind.PROGRAM):
        written.add((RemovalKind.PROGRAM_ENTRIES, "", program.sid))
    for one in artifact.entries:
        written.update(
            (kind, one.path, sids.get(one.capability, "")) for kind in _kinds(one)
        )
    if written != {(one.kind, one.subject, one.sid) for one in artifact.removal}:
        yield "what a removal takes back is not what is written"


def _kinds(entries: PathEntries) -> Iterator[RemovalKind]:
    yield RemovalKind.ENTRIES
    if entries.junction:
        yield RemovalKind.JUNCTION_ENTRIES
