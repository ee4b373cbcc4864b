# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Start programs in surroundings, and say in one line how that ended."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import outer_filters
from enter import UNARRANGED
from surrounding import Step, Surroundings

from stage import Stage

PYTHON = "/usr/bin/python3"
REFUSED = 125
_HERE = Path(__file__).resolve().parent
_DESCRIPTOR = 9
_SECONDS = 20.0
# The program's own answer to a verb that it does not know.
_MISUSE = 2

_POLICY = """\
version = 1
[filesystem]
read = [{read}]
read_exec = [{execute}]
read_write = [{write}]
[process]
signals = "isolated"
children = "{children}"
[environment]
pass = ["HOME"]
"""
_ALLOWED, _NONE = "allowed", "none"


@dataclass(slots=True)
class Place:
    """The program, the policies and the filters, where every user reaches them."""

    stage: Stage
    program: Path
    folder: Path = field(init=False)
    setgid: Path = field(init=False)
    # How each start ended that was made, by the name of its surroundings.
    seen: dict[str, str] = field(default_factory=dict)
    _bundles: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = self.stage.folder("surroundings")
        self.setgid = self.stage.folder("setgid", 0o2777)
        for name in ("enter", "system_steps", "sandbox_steps", "process_steps"):
            (self.folder / f"{name}.py").write_bytes(
                (_HERE / f"{name}.py").read_bytes()
            )
        (self.folder / "granted").write_text("granted\n")

    def bundle(self, name: str) -> Path:
        """Compile a policy by its name, when first wanted."""
        if name not in self._bundles:
            self._bundles[name] = self.stage.compile(self._policy(name), name)
        return self._bundles[name]

    def _policy(self, name: str) -> str:
        root, granted = str(self.stage.root), str(self.folder / "granted")
        programs = str(self.stage.launcher.parent)
        writable = str(self.stage.folder(f"writable-{name}"))
        read, execute, write, children = {
            "writing": ([granted], [], [writable], _ALLOWED),
            "reading": ([granted], [], [], _ALLOWED),
            "wide": ([root, "/proc"], [programs], [], _ALLOWED),
            "narrow": ([root], [programs], [], _ALLOWED),
            "alone": ([root, "/proc"], [programs], [], _NONE),
        }[name]
        words = {"read": read, "execute": execute, "write": write}
        lists = {key: json.dumps(value)[1:-1] for key, value in words.items()}
        return _POLICY.format(**lists, children=children)

    def _filter(self, name: str) -> str:
        path = self.folder / f"filter-{name.replace(':', '-')}"
        if not path.exists():
            path.write_bytes(outer_filters.program(name))
        return str(path)

    def _steps(self, steps: Sequence[Step]) -> list[list[object]]:
        """Fill in what stands for something of this place."""
        found: list[list[object]] = []
        for name, *arguments in steps:
            attached = name in ("filter", "supervised")
            found.append(
                [name, *(self._argument(word, attached) for word in arguments)]
            )
        return found

    def _argument(self, word: object, attached: bool) -> object:
        if attached:
            return self._filter(str(word))
        if word == "STAGE":
            return str(self.stage.root)
        return str(self.setgid) if word == "SETGID" else word

    def run(
        self, steps: Sequence[Step], command: Sequence[str | Path]
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command in surroundings; those that cannot be arranged are an error."""
        words = [str(word) for word in command]
        arranged = json.dumps(self._steps(steps))
        enter = [PYTHON, "-ISB", str(self.folder / "enter.py")]
        done = subprocess.run(
            [*enter, arranged, str(self.stage.user), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            cwd=self.stage.root,
            env={"PATH": "/usr/bin:/bin"},
        )
        assert done.returncode != UNARRANGED, done.stderr.decode()
        return done

    def check(self, row: Surroundings) -> subprocess.CompletedProcess[bytes]:
        """Ask in the same surroundings what would be enforced."""
        return self._launch(row, ["--check"])

    def _launch(
        self, row: Surroundings, options: list[str]
    ) -> subprocess.CompletedProcess[bytes]:
        steps, command = list(row.steps), []
        for name in row.through:
            command += [self.stage.launcher, self.bundle(name), "--"]
        bundle = self.bundle(row.policy)
        named: list[str | Path] = [bundle]
        if row.memory_file:
            steps.append(("memory-file", str(bundle), _DESCRIPTOR))
            named = ["--artifact-fd", str(_DESCRIPTOR)]
        verb = ["unknown"] if row.unheard else ["reached", "x"]
        command += [self.stage.launcher, *options, *named, "--", self.program, *verb]
        return self.run(steps, command)

    def outcome(self, row: Surroundings) -> str:
        """Start the program in surroundings and say how that ended, for the page."""
        if row.name not in self.seen:
            self.seen[row.name] = self._ended(row, self._launch(row, []))
        return self.seen[row.name]

    def _ended(
        self, row: Surroundings, done: subprocess.CompletedProcess[bytes]
    ) -> str:
        ran = (_MISUSE, b"") if row.unheard else (0, b"answer x ok execve\n")
        if (done.returncode, done.stdout) == ran:
            assert done.stderr == b"", done
            return "starts"
        assert done.stdout == b"", done
        if done.returncode == REFUSED:
            return f"refused: {self.plain(reason(done.stderr))}"
        number = -done.returncode if done.returncode < 0 else done.returncode - 128
        assert done.stderr == b"", done
        return f"ends by {signal.Signals(number).name} without a line"

    def plain(self, text: str) -> str:
        """Take out what differs between two runs."""
        for name, bundle in self._bundles.items():
            text = text.replace(str(bundle), f"{name.upper()}.stk")
        return text


def reason(lines: bytes) -> str:
    """Return why a start was refused, after checking that it is one line."""
    (line,) = lines.decode().splitlines()
    assert line.startswith("stockade: "), line
    return line.removeprefix("stockade: ")
