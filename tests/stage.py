# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Give tests one place that an unprivileged user reaches, and run things as him.

Whatever enforces runs as uid 65534 when the tests run as root: the identity is
given up in the forked child before exec, since a child that keeps a capability
would be refused by the launcher, or worse, would pass for the wrong reason.
Everything it uses is copied below one 0755 folder, as the clone itself may lie
below a folder that only root enters.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypedDict

import pytest

import host_features
from stockade.driver.compile import compile_policy
from stockade.policy import read_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Word: TypeAlias = str | bytes | Path
Command: TypeAlias = "Sequence[Word]"

REPOSITORY = Path(__file__).resolve().parent.parent
PROBES = REPOSITORY / "tests" / "probes"
LAUNCHER_VARIABLE = "STOCKADE_TEST_LAUNCHER"
# Nothing a test starts takes long; what hangs must not hold up the session.
_SECONDS = 60.0
_ENVIRONMENT: Mapping[str, str] = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}


def machine_target() -> str:
    """Return the target name of the machine the tests run on."""
    return f"linux-{os.uname().machine}"


def require(*features: str) -> None:
    """Skip the running test, naming the first feature that the host lacks."""
    for name in host_features.missing(features):
        pytest.skip(f"needs {name}")


class Identity(TypedDict, total=False):
    """The arguments of `subprocess` that give up root's identity."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Stage:
    """One folder, the launcher in it, and the user that tests run things as."""

    root: Path
    launcher: Path
    drop: bool
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def user(self) -> int:
        """Return the user number of everything that `run` starts."""
        return host_features.UNPRIVILEGED if self.drop else os.getuid()

    @property
    def group(self) -> int:
        """Return the group number of everything that `run` starts."""
        return host_features.UNPRIVILEGED if self.drop else os.getgid()

    def folder(self, name: str = "folder", mode: int = 0o755) -> Path:
        """Make a fresh folder that belongs to the unprivileged user."""
        path = self.root / f"{name}-{next(self._numbers)}"
        path.mkdir()
        path.chmod(mode)
        if self.drop:
            os.chown(path, self.user, self.group)
        return path

    def give(self, path: Path) -> Path:
        """Make the unprivileged user the owner of a path and all below it."""
        if self.drop:
            for entry in (path, *path.rglob("*")):
                os.chown(entry, self.user, self.group, follow_symlinks=False)
        return path

    def install(self, source: Path, name: str | None = None) -> Path:
        """Copy a program into the folder, executable by everyone."""
        target = self.root / "bin" / (name or source.name)
        target.parent.mkdir(mode=0o755, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755)
        return target

    def run(
        self,
        argv: Command,
        *,
        env: Mapping[str, str] | Mapping[bytes, bytes] | None = None,
        cwd: Path | None = None,
        stdin: int | None = subprocess.DEVNULL,
        input: bytes | None = None,  # noqa: A002 - as subprocess names it
        pass_fds: Sequence[int] = (),
        preexec: Callable[[], None] | None = None,
        timeout: float = _SECONDS,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command as the unprivileged user and capture what it prints.

        `preexec` runs in the child after the identity was given up.
        """
        return subprocess.run(
            argv,
            env=_ENVIRONMENT if env is None else env,
            cwd=self.root if cwd is None else cwd,
            stdin=None if input is not None else stdin,
            input=input,
            capture_output=True,
            pass_fds=pass_fds,
            preexec_fn=preexec,
            timeout=timeout,
            check=False,
            umask=0o022,
            **self.identity(),
        )

    def start(
        self,
        argv: Command,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a command as the unprivileged user; the caller ends it."""
        return subprocess.Popen(
            argv,
            env=_ENVIRONMENT if env is None else env,
            cwd=self.root if cwd is None else cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            umask=0o022,
            **self.identity(),
        )

    def identity(self) -> Identity:
        """Return the arguments of `subprocess` that give up root's identity."""
        if not self.drop:
            return {}
        return {"user": self.user, "group": self.group, "extra_groups": []}

    def compile(
        self, policy_text: str, name: str = "policy", target: str | None = None
    ) -> Path:
        """Compile a policy and return its bundle, alone in a folder of its own."""
        chosen = target or machine_target()
        compiled = compile_policy(read_policy(policy_text, name), name, chosen)
        folder = self.root / f"artifact-{next(self._numbers)}"
        folder.mkdir(mode=0o755)
        bundle = folder / f"{name}.{chosen}.stk"
        bundle.write_bytes(compiled.bundle)
        bundle.chmod(0o644)
        bundle.with_suffix(".txt").write_text(compiled.snapshot)
        return bundle

    def launch(
        self,
        policy: str | Path,
        program: str | Path,
        *arguments: Word,
        **options: object,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program under a policy text or a bundle; options as for `run`."""
        bundle = policy if isinstance(policy, Path) else self.compile(policy)
        command: list[Word] = [self.launcher, bundle, "--", program, *arguments]
        return self.run(command, **options)  # type: ignore[arg-type]


def find_launcher() -> Path:
    """Return the launcher to test; a missing one is an error, never a skip."""
    named = os.environ.get(LAUNCHER_VARIABLE)
    path = Path(named) if named else REPOSITORY / "build" / "stockade-launch"
    if not path.is_file():
        message = f"no launcher at `{path}`; run `make build`"
        raise FileNotFoundError(message)
    return path


def build_probe() -> Path:
    """Build the escape program of this machine and return its path."""
    make = ["make", "-s", "-C", os.fspath(PROBES), "escape"]
    done = subprocess.run(make, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = f"`{' '.join(make)}` failed:\n{done.stdout}{done.stderr}"
        raise RuntimeError(message)
    return REPOSITORY / "build" / "probes" / "escape"


def open_stage() -> Stage:
    """Make the folder below /var/tmp, with the launcher in it."""
    root = Path(tempfile.mkdtemp(prefix="stockade-test-", dir="/var/tmp"))
    root.chmod(0o755)
    stage = Stage(root, root / "bin" / "stockade-launch", drop=os.getuid() == 0)
    stage.install(find_launcher(), "stockade-launch")
    return stage


def close_stage(stage: Stage) -> None:
    """Remove the folder and everything in it."""
    shutil.rmtree(stage.root)


def status_lines(text: bytes) -> dict[str, str]:
    """Split the lines of a /proc/PID/status file into names and values."""
    pairs = re.findall(r"^(\w+):\t(.*)$", text.decode(), flags=re.MULTILINE)
    return dict(pairs)
