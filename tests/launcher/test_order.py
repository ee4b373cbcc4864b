# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Follow a whole start call by call: what comes when, and what never comes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from launcher_scene import (
    CHMODAT,
    EFAULT,
    EPERM,
    READ_CANARY,
    Scene,
    artifact,
    call,
    filter_of,
    number,
    probe,
    reason,
)

from stockade.model.artifact import Artifact, GrantRow, Operand

pytestmark = pytest.mark.needs("strace", "release-launcher")

_MEMORY = {"mmap", "brk", "mremap", "munmap", "mprotect", "madvise"}
START = '"/bin/true", ['
_AFTER = {"openat", "open", "execve", "fchmodat", "chmod", "truncate"}


def _trace(scene: Scene, *, options: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Return the calls of one start, each with its arguments and result."""
    chmod = probe("chmod", call(CHMODAT, number(-1), Operand()), EPERM, EFAULT)
    variant = {"probes": (READ_CANARY, chmod), "filter": filter_of((CHMODAT, EPERM))}
    folder = scene.folder("out")
    path = scene.write(artifact({"read_write": [folder]}, variant=variant))
    log = scene.file("trace", "")
    program = () if options else ("--", "/bin/true")
    command = ["strace", "-f", "-o", log, scene.stage.launcher, *options, path]
    done = scene.stage.run([*command, *program])
    assert done.returncode == 0, done
    lines = [line.split(None, 1)[1] for line in log.read_text().splitlines()]
    calls = [re.match(r"(\w+)\((.*)", line) for line in lines]
    return [(match[1], match[2]) for match in calls if match]


def _position(calls: list[tuple[str, str]], name: str, text: str = "") -> int:
    found = [i for i, (n, rest) in enumerate(calls) if n == name and text in rest]
    assert found, f"no {name} with `{text}`"
    return found[0]


def test_phases_come_in_order(scene: Scene) -> None:
    """S2-389 phases that are built, by the calls that begin them."""
    calls = _trace(scene)
    artifact_read = _position(calls, "pread64", "STOCKADE")
    order = [
        _position(calls, "fcntl", "0, F_GETFD"),
        _position(calls, "close_range", "3, "),
        _position(calls, "getresuid"),
        _position(calls, "capget"),
        artifact_read,
        _position(calls, "landlock_create_ruleset", "NULL"),
        _position(calls, "seccomp", "GET_ACTION_AVAIL"),
        _position(calls, "openat", "/proc/self/mountinfo"),
        _position(calls, "poll"),
        _position(calls, "landlock_create_ruleset", "{"),
        _position(calls, "landlock_add_rule"),
        _position(calls, "prlimit64", "RLIMIT_NOFILE, {"),
        _position(calls, "openat", "O_TMPFILE, 0700"),
        _position(calls, "close_range", "CLOEXEC"),
        _position(calls, "prctl", "PR_SET_NO_NEW_PRIVS"),
        _position(calls, "landlock_restrict_self"),
        _position(calls, "seccomp", "SET_MODE_FILTER"),
        _position(calls, "execve", START),
    ]
    assert order == sorted(order)


def test_artifact_takes_no_memory_of_its_own(scene: Scene) -> None:
    calls = _trace(scene)
    end = _position(calls, "execve", START)
    assert {name for name, _ in calls[1:end]} & _MEMORY == set()


def test_one_mapping_holds_a_large_artifact_and_no_memory_follows(
    scene: Scene,
) -> None:
    path, log = scene.write(_large_artifact()), scene.file("trace", "")
    command = ["strace", "-o", log, scene.stage.launcher, path, "--", "/bin/true"]
    assert scene.stage.run(command).returncode == 0
    names = [line.split("(", 1)[0] for line in log.read_text().splitlines()]
    names = names[1 : names.index("execve", 1)]
    mapped = [i for i, name in enumerate(names) if name in ("mmap", "brk")]
    assert len(mapped) == 1
    assert set(names[mapped[0] + 1 :]) & _MEMORY == set()


def test_no_memory_for_a_large_artifact(scene: Scene) -> None:
    path, log = scene.write(_large_artifact()), scene.file("log", "")
    start = [scene.stage.launcher, path, "--", "/bin/true"]
    fault = ["strace", "-o", log, "-e", "inject=mmap:error=ENOMEM"]
    assert (
        reason(scene.stage.run([*fault, *start]))
        == f"no memory for the artifact `{path}`: ENOMEM"
    )


def _large_artifact() -> Artifact:
    """Return an artifact that is larger than the launcher's own room for it."""
    made = artifact()
    missing = [f"/nonexistent/{number:064}" for number in range(1000)]
    rows = [GrantRow(path, "system", True, False) for path in missing]
    return replace(made, grants=(*made.grants, *rows))


def test_artifact_is_read_and_never_mapped(scene: Scene) -> None:
    calls = _trace(scene)
    end = _position(calls, "execve", START)
    maps = [rest for name, rest in calls[:end] if name == "mmap"]
    assert all("MAP_ANONYMOUS" in rest for rest in maps)


def test_after_the_filter_only_probes_and_the_start_follow(scene: Scene) -> None:
    """GL-017 no memory, signal or descriptor call, and nothing left behind."""
    calls = _trace(scene)
    begin = _position(calls, "seccomp", "SET_MODE_FILTER") + 1
    end = _position(calls, "execve", START)
    names = {name for name, _ in calls[begin:end]}
    assert {name for name in names if not name.startswith("syscall_")} <= _AFTER


def test_signals_are_left_alone(scene: Scene) -> None:
    calls = _trace(scene)
    end = _position(calls, "execve", START)
    names = {name for name, _ in calls[:end]}
    assert names & {"rt_sigaction", "rt_sigprocmask", "setitimer", "clone"} == set()


def test_every_descriptor_is_made_to_end_at_exec(scene: Scene) -> None:
    calls = _trace(scene)
    end = _position(calls, "execve", START)
    for name, rest in calls[1:end]:
        if name in ("openat", "openat2", "open", "pipe2"):
            assert "O_CLOEXEC" in rest, rest


def test_check_makes_a_start_up_to_its_last_call(scene: Scene) -> None:
    """S1-138 confinement and probes in a child, and no program in any process."""
    calls = _trace(scene, options=("--check",))
    names = [name for name, _ in calls]
    assert names.count("landlock_restrict_self") == 1
    assert sum("SET_MODE_FILTER" in rest for _, rest in calls) == 1
    child = _position(calls, "clone")
    assert child < _position(calls, "landlock_create_ruleset", "{")
    assert child < _position(calls, "landlock_restrict_self")
    assert names.count("execve") == 1


def test_number_of_calls_is_small(scene: Scene) -> None:
    """GL-018 check and controls, without those of what is granted."""
    calls = _trace(scene)
    begin = _position(calls, "openat", "O_TMPFILE, 0700")
    end = _position(calls, "execve", START)
    granted = [
        rest
        for name, rest in calls[begin:end]
        if name == "openat" and "O_NOCTTY|O_NONBLOCK" in rest
    ]
    assert end - begin - 2 * len(granted) < 60
