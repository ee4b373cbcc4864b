# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Both sides hold every limit: the largest bundle passes, one more is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import pytest
from examples import PLAIN_FILTER, example
from system_examples import macos_example, windows_example

from stockade.artifact import encode as encoding
from stockade.artifact import layout
from stockade.artifact.encode import encode
from stockade.artifact.errors import BundleRefused, LimitExceeded
from stockade.artifact.parser import parse
from stockade.artifact.write import checked_bytes
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import (
    Artifact,
    CanaryFolder,
    EnvironmentRow,
    Feature,
    Filter,
    GrantRow,
    Instruction,
    Level,
    PortRow,
    RightsClass,
    TrustedLocation,
    WarningLine,
)
from stockade.model.key_rows import KeyRow
from stockade.model.macos_artifact import MacosArtifact, Parameter, ParameterKind
from stockade.model.windows_artifact import (
    Capability,
    CapabilityKind,
    WindowsArtifact,
)

BASE = example()
_VARIANT = BASE.levels[0].variants[0]


def _with_variant(**changes: object) -> Artifact:
    variant = replace(_VARIANT, **changes)  # type: ignore[arg-type]
    return replace(BASE, levels=(Level("base", (variant,)),))


def _variants(count: int) -> Artifact:
    rows = tuple(replace(_VARIANT, name=f"v{n}") for n in range(count))
    return replace(BASE, levels=(Level("base", rows),))


def _levels(count: int) -> Artifact:
    rows = tuple(Level(f"level-{n}", (_VARIANT,)) for n in range(count))
    return replace(BASE, levels=rows)


def _classes(count: int) -> Artifact:
    rows = tuple(RightsClass(f"c{n}", n) for n in range(count))
    return replace(BASE, classes=rows, program_class="c0", grants=())


def _grants(count: int) -> Artifact:
    rows = (
        GrantRow(f"/{n}", "read", optional=True, policy=False) for n in range(count)
    )
    return replace(BASE, grants=tuple(rows))


def _path(length: int) -> Artifact:
    path = "/" + "p" * (length - 1)
    return replace(BASE, grants=(GrantRow(path, "read", optional=True, policy=False),))


def _text(length: int) -> Artifact:
    return replace(BASE, warnings=(WarningLine("id", "t" * length),))


def _entry(length: int) -> Artifact:
    value = "v" * (length - len("NAME="))
    return replace(BASE, environment=(EnvironmentRow("NAME", value),))


def _environment(count: int) -> Artifact:
    rows = tuple(EnvironmentRow(f"V{n:04}", None) for n in range(count))
    return replace(BASE, environment=rows)


def _instructions(count: int) -> Artifact:
    allow = (Instruction(6, 0, 0, 0x7FFF0000),) * (count - 4)
    program = Filter((*PLAIN_FILTER.instructions, *allow), PLAIN_FILTER.relocations)
    return _with_variant(filter=program)


def _probes(count: int) -> Artifact:
    probe = _VARIANT.probes[0]
    return _with_variant(
        probes=tuple(replace(probe, name=f"p{n}") for n in range(count))
    )


def _requirements(count: int) -> Artifact:
    more = (_VARIANT.requirements[0],) * (count - 2)
    return _with_variant(requirements=(*_VARIANT.requirements, *more))


def _folders(count: int) -> Artifact:
    return replace(BASE, canary_folders=(CanaryFolder("/tmp"),) * count)


def _ports(count: int) -> Artifact:
    return replace(BASE, ports=(PortRow(0, 1),) * count)


def _trusted(count: int) -> Artifact:
    return replace(BASE, trusted=(TrustedLocation("home", ".ssh"),) * count)


def _features(count: int) -> Artifact:
    more = tuple(
        Feature("seccomp-filter", (), f"reason {n}", "remedy")
        for n in range(count - len(BASE.features))
    )
    return replace(BASE, features=(*BASE.features, *more))


def _warnings(count: int) -> Artifact:
    return replace(BASE, warnings=(WarningLine("id", "text"),) * count)


def _bytes(size: int) -> Artifact:
    """Fill a bundle up to an exact size, a multiple of 8, with long paths."""

    def filled(last: int) -> Artifact:
        # 1000 bytes of path, a zero byte and 12 of record each.
        paths = [f"/{n:04}{'x' * 995}" for n in range(size // 1013 - 3)]
        paths.append("/" + "y" * last)
        rows = (GrantRow(path, "read", optional=True, policy=False) for path in paths)
        return replace(BASE, grants=tuple(rows))

    with _lifted():
        missing = size - len(encode(filled(8)))
    return filled(8 + missing)


def _keys(count: int) -> MacosArtifact:
    return replace(macos_example(), keys=(KeyRow("grant.read", "/"),) * count)


def _profile(size: int) -> MacosArtifact:
    return replace(macos_example(), profile=";" * (size - 1) + "\n")


def _parameters(count: int) -> MacosArtifact:
    rows = (Parameter(f"P{n}", ParameterKind.PROGRAM, "") for n in range(count))
    return replace(macos_example(), parameters=tuple(rows))


def _label(length: int) -> WindowsArtifact:
    return replace(windows_example(), container_name="n" * length, removal=())


def _capabilities(count: int) -> WindowsArtifact:
    rows = (
        Capability(f"c{n}", CapabilityKind.NETWORK, f"S-1-15-3-{n}")
        for n in range(count)
    )
    return replace(windows_example(), capabilities=tuple(rows), entries=(), program=())


def _entries(count: int) -> WindowsArtifact:
    first = windows_example().entries[0]
    row = replace(first, folder=first.folder * (count - 2), junction=first.junction[:1])
    return replace(windows_example(), entries=(row,))


def _container_entries(count: int) -> WindowsArtifact:
    entry = windows_example().private_folder
    return replace(windows_example(), private_folder=entry * (count - 1))


def _open_folders(count: int) -> WindowsArtifact:
    return replace(windows_example(), open_folders=("C:\\",) * count)


def _preflight(count: int) -> WindowsArtifact:
    rows = windows_example().preflight[:1] * count
    return replace(windows_example(), preflight=rows)


def _removals(count: int) -> WindowsArtifact:
    return replace(windows_example(), removal=windows_example().removal[:1] * count)


_BUILDERS: dict[str, Callable[[int], AnyArtifact]] = {
    "BUNDLE_BYTES": _bytes,
    "VARIANTS": _variants,
    "GRANTS": _grants,
    "PATH_BYTES": _path,
    "TEXT_BYTES": _text,
    "ENTRY_BYTES": _entry,
    "INSTRUCTIONS": _instructions,
    "ENVIRONMENT": _environment,
    "PROBES_PER_VARIANT": _probes,
    "LEVELS": _levels,
    "CLASSES": _classes,
    "REQUIREMENTS_PER_VARIANT": _requirements,
    "CANARY_FOLDERS": _folders,
    "PORTS": _ports,
    "TRUSTED": _trusted,
    "FEATURES": _features,
    "WARNINGS": _warnings,
    "KEYS": _keys,
    "PROFILE_BYTES": _profile,
    "PARAMETERS": _parameters,
    "LABEL_BYTES": _label,
    "CAPABILITIES": _capabilities,
    "ENTRIES_PER_PATH": _entries,
    "CONTAINER_ENTRIES": _container_entries,
    "OPEN_FOLDERS": _open_folders,
    "PREFLIGHT": _preflight,
    "REMOVALS": _removals,
}


def _lifted() -> object:
    """Let the encoder write what it would refuse."""
    limits = dict.fromkeys(layout.LIMITS, 1 << 30)
    return patch.multiple(
        encoding,
        _check_count=lambda *_: None,
        _check_slices=lambda *_: None,
        layout=_Layout(limits),
    )


class _Layout:
    """The description with other limits."""

    def __init__(self, limits: dict[str, int]) -> None:
        self.LIMITS = limits

    def __getattr__(self, name: str) -> object:
        return getattr(layout, name)


def test_every_limit_is_tried() -> None:
    assert set(_BUILDERS) == set(layout.LIMITS)


@pytest.mark.parametrize("name", sorted(_BUILDERS))
def test_limit_is_held_on_both_sides(name: str) -> None:
    limit = layout.LIMITS[name]
    # Sizes go in steps of 8, as sections are aligned.
    over = limit + (8 if name == "BUNDLE_BYTES" else 1)
    build = _BUILDERS[name]
    checked_bytes(build(limit))
    with pytest.raises(LimitExceeded) as caught:
        encode(build(over))
    assert (caught.value.number, caught.value.limit) == (over, limit)
    assert f"{over}" in str(caught.value)
    assert f"{limit}" in str(caught.value)
    with _lifted():
        too_big = encode(build(over))
    with pytest.raises(BundleRefused):
        parse(too_big)


def test_call_takes_six_operands() -> None:
    call = _VARIANT.probes[0].call
    operands = (*call.operands * 4,)[:7]
    probe = replace(_VARIANT.probes[0], call=replace(call, operands=operands[:6]))
    checked_bytes(_with_variant(probes=(probe,)))
    probe = replace(probe, call=replace(call, operands=operands))
    with pytest.raises(LimitExceeded, match="operands: 7"):
        encode(_with_variant(probes=(probe,)))


def test_filters_without_instructions_or_witness_are_refused() -> None:
    for program in (
        Filter((), ()),
        Filter(PLAIN_FILTER.instructions[3:], ()),
    ):
        with pytest.raises(BundleRefused):
            parse(encode(_with_variant(filter=program)))
    twice = Filter(
        PLAIN_FILTER.instructions * 2,
        (PLAIN_FILTER.relocations[0], replace(PLAIN_FILTER.relocations[0], insn=6)),
    )
    with pytest.raises(BundleRefused, match="one witness"):
        parse(encode(_with_variant(filter=twice)))
