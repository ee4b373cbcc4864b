# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write files whole or not at all, and bundles only after they were read back.

INVARIANT: a bundle leaves this room only when the launcher's own parser accepts
it and reads the same artifact out of it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from stockade.artifact.canonical import canonical
from stockade.artifact.checksum import checksum_of
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.errors import ArtifactMalformed, BundleRefused
from stockade.model.any_artifact import AnyArtifact

__all__ = ["checked_bytes", "checksum_of", "write_all"]

_STAGE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MODE = 0o644
# What must not be newer than the rest comes last: the snapshot names the checksum
# of its bundle, so a pair that a kill tore apart shows.
_RANKS = {".stk": 0, ".txt": 2}


def checked_bytes(artifact: AnyArtifact) -> bytes:
    """Return the bundle of an artifact, parsed and compared.

    Raises LimitExceeded for a policy that is too big, and ArtifactMalformed where
    the stages before made a mistake.
    """
    bundle = encode(artifact)
    try:
        read_back = decode(bundle)
    except BundleRefused as refusal:
        message = f"the launcher's parser refuses the new bundle: {refusal}"
        raise ArtifactMalformed(message) from refusal
    if read_back != canonical(artifact):
        message = "the launcher's parser reads another artifact than was written"
        raise ArtifactMalformed(message)
    return bundle


def write_all(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a directory, made when missing; raise OSError on failure.

    Each is staged beside its place and synced; then bundles are renamed first and
    snapshots last. A failure leaves no new file and no staged one behind, except
    that renames already made stay.
    """
    with _opened(directory) as folder, contextlib.ExitStack() as stack:
        staged = {
            name: stack.enter_context(_staged(folder, name, data))
            for name, data in files.items()
        }
        for name in sorted(staged, key=_rank):
            # Found before the first rename, so that nothing is half replaced.
            _refuse_folder(folder, name)
        for name in sorted(staged, key=_rank):
            os.rename(staged[name], name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)


def _rank(name: str) -> tuple[int, str]:
    return _RANKS.get(Path(name).suffix, 1), name


@contextlib.contextmanager
def _opened(directory: Path) -> Iterator[int]:
    made = False
    with contextlib.suppress(FileExistsError):
        directory.mkdir()
        made = True
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield folder
    except BaseException:
        if made:
            with contextlib.suppress(OSError):
                directory.rmdir()
        raise
    finally:
        os.close(folder)


@contextlib.contextmanager
def _staged(folder: int, name: str, data: bytes) -> Iterator[str]:
    """Write and sync a file under a name that is gone or renamed at the end."""
    if "/" in name or name in {"", ".", ".."}:
        message = f"not a plain file name: {name!r}"
        raise ValueError(message)
    stage, descriptor = _new_stage(folder, name)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), _MODE)
            os.fsync(file.fileno())
        yield stage
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(stage, dir_fd=folder)


def _new_stage(folder: int, name: str) -> tuple[str, int]:
    # A number and not a fixed name: another compiler may be at work here, or one
    # that was killed may have left its stage.
    for number in count():
        stage = f".{name}.{number}.staged"
        with contextlib.suppress(FileExistsError):
            return stage, os.open(stage, _STAGE_FLAGS, 0o600, dir_fd=folder)
    raise AssertionError


def _refuse_folder(folder: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
