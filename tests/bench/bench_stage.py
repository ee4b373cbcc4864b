# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lay out what the bench runs where an unprivileged user reaches it.

Times of root would be of no use: the launcher refuses root, and file access costs
it less. The grants are the same for the reference and for the launcher.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
UNPRIVILEGED = int(os.environ.get("STOCKADE_TEST_UID", "65534"))
_PROGRAMS = ("spawner", "true", "extra_exec", "reference", "attach", "call_cost")

# Paths that every Debian has, in the depths that policies name. With a writable folder
# and the program itself, which the launcher always grants, they are twelve rules. The
# letters are those of `reference.c`.
_HOST_PATHS = (
    *("x:/usr/bin", "x:/usr/lib"),
    *("r:/usr/share", "r:/usr/include", "r:/etc/apt", "r:/var/lib"),
    *("f:/etc/passwd", "f:/etc/group", "f:/etc/hosts", "f:/etc/hostname"),
)
# What a user's home has at least, on a Debian with git.
_HOME_FILES = tuple(
    f"home/{name}" for name in (".bash_logout", ".bashrc", ".gitconfig", ".profile")
)
_KEYS = {"x": "read_exec", "r": "read", "f": "read", "w": "read_write"}


def _quoted(paths: list[str]) -> str:
    return ", ".join(f'"{path}"' for path in sorted(paths))


class BenchError(Exception):
    """The bench cannot run; the message says why and what to do."""


def checked(command: Sequence[str | Path], home: Path | None = None) -> str:
    """Return what a command prints; with a home, as a user who is not root.

    The home matters: the launcher looks for what lies there that others trust.
    """
    identity = home is not None and os.getuid() == 0
    done = subprocess.run(
        command,
        user=UNPRIVILEGED if identity else None,
        group=UNPRIVILEGED if identity else None,
        extra_groups=[] if identity else None,
        env=None if home is None else {"PATH": "/usr/bin:/bin", "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        reason = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
        raise BenchError(f"`{Path(command[0]).name}` failed: {reason}")
    return done.stdout


@dataclass(frozen=True, slots=True)
class BenchStage:
    """One folder below /var/tmp with the programs, the grants and the artifact."""

    root: Path

    @property
    def home(self) -> Path:
        """Return the home folder of the user who is measured."""
        return self.root / "home"

    def program(self, name: str) -> str:
        """Return the path of one of the programs."""
        return str(self.root / "bin" / name)

    def rules(self) -> list[str]:
        """Return the twelve rules as the reference takes them."""
        own = [f"w:{self.root}/out", f"p:{self.program('true')}"]
        rules = [*_HOST_PATHS, *own]
        missing = [rule[2:] for rule in rules if not Path(rule[2:]).exists()]
        if missing:
            raise BenchError(f"`{missing[0]}` does not exist on this host")
        return rules

    def add_folders(self, count: int) -> list[str]:
        """Make as many folders as are missing and return them as further rules."""
        folders = [self.root / "many" / f"{number:05}" for number in range(count)]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        return [f"r:{folder}" for folder in folders]

    def policy(self, further: Sequence[str] = ()) -> str:
        """Return the policy that yields the same rules, and further ones."""
        paths: dict[str, list[str]] = {}
        for rule in [*self.rules()[:-1], *further]:
            paths.setdefault(_KEYS[rule[0]], []).append(rule[2:])
        keys = "".join(f"{key} = [{_quoted(paths[key])}]\n" for key in sorted(paths))
        return (
            f'version = 1\n[filesystem]\nsystem = "none"\n{keys}'
            '[network]\nip = "none"\n[process]\nsignals = "isolated"\n'
        )

    def add_program(self, source: Path, name: str) -> None:
        """Copy a program into the stage."""
        target = Path(self.program(name))
        shutil.copyfile(source, target)
        target.chmod(0o755)

    def add_file(self, name: str, content: bytes) -> str:
        """Write a file that everyone reads and return its path."""
        target = self.root / name
        target.write_bytes(content)
        target.chmod(0o644)
        return str(target)


@contextlib.contextmanager
def open_stage(build: Path) -> Iterator[BenchStage]:
    """Build the programs and copy them into a folder that is removed in the end."""
    checked(["make", "-s", "-C", HERE, f"BUILD={build.resolve()}"])
    with tempfile.TemporaryDirectory(prefix="stockade-bench-", dir="/var/tmp") as root:
        stage = BenchStage(Path(root))
        stage.root.chmod(0o755)
        for name in ("bin", "out", "home"):
            (stage.root / name).mkdir()
            (stage.root / name).chmod(0o755)
        for name in (*_HOME_FILES, "home", "out"):
            path = stage.root / name
            if not path.exists():
                path.touch(mode=0o644)
            if os.getuid() == 0:
                os.chown(path, UNPRIVILEGED, UNPRIVILEGED)
        for name in _PROGRAMS:
            stage.add_program(build / name, name)
        yield stage
