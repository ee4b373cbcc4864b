# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the checklist identifiers that tests name with a directory of checklists.

Usage: checklist.py [DIRECTORY], or STOCKADE_DATA names it. An item is a line
`- [ ] S1-022 ...` of any Markdown file below it. A test covers an item by naming
it; that is a claim by its author, which review judges, and not a proof.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[2] / "tests"
_ITEM = re.compile(r"^- \[[ x]\] ([A-Z][A-Z0-9]-\d{3})\b", re.MULTILINE)
_NAMED = re.compile(r"\b[A-Z][A-Z0-9]-\d{3}\b")
_TEST_SUFFIXES = (".py", ".c", ".toml", ".tsv")


def items_below(directory: Path) -> dict[str, list[str]]:
    """Return the items of each checklist, by its file name, in order."""
    checklists = {}
    for path in sorted(directory.rglob("*.md")):
        items = _ITEM.findall(path.read_text(encoding="utf-8"))
        if items:
            checklists[path.name] = items
    return checklists


def named_by_tests(tests: Path) -> dict[str, list[str]]:
    """Return for each identifier the test files that name it, both sorted."""
    named: dict[str, list[str]] = {}
    for path in sorted(tests.rglob("*")):
        if path.suffix in _TEST_SUFFIXES and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            for identifier in sorted({*_NAMED.findall(text)}):
                named.setdefault(identifier, []).append(str(path.relative_to(tests)))
    return dict(sorted(named.items()))


def main() -> int:
    """Print the comparison; status 1 when a test names an item nobody lists."""
    place = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("STOCKADE_DATA", "")
    if not place:
        print(
            "no checklists: name a directory, as in `make checklist STOCKADE_DATA=DIR`"
        )
        return 0
    checklists = items_below(Path(place))
    if not checklists:
        print(f"no checklists: no item below `{place}`")
        return 1
    named = named_by_tests(_TESTS)
    for name, items in checklists.items():
        covered = [item for item in items if item in named]
        _section(f"{name}: {len(covered)} of {len(items)} covered", covered)
        uncovered = [item for item in items if item not in named]
        _section(f"{name}: {len(uncovered)} not covered", uncovered)
    listed = [item for items in checklists.values() for item in items]
    unknown = [
        f"{item} ({', '.join(files)})"
        for item, files in named.items()
        if item not in listed
    ]
    if unknown:
        _section("named by tests, but in no checklist", unknown)
    total = sum(item in named for item in listed)
    print(f"{total} of {len(listed)} items covered")
    return 1 if unknown else 0


def _section(title: str, items: list[str]) -> None:
    print(title)
    if items:
        lines = textwrap.wrap(" ".join(items), 84, break_on_hyphens=False)
        print(textwrap.indent("\n".join(lines), "    "))


if __name__ == "__main__":
    sys.exit(main())
