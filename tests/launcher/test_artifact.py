# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Accept an artifact only when nobody but root and the caller can have written it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from launcher_scene import ARTIFACT, Scene, artifact, reason, started

import host_features
from stockade.artifact.encode import encode
from stockade.driver.compile import compile_policy
from stockade.model.policy import Policy

_STRANGER = 4711
_SEAL_WRITE = fcntl.F_SEAL_WRITE
_ALL_SEALS = (
    fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
)

needs_root = pytest.mark.needs("root-user")


def _nested(scene: Scene) -> Path:
    """Return an artifact two folders below the scene's."""
    folder = scene.folder("outer")
    inner = folder / "inner"
    inner.mkdir()
    path = scene.write(artifact())
    moved = path.rename(inner / "moved.stk")
    scene.stage.give(folder)
    return moved


def test_relative_path_is_taken_from_the_working_folder(scene: Scene) -> None:
    path = _nested(scene)
    done = scene.start(Path(path.name), cwd=path.parent)
    assert started(done) == b""


def test_missing_artifact_is_refused(scene: Scene) -> None:
    missing = scene.root / "missing.stk"
    text = reason(scene.start(missing))
    assert text == f"cannot find the artifact `{missing}`: ENOENT"


def test_unreadable_artifact_is_refused(scene: Scene) -> None:
    path = scene.write(artifact())
    path.chmod(0o200)
    assert reason(scene.start(path)) == f"`{path}` cannot be read: EACCES"


@pytest.mark.parametrize("kind", ["folder", "fifo", "device"])
def test_only_a_regular_file_is_read(scene: Scene, kind: str) -> None:
    """A pipe must not be opened: that would wait for a writer."""
    path = scene.root / "odd.stk"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path, 0o644)
    else:
        path = Path("/dev/null")
    if kind != "device":
        scene.stage.give(path)
        assert reason(scene.start(path)) == f"`{path}` is not a regular file"
    else:
        # Writable for all, which is seen first.
        assert "can be written by others" in reason(scene.start(path))


@pytest.mark.parametrize("size", [0, 4 * 1024 * 1024 + 1])
def test_size_is_limited(scene: Scene, size: int) -> None:
    path = scene.file("sized.stk")
    os.truncate(path, size)
    text = reason(scene.start(path))
    assert f"has {size} bytes; it must have 1 to 4194304" in text


def test_what_the_parser_refuses_is_not_used(scene: Scene) -> None:
    """The parser has tests of its own: here only that it is asked."""
    path = scene.write(artifact())
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    text = reason(scene.start(path))
    assert f"the artifact `{path}` is refused: damaged" in text
    assert text.endswith("compile it again")


def test_artifact_of_another_machine_is_refused(scene: Scene) -> None:
    other = {"linux-x86_64": "linux-aarch64", "linux-aarch64": "linux-x86_64"}
    variant = {"probes": ()}
    made = artifact(variant=variant, target=other[ARTIFACT.target])
    assert "compiled for another system" in reason(scene.start(made))


@pytest.mark.parametrize("target", ["macos", "windows"])
def test_artifact_of_another_system_is_refused(scene: Scene, target: str) -> None:
    """S2-378: sound as the compiler wrote it, and for no program of this launcher."""
    policy = Policy(appcontainer_name="example.app")
    path = scene.write(artifact())
    path.write_bytes(compile_policy(policy, "example", target).bundle)
    assert "compiled for another system" in reason(scene.start(path))


@needs_root
@pytest.mark.parametrize("depth", ["file", "folder", "outer"])
def test_owner_is_root_or_the_caller(scene: Scene, depth: str) -> None:
    path = _nested(scene)
    part = {"file": path, "folder": path.parent, "outer": path.parent.parent}[depth]
    os.chown(part, 0, 0)
    assert started(scene.start(path)) == b""
    os.chown(part, _STRANGER, 0)
    text = reason(scene.start(path))
    assert f"`{part.name}` in the path of the artifact `{path}`" in text
    assert f"belongs to user {_STRANGER}" in text


@pytest.mark.parametrize("depth", ["file", "folder"])
@pytest.mark.parametrize("bits", [0o002, 0o020])
def test_others_cannot_write(scene: Scene, depth: str, bits: int) -> None:
    """The caller's own group may write: it holds nobody else by convention."""
    path = _nested(scene)
    part = path if depth == "file" else path.parent
    part.chmod(part.stat().st_mode | bits)
    if bits == 0o020:
        assert started(scene.start(path)) == b""
        if os.getuid() != 0:
            return
        os.chown(part, -1, _STRANGER)
    text = reason(scene.start(path))
    assert f"`{part.name}` in the path of the artifact `{path}` can be" in text


@needs_root
def test_group_of_root_may_not_write(scene: Scene) -> None:
    path = _nested(scene)
    os.chown(path.parent, 0, 0)
    path.parent.chmod(0o775)
    assert "can be written by others" in reason(scene.start(path))


@needs_root
@pytest.mark.parametrize(
    ("owner", "accepted"), [(0, True), (host_features.UNPRIVILEGED, False)]
)
def test_sticky_folder_of_root_may_be_writable(
    scene: Scene, owner: int, accepted: bool
) -> None:
    path = _nested(scene)
    os.chown(path.parent, owner, 0)
    path.parent.chmod(0o1777)
    done = scene.start(path)
    if accepted:
        assert started(done) == b""
    else:
        assert "can be written by others" in reason(done)


def test_link_to_the_artifact_is_followed(scene: Scene) -> None:
    path = _nested(scene)
    link = scene.root / "link.stk"
    link.symlink_to("outer/./inner/../inner/moved.stk")
    scene.stage.give(scene.root)
    assert started(scene.start(link)) == b""
    assert started(scene.start(path)) == b""


@needs_root
def test_link_of_a_stranger_is_refused(scene: Scene) -> None:
    _nested(scene)
    link = scene.root / "link.stk"
    link.symlink_to("outer/inner/moved.stk")
    os.lchown(link, _STRANGER, _STRANGER)
    text = reason(scene.start(link))
    assert f"`link.stk` in the path of the artifact `{link}` belongs to" in text


@needs_root
@pytest.mark.needs("user-namespaces")
@pytest.mark.parametrize("owner", [_STRANGER, 65534])
def test_owner_is_nobody_in_a_user_namespace(scene: Scene, owner: int) -> None:
    """All who have no number there look alike, the caller among them."""
    path = _nested(scene)
    assert started(scene.start(path)) == b""
    os.chown(path, owner, owner)
    command = ["unshare", "-U", scene.stage.launcher, path, "--", "/bin/true"]
    text = reason(scene.stage.run(command))
    assert f"in the path of the artifact `{path}` may belong to anybody" in text


@needs_root
@pytest.mark.needs("user-namespaces")
@pytest.mark.parametrize("granted", ["link", "target"])
def test_link_of_nobody_in_a_shared_folder_is_not_followed(
    scene: Scene, granted: str
) -> None:
    """As fs.protected_symlinks has it for those who can be told apart."""
    shared = scene.folder("shared")
    scene.file("target")
    link = shared / "link"
    link.symlink_to("../target")
    os.lchown(link, _STRANGER, _STRANGER)
    os.chown(shared, 0, 0)
    shared.chmod(0o1777)
    path = link if granted == "link" else scene.root / "target"
    fd = _memfd(encode(artifact({"read": [path]})), _ALL_SEALS)
    command = [scene.stage.launcher, "--artifact-fd", str(fd), "--", "/bin/true"]
    done = scene.stage.run(["unshare", "-U", *command], pass_fds=[fd])
    if granted == "target":
        assert started(done) == b""
    else:
        assert reason(done).endswith("EACCES")
        os.lchown(link, scene.stage.user, scene.stage.group)
        assert started(scene.stage.run(command, pass_fds=[fd])) == b""
    os.close(fd)


def test_links_in_a_circle_are_refused(scene: Scene) -> None:
    (scene.root / "one.stk").symlink_to("two.stk")
    (scene.root / "two.stk").symlink_to("one.stk")
    scene.stage.give(scene.root)
    assert reason(scene.start(scene.root / "one.stk")).endswith(": ELOOP")


def test_path_too_long_for_the_kernel_is_refused(scene: Scene) -> None:
    assert "is too long" in reason(scene.start(Path("/" + "long/" * 900)))
    name = "x" * 300
    assert reason(scene.start(scene.root / name)).endswith(": ENAMETOOLONG")


def _memfd(content: bytes, seals: int) -> int:
    fd = os.memfd_create("artifact", os.MFD_ALLOW_SEALING)
    os.write(fd, content)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


def _start_from(scene: Scene, fd: int, *options: str) -> object:
    command = [scene.stage.launcher, "--artifact-fd", str(fd), *options]
    return scene.stage.run([*command, "--", "/bin/true"], pass_fds=[fd])


def test_sealed_memfd_is_accepted(scene: Scene) -> None:
    fd = _memfd(encode(artifact()), _ALL_SEALS)
    assert started(_start_from(scene, fd)) == b""
    os.close(fd)


@pytest.mark.parametrize(
    "missing",
    [
        fcntl.F_SEAL_WRITE,
        fcntl.F_SEAL_GROW,
        fcntl.F_SEAL_SHRINK,
        fcntl.F_SEAL_SEAL,
        _ALL_SEALS,
    ],
)
def test_memfd_without_a_seal_is_refused(scene: Scene, missing: int) -> None:
    fd = _memfd(encode(artifact()), _ALL_SEALS & ~missing)
    assert f"the memfd {fd} is not sealed" in reason(_start_from(scene, fd))
    os.close(fd)


def test_other_descriptor_than_a_memfd_is_refused(scene: Scene) -> None:
    path = scene.write(artifact())
    with path.open("rb") as file:
        text = reason(_start_from(scene, file.fileno()))
        assert text == f"descriptor {file.fileno()} is not a memfd: EINVAL"


def test_closed_descriptor_is_refused(scene: Scene) -> None:
    command = [scene.stage.launcher, "--artifact-fd", "77", "--", "/bin/true"]
    assert reason(scene.stage.run(command)) == "descriptor 77 is not a memfd: EBADF"


def test_empty_memfd_is_refused(scene: Scene) -> None:
    fd = _memfd(b"", _ALL_SEALS)
    assert "the artifact `memfd` has 0 bytes" in reason(_start_from(scene, fd))
    os.close(fd)
