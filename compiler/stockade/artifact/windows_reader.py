# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the sections of a parsed Windows bundle into an artifact."""

from __future__ import annotations

from stockade.artifact import reading
from stockade.artifact.enumerations import WORDS
from stockade.artifact.names import words_of
from stockade.artifact.parser import ParsedBundle
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    JobLimit,
    Mitigation,
    PathEntries,
    Preflight,
    PreflightKind,
    Removal,
    RemovalKind,
    UiLimit,
    WindowsArtifact,
)

# Access entries, each with the word of its kind.
_Lines = list[tuple[str, str]]


def windows_artifact(bundle: ParsedBundle) -> WindowsArtifact:
    """Return the artifact of a Windows bundle."""
    ((policy_name, streams, name, sid, junctions, *bits),) = bundle.rows(
        "windows_settings"
    )
    job, ui, mitigations, handles = bits
    capabilities = _capabilities(bundle)
    container = _lines(bundle, "container_entries", "container_entry")
    return WindowsArtifact(
        target=bundle.target,
        policy_name=bundle.text(policy_name),
        streams=words_of("stream", streams),
        keys=reading.keys(bundle),
        container_name=bundle.text(name),
        container_sid=bundle.text(sid),
        capabilities=capabilities,
        program=_of_kind(container, "program"),
        entries=_entries(bundle, capabilities),
        private_folder=_of_kind(container, "private-folder"),
        open_folders=tuple(
            bundle.text(path) for (path,) in bundle.rows("open_folders")
        ),
        job_limits=tuple(map(JobLimit, words_of("job_limit", job))),
        ui_limits=tuple(map(UiLimit, words_of("ui_limit", ui))),
        mitigations=tuple(map(Mitigation, words_of("mitigation", mitigations))),
        handles=words_of("handle", handles),
        junctions=WORDS["junctions"][junctions],
        preflight=_preflight(bundle),
        removal=_removal(bundle),
        environment=reading.environment(bundle),
        requirements=reading.requirements(bundle),
        trusted=reading.trusted(bundle),
        warnings=reading.warnings(bundle),
    )


def _capabilities(bundle: ParsedBundle) -> tuple[Capability, ...]:
    return tuple(
        Capability(
            bundle.text(name),
            CapabilityKind(WORDS["capability"][kind]),
            bundle.text(sid),
        )
        for name, kind, sid in bundle.rows("capabilities")
    )


def _lines(bundle: ParsedBundle, section: str, enumeration: str) -> _Lines:
    return [
        (WORDS[enumeration][kind], bundle.text(entry))
        for kind, entry in bundle.rows(section)
    ]


def _of_kind(lines: _Lines, kind: str) -> tuple[str, ...]:
    return tuple(entry for word, entry in lines if word == kind)


def _entries(
    bundle: ParsedBundle, capabilities: tuple[Capability, ...]
) -> tuple[PathEntries, ...]:
    lines = _lines(bundle, "access_entries", "access_entry")
    found = []
    for path, access, number, first, count in bundle.rows("path_entries"):
        own = lines[first : first + count]
        found.append(
            PathEntries(
                path=bundle.text(path),
                access=bundle.text(access),
                capability=capabilities[number].name,
                folder=_of_kind(own, "folder"),
                file=_of_kind(own, "file"),
                junction=_of_kind(own, "junction"),
            )
        )
    return tuple(found)


def _preflight(bundle: ParsedBundle) -> tuple[Preflight, ...]:
    return tuple(
        Preflight(
            bundle.text(name),
            PreflightKind(WORDS["preflight"][kind]),
            bundle.text(line),
        )
        for name, kind, line in bundle.rows("preflight")
    )


def _removal(bundle: ParsedBundle) -> tuple[Removal, ...]:
    return tuple(
        Removal(
            RemovalKind(WORDS["removal"][kind]),
            bundle.text(subject),
            bundle.text(sid),
        )
        for kind, subject, sid in bundle.rows("removals")
    )
