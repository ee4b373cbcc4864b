# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the text twin of a Windows artifact: one fact a line, for review as a diff.

The names of a policy's own capabilities hold a hash of all of it, and SIDs follow from
names: each would change with every edit. So the beginning that names have in common
stands there once, as BASE; a SID only where it is not the one of its name; and entries
name their capability by its place. The manifest (`stockade disasm`) spells it all out.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.sid import NameNotDerivableError, capability_sid, container_sid
from stockade.abi.targets import System
from stockade.artifact.snapshot_parts import (
    environment_part,
    left_out_parts,
    part,
    trusted_part,
    warnings_part,
)
from stockade.model.policy import Policy
from stockade.model.windows_artifact import CapabilityKind, WindowsArtifact
from stockade.render.environment import packaged
from stockade.render.text import plain

_TEMPLATE = "snapshot/windows.txt.j2"
_CONTAINER = "the container"


def write_snapshot(policy: Policy, artifact: WindowsArtifact, checksum: int) -> str:
    """Render the snapshot of an artifact whose bundle has this CRC-32C."""
    names = _Names(artifact)
    return packaged().render(
        _TEMPLATE,
        target=plain(artifact.target),
        checksum=plain(f"{checksum:08x}"),
        parts=[
            part("policy", _settings(artifact)),
            part("keys", (f"{row.name} {row.value}" for row in artifact.keys)),
            *left_out_parts(policy, System.WINDOWS),
            part("container", _container(artifact, names)),
            part("capabilities", names.lines()),
            part("entries", _entries(artifact, names)),
            part("process", _process(artifact)),
            part(
                "what the host must have",
                (f"{row.kind} {row.name}: {row.text}" for row in artifact.preflight),
            ),
            part(
                "what a removal takes back",
                (
                    f"{row.kind} `{row.subject}` of {names.of(row.sid)}"
                    for row in artifact.removal
                ),
            ),
            environment_part(policy, artifact, System.WINDOWS),
            trusted_part(artifact),
            warnings_part(artifact),
            part(
                "requirements",
                (f"{row.name}: {row.mechanism}" for row in artifact.requirements),
            ),
        ],
    )


class _Names:
    """What SIDs and capabilities are called in the text."""

    def __init__(self, artifact: WindowsArtifact) -> None:
        self._capabilities = artifact.capabilities
        own = (one for one in artifact.capabilities if one.kind is not _NETWORK)
        self._base = next((one.name.rpartition(".")[0] for one in own), "")
        self._places = {one.name: at for at, one in enumerate(artifact.capabilities)}
        self._sids = {artifact.container_sid: _CONTAINER}
        for at, one in enumerate(artifact.capabilities):
            self._sids.setdefault(one.sid, f"capability {at}")

    def lines(self) -> Iterator[str]:
        """Give the capabilities, by place."""
        if self._base:
            yield f"BASE is {self._base}"
        for at, one in enumerate(self._capabilities):
            before, dot, number = one.name.rpartition(".")
            is_own = bool(self._base) and before == self._base
            name = f"BASE{dot}{number}" if is_own else one.name
            is_derived = one.sid == _derived(one.name)
            yield f"{at} {one.kind} {name}{'' if is_derived else f' {one.sid}'}"

    def capability(self, name: str) -> str:
        """Name a capability by its place."""
        return f"capability {self._places[name]}"

    def of(self, sid: str) -> str:
        """Name whose a SID is."""
        return self._sids.get(sid, sid)

    def entry(self, entry: str) -> str:
        """Name in an access entry whom it allows."""
        before, mark, after = entry.partition(";;;")
        return f"{before}{mark}{self.of(after.removesuffix(')'))})"


_NETWORK = CapabilityKind.NETWORK


def _derived(name: str) -> str:
    try:
        return capability_sid(name)
    except NameNotDerivableError:
        return ""


def _settings(artifact: WindowsArtifact) -> Iterator[str]:
    yield f"name `{artifact.policy_name}`"
    yield from (f"standard stream may be {kind}" for kind in artifact.streams)


def _container(artifact: WindowsArtifact, names: _Names) -> Iterator[str]:
    name, sid = artifact.container_name, artifact.container_sid
    yield f"name `{name}`"
    if sid != container_sid(name):
        yield f"SID {sid}, which is not the one of the name"
    yield from (f"program file {names.entry(one)}" for one in artifact.program)
    yield from (f"private folder {names.entry(one)}" for one in artifact.private_folder)
    yield from (f"open by itself `{path}`" for path in artifact.open_folders)


def _entries(artifact: WindowsArtifact, names: _Names) -> Iterator[str]:
    yield f"junctions on the way: {artifact.junctions}"
    for row in artifact.entries:
        path = f"`{row.path}`"
        yield f"{path} {row.access}, {names.capability(row.capability)}"
        for kind, entries in (
            ("folder", row.folder),
            ("file", row.file),
            ("junction", row.junction),
        ):
            yield from (f"{path} as {kind} {names.entry(one)}" for one in entries)


def _process(artifact: WindowsArtifact) -> Iterator[str]:
    yield from (f"inherits {handle}" for handle in artifact.handles)
    yield from (f"job limit {limit}" for limit in artifact.job_limits)
    yield from (f"job limit on the desktop {limit}" for limit in artifact.ui_limits)
    yield from (f"mitigation {one}" for one in artifact.mitigations)
