# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Follow mounts as Landlock does: by what they hang on, not by their names.

A mount that was made through another bind mount of a granted folder has a name
that does not lie below that folder, and the kernel grants what it shows all the same.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from launcher_scene import (
    LIBC,
    PYTHON,
    Scene,
    artifact,
    bind,
    reason,
    started,
    trusted,
)

pytestmark = pytest.mark.needs("root-user")


def start(
    scene: Scene,
    grants: dict[str, list[Path | str]],
    arrange: Callable[[], None],
    *options: str | Path,
) -> subprocess.CompletedProcess[bytes]:
    """Start under grants, in a mount namespace that was arranged first."""
    return scene.start_among_mounts(artifact(grants), arrange, options=options)


class _Crossing:
    """A folder below the writable one where only its other name shows a mount."""

    def __init__(self, scene: Scene, shown: Path) -> None:
        self.shown, self.real = shown, scene.folder("real")
        self.alias = scene.folder("alias")
        self.out = self.real / "out"
        kind = Path.mkdir if shown.is_dir() else Path.touch
        for path in (self.out, self.out / "point"):
            (Path.mkdir if path == self.out else kind)(path)
        scene.stage.give(self.real)
        self.crossed = self.alias / "out" / "point"

    def arrange(self) -> None:
        bind(self.real, self.alias)
        bind(self.shown, self.crossed)


def test_landlock_follows_a_mount_made_through_an_alias(scene: Scene) -> None:
    """What the rule is for: the kernel alone lets such a file be written and run."""
    tools = scene.folder("tools")
    tool = tools / "tool"
    tool.write_text("#!/bin/sh\necho harmless\n")
    tool.chmod(0o755)
    scene.stage.give(tools)
    crossing = _Crossing(scene, tools)
    code = f"""
import ctypes, os, struct, subprocess
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *words):
    done = libc.syscall(ctypes.c_long(number), *words)
    assert done >= 0, os.strerror(ctypes.get_errno())
    return done
WRITE, EXECUTE = 2, 1
rules = call(444, struct.pack("Q", WRITE | EXECUTE), ctypes.c_size_t(8), 0)
grants = {{{str(crossing.out)!r}: WRITE, {str(tools)!r}: EXECUTE, "/usr": EXECUTE}}
for path, rights in grants.items():
    rule = struct.pack("=Qi", rights, os.open(path, os.O_PATH))
    call(445, rules, 1, rule, 0)
assert libc.prctl(38, 1, 0, 0, 0) == 0
call(446, rules, 0)
try:
    open({str(tool)!r}, "w")
except PermissionError:
    print("closed", flush=True)
with open({str(crossing.crossed / "tool")!r}, "w") as file:
    file.write("#!/bin/sh\\necho changed\\n")
subprocess.run([{str(tool)!r}], check=True)
"""
    done = scene.run_among_mounts([PYTHON, "-ESc", code], crossing.arrange)
    assert (done.stdout, done.stderr) == (b"closed\nchanged\n", b"")


def test_mount_below_made_through_an_alias_counts(scene: Scene) -> None:
    """S1-289 no name below the writable folder shows the mount; Landlock does."""
    tools = scene.folder("tools")
    crossing = _Crossing(scene, tools)
    grants = {"read_write": [crossing.out], "read_exec": [tools]}
    assert started(start(scene, grants, lambda: None)) == b""
    text = reason(start(scene, grants, crossing.arrange))
    assert text == f"`{tools}` (read_exec) lies inside `{crossing.out}` (read_write)"


def test_file_below_bound_through_an_alias_counts(scene: Scene) -> None:
    """S1-289 a mount point may be a file."""
    tool = scene.file("tool", mode=0o755)
    crossing = _Crossing(scene, tool)
    grants = {"read_write": [crossing.out], "read_exec": [tool]}
    assert started(start(scene, grants, lambda: None)) == b""
    text = reason(start(scene, grants, crossing.arrange))
    assert text == f"`{tool}` (read_exec) lies inside `{crossing.out}` (read_write)"


def test_mounts_on_mounts_below_count(scene: Scene) -> None:
    """S1-289 to any depth, and for what lies on top of another mount."""
    tools, middle = scene.folder("tools"), scene.folder("middle")
    (middle / "deep").mkdir()
    crossing = _Crossing(scene, middle)
    grants = {"read_write": [crossing.out], "read_exec": [tools]}

    def arrange() -> None:
        crossing.arrange()
        bind(tools, crossing.crossed / "deep")

    def stack() -> None:
        crossing.arrange()
        bind(tools, crossing.crossed)

    for mounts in (arrange, stack):
        text = reason(start(scene, grants, mounts))
        expected = f"`{tools}` (read_exec) lies inside `{crossing.out}` (read_write)"
        assert text == expected


def test_mount_below_the_executable_folder_by_an_alias_counts(scene: Scene) -> None:
    """S1-289 the other way round."""
    written = scene.folder("written")
    crossing = _Crossing(scene, written)
    grants = {"read_exec": [crossing.out], "read_write": [written]}
    assert started(start(scene, grants, lambda: None)) == b""
    text = reason(start(scene, grants, crossing.arrange))
    assert text == f"`{crossing.out}` (read_exec) holds `{written}` (read_write)"


def test_protected_path_below_by_an_alias_is_refused(scene: Scene) -> None:
    """S1-294 S1-295"""
    entry = scene.folder("entry")
    (entry / "file").write_text("x")
    crossing = _Crossing(scene, entry)
    grants = {"read_write": [crossing.out]}
    options = ("--protect", entry / "file")
    assert started(start(scene, grants, lambda: None, *options)) == b""
    text = reason(start(scene, grants, crossing.arrange, *options))
    assert text.startswith(f"the protected path `{entry}/file` lies inside")


def test_trusted_location_below_by_an_alias_is_refused(scene: Scene) -> None:
    """S1-318 a home folder that the writable folder holds by its other name."""
    home = scene.folder("home")
    crossing = _Crossing(scene, home)
    made = artifact(
        {"read_write": [crossing.out]}, trusted=trusted(("home", ".profile"))
    )
    env = {"HOME": os.fspath(home)}
    assert started(scene.start_among_mounts(made, lambda: None, env=env)) == b""
    text = reason(scene.start_among_mounts(made, crossing.arrange, env=env))
    assert "reaches the trusted location" in text


def test_process_files_below_by_an_alias_are_refused(scene: Scene) -> None:
    crossing = _Crossing(scene, scene.folder("other"))
    grants = {"read_write": [crossing.out]}

    def arrange() -> None:
        crossing.arrange()
        done = LIBC.mount(b"none", os.fsencode(crossing.crossed), b"proc", 0, None)
        assert done == 0

    text = reason(start(scene, grants, arrange))
    assert text.startswith(f"`{crossing.out}` (read_write) holds a file system of type")


def test_mount_beside_the_writable_folder_by_an_alias_is_none_of_it(
    scene: Scene,
) -> None:
    tools = scene.folder("tools")
    crossing = _Crossing(scene, tools)
    (crossing.real / "outer").mkdir()

    def arrange() -> None:
        bind(crossing.real, crossing.alias)
        bind(tools, crossing.alias / "outer")

    grants = {"read_write": [crossing.out], "read_exec": [tools]}
    assert started(start(scene, grants, arrange)) == b""


def test_folder_mounted_twice_on_itself_is_one_place(scene: Scene) -> None:
    """S1-291 the same path under two keys is redundant, whatever lies there."""
    real = scene.folder("real")
    grants = {"read_write": [real], "read": [real]}

    def arrange() -> None:
        bind(real, real)
        bind(real, real)

    assert started(start(scene, grants, arrange)) == b""


def test_mount_of_a_removed_folder_hides_none_beside_it(scene: Scene) -> None:
    """S1-289 the table of mounts marks such a name as deleted."""
    tools, gone = scene.folder("tools"), scene.folder("gone")
    crossing = _Crossing(scene, tools)
    grants = {"read_write": [crossing.out], "read_exec": [tools]}

    def remove() -> None:
        bind(gone, crossing.real)
        gone.rmdir()

    def arrange() -> None:
        crossing.arrange()
        bind(gone, crossing.alias / "gone")
        gone.rmdir()

    (crossing.real / "gone").mkdir()
    text = reason(start(scene, grants, arrange))
    assert text == f"`{tools}` (read_exec) lies inside `{crossing.out}` (read_write)"
    gone.mkdir()
    grants = {"read_write": [crossing.real]}
    text = reason(start(scene, grants, remove))
    assert "shows" in text


def test_chroot_whose_own_mount_is_hidden_is_refused(scene: Scene) -> None:
    """What a mount hangs on cannot be told there, so nothing is writable."""
    jail, out = scene.folder("jail"), scene.folder("out")
    scene.write(artifact({"read_write": ["/out"]}), "jail/hand.stk")
    scene.keep(jail / "hand.stk")
    for name in ("out", "proc", "usr", "etc", "dev"):
        (jail / name).mkdir()
    for name in ("lib", "lib64", "bin"):
        (jail / name).symlink_to(f"usr/{name}")
    launcher = scene.stage.launcher

    def arrange() -> None:
        (jail / "launcher").touch()
        bind("/usr", jail / "usr")
        bind("/etc", jail / "etc")
        bind("/dev", jail / "dev")
        bind(launcher, jail / "launcher")
        bind(out, jail / "out")
        assert LIBC.mount(b"none", os.fsencode(jail / "proc"), b"proc", 0, None) == 0
        os.chroot(jail)
        os.chdir("/")

    command = ["/launcher", "/hand.stk", "--", "/usr/bin/true"]
    text = reason(scene.run_among_mounts(command, arrange))
    assert text.startswith("cannot tell what the mount `/usr` hangs on:")
