# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keep writable grants away from what other programs of the user trust."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest
from launcher_scene import Scene, artifact, bind, reason, started, trusted

HOME = trusted(
    ("home", ""),
    ("home", ".bashrc"),
    ("home", ".config/fish"),
    ("home", ".ssh"),
    ("variable", "GIT_CONFIG_GLOBAL"),
    ("variable-home", "GNUPGHOME"),
)


def _start(
    scene: Scene, home: Path | None, writable: Path | str, **variables: str | Path
) -> object:
    env = {name: os.fspath(value) for name, value in variables.items()}
    if home is not None:
        env["HOME"] = os.fspath(home)
    made = artifact({"read_write": [writable]}, trusted=HOME)
    return scene.start(made, env=env)


def _reached(scene: Scene, location: Path | str, variable: str = "") -> str:
    named = f" ({variable})" if variable else ""
    return f"reaches the trusted location `{location}`{named}"


def test_home_folder_and_what_is_above_are_refused(scene: Scene) -> None:
    """S1-317"""
    home = scene.folder("homes") / "user"
    home.mkdir()
    scene.stage.give(scene.root)
    for writable in (home, home.parent):
        text = reason(_start(scene, home, writable))
        assert text == f"`{writable}` (read_write) {_reached(scene, home)}"


def test_folder_below_home_without_such_location_is_accepted(scene: Scene) -> None:
    """S1-318"""
    home = scene.folder("home")
    (home / "demo").mkdir()
    scene.stage.give(home)
    assert started(_start(scene, home, home / "demo")) == b""


@pytest.mark.parametrize("writable", [".config", ".config/fish", ".config/fish/file"])
def test_location_its_parent_and_what_is_in_it_are_refused(
    scene: Scene, writable: str
) -> None:
    """S1-316 S1-319"""
    home = scene.folder("home")
    (home / ".config" / "fish").mkdir(parents=True)
    (home / ".config" / "fish" / "file").touch()
    scene.stage.give(home)
    text = reason(_start(scene, home, home / writable))
    assert text.endswith(_reached(scene, home / ".config" / "fish"))


def test_missing_location_is_judged_by_its_folder(scene: Scene) -> None:
    """S1-326"""
    home = scene.folder("home")
    (home / ".config").mkdir()
    (home / ".local").mkdir()
    scene.stage.give(home)
    text = reason(_start(scene, home, home / ".config"))
    assert text.endswith(_reached(scene, home / ".config" / "fish"))
    assert started(_start(scene, home, home / ".local")) == b""


def test_location_reached_by_a_link_counts(scene: Scene) -> None:
    """S1-327 the target's folder, whether the target exists or not."""
    home = scene.folder("home")
    (home / "dot").mkdir()
    (home / ".bashrc").symlink_to("dot/bashrc")
    scene.stage.give(home)
    for exists in (False, True):
        if exists:
            (home / "dot" / "bashrc").touch()
        text = reason(_start(scene, home, home / "dot"))
        assert text.endswith(_reached(scene, home / ".bashrc"))


def test_folder_on_the_way_that_is_a_link_counts(scene: Scene) -> None:
    """S1-327"""
    home, elsewhere = scene.folder("home"), scene.folder("elsewhere")
    (home / ".config").symlink_to(elsewhere)
    scene.stage.give(home)
    text = reason(_start(scene, home, elsewhere))
    assert text.endswith(_reached(scene, home / ".config" / "fish"))


def test_home_that_is_a_link_counts(scene: Scene) -> None:
    real = scene.folder("real")
    (scene.root / "home").symlink_to("real")
    scene.stage.give(scene.root)
    text = reason(_start(scene, scene.root / "home", real))
    assert text.endswith(_reached(scene, scene.root / "home"))


def test_home_that_does_not_exist_is_judged_by_its_folder(scene: Scene) -> None:
    folder = scene.folder("folder")
    home = folder / "not" / "yet"
    text = reason(_start(scene, home, folder))
    assert text.endswith(_reached(scene, home))
    assert started(_start(scene, home, scene.folder("other"))) == b""


def _password_file(scene: Scene, *homes: Path) -> Path:
    """Write a password file whose entries of the user name folders as home."""
    user = scene.stage.user
    lines = ["root:x:0:0::/root:/bin/sh", f"near:x:{user}1:1::/:/bin/sh", "broken:x"]
    lines += ["long:x:9:9:" + "x" * 3000 + ":/:/bin/sh"] * 4
    lines += [f"name:x:{user}:1:words:{home}:/bin/sh" for home in homes]
    return scene.file("passwd", "\n".join(lines) + "\n")


@pytest.mark.needs("root-user")
@pytest.mark.parametrize("named", [True, False])
def test_home_of_the_password_entry_counts_too(scene: Scene, named: bool) -> None:
    """S1-328 HOME may name another folder, or nothing; the first entry counts."""
    home, entry, other = map(scene.folder, ("home", "entry", "other"))
    passwords = _password_file(scene, entry, other)
    env = {"HOME": os.fspath(home)} if named else {}

    def start(writable: Path) -> object:
        made = artifact({"read_write": [writable]}, trusted=HOME)
        arrange = functools.partial(bind, passwords, "/etc/passwd")
        return scene.start_among_mounts(made, arrange, env=env)

    assert reason(start(entry)).endswith(_reached(scene, entry))
    assert started(start(other)) == b""


@pytest.mark.needs("root-user")
def test_without_any_home_a_writable_path_is_refused(scene: Scene) -> None:
    """S1-328 with advice; without a writable path it starts."""
    passwords = _password_file(scene)

    def start(grants: dict[str, list[Path | str]], home: str | None) -> object:
        made = artifact(grants, trusted=HOME)
        arrange = functools.partial(bind, passwords, "/etc/passwd")
        env = {} if home is None else {"HOME": home}
        return scene.start_among_mounts(made, arrange, env=env)

    folder = scene.folder("folder")
    for home in (None, "", "relative"):
        assert "set HOME" in reason(start({"read_write": [folder]}, home))
    assert started(start({"read": [folder]}, None)) == b""
    # A device is no place that could be trusted.
    assert started(start({"read_write": ["/dev/null"]}, None)) == b""


def test_variable_protects_the_path_it_names(scene: Scene) -> None:
    """S1-329 S1-330"""
    home, folder = scene.folder("home"), scene.folder("folder")
    named = folder / "gitconfig"
    assert started(_start(scene, home, folder)) == b""
    for variable in ("GIT_CONFIG_GLOBAL", "GNUPGHOME"):
        done = _start(scene, home, folder, **{variable: named})
        assert reason(done).endswith(_reached(scene, named, variable))


def test_variable_may_use_other_spellings(scene: Scene) -> None:
    home, folder = scene.folder("home"), scene.folder("folder")
    spelled = f"{scene.root}//home/.././folder/./x"
    done = _start(scene, home, folder, GNUPGHOME=spelled)
    assert reason(done).endswith(_reached(scene, spelled, "GNUPGHOME"))


def test_tilde_is_home_where_its_reader_thinks_so(scene: Scene) -> None:
    """S1-331 gpg expands it, git does not."""
    home = scene.folder("home")
    (home / "gpg").mkdir()
    scene.stage.give(home)
    done = _start(scene, home, home / "gpg", GNUPGHOME="~/gpg")
    assert reason(done).endswith(_reached(scene, home / "gpg", "GNUPGHOME"))
    done = _start(scene, home, home / "gpg", GIT_CONFIG_GLOBAL="~/gpg")
    assert started(done) == b""


@pytest.mark.parametrize("value", ["x", "", "./folder", "~", "~other/x"])
def test_relative_value_protects_nothing(scene: Scene, value: str) -> None:
    """S1-332"""
    home, folder = scene.folder("home"), scene.folder("folder")
    done = _start(scene, home, folder, GNUPGHOME=value, GIT_CONFIG_GLOBAL=value)
    assert started(done) == b""


def test_device_that_a_variable_names_stays_writable(scene: Scene) -> None:
    """S1-333"""
    home = scene.folder("home")
    done = _start(scene, home, "/dev/null", GIT_CONFIG_GLOBAL="/dev/null")
    assert started(done) == b""
    # Nor does it make the folder of devices a trusted one.
    done = _start(scene, home, "/dev", GIT_CONFIG_GLOBAL="/dev/null")
    assert started(done) == b""


def test_link_to_a_location_that_the_program_could_turn_is_refused(
    scene: Scene,
) -> None:
    home, folder, outside = map(scene.folder, ("home", "folder", "outside"))
    (folder / "link").symlink_to(outside)
    scene.stage.give(scene.root)
    done = _start(scene, home, folder, GNUPGHOME=folder / "link" / "gpg")
    assert "is reached through the link `link`" in reason(done)


def test_absolute_location_is_judged_as_it_stands(scene: Scene) -> None:
    folder = scene.folder("folder")
    made = artifact(
        {"read_write": [folder]}, trusted=trusted(("absolute", f"{folder}/conf"))
    )
    assert reason(scene.start(made)).endswith(_reached(scene, folder / "conf"))
