# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write the text twin of a Linux artifact: one fact a line, for review as a diff.

The view below is all the template prints. It names the bundle's checksum, so a
pair that does not belong together shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stockade.abi.arch import LINUX_TARGETS
from stockade.abi.landlock import FS_RIGHTS, NET_RIGHTS, SCOPES, Right, names_of
from stockade.abi.syscalls import call_names, table_origin
from stockade.artifact import listing
from stockade.model.artifact import Artifact, Filter, Variant
from stockade.model.decide import rules_by_call
from stockade.model.environment import Origin, variables
from stockade.model.policy import Policy
from stockade.render.environment import packaged
from stockade.render.text import PlainText, plain

_TEMPLATE = "snapshot/linux.txt.j2"
_Lines = list[PlainText]


def write_snapshot(policy: Policy, artifact: Artifact, checksum: int) -> str:
    """Render the snapshot of an artifact whose bundle has this CRC-32C."""
    arch = LINUX_TARGETS[artifact.target].arch
    filters = number_filters(artifact)
    return packaged().render(
        _TEMPLATE,
        target=plain(artifact.target),
        checksum=plain(f"{checksum:08x}"),
        table=plain(table_origin(arch)),
        parts=[
            _part("policy", _settings(artifact)),
            _part("environment", _environment(policy, artifact), "empty"),
            _part("classes", _classes(artifact)),
            _part("grants", _grants(artifact), "none"),
            _part("ports", _ports(artifact), "none"),
            _part(
                "no writable grant may reach",
                _trusted(artifact),
                "no grant is writable",
            ),
            _part("warnings", _warnings(artifact), "none"),
            _part("what a host may lack", _features(artifact)),
        ],
        levels=[
            {
                "name": plain(level.name),
                "variants": [
                    _variant(arch, variant, filters) for variant in level.variants
                ],
            }
            for level in artifact.levels
        ],
        calls=_lines(call_lines(policy, arch, artifact, filters)),
        filters=[
            {
                "name": plain(name),
                "length": len(program.instructions),
                "instructions": _lines(listing.disassemble(program)),
            }
            for program, name in filters.items()
        ],
    )


def _lines(texts: Iterable[str]) -> _Lines:
    return [plain(text) for text in texts]


def _part(title: str, lines: list[str], empty: str = "") -> dict[str, object]:
    return {"title": plain(title), "lines": _lines(lines or [empty])}


def number_filters(artifact: Artifact) -> dict[Filter, str]:
    """Name each distinct program after the first variant that uses it."""
    names: dict[Filter, str] = {}
    for level in artifact.levels:
        for variant in level.variants:
            names.setdefault(variant.filter, f"{level.name}/{variant.name}")
    return names


def _settings(artifact: Artifact) -> list[str]:
    return [
        f"name `{artifact.policy_name}`",
        f"witness call {artifact.witness_nr:#x}",
        *(f"standard stream may be {kind}" for kind in artifact.streams),
        *(f"gives up {word}" for word in artifact.concessions),
        f"program, loader and interpreter are granted as {artifact.program_class}",
        *(
            f"canary in `{folder.path}{'UID' if folder.kind == 'user' else ''}`"
            for folder in artifact.canary_folders
        ),
    ]


def _environment(policy: Policy, artifact: Artifact) -> list[str]:
    origins = {one.name: one.origin for one in variables(policy)}
    return [
        (f"pass {row.name}" if row.value is None else f"set {row.name}={row.value}")
        + (" (base)" if origins.get(row.name) is Origin.BASE else "")
        for row in artifact.environment
    ]


def _classes(artifact: Artifact) -> list[str]:
    return [
        f"{entry.name}: {_rights(FS_RIGHTS, entry.rights)}"
        for entry in artifact.classes
    ]


def _grants(artifact: Artifact) -> list[str]:
    return [
        f"{row.class_name} `{row.path}`{' where it exists' if row.optional else ''}"
        for row in artifact.grants
    ]


def _ports(artifact: Artifact) -> list[str]:
    return [
        f"{row.port or 'chosen by the kernel'}: {_rights(NET_RIGHTS, row.rights)}"
        for row in artifact.ports
    ]


def _trusted(artifact: Artifact) -> list[str]:
    return [f"{row.base} `{row.path}`" for row in artifact.trusted]


def _warnings(artifact: Artifact) -> list[str]:
    return [f"[{row.id}] {row.text}" for row in artifact.warnings]


def _features(artifact: Artifact) -> list[str]:
    return [
        f"{row.name}{f' with {when}' if (when := ' '.join(row.when)) else ''}:"
        f" {row.reason}; {row.remedy}"
        for row in artifact.features
    ]


def _rights(rights: tuple[Right, ...], mask: int) -> str:
    return " ".join(names_of(rights, mask)) or "none"


def _variant(
    arch: str, variant: Variant, filters: dict[Filter, str]
) -> dict[str, object]:
    masks = (
        ("required file rights", FS_RIGHTS, variant.fs_required),
        ("optional file rights", FS_RIGHTS, variant.fs_optional),
        ("required port rights", NET_RIGHTS, variant.net_required),
        ("optional port rights", NET_RIGHTS, variant.net_optional),
        ("required scopes", SCOPES, variant.scope_required),
        ("optional scopes", SCOPES, variant.scope_optional),
    )
    return {
        "name": plain(variant.name),
        "lines": _lines(
            (
                f"must have {' '.join(variant.must) or 'nothing'}",
                f"must lack {' '.join(variant.must_not) or 'nothing'}",
                f"filter {filters[variant.filter]}",
                *(f"{name}: {_rights(rights, mask)}" for name, rights, mask in masks),
            )
        ),
        "requirements": _lines(
            f"{line.name}: {line.mechanism}" for line in variant.requirements
        ),
        "probes": _lines(listing.probe(arch, entry) for entry in variant.probes),
    }


def call_lines(
    policy: Policy, arch: str, artifact: Artifact, filters: dict[Filter, str]
) -> Iterator[str]:
    """Give every call's actions by name; filters are named where they differ."""
    rules = {
        filters[variant.filter]: rules_by_call(policy, _lowest_abi(variant))
        for level in artifact.levels
        for variant in level.variants
    }
    for name in sorted(call_names(arch).values()):
        actions: dict[tuple[str, ...], list[str]] = {}
        for program, of_call in rules.items():
            lines = listing.call_actions(of_call.get(name, ()))
            actions.setdefault(lines, []).append(program)
        for lines, programs in actions.items():
            where = f" [{' '.join(programs)}]" if len(actions) > 1 else ""
            yield from (f"{name}{where} {line}" for line in lines)


def _lowest_abi(variant: Variant) -> int:
    prefix = "landlock-abi-"
    return max(
        int(need.removeprefix(prefix))
        for need in variant.must
        if need.startswith(prefix)
    )
