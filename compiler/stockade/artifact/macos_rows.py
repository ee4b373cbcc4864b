# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn a macOS artifact into rows."""

from __future__ import annotations

from stockade.artifact.names import bits_of, number_of
from stockade.artifact.rows import (
    Row,
    Rows,
    environment_row,
    key_row,
    requirement_row,
    trusted_row,
    warning_row,
)
from stockade.model.macos_artifact import MacosArtifact


def macos_rows(artifact: MacosArtifact) -> Rows:
    """Make the rows of every section of a macOS bundle."""
    return Rows(
        {
            "requirements": lambda: map(requirement_row, artifact.requirements),
            "environment": lambda: map(environment_row, artifact.environment),
            "trusted": lambda: map(trusted_row, artifact.trusted),
            "warnings": lambda: map(warning_row, artifact.warnings),
            "keys": lambda: map(key_row, artifact.keys),
            "macos_settings": lambda: [_settings(artifact)],
            "parameters": lambda: (
                (row.name, number_of("parameter", row.kind), row.value)
                for row in artifact.parameters
            ),
        }
    )


def _settings(artifact: MacosArtifact) -> Row:
    return (
        artifact.policy_name,
        bits_of("stream", artifact.streams),
        artifact.profile,
        bits_of("process_rule", artifact.process_rules),
    )
