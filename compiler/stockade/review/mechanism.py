# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare how two Linux artifacts hold what they hold: all that decides nothing itself.

INVARIANT: every field of an artifact is compared here or where its decisions are, so
that two artifacts without a difference are the same in all that matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stockade.abi.landlock import FS_RIGHTS, NET_RIGHTS, SCOPES, names_of
from stockade.model.artifact import Artifact, Probe, Variant
from stockade.review.change import NOTHING, Fact
from stockade.review.parts import (
    needed_changes,
    part_fact,
    requirement_changes,
    row_changes,
    warning_changes,
)

# Writes a probe of a call on an architecture for a reader.
ProbeText = Callable[[Probe], str]


def artifact_changes(old: Artifact, new: Artifact) -> Iterator[Fact]:
    """Give what changes beside levels and variants."""
    yield from row_changes(69, "what a start gives up", _conceded(old), _conceded(new))
    yield from needed_changes(_needed(old), _needed(new))
    yield from warning_changes(old.warnings, new.warnings)
    yield from row_changes(77, "a kind of path rule", _classes(old), _classes(new))
    yield from row_changes(
        78, "a folder for the canary", _canaries(old), _canaries(new)
    )
    yield from row_changes(78, "the witness call", _witness(old), _witness(new))
    yield from row_changes(
        79, "the text on a missing feature", _features(old), _features(new)
    )


def _conceded(artifact: Artifact) -> dict[str, str]:
    return dict.fromkeys(artifact.concessions, "given up")


def _needed(artifact: Artifact) -> list[str]:
    return [row.path for row in artifact.grants if not row.optional]


def _classes(artifact: Artifact) -> dict[str, str]:
    """Give what a kind of path rule holds, also where the filter refuses it anyway.

    Its words decide which paths may lie in one another.
    """
    found = {}
    for row in artifact.classes:
        words = (
            ("writes", row.write),
            ("executes", row.execute),
            ("system", row.system),
            ("command", row.command),
        )
        rights = names_of(FS_RIGHTS, row.rights)
        found[row.name] = " ".join((*rights, *(word for word, on in words if on)))
    return found


def _canaries(artifact: Artifact) -> dict[str, str]:
    return {row.path: row.kind for row in artifact.canary_folders}


def _witness(artifact: Artifact) -> dict[str, str]:
    return {"witness call": f"{artifact.witness_nr:#x}"}


def _features(artifact: Artifact) -> dict[str, str]:
    return {
        " ".join((row.name, *row.when)): f"{row.reason}; {row.remedy}"
        for row in artifact.features
    }


def variant_changes(
    old: Variant, new: Variant, probe_text: ProbeText
) -> Iterator[Fact]:
    """Give what changes in how one host holds the requirements."""
    yield from requirement_changes(old.requirements, new.requirements)
    for what, rights, masks in (
        ("file rights", FS_RIGHTS, (old.fs_required, new.fs_required)),
        ("further file rights", FS_RIGHTS, (old.fs_optional, new.fs_optional)),
        ("port rights", NET_RIGHTS, (old.net_required, new.net_required)),
        ("further port rights", NET_RIGHTS, (old.net_optional, new.net_optional)),
        ("scopes", SCOPES, (old.scope_required, new.scope_required)),
        ("further scopes", SCOPES, (old.scope_optional, new.scope_optional)),
    ):
        texts = tuple(" ".join(names_of(rights, one)) or NOTHING for one in masks)
        if texts[0] != texts[1]:
            yield part_fact(74, f"Landlock judges other {what}", what, texts)
    yield from row_changes(
        77, "a try at start", *(_probes(one, probe_text) for one in (old, new))
    )


def _probes(variant: Variant, probe_text: ProbeText) -> dict[str, str]:
    return {one.name: probe_text(one) for one in variant.probes}
