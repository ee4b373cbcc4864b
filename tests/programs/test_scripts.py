# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run applications in interpreters, and let them try what a dependency might."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest
import reductions
from place import Place, program, succeeded

from stage import require

APPLICATION = textwrap.dedent(
    """
    const fs = require("fs"), path = require("path"), zlib = require("zlib");
    const { Worker } = require("worker_threads");
    const packed = zlib.gzipSync(fs.readFileSync(path.join(__dirname, "data.json")));
    const numbers = JSON.parse(zlib.gunzipSync(packed));
    const digest = require("crypto").createHash("sha256").update("a").digest("hex");
    new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", {eval: true})
      .on("message", (answer) => console.log(JSON.stringify(
        [numbers.reduce((a, b) => a + b), digest.slice(0, 8), answer])));
    """
)
# Each attempt prints its name and `done` or the error's code.
HOSTILE = textwrap.dedent(
    """
    const fs = require("fs"), net = require("net");
    const [secret, port] = process.argv.slice(2);
    const attempt = (name, act) => {
      try { act(); console.log(name, "done"); }
      catch (error) { console.log(name, error.code); }
    };
    attempt("read", () => fs.readFileSync(secret));
    attempt("list", () => fs.readdirSync(require("path").dirname(secret)));
    attempt("write", () => fs.writeFileSync(__filename + ".new", ""));
    attempt("change", () => fs.chmodSync(__filename, 0o644));
    attempt("start", () => {
      const { error } = require("child_process").spawnSync("/usr/bin/true");
      if (error) throw error;
    });
    attempt("signal", () => process.kill(process.ppid, 0));
    net.connect(port, "127.0.0.1")
      .on("connect", function () { console.log("connect done"); this.destroy(); })
      .on("error", (error) => console.log("connect", error.code));
    """
)
REFUSED = {
    "read": "EACCES",
    "list": "EACCES",
    "write": "EACCES",
    "change": "EPERM",
    "start": "EPERM",
    "signal": "EPERM",
    "connect": "EPERM",
}


def application(place: Place, bundle: Path) -> None:
    """Read, compress, hash, and ask a worker thread."""
    place.file("app/data.json", b"[1, 2, 3]")
    main = place.file("app/main.js", APPLICATION.encode())
    done = succeeded(place.launch(bundle, program("node"), main))
    assert json.loads(done.stdout) == [6, "ca978112", 42]


def test_node(place: Place) -> None:
    application(place, place.bundle("node"))
    place.tight("node", lambda bundle: application(place, bundle))


def test_node_starts_with_the_network_alone(place: Place) -> None:
    """S2-009: the settings of TLS come with the network, and not without it."""
    text = reductions.without_path(place.text("node"), "/etc/ssl/openssl.cnf")
    with pytest.raises(AssertionError, match=r"openssl\.cnf"):
        application(place, place.stage.compile(text))
    application(place, place.stage.compile(f'{text}\n[network]\nip = "client"\n'))


def test_node_reaches_nothing_else(place: Place, listener: int) -> None:
    """S2-156: files, processes and hosts that the same script reaches outside."""
    script = place.file("app/hostile.js", HOSTILE.encode())
    # The test itself starts node and may belong to root; so a shell of the user's.
    shell = f'{program("node")} "$@"; exit'
    arguments = (script, place.secret, str(listener))
    outside = succeeded(place.outside("/bin/sh", "-c", shell, "sh", *arguments))
    assert outcomes(outside.stdout) == dict.fromkeys(REFUSED, "done")
    inside = place.launch(place.bundle("node"), program("node"), *arguments)
    assert outcomes(succeeded(inside).stdout) == REFUSED


def outcomes(text: bytes) -> dict[str, str]:
    """Read lines of a name and an outcome each."""
    return dict(line.split() for line in text.decode().splitlines())


SOLVE = textwrap.dedent(
    """
    import sys
    import numpy
    samples, results = sys.argv[1:]
    matrix = numpy.load(samples)
    solution = numpy.linalg.solve(matrix, matrix @ numpy.ones(len(matrix)))
    numpy.save(results, solution)
    mapped = numpy.memmap(results + ".map", mode="w+", shape=4)
    mapped[:] = 7
    mapped.flush()
    print(numpy.load(results + ".npy").sum().round(6))
    """
)
MAKE = "import numpy, sys; numpy.save(sys.argv[1], numpy.eye(300) * 3 + 1)"


def solve(place: Place, bundle: Path) -> None:
    """Solve equations large enough for threads; map a result into memory."""
    python = program("python3")
    script = place.file("script/main.py", SOLVE.encode())
    samples = place.folder("samples") / "matrix.npy"
    results = place.folder("results") / "solution"
    succeeded(place.outside(python, "-I", "-c", MAKE, samples))
    done = place.launch(bundle, python, "-I", script, samples, results)
    assert succeeded(done).stdout == b"300.0\n"


def test_numpy(place: Place) -> None:
    require("numpy")
    solve(place, place.bundle("numpy"))
    place.tight("numpy", lambda bundle: solve(place, bundle))


def test_numpy_reads_and_runs_nothing_else(place: Place) -> None:
    """Data may hold code, which `allow_pickle` runs; what it can do is the policy's."""
    require("numpy")
    for name in ("samples", "script", "results"):
        place.folder(name)
    python, bundle = program("python3"), place.bundle("numpy")
    load = "import numpy, sys; print(numpy.load(sys.argv[1], allow_pickle=True))"
    for callable_, argument, refusal in (
        ("builtins.open", str(place.secret), "PermissionError: [Errno 13]"),
        ("posix.fork", None, "PermissionError: [Errno 1]"),
        ("posix.open", f"{place.root}/script/new", "PermissionError: [Errno 13]"),
    ):
        code = place.file("samples/code.npy", pickle(callable_, argument))
        outside = place.outside(python, "-I", "-c", load, code)
        assert outside.returncode == 0, outside.stderr
        inside = place.launch(bundle, python, "-I", "-c", load, code)
        assert inside.returncode == 1
        assert refusal in inside.stderr.decode(), callable_


def pickle(callable_: str, argument: str | None) -> bytes:
    """Write the pickle that calls a function when it is loaded."""
    module, name = callable_.split(".")
    values = "" if argument is None else f"V{argument}\n"
    if callable_ == "posix.open":
        values += "I577\n"  # O_WRONLY | O_CREAT | O_TRUNC
    return f"c{module}\n{name}\n({values}tR.".encode()
