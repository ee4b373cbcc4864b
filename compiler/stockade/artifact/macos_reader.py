# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the sections of a parsed macOS bundle into an artifact."""

from __future__ import annotations

from stockade.artifact import reading
from stockade.artifact.enumerations import WORDS
from stockade.artifact.names import words_of
from stockade.artifact.parser import ParsedBundle
from stockade.model.macos_artifact import (
    MacosArtifact,
    Parameter,
    ParameterKind,
    ProcessRule,
)


def macos_artifact(bundle: ParsedBundle) -> MacosArtifact:
    """Return the artifact of a macOS bundle."""
    ((policy_name, streams, profile, rules),) = bundle.rows("macos_settings")
    return MacosArtifact(
        target=bundle.target,
        policy_name=bundle.text(policy_name),
        streams=words_of("stream", streams),
        process_rules=tuple(map(ProcessRule, words_of("process_rule", rules))),
        keys=reading.keys(bundle),
        profile=bundle.text(profile),
        parameters=tuple(
            Parameter(
                bundle.text(name),
                ParameterKind(WORDS["parameter"][kind]),
                bundle.text(value),
            )
            for name, kind, value in bundle.rows("parameters")
        ),
        environment=reading.environment(bundle),
        requirements=reading.requirements(bundle),
        trusted=reading.trusted(bundle),
        warnings=reading.warnings(bundle),
    )
