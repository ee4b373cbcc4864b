# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make a database cluster, serve it and query it, each under a policy of its own.

initdb asks for the entry of the user it runs as, so the tests need a user with one.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from place import Done, Place, errors, postgresql, succeeded
from server import Server, free_port, serve, until

pytestmark = pytest.mark.needs("postgresql", "user-entry", "system-v-ipc")

# As the page of the policy says; without the second a segment of memory would have to
# lie in /dev/shm.
SETTINGS = ("unix_socket_directories=", "dynamic_shared_memory_type=mmap", "fsync=off")


def initialise(place: Place, bundle: Path) -> Path:
    """Make a cluster, and give its folder."""
    cluster = place.folder("database") / "main"
    shutil.rmtree(cluster, ignore_errors=True)
    settings = ("--no-sync", "--no-instructions", "-A", "trust", "-U", "demo")
    locale = ("--locale=C", "--encoding=UTF8")
    command = ("-D", cluster, *settings, *locale)
    succeeded(place.launch(bundle, postgresql("initdb"), *command))
    assert cluster.stat().st_mode & 0o777 == 0o700
    return cluster


@contextlib.contextmanager
def running(place: Place, bundle: Path | None, cluster: Path) -> Iterator[Server]:
    """Serve a cluster."""
    with free_port() as port:
        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        command = ("-D", cluster, "-h", "127.0.0.1", "-p", str(port), *settings)
        server = postgresql("postgres")
        # An interrupt ends the connections that there are, and writes all that is due.
        stop = signal.SIGINT
        with serve(place, bundle, port, server, *command, stop=stop) as started:
            # It takes connections, and refuses them, before it can serve them.
            status = cluster / "postmaster.pid"
            until(
                lambda: started.ended() or status.read_text().endswith("ready   \n"),
                "the database is not ready",
            )
            yield started


def query(place: Place, bundle: Path | None, server: Server, *lines: str) -> Done:
    """Send lines by psql, under a bundle or outside; it stops at the first error."""
    options = ("-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1")
    address = (
        "-h",
        "127.0.0.1",
        "-p",
        str(server.port),
        "-U",
        "demo",
        "-d",
        "postgres",
    )
    words = [word for line in lines for word in ("-c", line)]
    command = (postgresql("psql"), *options, *address, *words)
    if bundle is None:
        return place.outside(*command)
    return place.launch(bundle, *command)


def work(place: Place, cluster: Path, bundle: Path, client: Path) -> None:
    """Fill and index a table, in two processes at once, and find it after a restart."""
    with running(place, bundle, cluster) as server:
        done = query(
            place,
            client,
            server,
            "drop table if exists numbers",
            "create table numbers as select i from generate_series(1, 50000) i",
            "create index on numbers (i)",
            "set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0;"
            " set parallel_tuple_cost = 0; select sum(i) from numbers",
            "select '2001-01-01 12:00 Europe/Berlin'::timestamptz at time zone 'UTC'",
            "select to_tsvector('english', 'the served pages')",
        )
        assert succeeded(done).stdout.decode().split("\n")[:-1] == [
            "1250025000",
            "2001-01-01 11:00:00",
            "'page':3 'serv':2",
        ]
    assert server.process.returncode == 0, server.said
    with running(place, bundle, cluster) as server:
        done = query(place, client, server, "select max(i) from numbers")
        assert succeeded(done).stdout == b"50000\n"


def test_postgresql(place: Place) -> None:
    """S2-017 S2-156: a server of many processes, a client, and the cluster's maker."""
    place.folder("database")
    server, client = place.bundle("postgresql"), place.bundle("psql")
    cluster = initialise(place, place.bundle("postgresql-init"))
    work(place, cluster, server, client)
    place.tight("postgresql", lambda bundle: work(place, cluster, bundle, client))
    place.tight("psql", lambda bundle: work(place, cluster, server, bundle))
    place.tight("postgresql-init", lambda bundle: initialise(place, bundle))


def test_postgresql_reaches_nothing_else(place: Place) -> None:
    """What the database's own superuser may do to the machine, and what is left."""
    place.folder("database")
    client, bundle = place.bundle("psql"), place.bundle("postgresql")
    cluster = initialise(place, place.bundle("postgresql-init"))
    beside = place.folder("beside") / "written"
    command = f"cat >{beside}"
    attempts = (
        (
            f"select pg_read_file('{place.secret}')",
            f'could not open file "{place.secret}" for reading: Permission denied',
        ),
        (
            f"copy (select 1) to '{beside}'",
            f'could not open file "{beside}" for writing: Permission denied',
        ),
        (
            f"copy (select 1) to program '{command}'",
            # The C library reports every failure of its `posix_spawn` here as this one.
            f'could not execute command "{command}": Cannot allocate memory',
        ),
    )
    with running(place, None, cluster) as server:
        for line, _ in attempts:
            succeeded(query(place, client, server, line))
            beside.unlink(missing_ok=True)
    with running(place, bundle, cluster) as server:
        for line, message in attempts:
            refused = query(place, client, server, line)
            assert refused.returncode == 1, line
            assert message in errors(refused), errors(refused)
            assert not beside.exists()


def test_psql_reaches_nothing_else(place: Place) -> None:
    """Its commands that read a file, write one, and start a program."""
    place.folder("database")
    cluster = initialise(place, place.bundle("postgresql-init"))
    client = place.bundle("psql")
    script = place.file("beside/script.sql", b"select 1;\n")
    written = place.root / "beside" / "written"
    with running(place, place.bundle("postgresql"), cluster) as server:
        for line, message in (
            (f"\\i {script}", f"{script}: Permission denied"),
            (f"\\copy (select 1) to '{written}'", f"{written}: Permission denied"),
        ):
            succeeded(query(place, None, server, line))
            written.unlink(missing_ok=True)
            refused = query(place, client, server, line)
            assert refused.returncode == 1, line
            assert message in errors(refused), line
            assert not written.exists()
        assert query(place, None, server, "\\! echo reached").stdout == b"reached\n"
        # It says nothing of a shell that does not start.
        assert query(place, client, server, "\\! echo reached").stdout == b""
