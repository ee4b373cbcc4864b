# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start in the surroundings that real hosts have, and keep the page of what happens.

A start there has the program run, or says in one line what is in its way; `--check`
says the same beforehand. `docs/surroundings.md` is what the last blessed run saw.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from page import PAGE, read_page, write_page
from rows import KINDS, ROWS
from surrounded import REFUSED, Place, reason
from surrounding import Surroundings

from stage import Stage, require

_CANNOT = "this host cannot enforce "


@pytest.fixture(scope="module")
def place(stage: Stage, probe: Path) -> Place:
    return Place(stage, probe)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_start_in_surroundings(row: Surroundings, place: Place, bless: bool) -> None:
    """S2-292 S2-293 S2-296 GL-012 GL-027 GL-032 GL-144."""
    require(*row.needs)
    outcome = place.outcome(row)
    if row.refused:
        assert outcome.startswith("refused: "), outcome
        assert row.refused in outcome
    else:
        ended = f"ends by {row.ended} without a line"
        assert outcome == (ended if row.ended else "starts")
    assert bless or read_page()[row.name] == outcome


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_check_foretells_the_start(row: Surroundings, place: Place) -> None:
    """No line `enforced` where a start is refused, and no refusal where it starts."""
    require(*row.needs)
    done = place.check(row)
    outcome = place.outcome(row)
    if row.unheard:
        assert (done.returncode, done.stdout) == (0, b"")
    elif row.undecided:
        _, *table = done.stdout.decode().splitlines()
        assert done.returncode == REFUSED, done
        assert all(line.startswith("UNDECIDED ") for line in table), done
    elif outcome == "starts":
        assert done.returncode == 0, done
        backend, *table = done.stdout.decode().splitlines()
        assert backend == "backend: linux"
        assert table
        assert all(line.startswith("enforced ") for line in table)
    elif row.ended:
        # A trial may end where the check itself lives to tell.
        assert done.returncode != 0, done
    else:
        assert _foretold(done, place).endswith(outcome.removeprefix("refused: "))


def _foretold(done: subprocess.CompletedProcess[bytes], place: Place) -> str:
    """Return the refusal that a table of `--check` announces."""
    if done.returncode == REFUSED:
        lines = [
            line
            for line in done.stderr.splitlines(keepends=True)
            if not line.startswith(b"warning: ")
        ]
        return place.plain(reason(b"".join(lines)))
    assert done.returncode == 1, done
    lacking = [
        line.removeprefix("UNAVAILABLE  ")
        for line in done.stdout.decode().splitlines()
        if line.startswith("UNAVAILABLE  ")
    ]
    return place.plain(_CANNOT + lacking[0])


def test_page_lists_what_is_tried(place: Place, bless: bool) -> None:
    """Each row once, in order, and nothing that is tried no longer."""
    if bless:
        write_page(KINDS, {**read_page(), **place.seen})
    assert list(read_page()) == [row.name for row in ROWS]
    text = PAGE.read_text()
    assert all(f"| {row.title} |" in text for row in ROWS)


def test_rows_have_names_of_their_own() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
