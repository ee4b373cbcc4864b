# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reach the refusals that only odd hosts and callers meet.

Each was found as one that could be taken out of the launcher unnoticed.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest
from launcher_scene import LIBC, Scene, artifact, bind, reason, started

_LINE = "1 {parent} 0:1 / / rw shared:1 - tmpfs none rw\n"
_TORN = {
    "a number without its end": "1x 1 0:1 / / rw - tmpfs none rw\n",
    "a line that ends too early": "1 1 0:1 /\n",
    "half an escape": "1 1 0:1 /\\04 / rw - tmpfs none rw\n",
    "no type": "1 1 0:1 / / rw shared:1 tmpfs none rw\n",
    "too many mounts": _LINE.format(parent=1) * 8193,
    "too many bytes": (_LINE.format(parent=1).strip() + "," * 1000 + "\n") * 1100,
}
_MNT_DETACH = 2


def _start_with_mountinfo(
    scene: Scene, text: str | None
) -> subprocess.CompletedProcess[bytes]:
    """Start with a writable path, where the table of mounts is a file of ours.

    Without a text it is what the table says.
    """
    shown = scene.file("mountinfo")
    table = Path("/proc/self/mountinfo")

    def arrange() -> None:
        shown.write_text(table.read_text() if text is None else text)
        bind(shown, table)

    grants = {"read_write": [scene.folder("out")]}
    return scene.start_among_mounts(artifact(grants), arrange)


@pytest.mark.needs("root-user")
def test_a_copy_of_the_table_of_mounts_is_understood(scene: Scene) -> None:
    """The control of the next test."""
    assert started(_start_with_mountinfo(scene, None)) == b""


@pytest.mark.needs("root-user")
@pytest.mark.parametrize("torn", _TORN.values(), ids=_TORN)
def test_a_torn_table_of_mounts_is_refused(scene: Scene, torn: str) -> None:
    """S1-289 what cannot be read wholly says nothing about second names."""
    text = reason(_start_with_mountinfo(scene, torn))
    assert "`/proc/self/mountinfo`" in text
    assert text.startswith(("cannot understand ", "cannot read "))


@pytest.mark.needs("root-user", "fuse")
def test_device_that_is_no_terminal_is_refused_as_a_stream(scene: Scene) -> None:
    """S2-218 a device driver's requests are not the policy's to give."""
    node = scene.root / "fuse"
    os.mknod(node, 0o020600, os.makedev(10, 229))
    fd = os.open(node, os.O_RDWR)
    try:
        text = reason(scene.start(artifact(), stdin=fd))
    finally:
        os.close(fd)
    assert text.startswith("standard input is a device (`")


@pytest.mark.needs("root-user")
def test_file_of_a_hidden_overlay_is_refused_as_a_stream(scene: Scene) -> None:
    lower, upper = scene.folder("lower"), scene.folder("upper")
    (lower / "file").write_text("x")
    place = scene.folder("place")

    def arrange() -> None:
        options = f"lowerdir={lower}:{upper}".encode()
        where = os.fsencode(place)
        done = LIBC.mount(b"overlay", where, b"overlay", 0, options)
        assert done == 0, os.strerror(ctypes.get_errno())
        os.dup2(os.open(place / "file", os.O_RDONLY), 0)
        assert LIBC.umount2(where, _MNT_DETACH) == 0

    text = reason(scene.start_among_mounts(artifact(), arrange))
    assert text.startswith("standard input is a file on no visible file system (`")


def test_status_file_in_no_folder_is_refused(scene: Scene) -> None:
    missing = scene.root / "missing" / "status"
    done = scene.start(artifact(), options=("--status-file", missing))
    assert reason(done) == f"cannot create the status file `{missing}`: ENOENT"
