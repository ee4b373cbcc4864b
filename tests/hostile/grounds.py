# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the policies that hostile programs run under, and start them in a scene."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stage import PROBES, REPOSITORY, Stage

HERE = Path(__file__).resolve().parent
_PATHS = """\
version = 1
[filesystem]
read = ["{arena}/read"]
read_exec = ["{arena}/exec"]
read_write = ["{arena}/write", "{arena}/write2"]
"""
# What can be read can have its mode and times changed through a descriptor.
_LIMIT = ("granted-metadata",)
_ROUTES_SECONDS = 30.0
_UNIX = ("unix-stream", "unix-datagram", "abstract-stream", "abstract-datagram")


@dataclass(frozen=True, slots=True)
class Ground:
    """A policy, and the kinds of what is reached that it grants."""

    text: str
    granted: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def policy(self, arena: Path) -> str:
        """Return the policy's text for an arena in one place."""
        return (_PATHS + self.text).replace("{arena}", str(arena))


_SCOPED = ("landlock-abi-6",)
GROUNDS: dict[str, Ground] = {
    "strictest": Ground(
        '[network]\nsockets = "none"\n'
        '[process]\nsignals = "self"\nchildren = "none"\nothers = "fixed"\n'
        'ipc = "none"\n[linux]\npath_metadata = "deny-all"\nioctls = "no-input"\n'
    ),
    # Whoever may signal everyone ends the watcher; all else is as by default.
    "default": Ground('[process]\nsignals = "isolated"\n', _LIMIT, _SCOPED),
    "client": Ground(
        '[network]\nip = "client"\n[process]\nsignals = "isolated"\n',
        ("tcp", "udp", *_LIMIT),
        _SCOPED,
    ),
    "widest": Ground(
        'symlinks = "allow"\n[network]\nip = "all"\nunix_sockets = "all"\n'
        '[process]\nsignals = "isolated"\nipc = "shared"\n'
        'memory_files = "allowed"\n[linux]\nkernel_surface = "wide"\n',
        ("tcp", "udp", *_UNIX, "system-v", "special-file", *_LIMIT),
        _SCOPED,
    ),
}


@dataclass(frozen=True, slots=True)
class Hunt:
    """What a watcher is to run, and for how long."""

    seconds: float
    calls: int = 400
    seed: int = 1
    most_runs: int = 1 << 30
    run_seconds: float = 1.0
    trace: bool = False


class Camp:
    """The programs and scripts, where the unprivileged user reaches them."""

    def __init__(self, stage: Stage) -> None:
        """Build the fuzzer and copy what a scene needs."""
        self.stage = stage
        make = ["make", "-s", "-C", os.fspath(PROBES), "fuzz"]
        subprocess.run(make, check=True, capture_output=True)
        built = REPOSITORY / "build" / "probes" / "fuzz"
        self.fuzzer = stage.install(built, "fuzz")
        self.scripts = stage.folder("scripts")
        for name in ("scene", "watcher", "watch_files", "watch_processes"):
            self._copy(name)
        self._copy("watch_services")

    def _copy(self, name: str) -> None:
        shutil.copyfile(HERE / f"{name}.py", self.scripts / f"{name}.py")
        (self.scripts / f"{name}.py").chmod(0o644)

    def watch(self, ground: Ground | None, hunt: Hunt) -> dict[str, object]:
        """Fuzz under a policy, or without any sandbox; return what was noticed."""
        arena = self.stage.folder("hunted")
        command: list[str] = [str(self.fuzzer)]
        if ground is not None:
            bundle = self.stage.compile(ground.policy(arena), "hunted")
            command = [str(self.stage.launcher), str(bundle), "--", *command]
        configuration = {
            "arena": str(arena),
            "program": str(self.fuzzer),
            "command": command,
            "granted": ground.granted if ground else (),
            "seconds": hunt.seconds,
            "seed": hunt.seed,
            "calls": hunt.calls,
            "most_runs": hunt.most_runs,
            "run_seconds": hunt.run_seconds,
            "trace": hunt.trace,
        }
        return self._in_scene(configuration, hunt.seconds)

    def try_routes(
        self, text: str | None, how: str, routes: Sequence[str], arena: Path
    ) -> dict[str, object]:
        """Try routes in one start, under a policy's text or without a sandbox."""
        program = self.stage.root / "bin" / "escape"
        place = str(arena / "arranged")
        command: list[str | Path] = [program, "all", how, place, *routes]
        if text is not None:
            bundle = self.stage.compile(text, "tried")
            command = [self.stage.launcher, bundle, "--", *command]
        arranged = [program, "arrange", "--terminal", place, "--", *command]
        configuration = {
            "arena": str(arena),
            "program": str(self.fuzzer),
            "once": [os.fspath(word) for word in arranged],
            "seconds": _ROUTES_SECONDS,
            "run_seconds": _ROUTES_SECONDS,
            "trace": True,
        }
        configuration["granted"] = ()
        return self._in_scene(configuration, _ROUTES_SECONDS)

    def _in_scene(
        self, configuration: dict[str, object], seconds: float
    ) -> dict[str, object]:
        file = self.stage.folder("configuration") / "configuration.json"
        file.write_text(json.dumps(configuration))
        file.chmod(0o644)
        words = [str(self.stage.user), str(self.stage.group)]
        done = subprocess.run(
            [
                *("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"),
                *("--mount", "--net", "--ipc", "--uts"),
                *(sys.executable, "-I", self.scripts / "scene.py", *words),
                *(self.scripts / "watcher.py", file),
            ],
            capture_output=True,
            timeout=seconds + 60,
            check=False,
        )
        if not done.stdout:
            # The watcher itself is a process that can be reached.
            return {"lost": done.stderr.decode(errors="replace")[-2000:]}
        return dict(json.loads(done.stdout))
