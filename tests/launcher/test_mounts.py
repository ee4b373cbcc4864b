# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tell one place by all its names: bind mounts, and what is mounted below."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from launcher_scene import LIBC, Scene, artifact, bind, reason, started, tmpfs

pytestmark = pytest.mark.needs("root-user")

DETACH = 2


def start(
    scene: Scene,
    grants: dict[str, list[Path | str]],
    arrange: Callable[[], None],
    *options: str | Path,
) -> subprocess.CompletedProcess[bytes]:
    """Start under grants, in a mount namespace that was arranged first."""
    return scene.start_among_mounts(artifact(grants), arrange, options=options)


def test_bind_mount_of_the_writable_folder_is_refused(scene: Scene) -> None:
    """S1-289 the whole folder under a second name."""
    real, alias = scene.folder("real"), scene.folder("alias")
    grants = {"read_write": [real], "read_exec": [alias]}
    assert started(start(scene, grants, lambda: None)) == b""
    text = reason(start(scene, grants, lambda: bind(real, alias)))
    assert text == f"`{alias}` (read_exec) is the same as `{real}` (read_write)"


def test_bind_mount_of_a_folder_below_is_refused(scene: Scene) -> None:
    """S1-289 no device and inode number shows this one."""
    real, alias = scene.folder("real"), scene.folder("alias")
    (real / "sub" / "deep").mkdir(parents=True)
    grants = {"read_write": [real], "read_exec": [alias]}
    text = reason(start(scene, grants, lambda: bind(real / "sub" / "deep", alias)))
    assert text == f"`{alias}` (read_exec) lies inside `{real}` (read_write)"


def test_bind_mount_of_a_folder_above_is_refused(scene: Scene) -> None:
    """S1-289 the executable folder holds the writable one by its other name."""
    above, alias = scene.folder("above"), scene.folder("alias")
    below = above / "below"
    below.mkdir()
    scene.stage.give(above)
    grants = {"read_write": [below], "read_exec": [alias]}
    text = reason(start(scene, grants, lambda: bind(above, alias)))
    assert text == f"`{alias}` (read_exec) holds `{below}` (read_write)"


def test_mount_below_the_writable_folder_counts(scene: Scene) -> None:
    """S1-289 executable files below a writable folder, on their own mount."""
    real, tools = scene.folder("real"), scene.folder("tools")
    (real / "point").mkdir()
    grants = {"read_write": [real], "read_exec": [tools]}
    text = reason(start(scene, grants, lambda: bind(tools, real / "point")))
    assert text == f"`{tools}` (read_exec) lies inside `{real}` (read_write)"


def test_mount_below_the_executable_folder_counts(scene: Scene) -> None:
    """S1-289 the writable place shows below the executable folder."""
    real, tools = scene.folder("real"), scene.folder("tools")
    (tools / "point").mkdir()
    grants = {"read_write": [real], "read_exec": [tools]}
    text = reason(start(scene, grants, lambda: bind(real, tools / "point")))
    assert text == f"`{tools}` (read_exec) holds `{real}` (read_write)"


def test_other_file_system_below_is_no_overlap(scene: Scene) -> None:
    real, tools = scene.folder("real"), scene.folder("tools")
    (real / "point").mkdir()
    grants = {"read_write": [real], "read_exec": [tools]}
    assert started(start(scene, grants, lambda: tmpfs(real / "point"))) == b""


def test_grant_on_a_mount_below_a_writable_folder_is_refused(scene: Scene) -> None:
    """S1-291 inside by name, whatever file system it is."""
    real = scene.folder("real")
    point = real / "point"
    point.mkdir()
    grants = {"read_write": [real], "read": [point]}
    text = reason(start(scene, grants, lambda: tmpfs(point)))
    assert text == f"`{point}` (read) lies inside `{real}` (read_write)"


def test_alias_of_a_system_folder_is_that_folder(scene: Scene) -> None:
    """S1-306"""
    alias = scene.folder("alias")
    grants = {"read_write": [alias]}
    text = reason(start(scene, grants, lambda: bind("/usr/lib", alias)))
    assert f"(system) is the same as `{alias}` (read_write)" in text


def test_names_with_blanks_are_understood(scene: Scene) -> None:
    """The kernel writes them as octal numbers."""
    real, alias = scene.folder("a \\ b"), scene.folder("x y\\040")
    (real / "s\tu\nb").mkdir()
    grants = {"read_write": [real], "read_exec": [alias]}
    assert started(start(scene, grants, lambda: None)) == b""
    text = reason(start(scene, grants, lambda: bind(real / "s\tu\nb", alias)))
    assert text == f"`{alias}` (read_exec) lies inside `{real}` (read_write)"


def test_executable_file_bound_into_a_writable_folder_is_refused(scene: Scene) -> None:
    tool, real = scene.file("tool", mode=0o755), scene.folder("real")
    (real / "point").touch()
    grants = {"read_write": [real], "read_exec": [tool]}
    text = reason(start(scene, grants, lambda: bind(tool, real / "point")))
    assert text == f"`{tool}` (read_exec) lies inside `{real}` (read_write)"


def test_protected_path_by_its_other_name_is_refused(scene: Scene) -> None:
    """S1-294 S1-295"""
    real, entry = scene.folder("real"), scene.folder("entry")
    (entry / "file").write_text("x")
    (real / "point").mkdir()
    grants = {"read_write": [real]}
    options = ("--protect", entry / "file")
    assert started(start(scene, grants, lambda: None, *options)) == b""
    done = start(scene, grants, lambda: bind(entry, real / "point"), *options)
    text = reason(done)
    assert (
        text == f"the protected path `{entry}/file` lies inside `{real}` (read_write)"
    )


def test_launcher_by_its_other_name_is_refused(scene: Scene) -> None:
    """S1-294"""
    alias = scene.folder("alias")
    folder = scene.stage.launcher.parent
    done = start(scene, {"read_write": [alias]}, lambda: bind(folder, alias))
    assert reason(done).startswith(f"the launcher `{scene.stage.launcher}` lies inside")


@pytest.mark.needs("release-launcher")
def test_unreadable_table_of_mounts_is_refused(scene: Scene) -> None:
    grants = {"read_write": [scene.folder("real")]}

    def hide() -> None:
        scene.keep(scene.root / "hand.stk")
        LIBC.umount2(b"/proc", DETACH)

    text = reason(start(scene, grants, hide))
    assert text.startswith("cannot open `/proc/self/mountinfo`")


@pytest.mark.needs("release-launcher")
def test_without_proc_and_writable_paths_it_starts(scene: Scene) -> None:
    """The canary has no path then: nothing is proved by it, the rest is."""

    def hide() -> None:
        scene.keep(scene.root / "hand.stk")
        LIBC.umount2(b"/proc", DETACH)

    assert started(start(scene, {"read": [scene.file("file")]}, hide)) == b""


def _acts(path: Path | str, role: str, verb: str, kind: str) -> str:
    return (
        f"`{path}` ({role}) {verb} a file system of type {kind}, whose files act on "
        "processes outside; do not let it be written"
    )


@pytest.mark.parametrize("path", ["/proc", "/proc/sys", "/proc/self/oom_score_adj"])
def test_writable_process_files_are_refused(scene: Scene, path: str) -> None:
    """Signals may be isolated, and the killer for lack of memory still comes."""
    text = reason(start(scene, {"read_write": [path]}, lambda: None))
    assert text == _acts(path, "read_write", "lies on", "proc")
    assert started(start(scene, {"read": [path]}, lambda: None)) == b""


def test_writable_process_files_are_a_conflict(scene: Scene) -> None:
    done = scene.check(scene.write(artifact({"read_write": ["/proc"]})))
    assert done.returncode == 125
    line = "CONFLICT     " + _acts("/proc", "read_write", "lies on", "proc")
    assert line in done.stdout.decode().splitlines()


@pytest.mark.parametrize(
    "kind",
    [
        *("proc", "sysfs", "cgroup2", "tmpfs"),
        pytest.param("mqueue", marks=pytest.mark.needs("posix-queues")),
    ],
)
def test_mount_below_that_acts_on_processes_is_refused(scene: Scene, kind: str) -> None:
    real = scene.folder("real")
    point = real / "deep" / "point"
    point.mkdir(parents=True)

    def arrange() -> None:
        done = LIBC.mount(b"none", os.fsencode(point), kind.encode(), 0, None)
        assert done == 0

    done = start(scene, {"read_write": [real]}, arrange)
    if kind == "tmpfs":
        assert started(done) == b""
    else:
        assert reason(done) == _acts(real, "read_write", "holds", kind)
    assert started(start(scene, {"read": [real]}, arrange)) == b""


@pytest.mark.needs("strace", "release-launcher")
def test_mount_that_comes_while_starting_is_noticed(scene: Scene) -> None:
    """The table that was judged must still be true when everything is held."""
    real, point = scene.folder("real"), scene.folder("point")
    made = artifact({"read_write": [real]})
    waiting = "inject=poll:delay_enter=1500000"
    strace = ["strace", "-o", scene.file("log", ""), "-e", waiting]
    assert started(scene.start_among_mounts(made, lambda: None, through=strace)) == b""

    def mount_later() -> None:
        child = os.fork()
        if child == 0:
            # A grandchild, which the launcher's process does not know.
            if os.fork() == 0:
                time.sleep(0.7)
                tmpfs(point)
            os._exit(0)
        os.waitpid(child, 0)

    text = reason(scene.start_among_mounts(made, mount_later, through=strace))
    assert text == "the mounts of this host changed while starting; start again"
