# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the examples to what their page says of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from place import EXAMPLES, FIXED

POLICIES = sorted(path.stem for path in EXAMPLES.glob("*.toml"))
# Nothing needs a reason to be denied, and the default is what a policy mostly keeps.
NEED_NO_REASON = ("version", "children", "signals")


def test_page_lists_every_policy_once() -> None:
    page = (EXAMPLES / "README.md").read_text()
    listed = re.findall(r"^\| \[([a-z0-9-]+)\]\(\1\.toml\)", page, flags=re.MULTILINE)
    assert sorted(listed) == POLICIES


@pytest.mark.parametrize("name", POLICIES)
def test_policy_gives_a_reason_for_each_allowance(name: str) -> None:
    lines = (EXAMPLES / f"{name}.toml").read_text().splitlines()
    unexplained = [
        line
        for before, line in zip(["", *lines], lines, strict=False)
        if re.match(r'\w+ = [^[]|\w+ = \[.|  "', line)
        and not line.startswith(NEED_NO_REASON)
        and "# " not in line
        and not before.startswith("# ")
    ]
    assert not unexplained, "\n".join(unexplained)


@pytest.mark.parametrize("name", POLICIES)
def test_policy_says_what_it_denies_and_names_the_demo_place(name: str) -> None:
    text = (EXAMPLES / f"{name}.toml").read_text()
    head = text.partition("\nversion = 1\n")[0]
    assert re.match(r"# Lets .*\n(# .*\n)*#\n# Denied: ", head)
    assert all(len(line) <= 90 for line in text.splitlines())
    assert FIXED in text or "[filesystem]" not in text


@pytest.mark.parametrize("name", POLICIES)
def test_policy_is_used_and_taken_apart(name: str) -> None:
    """Each example has a test of its work and one that nothing is left over."""
    tests = "".join(
        path.read_text() for path in Path(__file__).parent.glob("test_*.py")
    )
    assert f'.bundle("{name}")' in tests
    assert f'.tight("{name}"' in tests
