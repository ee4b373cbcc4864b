# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let every call of every kind of start fail and answer falsely, and compare.

`make test` tries the first of each call in each part of a start, with the main
errors and every false answer; `make test-long` all of them, and writes or compares
the page of outcomes.
"""

from __future__ import annotations

from pathlib import Path

import campaign
import modes
import pytest
import table

from stage import REPOSITORY

pytestmark = pytest.mark.needs("release-launcher", "landlock-abi-7", "x86_64")

_ADVICE = "`make bless TESTS='--long tests/launcher/faults'` writes docs/faults.md"
_PAGE = REPOSITORY / "docs" / "faults.md"


def _tried(
    props: modes.Props, mode: modes.Mode, *, long: bool
) -> list[campaign.Verdict]:
    """Run one mode with its faults; nothing that the witness looks for changes."""
    before = _outside(props)
    calls, usual = campaign.trace(props, mode)
    _check_usual(mode, usual)
    verdicts = campaign.run(props, mode, usual, table.jobs(mode, calls, long=long))
    assert _outside(props) == before
    _sweep(props)
    return verdicts


def _sweep(props: modes.Props) -> None:
    """Remove what a removal that was left out left behind."""
    for folder in ("/tmp", "/var/tmp", "/dev/shm"):
        for path in Path(folder).glob(".stockade-canary-*"):
            if path.stat().st_uid == props.scene.stage.user:
                path.unlink()


def _check_usual(mode: modes.Mode, usual: campaign.Ended) -> None:
    """A comparison with a start that confines nothing would say nothing."""
    if mode.end is modes.End.REFUSAL:
        assert usual.status == campaign.REFUSED, usual
        return
    assert usual.status == 0, usual
    if mode.end is modes.End.PROGRAM:
        lines = usual.output.splitlines()
        assert {"fact no-new-privileges 1", "fact seccomp 2", "fact witness 1"} < {
            *lines
        }
        denied = [line for line in lines if line.startswith("deny ")]
        files = {"read", "write", "truncate", "list", "make", "remove", "link"}
        assert {f"deny {name} 13" for name in files} < {*denied}
        assert not any(line.startswith("fact descriptor 9 ") for line in lines)
        assert not any("TOKEN" in line for line in lines)
        assert {"give read 0", "end"} < {*lines}


def _outside(props: modes.Props) -> list[object]:
    paths = (props.secret, props.given, *sorted(props.outside.rglob("*")))
    return [(path, path.read_bytes(), path.stat().st_mode) for path in paths]


def _wrong(verdicts: list[campaign.Verdict]) -> list[str]:
    return [
        f"{one.mode.name}: {one.call.name} {one.call.nth} ({one.call.phase}) "
        f"{one.fault.label}: {one.wrong}"
        for one in verdicts
        if one.wrong
    ]


def test_witness_tells_a_program_that_is_not_confined(props: modes.Props) -> None:
    """Control: outside, nothing of what it tries is denied."""
    done = props.scene.stage.run(
        # A shell between, since a parent of another user cannot be reached.
        ["/bin/sh", "-c", '"$@"; exit $?', "sh", props.witness, *_copied(props)],
        env={"TOKEN": "secret"},
    )
    assert done.returncode == 0, done
    lines = done.stdout.decode().splitlines()
    assert {"fact no-new-privileges 0", "fact seccomp 0", "fact witness 0"} < {*lines}
    denied = [line for line in lines if line.startswith("deny ")]
    # These two have no right way to be called here.
    hard = ("deny execute ", "deny setid ", "deny rename ")
    assert [
        line for line in denied if not line.endswith(" 0") and not line.startswith(hard)
    ] == []


def _copied(props: modes.Props) -> tuple[str | Path, ...]:
    """Return arguments that name files of their own: outside they are written."""
    scene = props.scene
    outside = scene.folder("open-outside")
    (outside / "victim").touch()
    scene.stage.give(outside)
    secret, given = scene.file("open-secret"), scene.file("open-given")
    return ("3100500", secret, outside, given, scene.folder("open-out"))


def test_first_of_each_call_never_starts_what_is_less_confined(
    props: modes.Props,
) -> None:
    """S2-379 each call, the main errors and all false answers."""
    verdicts = [
        verdict
        for mode in modes.all_modes(props)
        for verdict in _tried(props, mode, long=False)
    ]
    assert _wrong(verdicts) == []
    assert table.unexplained(verdicts) == []
    # The page has a row for each call that was made, and no other.
    made = {table.row_key(verdict.call) for verdict in verdicts}
    wanted = table.rows_of(_PAGE.read_text())
    missing = sorted(made - wanted)
    gone = sorted(row for row in wanted - made if row[0] not in table.WATCHER)
    assert missing == [], _ADVICE
    # Two modes need root.
    assert gone == [] or not props.scene.stage.drop, _ADVICE


@pytest.mark.long
def test_every_call_never_starts_what_is_less_confined(
    props: modes.Props, bless: bool
) -> None:
    """S2-379 each call at each place, every plausible error."""
    found = modes.all_modes(props)
    verdicts = [one for mode in found for one in _tried(props, mode, long=True)]
    assert _wrong(verdicts) == []
    assert table.unexplained(verdicts) == []
    keys = {table.row_key(verdict.call) for verdict in verdicts}
    assert table.unused(keys) == []
    page = table.render(verdicts, found)
    if bless:
        _PAGE.write_text(page)
    assert table.steady(page) == table.steady(_PAGE.read_text())
