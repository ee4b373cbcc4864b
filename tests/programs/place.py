# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Give an example policy the folders it names, and a program to run under it.

The examples name places below /srv/stockade-demo; a test makes them below the stage
and writes its own place into the policy. Nothing else of an example is changed but
the version in the name of a package's folder.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import reductions

from stage import REPOSITORY, Stage, Word, require

EXAMPLES = REPOSITORY / "docs" / "examples"
FIXED = "/srv/stockade-demo"
SEARCH = "/usr/bin:/bin:/usr/sbin:/sbin"
SECRET = b"the secret\n"

Done = subprocess.CompletedProcess[bytes]


class StartRefused(Exception):
    """The launcher did not start a program, which no test of its work may count."""


class Place:
    """The folders that one example names, made below the stage, and a secret beside."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.root = stage.folder("demo")
        self.secret = self.file("secret", SECRET)

    def folder(self, name: str) -> Path:
        """Make a folder of the unprivileged user's."""
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        self.stage.give(self.root)
        return path

    def file(self, name: str, content: bytes) -> Path:
        """Make a file of the unprivileged user's, and the folder it lies in."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.stage.give(self.root)
        return path

    def here(self, text: str) -> str:
        """Return an example's text, or its settings', for this place and this host."""
        text = text.replace(FIXED, str(self.root))
        for name, found in versions().items():
            text = text.replace(name, found)
        return text

    def text(self, example: str) -> str:
        """Return the policy of an example for this place.

        What the host's package has elsewhere, an example names for one distribution,
        and a path that is missing refuses the start.
        """
        text = self.here((EXAMPLES / f"{example}.toml").read_text())
        for path in reductions.granted(text):
            if not path.startswith(str(self.root)) and not Path(path).exists():
                text = reductions.without_path(text, path)
        return text

    def bundle(self, example: str) -> Path:
        """Compile an example for this place."""
        require(*reductions.features(self.text(example)))
        return self.stage.compile(self.text(example), example)

    def launch(
        self,
        bundle: Path,
        program: str,
        *arguments: Word,
        stdin: bytes | None = None,
        cwd: Path | None = None,
    ) -> Done:
        """Run a program under a bundle, in the place itself."""
        done = self.stage.launch(
            bundle, program, *arguments, cwd=cwd or self.root, input=stdin
        )
        if done.returncode == 125 and done.stderr.startswith(b"stockade: "):
            raise StartRefused(errors(done))
        return done

    def outside(
        self, program: str, *arguments: Word, stdin: bytes | None = None
    ) -> Done:
        """Run the same without stockade: what is denied inside has to work here."""
        return self.stage.run([program, *arguments], cwd=self.root, input=stdin)

    def tight(self, example: str, work: Callable[[Path], object]) -> None:
        """Assert that the example's work fails without any one thing it allows."""
        require(*reductions.features(self.text(example)))
        kept = []
        for what, text in reductions.reductions(self.text(example)):
            try:
                work(self.stage.compile(text, example))
            except (AssertionError, OSError):
                continue
            kept.append(what)
        assert not kept, f"`{example}.toml` allows more than its work needs: {kept}"


def program(name: str) -> str:
    """Return a program's path; skips, by the measured feature, where it is missing."""
    require(f"program-{name}")
    path = shutil.which(name, path=SEARCH)
    assert path is not None
    return path


def postgresql(name: str) -> str:
    """Return a program of PostgreSQL's, whose folder is on nobody's search path."""
    require("postgresql")
    return f"/usr/lib/postgresql/{_newest('/usr/lib/postgresql')}/bin/{name}"


def _newest(folder: str, pattern: str = "*") -> str:
    names = sorted(path.name for path in Path(folder).glob(pattern))
    return names[-1] if names else ""


@functools.cache
def versions() -> dict[str, str]:
    """Map what an example calls a folder with a version in it to this host's name."""
    found = {
        "/postgresql/15": _newest("/usr/lib/postgresql"),
        "/ImageMagick-6": _newest("/etc", "ImageMagick-*"),
    }
    return {
        name: f"{name[: name.rindex('/')]}/{new}" for name, new in found.items() if new
    }


def errors(done: Done) -> str:
    """Return what a program wrote to standard error."""
    return done.stderr.decode(errors="replace")


def succeeded(done: Done) -> Done:
    """Assert that a program ended well, showing what it said otherwise."""
    assert done.returncode == 0, (done.returncode, done.stdout, errors(done))
    return done


def skipped_without(*names: str) -> pytest.MarkDecorator:
    """Mark a test as needing programs."""
    return pytest.mark.needs(*(f"program-{name}" for name in names))


def tree(folder: Path) -> Iterator[str]:
    """List what lies in a folder, as names relative to it, sorted."""
    yield from sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
