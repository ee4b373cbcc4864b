# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bring an artifact into the form that a bundle keeps.

Notes and unused operands go; names that stand for bits come in the order of the
bits. INVARIANT: nothing that the launcher would do differently is changed.
"""

from __future__ import annotations

from dataclasses import replace

from stockade.artifact.names import bits_of, feature_bits, feature_names, words_of
from stockade.model.artifact import Artifact, Call, Instruction, Operand, Variant

_UNUSED = Operand()


def canonical(artifact: Artifact) -> Artifact:
    """Return the artifact that reading its bundle gives back."""
    return replace(
        artifact,
        streams=words_of("stream", bits_of("stream", artifact.streams)),
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
