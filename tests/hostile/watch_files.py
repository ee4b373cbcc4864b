# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Put up files that a confined program must not change, and list what they are."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from pathlib import Path

SECRET = b"canary: nobody writes here\n"


class Files:
    """Folders granted and not, and canaries in every place the user can write."""

    def __init__(self, arena: Path, program: Path, places: list[Path]) -> None:
        """Make all of them, as the user that the confined program runs as."""
        self.arena = arena
        self.granted = [arena / "write", arena / "write2"]
        self.guarded = [arena / "read", arena / "exec", arena / "outside", *places]
        for folder in (*self.granted, *self.guarded[:3]):
            folder.mkdir(mode=0o755, exist_ok=True)
        (arena / "outside" / "folder").mkdir()
        # For a command that puts up an arena of its own.
        (arena / "arranged").mkdir()
        self._canaries = [
            self._put(folder / name)
            for folder in (*self.guarded[2:], arena / "outside" / "folder")
            for name in ("canary", "canary-2")
        ]
        self._put(arena / "write" / "data")
        self._put(arena / "write2" / "data")
        self._put(arena / "read" / "data")
        self.programs = [arena / "exec" / "program", arena / "outside" / "forbidden"]
        for path in self.programs:
            shutil.copyfile(program, path)
            path.chmod(0o755)
        (arena / "outside" / "link").symlink_to("canary")

    def _put(self, path: Path) -> Path:
        path.write_bytes(SECRET)
        path.chmod(0o600)
        with contextlib.suppress(OSError):
            # Not every file system keeps attributes.
            os.setxattr(path, "user.stockade", b"old")
        return path

    def paths(self) -> list[Path]:
        """Name what is worth a try, inside the grants and outside them."""
        arena = self.arena
        return [
            *self._canaries,
            *self.programs,
            *self.guarded,
            *self.granted,
            arena / "write" / "data",
            arena / "write2" / "data",
            arena / "read" / "data",
            arena / "outside" / "link",
            arena / "outside" / "folder",
        ]

    def look(self) -> dict[str, object]:
        """Return names, contents and what is written about each guarded file."""
        outside = self._walk(self.guarded[2:])
        granted = self._walk(self.guarded[:2])
        metadata = {
            "file-metadata": {str(path): _facts(path) for path in outside},
            "granted-metadata": {str(path): _facts(path) for path in granted},
        }
        # Who owns a file that can be read may close it (`fchmod`): a stated limit.
        self._open_up(self.guarded[:2])
        granted = self._walk(self.guarded[:2])
        return {
            **metadata,
            "file-names": [str(path) for path in outside],
            "file-content": {str(path): _content(path) for path in outside},
            "granted-names": [str(path) for path in granted],
            "granted-content": {str(path): _content(path) for path in granted},
            **self._written(),
        }

    def _written(self) -> dict[str, object]:
        kinds: dict[str, object] = {}
        modes = {
            str(path): seen.st_mode
            for path in self._walk(self.granted)
            if (seen := _status(path)) is not None
        }
        kinds["special-file"] = [
            path
            for path, mode in modes.items()
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
        ]
        kinds["setid-file"] = [
            path for path, mode in modes.items() if mode & (stat.S_ISUID | stat.S_ISGID)
        ]
        return kinds

    @staticmethod
    def _open_up(folders: list[Path]) -> None:
        # A folder is opened before it is walked; what is open keeps its times.
        for folder in folders:
            _open(folder, 0o700)
            for root, inner, files in os.walk(folder):
                for name in inner:
                    _open(Path(root, name), 0o700)
                for name in files:
                    _open(Path(root, name), 0o600)

    @staticmethod
    def _walk(folders: list[Path]) -> list[Path]:
        found = list(folders)
        for folder in folders:
            for root, inner, files in os.walk(folder):
                found += [Path(root, name) for name in (*inner, *files)]
        return sorted(dict.fromkeys(found))

    def unlock(self) -> None:
        """Give the next run its folders, if the last one took them away."""
        facts = self.guarded[0] / "facts"
        for path in (*self.granted, *self.guarded[:2], facts, self.programs[0]):
            # Without a sandbox any of them may be gone.
            with contextlib.suppress(OSError):
                if path.stat().st_mode & 0o700 != 0o700:
                    path.chmod(0o755)

    def refresh(self) -> None:
        """Empty the writable folders, so that no run fills them up."""
        self._open_up(self.granted)
        for folder in self.granted:
            for entry in folder.iterdir() if folder.is_dir() else ():
                with contextlib.suppress(OSError):
                    if entry.is_dir() and not entry.is_symlink():
                        shutil.rmtree(entry)
                    else:
                        entry.unlink()
            with contextlib.suppress(OSError):
                self._put(folder / "data")


def _open(path: Path, rights: int) -> None:
    seen = _status(path)
    if seen is None or stat.S_ISLNK(seen.st_mode) or seen.st_mode & rights == rights:
        return
    with contextlib.suppress(OSError):
        path.chmod(0o755)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        # Its folder was closed, which is a change of that.
        return None


def _content(path: Path) -> str:
    seen = _status(path)
    if seen is None or not stat.S_ISREG(seen.st_mode):
        return ""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return f"errno {error.errno}"


def _facts(path: Path) -> list[object]:
    seen = _status(path)
    if seen is None:
        return ["out of reach"]
    attributes = []
    if not stat.S_ISLNK(seen.st_mode):
        try:
            attributes = [
                (name, os.getxattr(path, name).hex())
                for name in sorted(os.listxattr(path))
            ]
        except OSError as error:
            attributes = [("unreadable", str(error.errno))]
    return [
        *(seen.st_mode, seen.st_uid, seen.st_gid, seen.st_nlink, seen.st_size),
        # Every change of a file, or of what is written about it, moves the second.
        *(seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino),
        attributes,
    ]
