# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Unpack, mirror and keep files, confined."""

from __future__ import annotations

from pathlib import Path

from place import SECRET, Place, errors, program, succeeded

OLD = 978307200  # the first second of 2001


def test_demo(place: Place) -> None:
    """S2-380: the demo's two reads, outside and inside."""
    greeting = place.file("in/greeting", b"hello\n")
    cat, bundle = program("cat"), place.bundle("demo")
    assert succeeded(place.outside(cat, place.secret)).stdout == SECRET
    assert succeeded(place.launch(bundle, cat, greeting)).stdout == b"hello\n"
    refused = place.launch(bundle, cat, place.secret)
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert f"{place.secret}: Permission denied" in errors(refused)
    place.tight("demo", lambda tight: succeeded(place.launch(tight, cat, greeting)))


SORT = (
    "pragma journal_mode = wal; create table t(a, b);"
    "with recursive n(i) as (select 1 union all select i + 1 from n limit 20000)"
    " insert into t select i, hex(randomblob(40)) from n;"
    "pragma temp_store = file; pragma cache_size = 10;"
    "select count(*) from (select * from t order by b); vacuum;"
)


def keep(place: Place, bundle: Path) -> None:
    """Fill a database with a journal beside it, and sort more than fits in memory."""
    database = place.folder("databases") / "one.db"
    for path in database.parent.iterdir():
        path.unlink()
    sqlite3 = program("sqlite3")
    made = place.launch(bundle, sqlite3, "-batch", database, SORT)
    assert (made.returncode, made.stdout, made.stderr) == (0, b"wal\n20000\n", b"")
    read = place.launch(bundle, sqlite3, "-batch", database, "select max(a) from t;")
    assert read.stdout == b"20000\n"


def test_sqlite3(place: Place) -> None:
    place.folder("databases")
    keep(place, place.bundle("sqlite3"))
    place.tight("sqlite3", lambda bundle: keep(place, bundle))


def test_sqlite3_opens_and_runs_nothing_else(place: Place) -> None:
    """A database beside the folder, and a command of the shell's."""
    sqlite3 = program("sqlite3")
    database = place.folder("databases") / "one.db"
    bundle = place.bundle("sqlite3")
    beside = place.root / "beside.db"
    succeeded(place.outside(sqlite3, "-batch", beside, "create table t(a);"))
    refused = place.launch(bundle, sqlite3, "-batch", beside, "select * from t;")
    assert refused.returncode == 1
    assert "unable to open database" in errors(refused)

    command = ("-batch", database, ".system echo reached")
    assert b"reached" in place.outside(sqlite3, *command).stdout
    refused = place.launch(bundle, sqlite3, *command)
    assert b"reached" not in refused.stdout
    assert "System command returns 32512" in errors(refused)
