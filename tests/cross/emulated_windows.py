# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a Windows program under Wine, as the unprivileged user, with its own prefix.

Wine says yes to access lists and mitigations and drops them, so nothing that runs
here is evidence of confinement: only what a program reads, prints and answers is.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from stage import Stage, Word

# Debian's wine64 has no `wine` in PATH.
WINE = Path("/usr/lib/wine/wine64")
# Its own command interpreter.
COMMANDS = "C:\\windows\\system32\\cmd.exe"
_SERVER = Path("/usr/lib/wine/wineserver64")
_SECONDS = 300.0


class EmulatedWindows:
    """One Wine prefix, and the launcher to run in it."""

    def __init__(self, stage: Stage, launcher: Path) -> None:
        self.stage = stage
        self.launcher = launcher
        self._home = stage.folder("wine")
        self._environment: Mapping[str, str] = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self._home),
            "WINEPREFIX": str(self._home / "prefix"),
            # No window, no sound, no offer to download what we do not need.
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe,winedbg.exe=",
            # Names of files are bytes to Linux and UTF-16 to Wine.
            "LC_ALL": "C.UTF-8",
        }
        # One server for all runs: it would end with each, and start all of its
        # processes anew for the next.
        self._serve("-p")
        # Makes the prefix, which takes seconds, or minutes on a busy host.
        assert self.run(COMMANDS, "/c", "exit 7").returncode == 7

    def run(
        self, *command: Word, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a Windows program by its path here, without what Wine says itself."""
        done = self.stage.run(
            [WINE, *command], env=self._environment, cwd=cwd, timeout=_SECONDS
        )
        lines = done.stderr.splitlines(keepends=True)
        done.stderr = b"".join(line for line in lines if line[:6] != b"wine: ")
        return done

    def _serve(self, option: str) -> None:
        """Start, end or await the server of this prefix alone."""
        subprocess.run(
            [_SERVER, option],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            **self.stage.identity(),
        )

    def launch(
        self, *arguments: Word, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the launcher."""
        return self.run(self.launcher, *arguments, cwd=cwd)

    def close(self) -> None:
        """End what serves this prefix; others on this host are left alone."""
        self._serve("-k")
        self._serve("-w")


def windows_path(path: Path) -> str:
    """Spell a path of this system as Wine shows it."""
    return "Z:" + str(path).replace("/", "\\")
