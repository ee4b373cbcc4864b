# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run database servers and their clients, each under a policy of its own."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from pathlib import Path

from place import Place, errors, program, succeeded
from server import PAUSE, SECONDS, Server, free_port, serve

# Redis itself refuses to change where it saves unless it is told to let that happen.
UNLOCKED = ("--enable-protected-configs", "yes")
# A copy for `--rdb` would otherwise wait for more who want one.
AT_ONCE = ("--repl-diskless-sync-delay", "0")


@contextlib.contextmanager
def redis(place: Place, bundle: Path | None, *options: str) -> Iterator[Server]:
    """Run redis-server with its data in the place."""
    folder = place.folder("redis")
    server = program("redis-server")
    with free_port() as port:
        command = (server, "--port", str(port), "--dir", folder, *options)
        with serve(place, bundle, port, *command) as running:
            yield running


def ask(place: Place, bundle: Path, server: Server, *words: str) -> str:
    """Send one command by redis-cli, under its own policy."""
    command = ("-p", str(server.port), *words)
    done = place.launch(bundle, program("redis-cli"), *command)
    return succeeded(done).stdout.decode().strip()


def keep(place: Place, bundle: Path, client: Path) -> None:
    """Save a snapshot by a fork; log changes, and find them after a restart."""
    with redis(place, bundle) as server:
        assert ask(place, client, server, "set", "kept", "value") == "OK"
        assert "started" in ask(place, client, server, "bgsave")
        status = ask(place, client, server, "info", "persistence")
        end = time.monotonic() + SECONDS
        while "rdb_bgsave_in_progress:1" in status:
            assert time.monotonic() < end
            time.sleep(PAUSE)
            status = ask(place, client, server, "info", "persistence")
        assert "rdb_last_bgsave_status:ok" in status
        assert "rdb_saves:1" in status
    assert server.process.returncode == 0, server.said
    with redis(place, bundle, "--appendonly", "yes") as server:
        assert ask(place, client, server, "set", "logged", "value") == "OK"
    assert list((place.root / "redis" / "appendonlydir").iterdir()) != []
    with redis(place, bundle, "--appendonly", "yes") as server:
        assert ask(place, client, server, "get", "logged") == "value"


def test_redis(place: Place) -> None:
    """S2-017 S2-156: a server that forks to save, and a client."""
    place.folder("redis")
    server, client = place.bundle("redis"), place.bundle("redis-cli")
    keep(place, server, client)
    place.tight("redis", lambda bundle: keep(place, bundle, client))
    place.tight("redis-cli", lambda bundle: keep(place, server, bundle))


def test_redis_cli_reads_no_file(place: Place) -> None:
    """A script to send, a dump to write, and a socket of the server's in a folder."""
    place.folder("redis")
    client, tool = place.bundle("redis-cli"), program("redis-cli")
    path = place.folder("beside") / "redis.sock"
    script = place.file("beside/script.lua", b"return 1")
    dump = place.root / "beside" / "copy.rdb"
    with redis(place, None, "--unixsocket", str(path), *AT_ONCE) as server:
        port = ("-p", str(server.port))
        for arguments, refusal in (
            (
                (*port, "--eval", script),
                f"Can't open file '{script}': Permission denied",
            ),
            ((*port, "--rdb", dump), "Permission denied"),
            (("-s", path, "ping"), f"{path}: Operation not permitted"),
        ):
            succeeded(place.outside(tool, *arguments))
            dump.unlink(missing_ok=True)
            refused = place.launch(client, tool, *arguments)
            assert refused.returncode == 1, arguments
            assert refusal in errors(refused)
            assert not dump.exists()


def test_redis_writes_nowhere_else(place: Place) -> None:
    """Who may change its settings makes it write where he likes; inside he cannot."""
    place.folder("redis")
    beside = place.folder("beside")
    client = place.bundle("redis-cli")
    dump = beside / "dump.rdb"
    with redis(place, None, *UNLOCKED) as server:
        assert ask(place, client, server, "config", "set", "dir", str(beside)) == "OK"
        assert ask(place, client, server, "save") == "OK"
        assert dump.exists()
    dump.unlink()
    with redis(place, place.bundle("redis"), *UNLOCKED) as server:
        assert ask(place, client, server, "config", "set", "dir", str(beside)) == "OK"
        assert "ERR" in ask(place, client, server, "save")
        ask(place, client, server, "config", "set", "dir", str(place.root / "redis"))
        assert ask(place, client, server, "save") == "OK"
    refused = (
        f"Failed opening the temp RDB file temp-[0-9]+.rdb .*{beside}.* for saving: "
    )
    assert re.search(f"{refused}Permission denied", server.said), server.said
    assert not dump.exists()
