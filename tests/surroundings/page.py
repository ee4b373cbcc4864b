# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write and read the page that tells how starts end in which surroundings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surrounding import Surroundings

from stage import REPOSITORY

PAGE = REPOSITORY / "docs" / "surroundings.md"
_HEAD = """\
# Surroundings

What happens when a program is started where other sandboxes, services and callers
have been at work. Written by the tests from what a run on the project's machine saw
(`make bless TESTS=tests/surroundings`), and compared in every run: each row is
arranged for real, with filters rebuilt from the public lists of Docker and systemd.

A start ends in one of three ways: the program runs with everything enforced; one line
says what is in the way, and `--check` in the same surroundings says so before; or,
where a filter or a limit leaves the launcher no moment to write, the kernel ends it
before the program runs.
"""


def write_page(
    kinds: Mapping[str, Sequence[Surroundings]], outcomes: Mapping[str, str]
) -> None:
    """Write every row with what was seen."""
    parts = [_HEAD]
    for heading, rows in kinds.items():
        parts.append(f"\n## {heading}\n\n| name | surroundings | a start |\n")
        parts.append("| --- | --- | --- |\n")
        parts += [
            f"| {row.name} | {row.title} | {outcomes[row.name]} |\n" for row in rows
        ]
    PAGE.write_text("".join(parts))


def read_page() -> dict[str, str]:
    """Give the outcome of each row by its name, in the order of the page."""
    if not PAGE.exists():
        return {}
    rows = [
        line.strip("|\n").split("|")
        for line in PAGE.read_text().splitlines()
        if line.startswith("| ") and not line.startswith(("| name ", "| --- "))
    ]
    return {name.strip(): outcome.strip() for name, _, outcome in rows}
