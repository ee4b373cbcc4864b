# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the text twin of a macOS artifact: one fact a line, for review as a diff."""

from __future__ import annotations

from collections.abc import Iterator

from stockade.abi.targets import System
from stockade.artifact.snapshot_parts import (
    environment_part,
    left_out_parts,
    part,
    trusted_part,
    warnings_part,
)
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.policy import Policy
from stockade.render.environment import packaged
from stockade.render.text import plain

_TEMPLATE = "snapshot/macos.txt.j2"


def write_snapshot(policy: Policy, artifact: MacosArtifact, checksum: int) -> str:
    """Render the snapshot of an artifact whose bundle has this CRC-32C."""
    return packaged().render(
        _TEMPLATE,
        target=plain(artifact.target),
        checksum=plain(f"{checksum:08x}"),
        parts=[
            part("policy", _settings(artifact)),
            part("keys", (f"{row.name} {row.value}" for row in artifact.keys)),
            *left_out_parts(policy, System.MACOS),
            part(
                "parameters",
                (f"{row.name} {row.kind} `{row.value}`" for row in artifact.parameters),
            ),
            environment_part(policy, artifact, System.MACOS),
            trusted_part(artifact),
            warnings_part(artifact),
            part(
                "requirements",
                (f"{row.name}: {row.mechanism}" for row in artifact.requirements),
            ),
            part("profile", _profile(artifact.profile)),
        ],
    )


def _settings(artifact: MacosArtifact) -> Iterator[str]:
    yield f"name `{artifact.policy_name}`"
    yield from (f"standard stream may be {kind}" for kind in artifact.streams)
    yield from (f"the launcher has to {rule}" for rule in artifact.process_rules)


def _profile(text: str) -> Iterator[str]:
    """Mark each line, so that none can be taken for another part of the snapshot."""
    *lines, rest = text.split("\n")
    yield from (f"| {line}" if line else "|" for line in lines)
    if rest:
        yield f"| {rest}"
        yield "no line feed at the end"
