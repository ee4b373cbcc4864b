# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run the Windows launcher under Wine for what Wine truly does.

It reads files, converts names, hashes and prints. Nothing here says that anything is
enforced, on Windows or elsewhere: what is tested is that the launcher says so too.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from emulated_windows import COMMANDS, EmulatedWindows, windows_path
from plan_artifacts import (
    CONTAINER,
    MECHANISM,
    REQUIREMENT,
    macos_artifact,
    windows_artifact,
)

from stage import Stage
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode

pytestmark = pytest.mark.needs("ziglang", "wine")

_REFUSED = 125
_REASON = "not enforced on this build; not enforced: this is Wine"


def _place(stage: Stage, content: bytes, name: str = "app.windows.stk") -> Path:
    path = stage.folder("plan") / name
    path.write_bytes(content)
    return path


@pytest.fixture(scope="module")
def bundle(stage: Stage) -> Path:
    return _place(stage, encode(windows_artifact()))


def test_check_prints_the_plan(windows: EmulatedWindows, bundle: Path) -> None:
    """S2-367: status 1, and the reason that nothing is enforced in every line."""
    done = windows.launch("--check", windows_path(bundle))
    lines = done.stdout.decode().splitlines()
    assert lines[:2] == [
        "backend: windows",
        f"UNAVAILABLE  {REQUIREMENT}: {_REASON}; planned: {MECHANISM}",
    ]
    artifact = windows_artifact()
    rows = set(lines[2:])
    assert f"container    {CONTAINER}: {artifact.container_sid}" in rows
    for capability in artifact.capabilities:
        row = f"capability   {capability.name} ({capability.kind}): {capability.sid}"
        assert row in rows
    for path in artifact.entries:
        row = f"path         {path.path} ({path.access}): {path.capability}"
        assert row in rows
        for sort in ("folder", "file", "junction"):
            for entry in getattr(path, sort):
                assert f"entry        {path.path} ({sort}): {entry}" in rows
    for limit in artifact.job_limits:
        assert f"job-limit    {limit}" in rows
    for need in artifact.preflight:
        assert f"preflight    {need.name} ({need.kind}): {need.text}" in rows
    assert "environment  WORD (set): two words" in rows
    assert "environment  LANG (pass)" in rows
    warning = "warning: [signals-any] signals reach other processes\n"
    assert (done.returncode, done.stderr.decode()) == (1, warning)


def test_compiled_policy_is_shown(windows: EmulatedWindows, stage: Stage) -> None:
    """S2-367, S2-400: of a real policy, too, every requirement is unavailable."""
    policy = """
        version = 1
        [filesystem]
        read = ["C:\\\\data"]
        [windows]
        appcontainer_name = "Example.App"
    """
    bundle = stage.compile(policy, target="windows")
    requirements = decode(bundle.read_bytes()).requirements
    assert len(requirements) > 3
    done = windows.launch("--check", windows_path(bundle))
    lines = done.stdout.decode().splitlines()
    assert lines[1 : len(requirements) + 1] == [
        f"UNAVAILABLE  {row.title}: {_REASON}; planned: {row.mechanism}"
        for row in requirements
    ]
    assert done.returncode == 1


def test_object_has_the_same(windows: EmulatedWindows, bundle: Path) -> None:
    done = windows.launch("--check", "--json", windows_path(bundle))
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert (answer["backend"], answer["selected"]) == ("windows", None)
    assert answer["setup_would_help"] is False
    (level,) = answer["levels"]
    assert level["missing"] == [
        {
            "requirement": "filesystem-confined",
            "status": "unavailable",
            "reason": _REASON,
            "planned": MECHANISM,
        }
    ]
    assert level["warning_ids"] == ["signals-any"]
    artifact = windows_artifact()
    assert answer["plan"][0] == {
        "kind": "container",
        "name": CONTAINER,
        "sort": "",
        "value": artifact.container_sid,
    }
    table = windows.launch("--check", windows_path(bundle)).stdout.splitlines()
    # Beside the rows the table has the backend and one requirement.
    assert len(answer["plan"]) == len(table) - 2


def test_nothing_is_said_to_be_enforced(windows: EmulatedWindows, bundle: Path) -> None:
    """S2-364, S2-367, S2-400: what Wine accepts and ignores is never a result."""
    text = windows.launch("--check", windows_path(bundle)).stdout.decode()
    states = {line[:13].strip() for line in text.splitlines()}
    assert "UNAVAILABLE" in states
    assert not states & {"enforced", "proved"}
    assert text.count("enforced") == text.count("not enforced")
    (level,) = json.loads(
        windows.launch("--check", "--json", windows_path(bundle)).stdout
    )["levels"]
    assert (level["enforced"], level["enforceable"]) == ([], False)


def test_program_is_refused_and_does_not_start(
    windows: EmulatedWindows, bundle: Path, stage: Stage
) -> None:
    mark = stage.folder("mark") / "started"
    order = ("/c", f"echo x>{windows_path(mark)}")
    # Outside the launcher the same program starts and leaves its mark.
    assert windows.run(COMMANDS, *order).returncode == 0
    assert mark.exists()
    mark.unlink()
    done = windows.launch(windows_path(bundle), "--", COMMANDS, *order)
    assert done.stderr.decode() == (
        f"stockade: `{COMMANDS}` is not started: not enforced on this build, which "
        "only shows plans (`--check`); not enforced: this is Wine\n"
    )
    assert (done.returncode, done.stdout) == (_REFUSED, b"")
    assert not mark.exists()


@pytest.mark.parametrize("at", [0, 8, 12, 20, 100, -1])
def test_damage_is_refused(windows: EmulatedWindows, stage: Stage, at: int) -> None:
    content = bytearray(encode(windows_artifact()))
    content[at] ^= 1
    done = windows.launch("--check", windows_path(_place(stage, bytes(content))))
    assert (done.returncode, done.stdout) == (_REFUSED, b"")
    assert b"is refused: " in done.stderr


def test_other_systems_artifacts_are_refused(
    windows: EmulatedWindows, stage: Stage
) -> None:
    linux = stage.compile("version = 1\n")
    macos = _place(stage, encode(macos_artifact()), "app.macos.stk")
    for foreign in (linux, macos):
        done = windows.launch("--check", windows_path(foreign))
        assert (done.returncode, done.stdout) == (_REFUSED, b"")
        assert b"compiled for another system" in done.stderr


def test_sizes_that_cannot_be_are_refused(
    windows: EmulatedWindows, stage: Stage
) -> None:
    for content in (b"", bytes(4 * 1024 * 1024 + 1)):
        done = windows.launch("--check", windows_path(_place(stage, content)))
        assert done.returncode == _REFUSED
        assert b"it must have 1 to 4194304" in done.stderr


def test_folders_and_missing_files_are_refused(
    windows: EmulatedWindows, stage: Stage
) -> None:
    folder = stage.folder("no-artifact")
    for path in (folder, folder / "missing.stk"):
        done = windows.launch("--check", windows_path(path))
        assert (done.returncode, done.stdout) == (_REFUSED, b"")
        assert b"cannot open the artifact `Z:\\" in done.stderr


def test_devices_are_no_artifacts(windows: EmulatedWindows) -> None:
    done = windows.launch("--check", "NUL")
    assert (done.returncode, done.stdout) == (_REFUSED, b"")
    assert b"the artifact `NUL` is not a plain file" in done.stderr


def test_sids_must_be_those_of_the_names(
    windows: EmulatedWindows, stage: Stage
) -> None:
    """Derived in C by the system's own hash, from the name that stands beside."""
    good = windows_artifact()
    network = good.capabilities[-1]
    assert network.kind == "network"
    other = "S-1-15-2-1-2-3-4-5-6-7"
    forged = {
        # The rule of the parser that entries name a listed SID is not in the way.
        "is not that of": replace(
            good,
            container_sid=other,
            private_folder=tuple(
                entry.replace(good.container_sid, other)
                for entry in good.private_folder
            ),
            removal=tuple(
                replace(row, sid=other) if row.sid == good.container_sid else row
                for row in good.removal
            ),
        ),
        "is no capability for the network": replace(
            good,
            capabilities=(
                *good.capabilities[:-1],
                replace(network, sid="S-1-15-3-2"),
            ),
        ),
    }
    for words, artifact in forged.items():
        bundle = _place(stage, encode(artifact))
        done = windows.launch("--check", windows_path(bundle))
        assert (done.returncode, done.stdout) == (_REFUSED, b"")
        assert words in done.stderr.decode()


def test_capability_sids_must_be_those_of_the_names(
    windows: EmulatedWindows, stage: Stage
) -> None:
    """Swapped, both are SIDs of the artifact, each of the other's path."""
    good = windows_artifact()
    first, second = (row for row in good.capabilities if row.kind == "path")
    swap = {first.sid: second.sid, second.sid: first.sid}

    def swapped(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            text.replace(old, new)
            for text in texts
            for old, new in swap.items()
            if old in text
        )

    artifact = replace(
        good,
        capabilities=tuple(
            replace(row, sid=swap.get(row.sid, row.sid)) for row in good.capabilities
        ),
        entries=tuple(
            replace(
                row,
                folder=swapped(row.folder),
                file=swapped(row.file),
                junction=swapped(row.junction),
            )
            for row in good.entries
        ),
        removal=tuple(
            replace(row, sid=swap.get(row.sid, row.sid)) for row in good.removal
        ),
    )
    done = windows.launch("--check", windows_path(_place(stage, encode(artifact))))
    assert (done.returncode, done.stdout) == (_REFUSED, b"")
    assert f"the SID `{second.sid}` is not that of `{first.name}`" in (
        done.stderr.decode()
    )


def test_paths_are_unicode(windows: EmulatedWindows, stage: Stage) -> None:
    """Letters beyond the basic plane are two units of UTF-16 each."""
    name = "h\u00e4fen \u65e5\u672c \U0001f512.stk"
    bundle = _place(stage, encode(windows_artifact()), name)
    done = windows.launch("--check", windows_path(bundle))
    assert done.returncode == 1
    missing = windows.launch("--check", windows_path(bundle.with_suffix(".none")))
    assert missing.returncode == _REFUSED
    assert windows_path(bundle.with_suffix(".none")) in missing.stderr.decode()


def test_many_and_long_arguments(windows: EmulatedWindows, bundle: Path) -> None:
    """Windows takes 32,767 units on a command line."""
    done = windows.launch(windows_path(bundle), "--", "x" * 5000, *["y"] * 10_000)
    assert done.returncode == _REFUSED
    assert b"`xxxxx" in done.stderr
    assert b"not enforced on this build" in done.stderr


def test_arguments_are_no_patterns(windows: EmulatedWindows, bundle: Path) -> None:
    done = windows.launch("--check", "*.stk", cwd=bundle.parent)
    assert done.returncode == _REFUSED
    assert b"cannot open the artifact `*.stk`" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], b"no artifact is named"),
        (["--check"], b"no artifact is named"),
        (["--wrong", "x.stk"], b"unknown option `--wrong`"),
        (["--json", "x.stk", "y"], b"`--json` is for `--check`"),
        (["x.stk"], b"no program is named"),
    ],
)
def test_command_lines_that_mean_nothing(
    windows: EmulatedWindows, arguments: list[str], words: bytes
) -> None:
    done = windows.launch(*arguments)
    assert (done.returncode, done.stdout) == (_REFUSED, b"")
    assert done.stderr.startswith(b"stockade: ")
    assert words in done.stderr


def test_help_and_version(windows: EmulatedWindows) -> None:
    assert b"enforces\nnothing yet" in windows.launch("--help").stdout
    assert windows.launch("--version").stdout.startswith(b"stockade-launch ")
