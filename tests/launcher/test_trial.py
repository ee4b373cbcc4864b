# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let a check try what a start would do, and say what came of it."""

from __future__ import annotations

import os
import resource
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from launcher_scene import (
    CHMODAT,
    EACCES,
    EFAULT,
    EPERM,
    ERRNO,
    ETXTBSY,
    EXECVE,
    LIBC,
    PYTHON,
    READ_CANARY,
    TRUNCATE,
    VARIANT,
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
    Artifact,
    CanaryFolder,
    Filter,
    Instruction,
    Operand,
    Probe,
    Requirement,
)

# Sanitizers make calls of their own, which an outer filter would meet.
bare = pytest.mark.needs("release-launcher")

_RESTRICT, _SECCOMP, _CLONE = 446, 317 if os.uname().machine == "x86_64" else 277, 56
_NOEXEC = 8
PATH, NULL = Operand("canary-path"), Operand()
MODES = Requirement("modes", "modes kept", "filter", ("seccomp-filter",))
PLAIN = Requirement("descriptors-closed", "only 0, 1 and 2", "closed", ())
CHMOD = replace(
    probe("chmod", call(CHMODAT, number(-1), NULL), EPERM, EFAULT), requirement="modes"
)
LENGTH = probe("canary-length", call(TRUNCATE, PATH, number(0)), EACCES)
RUN = probe("canary-run", call(EXECVE, PATH, NULL, NULL), EACCES, ETXTBSY)
FILES = "filesystem confined to policy paths"

_LAYERS = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
for _ in range(int(sys.argv[1])):
    rules = libc.syscall(444, struct.pack("Q", 1 << 12), ctypes.c_size_t(8), 0)
    assert rules >= 0 and libc.syscall(446, rules, 0) == 0
    os.close(rules)
os.execv(sys.argv[2], sys.argv[2:])
"""


def made(*probes: Probe, denied: tuple[tuple[int, int], ...] = ()) -> Artifact:
    return artifact(
        variant={
            "probes": probes,
            "filter": filter_of(*denied),
            "requirements": (*VARIANT.requirements, MODES, PLAIN),
        }
    )


WHOLE = made(READ_CANARY, LENGTH, CHMOD, denied=((CHMODAT, EPERM),))


def _answering(nr: int, answer: int) -> Filter:
    """Return a filter for a call unless its descriptor is -1, as a question has it."""
    whole = filter_of()
    first, *rest = whole.instructions
    asked = (
        Instruction(0x15, 0, 4, nr),
        Instruction(0x20, 0, 0, 16),
        Instruction(0x15, 1, 0, 0xFFFFFFFF),
        Instruction(0x06, 0, 0, answer),
        first,
    )
    moved = tuple(replace(one, insn=one.insn + len(asked)) for one in whole.relocations)
    return Filter((first, *asked, *rest), moved)


def _inside(
    scene: Scene, outer: Filter, inner: Artifact, *options: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the launcher inside a sandbox that reaches all it needs."""
    canaries = scene.root / "canaries"
    if not canaries.exists():
        scene.folder("canaries")
    folders = (CanaryFolder(os.fspath(canaries)),)
    path = scene.keep(scene.write(replace(inner, canary_folders=folders), "inner.stk"))
    grants = {
        "read": [scene.root, "/etc/passwd", "/proc"],
        "read_exec": ["/usr/bin", "/usr/lib", scene.stage.launcher.parent],
        "read_write": [canaries],
    }
    around = artifact(
        grants,
        variant={"filter": outer, "probes": ()},
        canary_folders=(CanaryFolder("/var/tmp"),),
    )
    program = () if "--check" in options else ("--", "/bin/true")
    env = {"HOME": "/nonexistent"}
    command = [scene.stage.launcher, *options, path, *program]
    return scene.start(around, *command, env=env)


def _states(done: subprocess.CompletedProcess[bytes]) -> list[tuple[str, str]]:
    table = done.stdout.decode().splitlines()
    assert table[0] == "backend: linux", done
    return [(line[:13].strip(), line[13:]) for line in table[1:]]


def test_what_is_proved_is_enforced(scene: Scene) -> None:
    """S1-129 S1-130 S1-132 a state in 13 columns, a name, what holds it."""
    done = scene.check(WHOLE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [state for state, _ in _states(done)] == ["enforced"] * 3
    assert _states(done)[1:] == [
        ("enforced", "modes kept: filter"),
        ("enforced", "only 0, 1 and 2: closed"),
    ]


def test_probe_that_fails_makes_its_requirement_unavailable(scene: Scene) -> None:
    """S1-132 S2-388 the host claims to have all that is needed."""
    bad = made(READ_CANARY, CHMOD)
    done = scene.check(bad)
    expected = "refused: enforcement check: chmod: expected EPERM, got EFAULT"
    assert (done.returncode, done.stderr) == (1, b"")
    assert [state for state, _ in _states(done)] == [
        "enforced",
        "UNAVAILABLE",
        "enforced",
    ]
    assert _states(done)[1][1] == f"modes kept: {expected}"
    assert reason(scene.start(bad)) == expected


@pytest.mark.parametrize(("layers", "status"), [(15, 0), (16, 1)])
def test_sixteen_layers_are_unavailable(scene: Scene, layers: int, status: int) -> None:
    """S2-296 nothing but a trial shows them."""
    path = scene.write(WHOLE)
    around = [PYTHON, "-ESc", _LAYERS, str(layers), scene.stage.launcher]
    done = scene.stage.run([*around, "--check", path])
    start = scene.stage.run([*around, path, "--", "/bin/true"])
    assert done.returncode == status, done
    if status == 0:
        assert started(start) == b""
        return
    text = "already inside 16 sandboxes, as many as the kernel nests"
    assert reason(start) == text
    assert _states(done) == [
        ("UNAVAILABLE", f"{FILES}: {text}"),
        ("UNAVAILABLE", f"modes kept: {text}"),
        ("enforced", "only 0, 1 and 2: closed"),
    ]


@bare
@pytest.mark.parametrize(
    ("nr", "states", "words"),
    [
        (_RESTRICT, ["UNAVAILABLE", "enforced"], "canary-read: expected EACCES"),
        (_SECCOMP, ["UNAVAILABLE", "UNAVAILABLE"], "witness: expected errno"),
    ],
)
def test_filter_that_only_claims_to_confine_is_seen(
    scene: Scene, nr: int, states: list[str], words: str
) -> None:
    """S1-132 S2-397 check and start agree under an outer filter that lies."""
    assert started(_inside(scene, filter_of(), WHOLE)) == b""
    assert _inside(scene, filter_of(), WHOLE, "--check").returncode == 0
    lying = _answering(nr, ERRNO)
    done = _inside(scene, lying, WHOLE, "--check")
    assert (done.returncode, done.stderr) == (1, b"")
    assert [state for state, _ in _states(done)] == [*states, "enforced"]
    assert words in _states(done)[0][1]
    assert words in reason(_inside(scene, lying, WHOLE))


@bare
def test_filter_that_kills_ends_the_trial_and_not_the_check(scene: Scene) -> None:
    """S1-132 a start would be killed as well."""
    killing = _answering(_RESTRICT, 0x80000000)
    done = _inside(scene, killing, WHOLE, "--check")
    text = "signal 31 ended the trial; an outer filter kills for a call"
    assert done.returncode == 1, done
    assert text in _states(done)[0][1]
    assert _inside(scene, killing, WHOLE).returncode == -31


@bare
def test_process_limit_is_undecided(scene: Scene) -> None:
    """S1-134 S1-258"""

    def forbid() -> None:
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))

    path = scene.write(WHOLE)
    done = scene.check(path, preexec=forbid)
    text = "no process can be started to try it in: EAGAIN"
    assert (done.returncode, done.stderr) == (125, b"")
    assert _states(done)[1] == ("UNDECIDED", f"modes kept: {text}")
    assert {state for state, _ in _states(done)} == {"UNDECIDED"}
    done = scene.stage.run(
        [scene.stage.launcher, "--check", "--json", path], preexec=forbid
    )
    assert reason(done) == text
    assert scene.check(path).returncode == 0


@bare
def test_denied_outside_already_is_said(scene: Scene) -> None:
    """S2-388 the start goes on, and the line names what proves nothing."""
    denied = filter_of((CHMODAT, EPERM))
    assert started(_inside(scene, denied, WHOLE)) == b""
    done = _inside(scene, denied, WHOLE, "--check")
    assert (done.returncode, done.stderr) == (0, b"")
    line = "modes kept: filter; not provable here: chmod"
    assert _states(done)[1] == ("enforced", line)


def test_no_place_for_the_canary_is_said(scene: Scene) -> None:
    """S2-388 listed, and no refusal."""
    done = scene.check(replace(WHOLE, canary_folders=()))
    assert done.returncode == 0, done
    assert _states(done)[0][1].endswith(
        "; not provable here: canary-read, canary-length"
    )


@bare
def test_canary_that_is_denied_outside_already_refuses(scene: Scene) -> None:
    """S2-388 an answer that an outer filter gives shows nothing of Landlock."""
    imitating = filter_of((TRUNCATE, EACCES))
    done = _inside(scene, imitating, WHOLE, "--check")
    text = "refused: enforcement check: canary-length: EACCES outside already"
    assert done.returncode == 1, done
    assert _states(done)[0][1].startswith(f"{FILES}: {text}")
    assert reason(_inside(scene, imitating, WHOLE)).startswith(text)
    assert started(_inside(scene, filter_of(), WHOLE)) == b""


def test_canary_that_a_sandbox_of_ours_refuses_by_its_filter_starts(
    scene: Scene,
) -> None:
    """S2-388 access mode 3 is no matter of Landlock, and is refused outside already."""
    inner = scene.stage.compile("version = 1\n", "inner")
    launcher = scene.stage.launcher
    folders = "\n".join(
        (
            "version = 1",
            "[filesystem]",
            'read = ["/proc"]',
            'read_write = ["/tmp"]',
            f'read_exec = ["{launcher.parent}", "{inner.parent}", "/usr"]',
        )
    )
    command = [launcher, inner, "--", "/bin/true"]
    assert started(scene.stage.launch(folders, *command)) == b""
    done = scene.stage.launch(folders, launcher, "--check", *command[1:])
    assert done.returncode == 0, done
    assert "canary-mode-3" in _states(done)[0][1]
    assert "canary-read" not in _states(done)[0][1]


@pytest.mark.needs("root-user")
def test_canary_that_nobody_may_execute_starts(scene: Scene) -> None:
    """S2-388 as where folders for temporary files are mounted noexec."""
    folder = scene.folder("noexec")
    inner = replace(
        made(READ_CANARY, RUN), canary_folders=(CanaryFolder(os.fspath(folder)),)
    )

    def arrange() -> None:
        done = LIBC.mount(b"none", os.fsencode(folder), b"tmpfs", _NOEXEC, b"mode=0777")
        assert done == 0

    assert started(scene.start_among_mounts(inner, arrange)) == b""
    path = scene.write(inner)
    command = [scene.stage.launcher, "--check", path]
    done = scene.run_among_mounts(command, arrange)
    assert done.returncode == 0, done
    assert _states(done)[0][1].endswith("; not provable here: canary-run")
    assert "not provable" not in scene.check(path).stdout.decode()


def test_check_leaves_nothing_behind(scene: Scene) -> None:
    """S1-138 no file, no process, and no program was started."""
    canaries, marker = scene.folder("canaries"), scene.folder("out") / "marker"
    program = scene.file("program", f"#!/bin/sh\n: > {marker}\n", 0o755)
    inner = replace(WHOLE, canary_folders=(CanaryFolder(os.fspath(canaries)),))
    before = sorted(scene.root.rglob("*"))
    assert scene.check(inner, program).returncode == 0
    path = scene.root / "hand.stk"
    assert sorted(scene.root.rglob("*")) == sorted([*before, path])
    left = Path("/proc").glob("[0-9]*/cmdline")
    assert not [one for one in left if os.fsencode(path) in _read(one)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
