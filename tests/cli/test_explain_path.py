# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`check --explain-path` says after the plan what rule decides on a path."""

from __future__ import annotations

from pathlib import Path

import pytest

from stage import Stage, machine_target


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("/nonexistent/x", "no rule covers it"),
        (
            "{place}/in/x",
            "read, list, by `filesystem.read` ({policy}:3), read `{place}/in`",
        ),
        (
            "{place}/more/x",
            "read, list, by `filesystem.read` (command line:1), read `{place}/more`",
        ),
        ("/usr/lib/x", "read, list, by `filesystem.system`, system `/usr/lib`"),
    ],
)
def test_line_after_the_plan(
    stage: Stage, installed: Path, path: str, line: str
) -> None:
    """S1-226."""
    place = stage.folder("explained")
    for name in ("in", "more"):
        (place / name).mkdir()
    stage.give(place)
    policy = place / "p.toml"
    policy.write_text(f'version = 1\n[filesystem]\nread = ["{place}/in"]\n')
    asked = path.format(place=place)
    done = stage.run(
        [
            *(installed, "check", "--policy", policy, "--read", place / "more"),
            *("--explain-path", asked),
        ]
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "backend: linux"
    assert lines[-1] == f"{asked}: {line.format(place=place, policy=policy)}"
    assert not [one for one in lines[1:-1] if not one.startswith("enforced ")]


def test_where_it_does_not_fit(stage: Stage, installed: Path) -> None:
    """S1-226: what is no path is refused; so is a line of text within JSON."""
    command = [installed, "check", "--explain-path"]
    relative = stage.run([*command, "x"])
    assert relative.returncode == 125
    assert b"path `x` is not absolute" in relative.stderr
    done = stage.run([*command, "/x", "--json"])
    assert (done.returncode, done.stdout) == (125, b"")
    assert b"`--json` has none" in done.stderr


def test_launcher_prints_a_note_of_checks_only(stage: Stage) -> None:
    bundle = stage.compile("version = 1\n")
    assert machine_target() in bundle.name
    launch = [stage.launcher, "--note", "as it is"]
    done = stage.run([*launch, "--check", bundle])
    assert done.stdout.endswith(b"\nas it is\n")
    for more in (["--check", "--json", bundle], [bundle, "--", "/bin/true"]):
        refused = stage.run([*launch, *more])
        assert refused.returncode == 125
        assert b"`--note` is for `--check` without `--json`" in refused.stderr
