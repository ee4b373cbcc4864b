# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a session's tests once to see what they reach, then once per removal.

A plugin of pytest: what the tests use is the switched launcher, or the parser's
switched library. A removal is judged only by the tests that reach it, the quickest
first, until one fails that passes when nothing is missing.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

import pytest
import switched
from _pytest.runner import runtestprotocol
from fault_removals import FaultJudge

import stage as stages
from stockade.artifact import parser

# Tests that take longer judge nothing, but that they reach a site is told.
_MOST_SECONDS = 40.0
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.shmat.restype = ctypes.c_void_p
_IPC_CREAT, _IPC_RMID = 0o1000, 0


class Bench(Protocol):
    """Where tests meet what lacks something."""

    # Whether a test can end this process.
    crashes: bool

    def begin(self) -> None:
        """Put the switched thing in the place of the usual one."""

    def remove(self, number: int, *, survey: bool = False) -> None:
        """Take one site out, or none for 0; a survey tells what is reached."""

    def reached(self) -> list[int]:
        """Return what was reached since the last time."""

    def faults(self) -> FaultJudge | None:
        """Return the judge of what only failing calls reach, if there are such."""

    def end(self) -> None:
        """Leave nothing behind."""


class LauncherBench:
    """The launcher of the stage; shared memory tells what it reaches."""

    crashes = False

    def __init__(self, made: switched.Switched) -> None:
        self._made = made
        self._key = int.from_bytes(os.urandom(3), "little") | 0x53000000
        size = len(made.sites) + 1
        segment = _LIBC.shmget(self._key, size, _IPC_CREAT | 0o666)
        assert segment >= 0, "no shared memory"
        at = _LIBC.shmat(segment, None, 0)
        self._hits = (ctypes.c_ubyte * size).from_address(at)
        self._segment = segment
        self._stage: stages.Stage | None = None

    def begin(self) -> None:
        """Open the session's stage, whose launcher is then replaced."""
        self._stage = stage = stages.open_stage()
        stages.open_stage = lambda: stage

    def remove(self, number: int, *, survey: bool = False) -> None:
        """Put a launcher in the place of the last one, which may still run."""
        assert self._stage is not None
        new = self._stage.launcher.with_suffix(".new")
        new.write_bytes(self._made.without(number, self._key if survey else 0))
        new.chmod(0o755)
        new.rename(self._stage.launcher)

    def reached(self) -> list[int]:
        """Return what was reached since the last time."""
        found = [index for index, hit in enumerate(self._hits) if hit]
        ctypes.memset(self._hits, 0, len(self._hits))
        return found

    def faults(self) -> FaultJudge:
        """Return the judge of what only failing calls reach."""
        assert self._stage is not None
        return FaultJudge(self._stage)

    def end(self) -> None:
        """Remove the shared memory."""
        _LIBC.shmctl(self._segment, _IPC_RMID, None)


class LibraryBench:
    """The parser's library, in this process."""

    crashes = True

    def __init__(self, made: switched.Switched) -> None:
        self._library = ctypes.CDLL(os.fspath(made.library))
        size = len(made.sites) + 1
        self._hits = (ctypes.c_ubyte * size).in_dll(self._library, "removal_own")
        self._switch = (ctypes.c_ubyte * 24).in_dll(self._library, "removal_switch")
        self._loaded = parser._ffi().dlopen(os.fspath(made.library))

    def begin(self) -> None:
        """Have the compiler parse with this library."""
        parser.library = lambda: self._loaded  # type: ignore[assignment]

    def remove(self, number: int, *, survey: bool = False) -> None:  # noqa: ARG002
        """Write the number where the library looks for it."""
        struct.pack_into("<I", self._switch, 16, number)

    def reached(self) -> list[int]:
        """Return what was reached since the last time."""
        found = [index for index, hit in enumerate(self._hits) if hit]
        ctypes.memset(self._hits, 0, len(self._hits))
        return found

    def faults(self) -> None:
        """Return nothing: a parser makes no calls."""

    def end(self) -> None:
        """Leave nothing behind."""


@dataclass
class Outcome:
    """What the tests say of one site: how many reach it, and which misses it."""

    name: str
    line: int
    reached: int = 0
    slow: int = 0
    faults: int = 0
    killed_by: str = ""


@dataclass
class Switching:
    """The plugin."""

    sites: tuple[switched.Site, ...]
    bench: Bench
    outcomes: list[Outcome] = field(default_factory=list)
    _steady: dict[pytest.Item, bool] = field(default_factory=dict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of the usual loop."""
        items = session.items
        self.bench.begin()
        reached, seconds = self._survey(items)
        faults = self.bench.faults()
        if faults is not None:
            faults.survey(self.bench.reached)
        for site in self.sites:
            tests = [item for item in items if site.number in reached.get(item, ())]
            quick = [item for item in tests if seconds[item] < _MOST_SECONDS]
            quick.sort(key=lambda item: seconds[item])
            slow = len(tests) - len(quick)
            outcome = Outcome(site.name, site.line, len(quick), slow)
            outcome.killed_by = self._killer(site, quick)
            if faults is not None and not outcome.killed_by:
                self.bench.remove(site.number)
                outcome.faults = faults.reaching(site.number)
                outcome.killed_by = faults.killer(site.number)
            self.outcomes.append(outcome)
            sys.stderr.write(f"{json.dumps(asdict(outcome))}\n")
        session._setupstate.teardown_exact(None)
        self.bench.end()
        return True

    def _survey(
        self, items: list[pytest.Item]
    ) -> tuple[dict[pytest.Item, list[int]], dict[pytest.Item, float]]:
        """Run every test with nothing missing; one that fails judges nothing."""
        reached: dict[pytest.Item, list[int]] = {}
        seconds: dict[pytest.Item, float] = {}
        self.bench.remove(0, survey=True)
        for index, item in enumerate(items):
            following = items[(index + 1) % len(items)]
            self.bench.reached()
            start = time.monotonic()
            passed = self._passes(item, following)
            seconds[item] = time.monotonic() - start
            if passed:
                reached[item] = self.bench.reached()
            else:
                sys.stderr.write(f"fails with nothing missing: {item.nodeid}\n")
        return reached, seconds

    def _killer(self, site: switched.Site, tests: list[pytest.Item]) -> str:
        for test in tests:
            self.bench.remove(site.number)
            passes = self._passes_apart if self.bench.crashes else self._passes
            if not passes(test) and self._is_steady(test):
                return test.nodeid
        return ""

    def _is_steady(self, test: pytest.Item) -> bool:
        """Tell whether a test passes again when nothing is missing."""
        if test not in self._steady:
            self.bench.remove(0)
            self._steady[test] = self._passes(test)
            if not self._steady[test]:
                sys.stderr.write(f"does not pass twice: {test.nodeid}\n")
        return self._steady[test]

    def _passes_apart(self, test: pytest.Item) -> bool:
        """Run a test in a child: what lacks a check may read where nothing is."""
        child = os.fork()
        if child == 0:
            os._exit(0 if self._passes(test) else 1)
        return os.waitpid(child, 0)[1] == 0

    def _passes(self, item: pytest.Item, following: pytest.Item | None = None) -> bool:
        item._initrequest()  # type: ignore[attr-defined]
        # Nothing but the session's own fixtures may be left for the next run.
        then = following or item.session
        reports = runtestprotocol(item, log=False, nextitem=then)  # type: ignore[arg-type]
        return not any(report.failed for report in reports)


def _main(kind: str, result: Path, folder: Path, arguments: list[str]) -> None:
    """Build in a folder, judge by the tests that are named, and write the result."""
    made = switched.build(folder)
    built = folder / "whole-launcher"
    built.write_bytes(made.launcher)
    stages.find_launcher = lambda: built
    if kind == "library":
        library = LibraryBench(made)
        sites = tuple(site for site in made.sites if library_has(site))
        plugin = Switching(sites, library)
    else:
        sites = tuple(site for site in made.sites if not library_has(site))
        plugin = Switching(sites, LauncherBench(made))
    pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[plugin])
    result.write_text(json.dumps([asdict(one) for one in plugin.outcomes]))


def library_has(site: switched.Site) -> bool:
    """Tell whether a site is in the parser, which the library is made of."""
    return site.file.startswith("core/bundle")


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
