# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the sections of a parsed Linux bundle into an artifact."""

from __future__ import annotations

from stockade.artifact.canonical import canonical_call
from stockade.artifact.enumerations import WORDS
from stockade.artifact.names import feature_names, words_of
from stockade.artifact.parser import ParsedBundle
from stockade.artifact.reading import (
    environment,
    requirements,
    trusted,
    warnings,
)
from stockade.artifact.shape import NONE
from stockade.model.artifact import (
    Artifact,
    Call,
    CanaryFolder,
    Feature,
    Filter,
    GrantRow,
    Instruction,
    Level,
    Operand,
    PortRow,
    Probe,
    Relocation,
    RightsClass,
    Variant,
)

_OPERANDS = 6
# Landlock rights of a variant: files, ports, scopes; required and optional.
_RIGHTS = 6


def linux_artifact(bundle: ParsedBundle) -> Artifact:
    """Return the artifact of a Linux bundle."""
    return _Reader(bundle).artifact()


class _Reader:
    """Builds the objects of an artifact from the records of a parsed bundle."""

    def __init__(self, bundle: ParsedBundle) -> None:
        self._bundle = bundle
        self._classes = tuple(map(self._class, bundle.rows("classes")))
        self._filters = self._read_filters()
        self._calls = tuple(map(self._call, bundle.rows("calls")))
        self._probes = tuple(map(self._probe, bundle.rows("probes")))
        self._variants = self._read_variants()

    def artifact(self) -> Artifact:
        bundle, text = self._bundle, self._bundle.text
        ((name, witness, streams, program_class, given_up),) = bundle.rows("settings")
        return Artifact(
            target=bundle.target,
            policy_name=text(name),
            witness_nr=witness,
            streams=words_of("stream", streams),
            concessions=words_of("concession", given_up),
            program_class=self._classes[program_class].name,
            features=tuple(map(self._feature, bundle.rows("features"))),
            levels=tuple(
                Level(text(name), self._variants[first : first + count])
                for name, first, count in bundle.rows("levels")
            ),
            classes=self._classes,
            grants=tuple(map(self._grant, bundle.rows("grants"))),
            ports=tuple(
                PortRow(port, rights) for rights, port, _ in bundle.rows("ports")
            ),
            environment=environment(bundle),
            canary_folders=tuple(
                CanaryFolder(text(path), WORDS["folder"][kind])
                for path, kind in bundle.rows("canary_folders")
            ),
            trusted=trusted(bundle),
            warnings=warnings(bundle),
        )

    def _read_filters(self) -> tuple[Filter, ...]:
        insns = [
            Instruction(code, jt, jf, k)
            for code, jt, jf, k in self._bundle.rows("insns")
        ]
        relocations = [
            Relocation(insn, WORDS["relocation"][kind])
            for insn, kind in self._bundle.rows("relocations")
        ]
        return tuple(
            Filter(tuple(insns[a : a + a_count]), tuple(relocations[b : b + b_count]))
            for a, a_count, b, b_count in self._bundle.rows("filters")
        )

    def _read_variants(self) -> tuple[Variant, ...]:
        lines = requirements(self._bundle)
        probes = [self._probes[probe] for (probe,) in self._bundle.rows("probe_refs")]
        variants = []
        for must, must_not, *rest in self._bundle.rows("variants"):
            rights, tail = rest[:_RIGHTS], rest[_RIGHTS:]
            fs_required, fs_optional, net_required, net_optional = rights[:4]
            name, program, a, a_count, b, b_count = tail
            variants.append(
                Variant(
                    name=self._bundle.text(name),
                    must=feature_names(must),
                    must_not=feature_names(must_not),
                    fs_required=fs_required,
                    fs_optional=fs_optional,
                    net_required=net_required,
                    net_optional=net_optional,
                    scope_required=rights[4],
                    scope_optional=rights[5],
                    filter=self._filters[program],
                    requirements=lines[a : a + a_count],
                    probes=tuple(probes[b : b + b_count]),
                )
            )
        return tuple(variants)

    def _feature(self, row: tuple[int, ...]) -> Feature:
        bit, when, _, reason, remedy, _ = row
        (name,) = feature_names(bit)
        return Feature(
            name,
            feature_names(when),
            self._bundle.text(reason),
            self._bundle.text(remedy),
        )

    def _class(self, row: tuple[int, ...]) -> RightsClass:
        rights, name, flags = row
        words = words_of("class", flags)
        return RightsClass(
            self._bundle.text(name),
            rights,
            write="write" in words,
            execute="execute" in words,
            system="system" in words,
            command="command" in words,
        )

    def _grant(self, row: tuple[int, ...]) -> GrantRow:
        path, number, flags = row
        words = words_of("grant", flags)
        return GrantRow(
            self._bundle.text(path),
            self._classes[number].name,
            optional="optional" in words,
            policy="policy" in words,
        )

    def _call(self, row: tuple[int, ...]) -> Call:
        values, (number, kind), operands = (
            row[:_OPERANDS],
            row[_OPERANDS : _OPERANDS + 2],
            row[_OPERANDS + 2 : 2 * _OPERANDS + 2],
        )
        pairs = zip(operands, values, strict=True)
        call = Call(
            number,
            tuple(self._operand(WORDS["operand"][word], v) for word, v in pairs),
            WORDS["call"][kind],
        )
        return canonical_call(call)

    def _operand(self, kind: str, value: int) -> Operand:
        if kind == "data":
            return Operand(kind, data=self._bundle.item(value))
        return Operand(kind, value)

    def _probe(self, row: tuple[int, ...]) -> Probe:
        name, requirement, mechanism, call, setup, control, expected = row
        return Probe(
            self._bundle.text(name),
            self._bundle.text(requirement),
            self._bundle.text(mechanism),
            self._calls[call],
            control,
            expected,
            None if setup == NONE else self._calls[setup],
        )
