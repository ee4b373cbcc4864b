# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keep the launcher, the artifact and named paths out of the program's reach."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from launcher_scene import Scene, artifact, reason, started


def _copy_of_the_launcher(scene: Scene, folder: Path) -> Path:
    path = folder / "stockade-launch"
    shutil.copy(scene.stage.launcher, path)
    path.chmod(0o755)
    scene.stage.give(folder)
    return path


def _start_copy(scene: Scene, launcher: Path, writable: Path) -> object:
    path = scene.write(artifact({"read_write": [writable]}))
    return scene.stage.run([launcher, path, "--", "/bin/true"])


def test_launcher_inside_a_writable_folder_is_refused(scene: Scene) -> None:
    """S1-294"""
    folder = scene.folder("folder")
    launcher = _copy_of_the_launcher(scene, folder)
    text = reason(_start_copy(scene, launcher, folder))
    assert text == (f"the launcher `{launcher}` lies inside `{folder}` (read_write)")
    assert started(_start_copy(scene, launcher, scene.folder("other"))) == b""


def test_launcher_that_is_itself_writable_is_refused(scene: Scene) -> None:
    """S1-294"""
    launcher = _copy_of_the_launcher(scene, scene.folder("folder"))
    text = reason(_start_copy(scene, launcher, launcher))
    assert text.startswith(f"the launcher `{launcher}` is the same as")


def test_launcher_started_through_a_link_in_a_writable_folder_is_refused(
    scene: Scene,
) -> None:
    """S1-294 the next start by that name could be another program's."""
    folder = scene.folder("folder")
    (folder / "launch").symlink_to(scene.stage.launcher)
    scene.stage.give(folder)
    text = reason(_start_copy(scene, folder / "launch", folder))
    assert text.startswith(
        f"`{folder}/launch` is reached through the link `launch` in `{folder}`"
    )


def test_launcher_with_a_second_name_is_refused(scene: Scene) -> None:
    """S1-294 names cannot be searched for, so one is enough."""
    folder, other = scene.folder("folder"), scene.folder("other")
    launcher = _copy_of_the_launcher(scene, folder)
    (folder / "second").hardlink_to(launcher)
    text = reason(_start_copy(scene, launcher, other))
    assert text.startswith(f"the launcher `{launcher}` has a second name, which may")
    assert f"lie in `{other}` (read_write)" in text


def test_artifact_is_protected_the_same_way(scene: Scene) -> None:
    """S1-295"""
    folder = scene.folder("folder")
    inside = scene.write(artifact({"read_write": [folder]}), "folder/inside.stk")
    text = reason(scene.start(inside))
    assert text == f"the artifact `{inside}` lies inside `{folder}` (read_write)"
    moved = inside.rename(scene.root / "moved.stk")
    assert started(scene.start(moved)) == b""
    (folder / "link.stk").symlink_to(moved)
    scene.stage.give(folder)
    text = reason(scene.start(folder / "link.stk"))
    assert "is reached through the link `link.stk`" in text
    (folder / "second.stk").hardlink_to(moved)
    text = reason(scene.start(moved))
    assert text.startswith(f"the artifact `{moved}` has a second name")


def _protect(scene: Scene, writable: Path, *paths: Path | str) -> object:
    options = [part for path in paths for part in ("--protect", path)]
    return scene.start(artifact({"read_write": [writable]}), options=options)


@pytest.mark.parametrize("relation", ["inside", "same", "holds"])
def test_protected_folder_shares_nothing_with_a_writable_one(
    scene: Scene, relation: str
) -> None:
    """S1-294 a folder is what lies in it as well."""
    outer = scene.folder("outer")
    inner = outer / "inner"
    inner.mkdir()
    scene.stage.give(outer)
    writable, protected = {
        "inside": (outer, inner),
        "same": (outer, outer),
        "holds": (inner, outer),
    }[relation]
    words = {"inside": "lies inside", "same": "is the same as", "holds": "holds"}
    text = reason(_protect(scene, writable, protected))
    assert text == (
        f"the protected path `{protected}` {words[relation]} `{writable}` (read_write)"
    )


def test_every_protected_path_is_looked_at(scene: Scene) -> None:
    folder, fine = scene.folder("folder"), scene.file("fine")
    (folder / "file").touch()
    started(_protect(scene, folder, *[fine] * 40))
    text = reason(_protect(scene, folder, *[fine] * 40, folder / "file"))
    assert f"the protected path `{folder}/file` lies inside" in text


def test_protected_path_may_be_spelled_otherwise(scene: Scene) -> None:
    folder = scene.folder("folder")
    (folder / "file").touch()
    spelled = f"{folder}/../folder/.//file"
    text = reason(_protect(scene, folder, spelled))
    assert f"the protected path `{folder}/file` lies inside" in text


@pytest.mark.parametrize("path", ["relative", ""])
def test_protected_path_is_absolute(scene: Scene, path: str) -> None:
    text = reason(_protect(scene, scene.folder("folder"), path))
    assert text == f"the protected path `{path}` is not an absolute path"


def test_missing_protected_path_is_refused(scene: Scene) -> None:
    """Also where nothing is writable: a wrong name protects nothing."""
    missing = scene.root / "missing"
    done = scene.start(artifact(), options=["--protect", missing])
    assert reason(done) == f"cannot open the protected path `{missing}`: ENOENT"


def test_launcher_started_by_a_relative_link_is_refused(scene: Scene) -> None:
    """S1-294 the name is taken from the folder it was started in."""
    folder = scene.folder("folder")
    (folder / "launch").symlink_to(scene.stage.launcher)
    scene.stage.give(folder)
    path = scene.write(artifact({"read_write": [folder]}))
    shell = 'cd "$0" && exec ./launch "$1" -- /bin/true'
    text = reason(scene.stage.run(["/bin/sh", "-c", shell, folder, path]))
    assert text.startswith(f"`{folder}/./launch` is reached through the link `launch`")
