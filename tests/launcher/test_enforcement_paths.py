# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Try the canary, and what is granted, wherever they lie."""

from __future__ import annotations

import os

import pytest
from enforcement_scene import (
    CANARY_PROBES,
)
from launcher_scene import (
    CLOSE,
    EACCES,
    EPERM,
    OPENAT,
    READ_CANARY,
    Scene,
    artifact,
    call,
    filter_of,
    number,
    probe,
    reason,
    started,
)

from stockade.model.artifact import (
    CanaryFolder,
    Probe,
)


def _canary(scene: Scene, grants: dict, *probes: Probe, **how: object) -> object:
    made = artifact(grants, variant={"probes": probes or CANARY_PROBES}, **how)
    return scene.start(made)


def test_canary_finds_a_folder_that_no_grant_covers(scene: Scene) -> None:
    """GL-005 granted folders are passed over, wherever the grant lies above."""
    folders = (CanaryFolder(str(scene.root / "deep")), CanaryFolder("/var/tmp"))
    (scene.root / "deep").mkdir()
    scene.stage.give(scene.root)
    assert started(_canary(scene, {"read": [scene.root]}, canary_folders=folders)) == (
        b""
    )


@pytest.mark.needs("landlock-abi-3")
def test_everything_readable_still_starts(scene: Scene) -> None:
    """GL-002 what is granted is not probed, and what is not granted is."""
    assert started(_canary(scene, {"read": ["/"]})) == b""
    variant = {"probes": CANARY_PROBES, "fs_optional": 0}
    made = artifact({"read": ["/"]}, variant=variant)
    text = reason(scene.start(made))
    assert text.endswith("canary-length: expected EACCES, got success")


def test_without_a_folder_for_the_canary_it_starts(scene: Scene) -> None:
    missing = CanaryFolder(str(scene.root / "missing"))
    closed = CanaryFolder("/proc")
    assert started(_canary(scene, {}, canary_folders=(missing, closed))) == b""
    assert started(_canary(scene, {}, canary_folders=())) == b""


def test_folder_of_the_user_has_his_number(scene: Scene) -> None:
    folder = scene.folder(str(scene.stage.user))
    place = CanaryFolder(f"{folder.parent}/", "user")
    variant = {"probes": (READ_CANARY,), "fs_required": 0x1FFB, "fs_optional": 0}
    made = artifact(variant=variant, canary_folders=(place,))
    # A broken ruleset shows that the canary was made there.
    assert "canary-read: expected EACCES" in reason(scene.start(made))
    folder.rmdir()
    assert started(scene.start(made)) == b""


def test_canary_does_not_depend_on_the_umask(scene: Scene) -> None:
    variant = {"probes": CANARY_PROBES}
    done = scene.start(artifact(variant=variant), before="os.umask(0o777)")
    assert started(done) == b""


def test_no_file_is_left_behind(scene: Scene) -> None:
    """GL-004"""
    folder = scene.folder("canary")
    place = CanaryFolder(str(folder))
    assert started(_canary(scene, {}, canary_folders=(place,))) == b""
    assert list(folder.iterdir()) == []


# --- what is granted


def test_write_into_a_readable_folder_is_caught(scene: Scene) -> None:
    """A class that gives more than it says."""
    folder = scene.folder("folder")
    classes = list(artifact().classes)
    classes[0] = type(classes[0])("read", 0x7FFE)
    made = artifact({"read": [folder]}, classes=tuple(classes))
    text = reason(scene.start(made))
    assert text == (
        f"refused: enforcement check: writing in `{folder}`: "
        "expected EACCES, got success"
    )


def test_write_to_a_readable_file_is_caught(scene: Scene) -> None:
    file = scene.file("file")
    classes = list(artifact().classes)
    classes[0] = type(classes[0])("read", 0x6)
    made = artifact({"read": [file]}, classes=tuple(classes))
    text = reason(scene.start(made))
    assert f"writing in `{file}`: expected EACCES, got success" in text
    assert file.read_text() == "granted\n"


def test_read_path_that_is_also_writable_is_not_tried(scene: Scene) -> None:
    folder = scene.folder("folder")
    grants = {"read": [folder], "read_write": [folder]}
    assert started(scene.start(artifact(grants))) == b""


def test_grant_that_does_not_open_is_caught(scene: Scene) -> None:
    """As on a file system that does not keep what Landlock attaches."""
    file = scene.file("file")
    variant = {"fs_required": 0x1FFF, "filter": filter_of((OPENAT, EACCES))}
    made = artifact({"read": [file]}, variant={**variant, "probes": ()})
    text = reason(scene.start(made))
    assert "expected success, got EACCES; its file system may not keep" in text


def test_granted_path_that_the_user_cannot_open_is_as_before(scene: Scene) -> None:
    file, folder = scene.file("file", mode=0o000), scene.folder("folder")
    folder.chmod(0o311)
    assert started(scene.start(artifact({"read": [file, folder]}))) == b""


def test_no_try_is_made_where_the_artifact_has_the_check_off(scene: Scene) -> None:
    """GL-001: a probe, a witness and a grant that would refuse are skipped."""
    file = scene.file("file")
    variant = {
        "fs_required": 0x1FFF,
        "filter": filter_of((OPENAT, EACCES)),
        "probes": (probe("open", call(CLOSE, number(-1)), EPERM),),
    }
    made = artifact({"read": [file]}, variant=variant)
    assert "enforcement check: open: expected EPERM" in reason(scene.start(made))
    unchecked = artifact(
        {"read": [file]}, variant=variant, concessions=("self-check-off",)
    )
    assert b"Permission denied" in scene.start(unchecked, "/bin/cat", file).stderr
    other = artifact(variant={"probes": ()}, concessions=("ipc-shared",))
    assert started(scene.start(other)) == b""


def test_pipes_and_devices_are_not_opened(scene: Scene) -> None:
    """A reader of a pipe would wait, or take what another reads."""
    os.mkfifo(scene.root / "pipe")
    scene.stage.give(scene.root)
    grants = {"read": [scene.root / "pipe", "/dev/null"]}
    assert started(scene.start(artifact(grants))) == b""


# --- inside other sandboxes
