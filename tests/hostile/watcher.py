# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run commands beside victims, canaries and listeners, and tell what they reached.

    python3 watcher.py CONFIGURATION

Runs as the user of the confined program, in namespaces of its own (scene.py), so
that nothing but the sandbox keeps the two apart. Prints one JSON object.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from watch_files import Files
from watch_processes import Processes, limit_self
from watch_services import Services

_RUN_SECONDS = 2.0
_FILE_BYTES = 1 << 20
# How often the whole outside is looked at; a look costs about as much as a run.
_LOOK_EVERY = 16
_LINE = re.compile(rb"^([nxi]) (\d+) (\d+)$", re.MULTILINE)
_EXECUTED = re.compile(rb"^executed (\S*)", re.MULTILINE)
_TEXT_BYTES = 600


class Watcher:
    """The outside, the runs beside it, and what both have told."""

    def __init__(self, configuration: dict[str, object]) -> None:
        """Put up everything that a run could reach."""
        self._configuration = configuration
        self._signals: set[int] = set()
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            if number != signal.SIGCHLD:
                signal.signal(number, lambda got, _frame: self._signals.add(got))
        arena = Path(str(configuration["arena"]))
        places = [Path("/tmp/guarded"), Path("/dev/shm/guarded")]
        for place in places:
            place.mkdir()
        self._files = Files(arena, Path(str(configuration["program"])), places)
        self._processes = Processes()
        self._services = Services(arena)
        self._facts = arena / "read" / "facts"
        self._facts.write_text("".join(self._fact_lines()))
        self._facts.chmod(0o755)
        self._arena = arena
        self._first = self._look()
        self.noticed: dict[str, list[str]] = {}
        self.calls: collections.Counter[tuple[str, int, int]] = collections.Counter()
        self.runs = self.hung = 0
        self.failures: list[str] = []
        self.traces: list[str] = []
        # Waits until a file's times must move on with its next change.
        time.sleep(0.02)

    def _fact_lines(self) -> list[str]:
        lines = [f"path {path}\n" for path in self._services.paths]
        lines += [f"path {path}\n" for path in (*self._files.paths(), "/", "/proc")]
        lines += [f"program {path}\n" for path in self._files.programs]
        lines += [f"path {name}\n" for name in ("../outside/canary", "/dev/null")]
        lines += [f"pid {pid}\n" for pid in self._processes.pids]
        lines += [f"port {port}\n" for port in self._services.ports]
        lines += [f"abstract {name}\n" for name in self._services.abstract]
        objects = (self._processes.address, *self._services.objects)
        return [*lines, *(f"object {one}\n" for one in objects)]

    def _look(self) -> dict[str, object]:
        return {
            **self._files.look(),
            **self._processes.look(),
            **self._services.look(),
            "watcher-signal": sorted(self._signals),
        }

    def run(self, command: list[str]) -> None:
        """Run one command; whatever it leaves behind is ended."""
        self._files.unlock()
        self.runs += 1
        try:
            child = self._start(command)
        except OSError as error:
            self.failures.append(str(error))
            return
        try:
            output, _ = child.communicate(timeout=self._seconds())
        except subprocess.TimeoutExpired:
            self.hung += 1
            child.kill()
            self._end_strangers()
            output, _ = child.communicate()
        self._end_strangers()
        self._take(output)

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._arena / "write",
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
            preexec_fn=lambda: limit_self(_FILE_BYTES),  # noqa: PLW1509 - no thread here
        )

    def _seconds(self) -> float:
        return float(str(self._configuration.get("run_seconds", _RUN_SECONDS)))

    def _take(self, output: bytes) -> None:
        if self._configuration.get("trace"):
            self.traces.append(output.decode(errors="replace"))
        for kind, number, error in _LINE.findall(output):
            self.calls[kind.decode(), int(number), int(error)] += 1
        for path in _EXECUTED.findall(output):
            if not path.endswith(b"/exec/program"):
                self._notice("program-executed", path.decode(errors="replace"))
        if not _LINE.search(output):
            self.failures.append(output[-_TEXT_BYTES:].decode(errors="replace"))

    def _end_strangers(self) -> None:
        known = {os.getpid(), *self._processes.pids}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) not in known:
                with contextlib.suppress(OSError):
                    os.kill(int(entry.name), signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is None or ended.si_pid in known:
                    break
                os.waitpid(ended.si_pid, 0)

    def judge(self) -> bool:
        """Compare the outside with what it was; true where something changed."""
        now = self._look()
        for kind, before in self._first.items():
            if kind not in now:
                continue
            if kind.startswith("process-") and isinstance(before, dict):
                # Of one that ended nothing else can be said.
                before = {pid: before[pid] for pid in now[kind]}  # noqa: PLW2901
            if now[kind] != before:
                self._notice(kind, _difference(before, now[kind]))
        self._files.refresh()
        granted = self._configuration["granted"]
        return any(kind not in granted for kind in self.noticed)  # type: ignore[operator]

    def _notice(self, kind: str, text: str) -> None:
        texts = self.noticed.setdefault(kind, [])
        if len(texts) < 3:
            texts.append(text[:_TEXT_BYTES])

    def runs_once(self) -> bool:
        """Run a whole command where that is wanted, and nothing is drawn."""
        command = self._configuration.get("once")
        if command is None:
            return False
        self.run([*map(str, command)])  # type: ignore[call-overload]
        return True

    def fuzz(self) -> None:
        """Run the fuzzer with one seed after the other until the time is over."""
        given = self._configuration
        until = time.monotonic() + float(str(given["seconds"]))
        seed = int(str(given["seed"]))
        last = seed + int(str(given.get("most_runs", 1 << 40)))
        while time.monotonic() < until and seed < last:
            words = [str(self._facts), str(seed), str(given["calls"])]
            if given.get("trace"):
                words.append("trace")
            self.run([*map(str, given["command"]), *words])  # type: ignore[call-overload]
            seed += 1
            if self.runs % _LOOK_EVERY == 0 and self.judge():
                break
        self.judge()

    def report(self) -> dict[str, object]:
        """Return what was seen, as plain values."""
        self._processes.end()
        kept = ("noticed", "runs", "hung", "failures", "traces")
        return {
            **{name: getattr(self, name) for name in kept},
            "watched": [*self._first, "program-executed"],
            "calls": [[*key, count] for key, count in sorted(self.calls.items())],
        }


def _difference(before: object, after: object) -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        changed = [
            f"{key}: {before.get(key)} -> {after.get(key)}"
            for key in sorted({*before, *after}, key=str)
            if before.get(key) != after.get(key)
        ]
        return "; ".join(changed)
    if isinstance(before, list) and isinstance(after, list):
        gone = [one for one in before if one not in after]
        come = [one for one in after if one not in before]
        return f"gone {gone}, come {come}"
    return f"{before} -> {after}"


def main() -> None:
    """Do what the configuration says and print what came of it."""
    watcher = Watcher(json.loads(Path(sys.argv[1]).read_text()))
    if watcher.runs_once():
        watcher.judge()
    else:
        watcher.fuzz()
    json.dump(watcher.report(), sys.stdout)


if __name__ == "__main__":
    main()
