# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run one route of the escape program and read what it and its arena say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import routes

from stage import Stage


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of a route, the step that gave it, and what changed outside."""

    answer: str
    step: str
    effects: tuple[str, ...]
    notes: tuple[str, ...]
    text: str


@dataclass(slots=True)
class Arenas:
    """One arena and one bundle for each policy, made when first wanted."""

    stage: Stage
    program: Path
    _places: dict[str, tuple[Path, Path]] = field(default_factory=dict)

    def place(self, policy: str) -> tuple[Path, Path]:
        """Return the arena and the bundle of a policy."""
        if policy not in self._places:
            arena = self.stage.folder(f"arena-{policy}")
            self._places[policy] = (arena, self.bundle_at(policy, arena))
        return self._places[policy]

    def bundle_at(self, policy: str, arena: Path) -> Path:
        """Compile a policy for an arena in one place."""
        return self.stage.compile(routes.policy_text(policy, str(arena)), policy)

    def outside(self, route: str, policy: str, *, terminal: bool) -> Outcome:
        """Try a route with nothing but the user's own rights."""
        arena, _ = self.place(policy)
        return self._arranged(arena, [], route, terminal=terminal)

    def inside(self, route: str, policy: str, *, terminal: bool) -> Outcome:
        """Try a route under a policy, through the launcher."""
        arena, bundle = self.place(policy)
        launch: list[str | Path] = [self.stage.launcher, bundle, "--"]
        return self._arranged(arena, launch, route, terminal=terminal)

    def _arranged(
        self,
        arena: Path,
        launch: list[str | Path],
        route: str,
        *,
        terminal: bool,
    ) -> Outcome:
        options = ["--terminal"] if terminal else []
        command = [*launch, self.program, "try", route, arena]
        done = self.stage.run(
            [self.program, "arrange", *options, arena, "--", *command]
        )
        return read_outcome(route, (done.stdout + done.stderr).decode())


def read_outcome(route: str, text: str) -> Outcome:
    """Read the lines of one run; an answer that is missing is `none`."""
    answer, step = "none", ""
    effects, notes = [], []
    for line in text.splitlines():
        words = line.split(maxsplit=3)
        if words[:2] == ["answer", route]:
            answer, step = words[2], " ".join(words[3:])
        elif words[:1] == ["effect"]:
            effects.append(words[1])
        elif words[:1] != ["status"]:
            notes.append(line)
    return Outcome(answer, step, tuple(effects), tuple(notes), text)
