# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Join what the variants of an artifact have in common: one line, and who has it.

The column names a level and its variants, the newest kernels first: `base/*` for
all, `base/abi-10..abi-6` for some in a row. INVARIANT: a line that a variant has
stands there once, under a column that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stockade.model.artifact import Artifact, Level, Variant


def columned(
    artifact: Artifact, lines_of: Callable[[Variant], tuple[str, ...]]
) -> Iterator[str]:
    """Give the lines of every variant, each once, with its column before it."""
    found: dict[str, list[str]] = {}
    for level in artifact.levels:
        every = [lines_of(variant) for variant in level.variants]
        for line in in_order(every):
            having = [line in lines for lines in every]
            found.setdefault(line, []).append(column(level, having))
    yield from (f"{' '.join(columns)}: {line}" for line, columns in found.items())


def in_order(rows: list[tuple[str, ...]]) -> list[str]:
    """Merge rows of lines that begin with a name: what a name has stands together.

    The rows' own order stays, and where they differ the first row's line is first.
    """
    merged: list[str] = []
    for lines in rows:
        at = len(merged)
        for line in reversed(lines):
            if line in merged:
                at = merged.index(line)
            else:
                merged.insert(at, line)
    by_name: dict[str, list[str]] = {}
    for line in merged:
        by_name.setdefault(line.split(" ", 1)[0], []).append(line)
    return [line for lines in by_name.values() for line in lines]


def column(level: Level, having: list[bool]) -> str:
    """Name the variants of a level that have something."""
    if all(having):
        return f"{level.name}/*"
    runs: list[list[str]] = []
    before = False
    for variant, has in zip(level.variants, having, strict=True):
        if has and before:
            runs[-1].append(variant.name)
        elif has:
            runs.append([variant.name])
        before = has
    return " ".join(
        f"{level.name}/{run[0]}" + (f"..{run[-1]}" if len(run) > 1 else "")
        for run in runs
    )
