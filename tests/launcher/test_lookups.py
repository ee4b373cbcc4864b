# SPDX-License-Identifier: Apache-2.0 OR MIT
"""End a lookup that never answers, and look paths up by other ways where needed."""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from launcher_scene import (
    LIBC,
    OPENAT,
    READ_CANARY,
    Scene,
    artifact,
    filter_of,
    reason,
    started,
)

from stockade.model.artifact import Artifact, CanaryFolder, Filter, GrantRow

_OPENAT2 = 437
_DETACH = 2


@contextmanager
def _silent_file_system(point: Path) -> Iterator[None]:
    """Mount a file system whose server never answers."""
    device = os.open("/dev/fuse", os.O_RDWR)
    data = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
    done = LIBC.mount(b"silent", os.fsencode(point), b"fuse", 0, data.encode())
    assert done == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        os.close(device)
        LIBC.umount2(os.fsencode(point), _DETACH)


@pytest.mark.needs("root-user", "fuse", "release-launcher")
def test_lookup_that_hangs_ends_as_undecided(scene: Scene) -> None:
    """S2-267 after ten seconds, with the path and the status of a refusal."""
    point = scene.folder("point")
    path = scene.write(artifact({"read": [point / "file"]}))
    with _silent_file_system(point):
        begin = time.monotonic()
        done = scene.check(path)
        elapsed = time.monotonic() - begin
    assert 9 < elapsed < 30
    assert done.returncode == 125, done
    expected = f"looking up `{point}/file` took more than 10 s"
    line = f"UNDECIDED    filesystem confined to policy paths: {expected}"
    assert line in done.stdout.decode()
    assert done.stderr == b""


def test_quick_lookup_leaves_no_thread(scene: Scene) -> None:
    """What is not in the kernel's cache is looked up under the limit."""
    missing = [f"/dev/shm/{scene.root.name}-{n}" for n in range(3)]
    made = artifact({"read": ["/dev/shm", "/proc"]})
    rows = [GrantRow(name, "read", True, False) for name in missing]
    made = replace(made, grants=(*made.grants, *rows))
    done = scene.start(made, "/bin/grep", "Threads", "/proc/self/status")
    assert started(done) == b"Threads:\t1\n"


def _inside(
    scene: Scene, outer: Filter, inner: Artifact
) -> subprocess.CompletedProcess[bytes]:
    path = scene.keep(scene.write(inner, "inner.stk"))
    folders = ["/usr/bin", "/usr/lib", scene.stage.launcher.parent]
    rows: dict[str, list[Path | str]] = {"read": [path], "read_exec": folders}
    made = artifact(rows, variant={"filter": outer, "probes": ()})
    return scene.start(made, scene.stage.launcher, path, "--", "/bin/true")


@pytest.mark.needs("release-launcher")
@pytest.mark.parametrize("errno", [38, 1])
def test_paths_are_followed_without_openat2(scene: Scene, errno: int) -> None:
    """An outer filter that hides it, as those of containers do."""
    target = scene.folder("target")
    (target / "file").write_text("x")
    (scene.root / "link").symlink_to("target")
    scene.stage.give(scene.root)
    inner = artifact({"read": [scene.root / "link" / "file"]}, variant={"probes": ()})
    outer = filter_of((_OPENAT2, errno))
    assert started(_inside(scene, outer, inner)) == b""
    missing = artifact({"read": [scene.root / "link" / "missing"]})
    assert "does not exist" in reason(_inside(scene, outer, missing))


# Answers O_TMPFILE as old file systems do; Python runs it before the launcher.
_NAMELESS = f"""
import ctypes, struct
code = [(0x20, 0, 0, 0), (0x15, 0, 3, {OPENAT}), (0x20, 0, 0, 32),
        (0x45, 0, 1, 0o20000000), (6, 0, 0, 0x5005F), (6, 0, 0, 0x7FFF0000)]
text = b"".join(struct.pack("<HBBI", *each) for each in code)
program = ctypes.create_string_buffer(text)
head = struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(program))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.create_string_buffer(head)) == 0
"""


def test_canary_loses_its_name_where_nameless_files_are_unknown(scene: Scene) -> None:
    """GL-004 and proves as much as the other kind."""
    folder = scene.folder("canary")
    place = (CanaryFolder(str(folder)),)
    made = artifact(variant={"probes": (READ_CANARY,)}, canary_folders=place)
    assert started(scene.start(made, before=_NAMELESS)) == b""
    assert list(folder.iterdir()) == []
    broken = artifact(
        variant={"probes": (READ_CANARY,), "fs_required": 0x1FFB, "fs_optional": 0},
        canary_folders=place,
    )
    text = reason(scene.start(broken, before=_NAMELESS))
    assert text.endswith("canary-read: expected EACCES, got success")
    assert list(folder.iterdir()) == []
