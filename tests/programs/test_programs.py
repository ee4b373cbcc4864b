# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run real programs from artifacts compiled from the example policies.

Each gets what it needs and nothing else; what it is refused works outside first.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from stage import REPOSITORY, Stage

EXAMPLES = REPOSITORY / "docs" / "examples"
FIXED = "/srv/stockade-demo"
SECONDS = 20.0


class Place:
    """The folders that an example names, made below the stage, and its bundles."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.root = stage.folder("demo")
        for name in ("in", "databases", "public", "fetched", "work"):
            (self.root / name).mkdir()
        (self.root / "secret").write_text("the secret\n")
        (self.root / "in" / "greeting").write_text("hello\n")
        stage.give(self.root)

    def text(self, example: str) -> str:
        """Return an example's text for this place."""
        source = (EXAMPLES / f"{example}.toml").read_text()
        assert FIXED in source
        return source.replace(FIXED, str(self.root))

    def bundle(self, example: str) -> Path:
        """Compile an example for this place."""
        return self.stage.compile(self.text(example), example)

    def launch(
        self, bundle: Path, program: str, *arguments: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program under a bundle, in the place itself."""
        return self.stage.launch(bundle, program, *arguments, cwd=self.root)


def program(name: str) -> str:
    """Return a program's path; a missing one is an error, never a skip."""
    path = shutil.which(name, path="/usr/bin:/bin")
    assert path is not None, f"`{name}` is not installed; `make test` installs it"
    return path


@pytest.fixture
def place(stage: Stage) -> Place:
    return Place(stage)


def test_demo(stage: Stage, place: Place) -> None:
    """S2-380: the demo's two reads, outside and inside."""
    cat, bundle = program("cat"), place.bundle("demo")
    assert stage.run([cat, place.root / "secret"]).stdout == b"the secret\n"
    granted = place.launch(bundle, cat, f"{place.root}/in/greeting")
    assert (granted.returncode, granted.stdout) == (0, b"hello\n")
    refused = place.launch(bundle, cat, f"{place.root}/secret")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"Permission denied" in refused.stderr


def test_sqlite3(stage: Stage, place: Place) -> None:
    """A database with its journal, a sort that spills, nothing beside the folder."""
    sqlite3, bundle = program("sqlite3"), place.bundle("sqlite3")
    database = f"{place.root}/databases/one.db"
    script = (
        "pragma journal_mode = wal; create table t(a, b);"
        "with recursive n(i) as (select 1 union all select i + 1 from n limit 20000)"
        " insert into t select i, hex(randomblob(40)) from n;"
        "pragma temp_store = file; pragma cache_size = 10;"
        "select count(*) from (select * from t order by b); vacuum;"
    )
    made = place.launch(bundle, sqlite3, "-batch", database, script)
    assert (made.returncode, made.stdout, made.stderr) == (0, b"wal\n20000\n", b"")
    read = place.launch(bundle, sqlite3, "-batch", database, "select max(a) from t;")
    assert read.stdout == b"20000\n"

    beside = f"{place.root}/beside.db"
    outside = stage.run([sqlite3, "-batch", beside, "create table t(a);"])
    assert outside.returncode == 0
    refused = place.launch(bundle, sqlite3, "-batch", beside, "select * from t;")
    assert refused.returncode != 0
    assert b"unable to open database" in refused.stderr

    outside = stage.run([sqlite3, "-batch", database, ".system echo reached"])
    assert b"reached" in outside.stdout
    shell = place.launch(bundle, sqlite3, "-batch", database, ".system echo reached")
    assert b"reached" not in shell.stdout


def repository(stage: Stage, place: Place) -> str:
    """Make a repository with one commit and an executable file."""
    git = program("git")
    work = place.root / "origin"
    identity = "-c user.name=test -c user.email=test@example.org"
    work.mkdir()
    stage.give(work)
    for line in (
        "git init -q -b main .",
        "echo text > file; echo exit > run; chmod +x run",
        f"git add . && git {identity} commit -q -m one",
        "git clone -q --bare . ../source.git",
    ):
        done = stage.run(["/bin/sh", "-c", line], cwd=work)
        assert done.returncode == 0, done.stderr
    return git


def test_git_clone(stage: Stage, place: Place) -> None:
    """S2-256 S2-257: a clone of a local repository, with modes."""
    git = repository(stage, place)
    bundle = place.bundle("git-clone")
    target = place.root / "work" / "clone"
    done = place.launch(bundle, git, "clone", f"{place.root}/source.git", str(target))
    assert done.returncode == 0, done.stderr
    assert (target / "file").read_text() == "text\n"
    assert (target / "run").stat().st_mode & 0o111
    log = stage.run([git, "-C", target, "log", "--format=%s"])
    assert log.stdout == b"one\n"

    elsewhere = place.root / "elsewhere"
    outside = stage.run([git, "clone", "-q", place.root / "source.git", elsewhere])
    assert outside.returncode == 0
    shutil.rmtree(elsewhere)
    refused = place.launch(
        bundle, git, "clone", f"{place.root}/source.git", str(elsewhere)
    )
    assert refused.returncode == 128
    assert not elsewhere.exists()


def test_git_clone_without_metadata(stage: Stage, place: Place) -> None:
    """S2-248: under the default the same clone fails where it changes a mode."""
    git = repository(stage, place)
    text = place.text("git-clone")
    denied = text.replace('path_metadata = "allow"', 'path_metadata = "deny"')
    assert denied != text
    bundle = stage.compile(denied, "git-clone")
    target = place.root / "work" / "clone"
    done = place.launch(bundle, git, "clone", f"{place.root}/source.git", str(target))
    assert done.returncode == 128
    assert b"chmod" in done.stderr
    assert b"Operation not permitted" in done.stderr


@pytest.fixture
def server(stage: Stage, place: Place) -> Iterator[int]:
    """Serve the public folder under its policy; gives the port."""
    (place.root / "public" / "page.txt").write_text("a page\n")
    (place.root / "public" / "out").symlink_to("../secret")
    stage.give(place.root)
    python = program("python3")
    bundle = place.bundle("http-server")
    arguments = ["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]
    command: list[str | Path] = [stage.launcher, bundle, "--", python, "-I"]
    process = stage.start([*command, *arguments], cwd=place.root / "public")
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        words = line.split()
        assert "port" in words, (line, process.stderr and process.stderr.read(4096))
        yield int(words[words.index("port") + 1])
    finally:
        process.kill()
        process.communicate()


def test_http_server_and_curl(stage: Stage, place: Place, server: int) -> None:
    """S2-017: a server and a client, each under a policy of its own."""
    curl, bundle = program("curl"), place.bundle("curl")
    address = f"http://127.0.0.1:{server}"
    fetched = place.root / "fetched" / "page.txt"

    def fetch(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return place.launch(bundle, curl, "-sS", "--max-time", "10", *arguments)

    done = fetch("-o", str(fetched), f"{address}/page.txt")
    assert (done.returncode, done.stderr) == (0, b"")
    assert fetched.read_text() == "a page\n"

    # The link is followed outside and leads to a file that nobody granted.
    public = place.root / "public"
    assert stage.run(["/usr/bin/cat", public / "out"]).stdout == b"the secret\n"
    link = fetch("-o", "/dev/null", "-w", "%{http_code}", f"{address}/out")
    assert link.stdout == b"404"

    secret = f"file://{place.root}/secret"
    outside = stage.run([curl, "-sS", secret])
    assert outside.stdout == b"the secret\n"
    refused = fetch(secret)
    assert (refused.returncode, refused.stdout) == (37, b"")
    beside = place.root / "beside.txt"
    assert fetch("-o", str(beside), f"{address}/page.txt").returncode == 23
    assert not beside.exists()
