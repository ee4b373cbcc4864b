# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn a Linux artifact into rows: numbers and text, in the order of the fields.

Objects become indices here, names become numbers and bits. Filters, calls, probes
and data are stored once, at their first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stockade.artifact.errors import ArtifactMalformed, LimitExceeded
from stockade.artifact.names import bits_of, feature_bits, number_of
from stockade.artifact.pools import DataItems, Pool
from stockade.artifact.rows import (
    Row,
    Rows,
    environment_row,
    flags_of,
    requirement_row,
    slices,
    trusted_row,
    warning_row,
)
from stockade.artifact.shape import NONE
from stockade.model.artifact import (
    Artifact,
    Call,
    Filter,
    Operand,
    Probe,
)

_OPERANDS = 6


def linux_rows(artifact: Artifact) -> Rows:
    """Make the rows of every section of a Linux bundle."""
    rows = _LinuxRows(artifact)
    return Rows(rows.makers(), rows.data)


class _LinuxRows:
    """Every section of a canonical artifact as rows, and the data they point to."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self.data = DataItems()
        self._class_names = [row.name for row in artifact.classes]
        self._all_variants = [v for level in artifact.levels for v in level.variants]
        self._programs: Pool[Filter] = Pool()
        self._probe_pool: Pool[Probe] = Pool()
        self._call_pool: Pool[Call] = Pool()
        for variant in self._all_variants:
            self._programs.number(variant.filter)
            for probe in variant.probes:
                self._probe_pool.number(probe)
        for probe in self._probe_pool:
            self._call_pool.number(probe.call)
            if probe.setup is not None:
                self._call_pool.number(probe.setup)

    def makers(self) -> dict[str, Callable[[], Iterable[Row]]]:
        """Name what makes each section; strings and data fill up on the way."""
        return {
            "insns": self._insns,
            "filters": self._filters,
            "relocations": self._relocations,
            "features": self._features,
            "settings": self._settings,
            "levels": self._levels,
            "variants": self._variants,
            "requirements": self._requirements,
            "classes": self._classes,
            "grants": self._grants,
            "environment": lambda: map(environment_row, self.artifact.environment),
            "calls": self._calls,
            "probes": self._probes,
            "probe_refs": self._probe_refs,
            "canary_folders": self._canary_folders,
            "trusted": lambda: map(trusted_row, self.artifact.trusted),
            "warnings": lambda: map(warning_row, self.artifact.warnings),
            "ports": self._ports,
        }

    def _insns(self) -> Iterable[Row]:
        return (
            (insn.code, insn.jt, insn.jf, insn.k)
            for program in self._programs
            for insn in program.instructions
        )

    def _filters(self) -> Iterable[Row]:
        insns = slices(len(row.instructions) for row in self._programs)
        relocations = slices(len(row.relocations) for row in self._programs)
        return (a + b for a, b in zip(insns, relocations, strict=True))

    def _relocations(self) -> Iterable[Row]:
        for program in self._programs:
            for row in program.relocations:
                yield row.insn, number_of("relocation", row.kind)

    def _features(self) -> Iterable[Row]:
        for row in self.artifact.features:
            bit, when = feature_bits((row.name,)), feature_bits(row.when)
            yield bit, when, row.name, row.reason, row.remedy, 0

    def _settings(self) -> Iterable[Row]:
        artifact = self.artifact
        streams = bits_of("stream", artifact.streams)
        program_class = self._class(artifact.program_class)
        given_up = bits_of("concession", artifact.concessions)
        yield (
            artifact.policy_name,
            artifact.witness_nr,
            streams,
            program_class,
            given_up,
        )

    def _levels(self) -> Iterable[Row]:
        levels = self.artifact.levels
        places = slices(len(level.variants) for level in levels)
        return ((row.name, *at) for row, at in zip(levels, places, strict=True))

    def _variants(self) -> Iterable[Row]:
        requirements = slices(len(row.requirements) for row in self._all_variants)
        probes = slices(len(row.probes) for row in self._all_variants)
        for row, requirement, probe in zip(
            self._all_variants, requirements, probes, strict=True
        ):
            yield (
                feature_bits(row.must),
                feature_bits(row.must_not),
                row.fs_required,
                row.fs_optional,
                row.net_required,
                row.net_optional,
                row.scope_required,
                row.scope_optional,
                row.name,
                self._programs.number(row.filter),
                *requirement,
                *probe,
            )

    def _requirements(self) -> Iterable[Row]:
        return (requirement_row(r) for v in self._all_variants for r in v.requirements)

    def _classes(self) -> Iterable[Row]:
        for row in self.artifact.classes:
            flags = {
                "write": row.write,
                "execute": row.execute,
                "system": row.system,
                "command": row.command,
            }
            yield row.rights, row.name, flags_of("class", flags)

    def _grants(self) -> Iterable[Row]:
        for row in self.artifact.grants:
            flags = {"optional": row.optional, "policy": row.policy}
            yield row.path, self._class(row.class_name), flags_of("grant", flags)

    def _calls(self) -> Iterable[Row]:
        for call in self._call_pool:
            if len(call.operands) > _OPERANDS:
                raise LimitExceeded("operands", len(call.operands), _OPERANDS)
            unused = (Operand(),) * (_OPERANDS - len(call.operands))
            operands = call.operands + unused
            yield (
                tuple(self._operand_value(operand) for operand in operands),
                call.number,
                number_of("call", call.kind),
                tuple(number_of("operand", operand.kind) for operand in operands),
                0,
                0,
            )

    def _probes(self) -> Iterable[Row]:
        for row in self._probe_pool:
            yield (
                row.name,
                row.requirement,
                row.mechanism,
                self._call_pool.number(row.call),
                NONE if row.setup is None else self._call_pool.number(row.setup),
                row.control_errno,
                row.expected_errno,
            )

    def _probe_refs(self) -> Iterable[Row]:
        for variant in self._all_variants:
            for probe in variant.probes:
                yield (self._probe_pool.number(probe),)

    def _canary_folders(self) -> Iterable[Row]:
        for row in self.artifact.canary_folders:
            yield row.path, number_of("folder", row.kind)

    def _ports(self) -> Iterable[Row]:
        return ((row.rights, row.port, 0) for row in self.artifact.ports)

    def _class(self, name: str) -> int:
        if self._class_names.count(name) != 1:
            message = f"class `{name}` is not defined exactly once"
            raise ArtifactMalformed(message)
        return self._class_names.index(name)

    def _operand_value(self, operand: Operand) -> int:
        is_data = operand.kind == "data"
        if (operand.data and not is_data) or (operand.value and is_data):
            message = f"operand with both a value and data: {operand}"
            raise ArtifactMalformed(message)
        return self.data.offset(operand.data) if is_data else operand.value
