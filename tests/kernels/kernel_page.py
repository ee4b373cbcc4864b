# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lay out docs/kernels.md from what `--check` printed on every row.

What a row will print can also be foretold from the compiler's tables. That is what
keeps the page current between two runs; a run fails where it sees something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import matrix_plan

from stockade.abi.landlock import FS_RIGHTS, supported
from stockade.driver.linux import build_linux
from stockade.policy import read_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guest_boot import Transcript
    from kernel_rows import Row

    from stockade.model.artifact import Artifact, Probe, Requirement, Variant

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "kernels.md"

_HEAD = """\
# Kernels

What a start rests on, kernel by kernel. `make test-kernels` boots each row in QEMU,
tries every escape route on it and prints what `stockade-launch --check` says there;
this page is made of that by `make test-kernels KERNELS=--page`. Kernels are Debian's
newest of each series. `faked` means that a test build of the launcher was told of an
older Landlock than the kernel has, since no package brings that one: the choice of
mechanism and its filter are tried there, not an old kernel. That the rows can fail is
shown by `make test-kernels-broken`, with artifacts that are wrong in one way each.

| row | Linux | architecture | what is special | Landlock ABI | errata fixed |
| --- | --- | --- | --- | --- | --- |
"""
_LINE = re.compile(r"^(enforced|UNAVAILABLE) +([^:]+): (.*)$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of `--check`: whose, whether it is held, and by what or why not."""

    title: str
    held: bool
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """What `--check` says on one row, by policy."""

    row: Row
    tables: tuple[tuple[str, tuple[Line, ...]], ...]


def measured(row: Row, transcript: Transcript) -> Record:
    """Read a row's tables from what it printed."""
    return Record(
        row,
        tuple(
            (name, tuple(_lines(transcript.outputs.get(command, []))))
            for name, command in matrix_plan.CHECKS.items()
        ),
    )


def _lines(printed: Iterable[str]) -> Iterator[Line]:
    for line in printed:
        if match := _LINE.match(line):
            yield Line(match[2], match[1] == "enforced", match[3])


def foretold(row: Row) -> Record:
    """Derive a row's tables from the compiler's, without a boot or a launcher."""
    texts = matrix_plan.policies()
    target = f"linux-{row.machine}"
    return Record(
        row,
        tuple(
            (name, _table(row, build_linux(read_policy(text, name), name, target)))
            for name, text in texts.items()
            if name in matrix_plan.CHECKS
        ),
    )


def _features(row: Row) -> set[str]:
    found = {"seccomp-filter"}
    if row.held_abi or row.switched_off:
        found.add("landlock-built")
    return found | {f"landlock-abi-{abi}" for abi in range(1, row.held_abi + 1)}


def _table(row: Row, artifact: Artifact) -> tuple[Line, ...]:
    """Choose a variant as the launcher does, and word its requirements."""
    held = _features(row)
    (level,) = artifact.levels
    fitting = [v for v in level.variants if held >= set(v.must)]
    variant = (fitting or [level.variants[-1]])[0]
    return tuple(
        _line(row, artifact, variant, requirement)
        for requirement in variant.requirements
    )


def _line(
    row: Row, artifact: Artifact, variant: Variant, requirement: Requirement
) -> Line:
    held = _features(row)
    if missing := set(requirement.needs) - held:
        text = next(
            f"{feature.reason}; {feature.remedy}"
            for feature in artifact.features
            if feature.name in missing and held >= set(feature.when)
        )
        return Line(requirement.title, held=False, text=text)
    text = requirement.mechanism
    if requirement.show_rights:
        optional = variant.fs_optional & supported(FS_RIGHTS, row.held_abi)
        text += f"; landlock rights {variant.fs_required | optional:#x}"
    blind = [
        probe.name
        for probe in variant.probes
        if probe.requirement == requirement.name and not _can_try(row, probe)
    ]
    if blind:
        text += f"; not provable here: {', '.join(blind)}"
    return Line(requirement.title, held=True, text=text)


def _can_try(row: Row, probe: Probe) -> bool:
    """Tell whether a row's kernel has what a probe calls; without it nothing opens."""
    return row.int80 or probe.call.kind != "compat"


def differences(found: Record, expected: Record) -> Iterator[str]:
    """Say where a run differs from what the page is made of."""
    told = dict(expected.tables)
    for name, lines in found.tables:
        for line in lines:
            if line not in told[name]:
                yield f"`{PAGE.name}` does not tell of `{line.title}: {line.text}`"
        if len(lines) != len(told[name]):
            yield f"`{PAGE.name}` tells of {len(told[name])} lines for `{name}`"


def page(records: Sequence[Record]) -> str:
    """Return the page's text."""
    parts = [_HEAD, *(_row(record.row) for record in records)]
    for name, heading in matrix_plan.CHECK_HEADINGS.items():
        parts.append(f"\n## {heading}\n\n{_policy(name)}")
        wanted = matrix_plan.CHECK_SECTIONS[name]
        parts += _sections(name, records, wanted)
    return "".join(parts)


def _row(row: Row) -> str:
    errata = ", ".join(str(number) for number in row.fixed)
    cells = (
        f"`{row.name}`",
        row.kernel.series,
        row.machine,
        row.situation,
        str(row.abi or "none"),
        errata,
    )
    return _cells(cells)


def _cells(cells: Iterable[str]) -> str:
    return re.sub(" +", " ", f"| {' | '.join(cells)} |\n")


def _policy(name: str) -> str:
    text = matrix_plan.policies()[name].removeprefix("version = 1\n")
    return f"```toml\n{text}```\n"


def _sections(
    name: str, records: Sequence[Record], wanted: tuple[str, ...]
) -> Iterator[str]:
    """Yield a table for each requirement: rows that share a text share a line.

    With titles that are `wanted`, only those: a table that repeats another's says
    nothing.
    """
    titles: dict[str, None] = {}
    for record in records:
        titles.update(dict.fromkeys(line.title for line in dict(record.tables)[name]))
    for title in wanted or titles:
        yield f"\n### {title[0].upper()}{title[1:]}\n\n"
        yield "| Landlock ABI | rows | held by, or why not |\n| --- | --- | --- |\n"
        groups: dict[str, list[Row]] = {}
        for record in records:
            for line in dict(record.tables)[name]:
                if line.title == title:
                    text = line.text if line.held else f"not held: {line.text}"
                    groups.setdefault(text, []).append(record.row)
        everyone = [record.row for record in records]
        for text, rows in sorted(groups.items(), key=lambda item: _place(item[1])):
            yield _cells((_abis(rows), _names(rows, everyone), text))


def _names(rows: Sequence[Row], everyone: Sequence[Row]) -> str:
    """Name rows, shortly where they are all that their Landlock ABIs have."""
    abis = {row.held_abi for row in rows}
    others = [row for row in everyone if row.held_abi in abis and row not in rows]
    if not others:
        return "all"
    if len(others) < len(rows) // 2:
        return f"all but {', '.join(f'`{row.name}`' for row in others)}"
    return ", ".join(f"`{row.name}`" for row in rows)


def _place(rows: Sequence[Row]) -> int:
    return min(row.held_abi for row in rows)


def _abis(rows: Sequence[Row]) -> str:
    found = sorted({row.held_abi for row in rows} - {0})
    parts = ["none"] if any(not row.held_abi for row in rows) else []
    if len(found) > 1 and found == list(range(found[0], found[-1] + 1)):
        parts.append(f"{found[0]} to {found[-1]}")
    else:
        parts += [str(abi) for abi in found]
    return ", ".join(parts)
