# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bring an artifact into the form that a bundle keeps.

Notes and unused operands go; names that stand for bits come in the order of the
bits. INVARIANT: nothing that the launcher would do differently is changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, overload

from stockade.artifact.names import feature_bits, feature_names, number_of
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Artifact, Call, Instruction, Operand, Variant
from stockade.model.macos_artifact import MacosArtifact
from stockade.model.windows_artifact import WindowsArtifact

_UNUSED = Operand()
_Word = TypeVar("_Word", bound=str)


@overload
def canonical(artifact: Artifact) -> Artifact: ...
@overload
def canonical(artifact: MacosArtifact) -> MacosArtifact: ...
@overload
def canonical(artifact: WindowsArtifact) -> WindowsArtifact: ...
def canonical(artifact: AnyArtifact) -> AnyArtifact:
    """Return the artifact that reading its bundle gives back."""
    if isinstance(artifact, Artifact):
        return _linux(artifact)
    if isinstance(artifact, MacosArtifact):
        return _macos(artifact)
    return _windows(artifact)


def _macos(artifact: MacosArtifact) -> MacosArtifact:
    return replace(
        artifact,
        streams=_by_bits("stream", artifact.streams),
        process_rules=_by_bits("process_rule", artifact.process_rules),
    )


def _windows(artifact: WindowsArtifact) -> WindowsArtifact:
    return replace(
        artifact,
        streams=_by_bits("stream", artifact.streams),
        job_limits=_by_bits("job_limit", artifact.job_limits),
        ui_limits=_by_bits("ui_limit", artifact.ui_limits),
        mitigations=_by_bits("mitigation", artifact.mitigations),
        handles=_by_bits("handle", artifact.handles),
    )


def _by_bits(enumeration: str, names: tuple[_Word, ...]) -> tuple[_Word, ...]:
    numbers = {number_of(enumeration, name): name for name in names}
    return tuple(numbers[number] for number in sorted(numbers))


def _linux(artifact: Artifact) -> Artifact:
    return replace(
        artifact,
        streams=_by_bits("stream", artifact.streams),
        features=tuple(
            replace(row, when=_ordered(row.when)) for row in artifact.features
        ),
        levels=tuple(
            replace(level, variants=tuple(map(_variant, level.variants)))
            for level in artifact.levels
        ),
    )


def canonical_call(call: Call) -> Call:
    """Return the call without the unused operands at its end."""
    operands = call.operands
    while operands and operands[-1] == _UNUSED:
        operands = operands[:-1]
    return replace(call, operands=operands)


def _variant(variant: Variant) -> Variant:
    bare = (_bare(insn) for insn in variant.filter.instructions)
    return replace(
        variant,
        must=_ordered(variant.must),
        must_not=_ordered(variant.must_not),
        filter=replace(variant.filter, instructions=tuple(bare)),
        requirements=tuple(
            replace(row, needs=_ordered(row.needs)) for row in variant.requirements
        ),
        probes=tuple(
            replace(
                probe,
                call=canonical_call(probe.call),
                setup=canonical_call(probe.setup) if probe.setup else None,
            )
            for probe in variant.probes
        ),
    )


def _bare(insn: Instruction) -> Instruction:
    return Instruction(insn.code, insn.jt, insn.jf, insn.k) if insn.note else insn


def _ordered(names: tuple[str, ...]) -> tuple[str, ...]:
    return feature_names(feature_bits(names))
