# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Grant what a path means at start, and refuse what the sandbox could change."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from launcher_scene import PYTHON, Scene, artifact, reason, started

from stockade.model.artifact import GrantRow

_CAT = "/usr/bin/cat"


def _conflict(scene: Scene, grants: dict[str, list[Path | str]], **how: object) -> str:
    """Return why a start conflicts, after checking that --check says the same."""
    path = scene.write(artifact(grants, **how))
    text = reason(scene.start(path))
    done = scene.check(path, "/bin/true")
    assert done.returncode == 125, done
    assert done.stdout.decode().splitlines()[-1] == f"CONFLICT     {text}"
    return text


def test_missing_path_of_the_policy_is_refused(scene: Scene) -> None:
    """S1-283 named with its kind; --check is refused as well."""
    missing = scene.root / "missing"
    path = scene.write(artifact({"read": [missing]}))
    expected = f"the path `{missing}` (read) does not exist"
    assert reason(scene.start(path)) == expected
    done = scene.check(path)
    assert done.returncode == 125
    assert done.stderr.decode() == f"stockade: {expected}\n"


def test_missing_optional_path_is_skipped(scene: Scene) -> None:
    file = scene.file("file")
    made = artifact({"read": [file]})
    optional = GrantRow(str(scene.root / "missing"), "read", True, False)
    below = GrantRow(str(file / "below"), "read", True, False)
    made = replace(made, grants=(*made.grants, optional, below))
    assert started(scene.start(made, _CAT, file)) == b"granted\n"


@pytest.mark.needs("root-user")
def test_path_behind_a_closed_folder_is_refused(scene: Scene) -> None:
    closed = scene.root / "closed"
    closed.mkdir(mode=0o700)
    (closed / "file").write_text("x")
    text = reason(scene.start(artifact({"read": [closed / "file"]})))
    assert text == f"cannot open the path `{closed}/file` (read): EACCES"


def test_rule_covers_a_folder_and_all_below_it_only(scene: Scene) -> None:
    """S1-285 a sibling with the same prefix is not covered."""
    folder = scene.folder("a")
    (folder / "deep").mkdir()
    inside = folder / "deep" / "file"
    inside.write_text("inside\n")
    sibling = scene.folder("ab") / "file"
    sibling.write_text("sibling\n")
    scene.stage.give(scene.root)
    made = artifact({"read": [folder]})
    assert started(scene.start(made, _CAT, inside)) == b"inside\n"
    assert scene.start(made, _CAT, sibling).returncode == 1
    assert started(scene.start(artifact({"read": ["/"]}), _CAT, sibling)) == (
        b"sibling\n"
    )


def test_link_is_resolved_and_grants_its_target_only(scene: Scene) -> None:
    """S1-284 the target opens under both names, the link's folder does not."""
    folder, target = scene.folder("links"), scene.folder("target")
    (target / "file").write_text("text\n")
    (folder / "beside").write_text("beside\n")
    (folder / "link").symlink_to("../target/.")
    (folder / "second").symlink_to(folder / "link")
    scene.stage.give(scene.root)
    made = artifact({"read": [folder / "second"]})
    for path in (folder / "second" / "file", target / "file"):
        assert started(scene.start(made, _CAT, path)) == b"text\n"
    assert scene.start(made, _CAT, folder / "beside").returncode == 1


@pytest.mark.parametrize(("length", "accepted"), [(40, True), (41, False)])
def test_as_many_links_as_the_kernel_follows(
    scene: Scene, length: int, accepted: bool
) -> None:
    (scene.root / "0").write_text("end\n")
    for number in range(1, length + 1):
        (scene.root / str(number)).symlink_to(str(number - 1))
    scene.stage.give(scene.root)
    done = scene.start(artifact({"read": [scene.root / str(length)]}))
    if accepted:
        assert started(done) == b""
    else:
        assert reason(done).endswith("(read): ELOOP")


@pytest.mark.needs("root-user")
def test_planted_link_in_a_shared_folder_is_not_followed(scene: Scene) -> None:
    """What fs.protected_symlinks does for those who let the kernel follow."""
    secret = scene.file("secret")
    shared = scene.folder("shared")
    shared.chmod(0o1777)
    link = shared / "link"
    link.symlink_to(secret)
    made = scene.write(artifact({"read": [link]}))
    os.lchown(link, scene.stage.user, scene.stage.group)
    assert started(scene.start(made, _CAT, secret)) == b"granted\n"
    os.lchown(link, 4711, 4711)
    assert reason(scene.start(made, _CAT, secret)).endswith("(read): EACCES")


def test_writable_and_executable_path_is_refused(scene: Scene) -> None:
    """S1-287 both paths with their roles."""
    path = scene.folder("both")
    text = _conflict(scene, {"read_exec": [path], "read_write": [path]})
    assert text == (f"`{path}` (read_exec) is the same as `{path}` (read_write)")


@pytest.mark.parametrize("writable_is_below", [True, False])
def test_nesting_counts_both_ways(scene: Scene, writable_is_below: bool) -> None:
    """S1-288"""
    above = scene.folder("above")
    below = above / "below"
    below.mkdir()
    scene.stage.give(above)
    if writable_is_below:
        text = _conflict(scene, {"read_exec": [above], "read_write": [below]})
        assert text == f"`{above}` (read_exec) holds `{below}` (read_write)"
    else:
        text = _conflict(scene, {"read_exec": [below], "read_write": [above]})
        assert text == f"`{below}` (read_exec) lies inside `{above}` (read_write)"


def test_siblings_are_accepted(scene: Scene) -> None:
    """S1-288 also where one name begins with the other."""
    grants = {"read_exec": [scene.folder("ab")], "read_write": [scene.folder("a")]}
    assert started(scene.start(artifact(grants))) == b""


def test_alias_by_link_is_refused(scene: Scene) -> None:
    """S1-289"""
    path = scene.folder("real")
    (scene.root / "alias").symlink_to("real")
    scene.stage.give(scene.root)
    alias = scene.root / "alias"
    text = _conflict(scene, {"read_exec": [alias], "read_write": [path]})
    assert text == f"`{alias}` (read_exec) is the same as `{path}` (read_write)"


def test_case_counts_as_some_folders_take_it(scene: Scene) -> None:
    """Folders that ignore case give one file two names; refusing is safe."""
    grants = {"read_exec": [scene.folder("Data")], "read_write": [scene.folder("data")]}
    assert "is the same as" in _conflict(scene, grants)


def test_hard_links_are_not_searched_for(scene: Scene) -> None:
    """S1-290"""
    executable, writable = scene.folder("executable"), scene.folder("writable")
    (executable / "file").write_text("x")
    (writable / "file").hardlink_to(executable / "file")
    grants = {"read_exec": [executable], "read_write": [writable]}
    assert started(scene.start(artifact(grants))) == b""


@pytest.mark.parametrize("kind", ["read", "read_write"])
def test_nothing_lies_inside_a_writable_path(scene: Scene, kind: str) -> None:
    """S1-291 S1-292"""
    outer = scene.folder("outer")
    inner = outer / "inner"
    inner.mkdir()
    scene.stage.give(outer)
    grants = {"read_write": [outer]}
    grants[kind] = [*grants.get(kind, []), inner]
    text = _conflict(scene, grants)
    assert text == f"`{inner}` ({kind}) lies inside `{outer}` (read_write)"


def test_parent_of_a_writable_path_may_be_read(scene: Scene) -> None:
    """S1-291 and the same path in read and read_write."""
    outer = scene.folder("outer")
    inner = outer / "inner"
    inner.mkdir()
    scene.stage.give(outer)
    made = artifact({"read": [outer, inner], "read_write": [inner]})
    code = f"open({str(inner / 'new')!r}, 'w').write('x')"
    started(scene.start(made, PYTHON, "-ESc", code))
    assert (inner / "new").read_text() == "x"


@pytest.mark.parametrize("kind", ["read", "read_exec", "read_write"])
def test_no_path_leads_through_a_link_in_a_writable_one(
    scene: Scene, kind: str
) -> None:
    """S1-293 the program could turn such a link elsewhere."""
    writable, target = scene.folder("writable"), scene.folder("target")
    (writable / "link").symlink_to(target)
    scene.stage.give(scene.root)
    link = writable / "link"
    grants = {"read_write": [writable]}
    grants[kind] = [*grants.get(kind, []), link]
    text = _conflict(scene, grants)
    assert text.startswith(
        f"`{link}` is reached through the link `link` in `{writable}`"
    )


@pytest.mark.parametrize("path", ["/usr/lib", "/usr", "/usr/lib/os-release"])
def test_writable_path_does_not_overlap_the_system_set(scene: Scene, path: str) -> None:
    """S1-305 in either direction."""
    text = _conflict(scene, {"read_write": [path]})
    assert f"`{path}` (read_write)" in text
    # A program's loader may be what is found first.
    assert "(system)" in text or "is reached through the link" in text


def test_device_of_the_system_set_may_be_writable(scene: Scene) -> None:
    """S1-307 a device holds no files."""
    done = scene.start(artifact({"read_write": ["/dev/urandom", "/dev/null"]}))
    assert started(done) == b""


@pytest.mark.parametrize("master", ["/dev/ptmx", "/dev/pts/ptmx"])
def test_writable_terminals_may_hold_policy_paths(scene: Scene, master: str) -> None:
    """S2-303 S1-296"""
    made = artifact({"read_write": ["/dev/pts", master]})
    assert started(scene.start(made)) == b""


def test_device_inside_a_writable_folder_is_refused(scene: Scene) -> None:
    text = _conflict(scene, {"read_write": ["/dev"], "read": ["/dev/zero"]})
    assert text == "`/dev/zero` (read) lies inside `/dev` (read_write)"


def test_path_of_a_file_in_a_writable_folder_is_refused(scene: Scene) -> None:
    folder = scene.folder("folder")
    (folder / "file").write_text("x")
    scene.stage.give(folder)
    text = _conflict(scene, {"read_write": [folder], "read": [folder / "file"]})
    assert text == f"`{folder}/file` (read) lies inside `{folder}` (read_write)"


def test_writable_file_is_a_place_of_its_own(scene: Scene) -> None:
    one, other = scene.file("one"), scene.file("other")
    made = artifact({"read_write": [one], "read": [other]})
    done = scene.start(made, "/usr/bin/cp", other, one)
    assert started(done) == b""


def test_writable_file_that_is_executable_by_another_name_is_refused(
    scene: Scene,
) -> None:
    """S1-289 a rule is for the file, whatever its name; folders are not searched."""
    tool = scene.file("tool", "#!/bin/sh\n", 0o755)
    other = scene.root / "other"
    grants = {"read_exec": [tool], "read_write": [other]}
    scene.file("other", "text\n")
    assert started(scene.start(artifact(grants))) == b""
    other.unlink()
    other.hardlink_to(tool)
    text = reason(scene.start(artifact(grants)))
    assert text == f"`{tool}` (read_exec) is another name of `{other}` (read_write)"
    scene.folder("out")
    grants["read_write"] = [scene.root / "out"]
    (scene.root / "out" / "link").hardlink_to(tool)
    assert started(scene.start(artifact(grants))) == b""
