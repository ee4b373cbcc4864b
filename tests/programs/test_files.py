# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Unpack, mirror and keep files, confined."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from place import SECRET, Place, errors, program, succeeded, tree

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


def sample(place: Place, name: str) -> Path:
    """Make a tree with a program, a closed folder, both kinds of links, an old file."""
    folder = place.folder(f"{name}/tree/closed").parent
    tool = place.file(f"{name}/tree/tool", b"exit\n")
    tool.chmod(0o750)
    place.file(f"{name}/tree/closed/old", b"old\n")
    (folder / "link").symlink_to("tool")
    os.link(tool, folder / "again")
    place.stage.give(folder)
    (folder / "closed").chmod(0o700)
    for path in (folder / "closed" / "old", folder / "closed"):
        os.utime(path, (OLD, OLD))
    return folder


def unpack(place: Place, bundle: Path) -> None:
    """Unpack a compressed archive with everything but times."""
    target = place.folder("unpacked")
    archive = place.root / "archives" / "one.tgz"
    command = ("-xzmf", archive, "-C", target)
    succeeded(place.launch(bundle, program("tar"), *command))
    assert list(tree(target)) == [
        "tree",
        "tree/again",
        "tree/closed",
        "tree/closed/old",
        "tree/link",
        "tree/tool",
    ]
    assert (target / "tree" / "tool").stat().st_mode & 0o777 == 0o750
    assert (target / "tree" / "closed").stat().st_mode & 0o777 == 0o700
    assert (target / "tree" / "tool").samefile(target / "tree" / "again")
    assert (target / "tree" / "link").readlink() == Path("tool")
    shutil.rmtree(target / "tree")


def test_tar(place: Place) -> None:
    sample(place, "source")
    place.folder("archives")
    archive = ("-czf", "archives/one.tgz", "-C", "source", "tree")
    succeeded(place.outside(program("tar"), *archive))
    place.folder("unpacked")
    unpack(place, place.bundle("tar"))
    place.tight("tar", lambda bundle: unpack(place, bundle))


def test_tar_unpacks_nowhere_else(place: Place) -> None:
    """S2-256: absolute names, names through a link, and times by path."""
    tar = program("tar")
    place.folder("archives")
    target = place.folder("unpacked")
    bundle = place.bundle("tar")
    beside = place.file("beside/planted", SECRET)
    succeeded(place.outside(tar, "-cPf", "archives/absolute.tar", beside))
    beside.unlink()
    absolute = ("-xmPf", "archives/absolute.tar", "-C", target)
    succeeded(place.outside(tar, *absolute))
    assert beside.exists()
    beside.unlink()
    refused = place.launch(bundle, tar, *absolute)
    assert refused.returncode == 2
    assert f"{beside}: Cannot open: Permission denied" in errors(refused)
    assert not beside.exists()

    (place.root / "links").mkdir()
    (place.root / "links" / "out").symlink_to(beside.parent)
    through = ("-cf", "archives/through.tar", "-C", "links", "out")
    succeeded(place.outside(tar, *through))
    for options in (("-cf", "archives/late.tar", "--transform=s,^,out/,", "secret"),):
        succeeded(place.outside(tar, *options))
    for archive in ("through", "late"):
        command = ("-xmPf", f"archives/{archive}.tar", "-C", target)
        last = place.launch(bundle, tar, *command)
    assert (target / "out").readlink() == beside.parent
    assert last.returncode == 2
    assert "out/secret: Cannot open: Permission denied" in errors(last)
    assert list(tree(beside.parent)) == []
    succeeded(place.outside(tar, *command))
    assert list(tree(beside.parent)) == ["secret"]


def mirror(place: Place, bundle: Path) -> None:
    """Mirror a tree with modes, times and links, and what was deleted since."""
    target = place.folder("mirror")
    place.file("mirror/tree/stale", b"")
    command = ("-a", "--delete", place.root / "source" / "tree", target)
    succeeded(place.launch(bundle, program("rsync"), *command))
    assert list(tree(target)) == list(tree(place.root / "source"))
    old = (target / "tree" / "closed").stat()
    assert (old.st_mode & 0o777, old.st_mtime) == (0o700, OLD)
    assert (target / "tree" / "link").readlink() == Path("tool")
    shutil.rmtree(target / "tree")


def test_rsync(place: Place) -> None:
    """S2-256: an exact mirror, which takes `path_metadata` and `symlinks`."""
    sample(place, "source")
    place.folder("mirror")
    mirror(place, place.bundle("rsync"))
    place.tight("rsync", lambda bundle: mirror(place, bundle))


def test_rsync_copies_nothing_from_beside(place: Place) -> None:
    """A link that is followed, another target, and a remote shell."""
    rsync, source = program("rsync"), place.folder("source")
    target = place.folder("mirror")
    (source / "out").symlink_to("../secret")
    bundle = place.bundle("rsync")
    follow = ("-aL", f"{source}/", target)
    succeeded(place.outside(rsync, *follow))
    assert (target / "out").read_bytes() == SECRET
    (target / "out").unlink()
    refused = place.launch(bundle, rsync, *follow)
    assert refused.returncode == 23
    assert f'"{source}/out": Permission denied (13)' in errors(refused)
    assert not (target / "out").exists()

    beside = ("-a", f"{source}/", place.root / "beside")
    succeeded(place.outside(rsync, *beside))
    shutil.rmtree(place.root / "beside")
    refused = place.launch(bundle, rsync, *beside)
    assert refused.returncode == 11
    assert "failed: Permission denied (13)" in errors(refused)
    assert not (place.root / "beside").exists()

    script = f"touch {target}/ran"
    remote = ("-e", f"sh -c '{script}' sh", "-a", "host:/", target)
    place.outside(rsync, *remote)
    assert (target / "ran").exists()
    (target / "ran").unlink()
    refused = place.launch(bundle, rsync, *remote)
    assert "Failed to exec sh: Permission denied (13)" in errors(refused)
    assert not (target / "ran").exists()


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
