# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judge by fault injection the refusals that only a failing system call reaches.

The faults are those of the short run of `tests/launcher/faults`, one start each, and
so is what counts as a failure of that run: a start that is less confined, or one that
goes on after a fault for which no reason is known.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from stage import REPOSITORY, Stage

_FAULTS = REPOSITORY / "tests" / "launcher" / "faults"
sys.path[:0] = [str(_FAULTS), str(_FAULTS.parent)]

import campaign  # noqa: E402 - found by the line above
import modes  # noqa: E402
import table  # noqa: E402
from launcher_scene import Scene  # noqa: E402

# Calls of the switched launcher alone.
_OF_THE_SWITCH = frozenset({"shmget", "shmat"})
# Faults that are tried for one site.
_MOST_TRIED = 3


@dataclass(frozen=True, slots=True)
class _Job:
    mode: modes.Mode
    usual: campaign.Ended
    call: campaign.Call
    fault: object

    @property
    def name(self) -> str:
        label = getattr(self.fault, "label", "")
        return f"fault {self.call.name} {label} ({self.mode.name}, {self.call.phase})"


@dataclass
class FaultJudge:
    """Faults by the sites that they reach."""

    stage: Stage
    _reaching: dict[int, list[_Job]] = field(default_factory=dict)
    _props: modes.Props | None = None

    def survey(self, reached: Callable[[], list[int]]) -> None:
        """Try every fault with nothing missing."""
        subprocess.run(["make", "-s", "-C", _FAULTS], check=True)
        scene = Scene(self.stage, self.stage.folder("faults"))
        self._props = modes.lay_out(scene, REPOSITORY / "build" / "faults")
        for mode in modes.all_modes(self._props):
            calls, usual = campaign.trace(self._props, mode)
            for call, fault in table.jobs(mode, calls, long=False):
                if call.name in _OF_THE_SWITCH:
                    continue
                job = _Job(mode, usual, call, fault)
                reached()
                if self._fails(job):
                    sys.stderr.write(f"fails with nothing missing: {job.name}\n")
                    continue
                for site in reached():
                    self._reaching.setdefault(site, []).append(job)

    def reaching(self, site: int) -> int:
        """Return how many faults reach a site."""
        return len(self._reaching.get(site, ()))

    def killer(self, site: int) -> str:
        """Return the fault that misses a site, empty where none does."""
        for job in self._reaching.get(site, ())[:_MOST_TRIED]:
            if self._fails(job):
                return job.name
        return ""

    def _fails(self, job: _Job) -> bool:
        assert self._props is not None
        (verdict,) = campaign.run(
            self._props,
            job.mode,
            job.usual,
            [(job.call, job.fault)],  # type: ignore[list-item]
        )
        return bool(verdict.wrong or table.unexplained([verdict]))
