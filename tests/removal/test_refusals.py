# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Take each refusal out of the launcher and its parser, and see a test fail.

What no test misses is matched with a reason; one without a reason fails here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import reasons
import removal_page
import switched

from stage import LAUNCHER_VARIABLE, REPOSITORY

pytestmark = [
    pytest.mark.long,
    pytest.mark.needs("release-launcher", "toolchain", "root-user", "x86_64"),
]

_HERE = Path(__file__).resolve().parent


def _run(kind: str, folder: Path, *tests: str) -> list[dict[str, object]]:
    """Judge every site in a session of its own; its output is shown if it fails."""
    result = folder / "result.json"
    place = folder / "switched"
    place.mkdir()
    paths = os.pathsep.join((str(_HERE.parent), str(_HERE)))
    subprocess.run(
        [sys.executable, _HERE / "switching.py", kind, result, place, *tests],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": paths},
        check=True,
    )
    found = json.loads(result.read_text())
    assert isinstance(found, list)
    return found


def _compare(part: str, found: list[dict[str, object]], *, bless: bool) -> None:
    left = [one for one in found if not one["killed_by"]]
    faults = {str(one["name"]): int(str(one["faults"])) for one in left}
    rows = [(name, reasons.reason(name, faults[name])) for name in sorted(faults)]
    assert [name for name, why in rows if why is None] == [], "no test misses these"
    assert len(left) < len(found) / 2
    given = [(name, str(why)) for name, why in rows]
    removal_page.compare(part, given, (len(found), len(left)), bless=bless)


def test_every_refusal_of_the_parser_is_missed(tmp_path: Path, bless: bool) -> None:
    """S2-378."""
    _compare("The parser", _run("library", tmp_path, "tests/artifact"), bless=bless)


def test_every_refusal_of_the_launcher_is_missed(tmp_path: Path, bless: bool) -> None:
    """S2-379 by the tests of starts, then by one fault at a time."""
    tests = ("tests/launcher", "tests/surroundings", "--ignore=tests/launcher/faults")
    _compare("The launcher", _run("launcher", tmp_path, *tests), bless=bless)


def test_a_launcher_with_nothing_missing_is_as_it_was(tmp_path: Path) -> None:
    """Control: the sites are many, each has a number, and none is off."""
    assert LAUNCHER_VARIABLE not in os.environ
    made = switched.build(tmp_path)
    assert len(made.sites) > 300
    assert [site.number for site in made.sites] == [*range(1, len(made.sites) + 1)]
    assert made.without(0) == made.launcher
    assert made.without(7) != made.launcher
