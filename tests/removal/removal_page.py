# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write and read the page that lists what can be removed unnoticed, and why.

Each part of the page belongs to one test. Its rows are compared in every run; the
counts are those of the last time it was written, and are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stage import REPOSITORY

PAGE = REPOSITORY / "docs" / "removal.md"
_PARTS = ("Artifacts", "Rules", "Tables", "The parser", "The launcher")
_HEAD = """\
# What can be removed unnoticed

A check that nothing misses when it is gone is not known to work. The tests take one
rule, right, probe, line, check or condition at a time out of the compiler's model,
out of finished artifacts, out of the parser and out of the launcher, and ask whether
anything notices. Written by these tests (`make bless TESTS=tests/removal`, the last
two parts with `TESTS='--long tests/removal'`); what survived is below, with the reason.
"""
_INTRODUCTIONS = {
    "Artifacts": "Judged by `stockade verify`, which sees the artifact alone.",
    "Rules": (
        "Each rule that refuses calls, each call, test, value and condition of it."
        " Judged by the reviewed table of refused calls, written beside the rules."
    ),
    "Tables": (
        "Each probe, line, need, right, text, path, place and condition of variants."
        " Judged by the text of the reviewed snapshots (`tests/golden`)."
    ),
    "The parser": "Judged by the tests of the bundle's parser.",
    "The launcher": (
        "Judged by the tests that reach the refusal: each is made to go on instead."
    ),
}


def _read() -> dict[str, str]:
    """Give the text of each part that the page has."""
    if not PAGE.exists():
        return {}
    pieces = re.split(r"^## (.*)\n", PAGE.read_text(), flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _render(part: str, rows: Sequence[tuple[str, str]], counts: tuple[int, int]) -> str:
    tried, survivors = counts
    lines = [
        "",
        f"{_INTRODUCTIONS[part]} {tried} removals, {survivors} survivors.",
        "",
        "| removed | why nothing notices |",
        "| --- | --- |",
        *(f"| {what} | {why} |" for what, why in rows),
    ]
    return "\n".join(lines) + "\n"


def _rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def compare(
    part: str,
    rows: Sequence[tuple[str, str]],
    counts: tuple[int, int],
    *,
    bless: bool,
) -> None:
    """Compare the rows of one part with the page, or write them."""
    parts = _read()
    found = _render(part, rows, counts)
    if bless:
        parts[part] = found
        texts = [
            f"\n## {name}\n{parts[name].rstrip()}\n" for name in _PARTS if name in parts
        ]
        PAGE.write_text(_HEAD + "".join(texts))
    assert _rows(found) == _rows(parts.get(part, "")), (
        "`make bless TESTS=tests/removal` writes docs/removal.md"
    )
