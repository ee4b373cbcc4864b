# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say what a host enforces, in the words of the artifact, and start nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from launcher_scene import (
    FEATURES,
    VARIANT,
    Scene,
    artifact,
    reason,
    started,
)

from host_features import landlock_abi
from stage import REPOSITORY, require
from stockade.model.artifact import Feature, Level, Requirement, WarningLine

NEVER = "landlock-erratum-8"
NEVER_TEXT = Feature(NEVER, (), "no kernel has it", "wait for one")
FILES = VARIANT.requirements[0]
SIGNALS = Requirement("signals-isolated", "signals limited", "scope", (NEVER,))
PLAIN = Requirement("descriptors-closed", "only 0, 1 and 2", "closed", ())


def _variant(name: str, *requirements: Requirement, **fields: object) -> object:
    made = replace(VARIANT, name=name, requirements=requirements, probes=())
    return replace(made, **fields)


def _artifact(*variants: object, **fields: object) -> object:
    fields.setdefault("features", (*FEATURES, NEVER_TEXT))
    return artifact(levels=(Level("base", variants),), **fields)


def _lines(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    return done.stdout.decode().splitlines()


def test_table_of_what_is_enforced(scene: Scene) -> None:
    """S2-368 one line per requirement, nothing else."""
    made = _artifact(_variant("only", FILES, PLAIN))
    done = scene.check(made)
    assert (done.returncode, done.stderr) == (0, b"")
    rights = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF}.get(landlock_abi(), 0xFFFF)
    if landlock_abi() >= 9:
        rights = 0x1FFFF
    table = _lines(done)
    assert table[0] == "backend: linux"
    files = "filesystem confined to policy paths: Landlock; landlock rights"
    assert table[1] == f"enforced     {files} {rights:#x}"
    assert table[2:] == ["enforced     only 0, 1 and 2: closed"]


def test_program_is_judged_and_not_started(scene: Scene) -> None:
    marker = scene.folder("out") / "marker"
    program = scene.file("program", f"#!/bin/sh\n: > {marker}\n", 0o755)
    made = artifact({"read_write": [marker.parent]})
    assert started(scene.start(made, program)) == b""
    marker.unlink()
    assert scene.check(made, program).returncode == 0
    assert not marker.exists()
    program.chmod(0o644)
    done = scene.check(made, program)
    assert done.returncode == 125
    assert b"cannot be executed" in done.stderr


def test_warnings_go_to_standard_error(scene: Scene) -> None:
    """S2-368 they change no status."""
    warnings = (WarningLine("signals-any", "all"), WarningLine("other", "more"))
    done = scene.check(artifact(warnings=warnings))
    assert done.returncode == 0
    assert done.stderr == b"warning: [signals-any] all\nwarning: [other] more\n"
    assert started(scene.start(artifact(warnings=warnings))) == b""


def test_what_the_host_lacks_is_unavailable(scene: Scene) -> None:
    """S1-001 S1-256 status 1 for the table, 125 for a start, and the same words."""
    needs = {"must": ("landlock-abi-1", NEVER)}
    made = _artifact(
        _variant("best", FILES, replace(SIGNALS, title="other"), PLAIN, **needs),
        _variant("last", FILES, SIGNALS, PLAIN, **needs),
    )
    done = scene.check(made)
    assert (done.returncode, done.stderr) == (1, b"")
    table = _lines(done)
    assert table[2] == "UNAVAILABLE  signals limited: no kernel has it; wait for one"
    assert table[1].startswith("enforced     filesystem confined")
    assert table[3] == "enforced     only 0, 1 and 2: closed"
    assert reason(scene.start(made)) == (
        "this host cannot enforce signals limited: no kernel has it; wait for one"
    )


def test_first_text_that_fits_the_host_is_given(scene: Scene) -> None:
    features = (
        Feature(NEVER, ("landlock-erratum-7",), "wrong", "wrong"),
        Feature(NEVER, ("landlock-built",), "right", "do it"),
        Feature(NEVER, (), "late", "late"),
    )
    last = _variant("last", SIGNALS, must=(NEVER,))
    done = scene.check(_artifact(last, features=(*FEATURES, *features)))
    assert _lines(done)[1] == "UNAVAILABLE  signals limited: right; do it"


def test_first_variant_that_fits_is_chosen(scene: Scene) -> None:
    made = _artifact(
        _variant("too new", PLAIN, must=(NEVER,)),
        _variant("too old", PLAIN, must=(), must_not=("landlock-abi-1",)),
        _variant("right", replace(PLAIN, mechanism="the third")),
        _variant("late", PLAIN),
    )
    assert _lines(scene.check(made))[1:] == ["enforced     only 0, 1 and 2: the third"]


def test_artifact_without_a_variant_for_the_host_is_refused(scene: Scene) -> None:
    """Every requirement has what it needs, and still no variant fits."""
    made = _artifact(
        _variant("old", PLAIN, must=(), must_not=("landlock-abi-1",)),
    )
    assert "no variant of the artifact is for this host" in reason(scene.start(made))
    done = scene.check(made)
    assert done.returncode == 125
    assert b"no variant of the artifact is for this host" in done.stderr


def test_conflict_wins_over_what_is_unavailable(scene: Scene) -> None:
    folder = scene.folder("folder")
    granted = artifact({"read_exec": [folder], "read_write": [folder]})
    made = _artifact(_variant("last", SIGNALS, must=(NEVER,)))
    made = replace(made, grants=granted.grants)
    done = scene.check(made)
    assert done.returncode == 125
    assert _lines(done)[-2:] == [
        "UNAVAILABLE  signals limited: no kernel has it; wait for one",
        f"CONFLICT     `{folder}` (read_exec) is the same as `{folder}` (read_write)",
    ]


def test_table_that_cannot_be_written_is_no_verdict(scene: Scene) -> None:
    path = scene.write(artifact())
    shell = 'exec "$0" --check "$1" >/dev/full'
    done = scene.stage.run(["/bin/sh", "-c", shell, scene.stage.launcher, path])
    assert reason(done) == "cannot write to descriptor 1"


@pytest.fixture(scope="module")
def fake_abi(tmp_path_factory: pytest.TempPathFactory) -> object:
    """Return launchers of which each believes another Landlock answer."""
    require("toolchain")
    build = tmp_path_factory.mktemp("fake")

    def launcher(answer: int) -> Path:
        make = [
            *("make", "-s", "-C", REPOSITORY / "launcher-c", f"BUILD={build}"),
            *(f"FAKE_ABI={answer}", f"PYTHON={sys.executable}", "fake-abi"),
            f"HEADER={REPOSITORY / 'build' / 'include' / 'stk_bundle_format.h'}",
        ]
        done = subprocess.run(make, capture_output=True, check=False)
        assert done.returncode == 0, done
        return build / f"stockade-launch-fake-abi{answer}"

    return launcher


RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF, 6: 0xFFFF, 7: 0xFFFF}


@pytest.mark.parametrize("abi", sorted(RIGHTS))
def test_older_landlock_gets_what_it_knows(
    scene: Scene, fake_abi: object, abi: int
) -> None:
    """S2-302 S2-294 the kernel's answer lowered, so that starting is a real test."""
    require(f"landlock-abi-{abi}")
    launcher = scene.stage.install(fake_abi(abi), f"fake-{abi}")  # type: ignore[operator]
    variant = {"net_optional": 0xF, "scope_optional": 0x3}
    path = scene.write(artifact(variant=variant))
    done = scene.stage.run([launcher, "--check", path])
    assert done.returncode == 0, done
    assert f"landlock rights {RIGHTS[abi]:#x}" in done.stdout.decode()
    assert started(scene.stage.run([launcher, path, "--", "/bin/true"])) == b""
    newer = {"must": (f"landlock-abi-{abi + 1}", "landlock-abi-1")}
    path = scene.write(artifact(variant=newer))
    assert "no variant" in reason(scene.stage.run([launcher, path, "--", "/bin/true"]))


@pytest.mark.parametrize(
    ("answer", "words"), [(-38, "not built"), (-95, "switched off"), (0, "not built")]
)
def test_absent_and_switched_off_are_told_apart(
    scene: Scene, fake_abi: object, answer: int, words: str
) -> None:
    """S2-292"""
    features = (
        Feature("landlock-built", (), "not built", "build it"),
        Feature("landlock-abi-1", (), "switched off", "lsm="),
        FEATURES[2],
    )
    needs = replace(FILES, needs=("landlock-built", "landlock-abi-1"))
    variant = _variant("last", needs, must=("landlock-built", "landlock-abi-1"))
    path = scene.write(_artifact(variant, features=features))
    launcher = scene.stage.install(fake_abi(answer), f"fake{answer}")  # type: ignore[operator]
    done = scene.stage.run([launcher, "--check", path])
    assert done.returncode == 1
    assert re.search(rf"UNAVAILABLE .*: {words}; ", done.stdout.decode())
