# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the pages about policies and the command line with the tables in the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from stockade.cli.options import OPTIONS
from stockade.policy import read_policy
from stockade.policy.format import ANY, KEYS, Key, Kind

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _rows(page: str, heading: str) -> list[list[str]]:
    text = (DOCS / page).read_text().split(f"## {heading}\n", 1)[1].split("\n## ")[0]
    cells = [line.strip("|").split(" | ") for line in text.split("\n") if "| `" in line]
    return [[cell.strip() for cell in row] for row in cells]


def _words(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


def _default(key: Key) -> str:
    if key.kind is Kind.FLAG:
        return "false"
    return str(key.default) if key.kind is Kind.WORD and key.default else ""


def test_page_lists_every_key_that_is_built() -> None:
    rows = {row[0].strip("`"): row for row in _rows("policy.md", "Keys that are built")}
    assert list(rows) == [key.path for key in KEYS.values() if key.built]
    for path, (_, values, default) in rows.items():
        key = KEYS[path]
        if key.built == ANY:
            assert default == "none"
        else:
            assert _words(values) == list(key.built)
            assert _words(default) == [key.default]


def test_page_lists_every_value_that_is_not_built() -> None:
    rows = {
        row[0].strip("`"): row for row in _rows("policy.md", "What is not built yet")
    }
    expected = {
        key.path: [word for word in key.words if word not in (*key.built, key.default)]
        for key in KEYS.values()
        if not key.built or set(key.words) - set(key.built)
    }
    assert list(rows) == list(expected)
    for path, row in rows.items():
        key = KEYS[path]
        if key.kind is Kind.WORD:
            assert _words(row[1]) == expected[path]
            written = row[2] if len(row) > 2 else ""
            assert _words(written) == (
                [] if key.built else [_default(key)][: bool(key.default)]
            )


def test_example_of_the_page_is_a_policy() -> None:
    text = (DOCS / "policy.md").read_text()
    example = text.split("```toml\n", 1)[1].split("```", 1)[0]
    read_policy(example, "policy.md")
    tables = tomllib.loads(example)
    written = [f"{table}.{key}" for table in tables if table != "version"
               for key in tables[table]]  # fmt: skip
    assert sorted(written) == sorted(key.path for key in KEYS.values() if key.built)


def test_page_lists_every_option() -> None:
    text = (DOCS / "command-line.md").read_text()
    missing = [
        option.name
        for option in OPTIONS.values()
        if "setup" not in option.commands
        and not re.search(rf"`{option.name}(?![\w-])|\[{option.name} ", text)
    ]
    assert missing == []


@pytest.mark.parametrize("page", ["policy.md", "command-line.md", "diagnostics.md"])
def test_pages_name_known_options_only(page: str) -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", (DOCS / page).read_text()))
    assert named - set(OPTIONS) == {"--help", "--version"} & named
