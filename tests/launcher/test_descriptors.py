# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hand 0, 1 and 2 to the program, and nothing else, whatever the caller left."""

from __future__ import annotations

import json
import os
import resource
import socket

import pytest
from launcher_scene import PYTHON, Scene, artifact, filter_of, reason, started

_LIST = (
    "import json, os;"
    "names = sorted(int(n) for n in os.listdir('/proc/self/fd'));"
    # The listing's own descriptor is gone when it is looked at.
    "print(json.dumps([n for n in names if os.path.exists(f'/proc/self/fd/{n}')]))"
)
OPEN = {"read": ["/proc"], "read_exec": ["/usr/bin"]}


def _open_descriptors(scene: Scene, **how: object) -> list[int]:
    done = scene.start(artifact(OPEN), PYTHON, "-ESc", _LIST, **how)
    return json.loads(started(done))


@pytest.mark.parametrize("numbers", [(), (3,), (3, 4, 5, 9), (250,), (3, 1023)])
def test_inherited_descriptors_are_closed(
    scene: Scene, numbers: tuple[int, ...]
) -> None:
    """GL-025 S1-016 S2-148 files at low, high and scattered numbers."""
    before = f"for number in {numbers}: os.dup2(0, number)"
    assert _open_descriptors(scene, before=before) == [0, 1, 2]


def test_sockets_folders_and_pipes_are_closed(scene: Scene) -> None:
    """GL-025 what a caller may leave besides files."""
    pair = socket.socketpair()
    folder = os.open("/", os.O_RDONLY)
    pipe = os.pipe()
    left = [pair[0].fileno(), folder, *pipe]
    assert _open_descriptors(scene, pass_fds=left) == [0, 1, 2]
    for fd in (folder, *pipe):
        os.close(fd)
    for end in pair:
        end.close()


def test_everything_the_launcher_opens_ends_at_exec(scene: Scene) -> None:
    """GL-025 with a writable grant, a canary, probes and a stand-in process."""
    grants = {**OPEN, "read_write": [scene.folder("out")]}
    done = scene.start(artifact(grants), PYTHON, "-ESc", _LIST)
    assert json.loads(started(done)) == [0, 1, 2]


@pytest.mark.needs("release-launcher")
@pytest.mark.parametrize("errno", [None, 38, 1, 0])
@pytest.mark.parametrize("proc", [True, False])
def test_without_close_range_they_are_closed_one_by_one(
    scene: Scene, errno: int | None, proc: bool
) -> None:
    """GL-027 an outer filter hides close_range; an outer ruleset hides /proc.

    Where both are gone nothing closes or shows what lies above the limit.
    """
    inner = scene.keep(scene.write(artifact(OPEN, variant={"probes": ()}), "inner.stk"))
    grants = {
        "read": [scene.root, *(["/proc"] if proc else [])],
        "read_exec": ["/usr/bin", scene.stage.launcher.parent],
    }
    close_range = 436
    outer = artifact(
        grants,
        variant={
            "filter": filter_of(*([] if errno is None else [(close_range, errno)])),
            "probes": (),
        },
    )
    code = (
        "import os, sys, resource as r;"
        "[os.dup2(0, n) for n in (3, 9, 40, 500)];"
        "r.setrlimit(r.RLIMIT_NOFILE, (100, 100));"
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    listing = (
        "import os\n"
        "def is_open(n):\n"
        "    try: os.fstat(n)\n"
        "    except OSError: return False\n"
        "    return True\n"
        "print([n for n in range(600) if is_open(n)])"
    )
    launcher = [scene.stage.launcher, inner, "--", PYTHON, "-ESc", listing]
    done = scene.start(outer, PYTHON, "-ESc", code, *launcher)
    if proc or errno is None:
        assert started(done) == b"[0, 1, 2]\n"
        return
    how = "closes nothing" if errno == 0 else "fails"
    assert reason(done) == (
        f"cannot close the descriptors above 2: close_range {how} under an outer "
        "filter and `/proc/self/fd` cannot be read; allow one of them"
    )


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1), (0, 1, 2)])
def test_closed_standard_streams_become_the_null_device(
    scene: Scene, closed: tuple[int, ...]
) -> None:
    """GL-032 S2-149 nothing of the launcher's may land on 0, 1 or 2."""
    report = scene.file("report", "")
    code = (
        "import json, os;"
        "kinds = [os.readlink(f'/proc/self/fd/{n}') for n in (0, 1, 2)];"
        f"open({str(report)!r}, 'w').write(json.dumps(kinds))"
    )

    def close() -> None:
        for number in closed:
            os.close(number)

    grants = {**OPEN, "read_write": [scene.folder("out"), report]}
    done = scene.start(artifact(grants), PYTHON, "-ESc", code, preexec=close)
    assert done.returncode == 0, done
    kinds = json.loads(report.read_text())
    for number in closed:
        assert kinds[number] == "/dev/null"


def test_refusal_with_closed_error_stream_keeps_its_status(scene: Scene) -> None:
    """The text must not land in a file that took the number 2."""
    victim = scene.file("victim", "untouched")
    command = [scene.stage.launcher, victim, "--", "/bin/true"]
    done = scene.stage.run(command, preexec=lambda: os.close(2))
    assert done.returncode == 125
    assert victim.read_text() == "untouched"


def test_refusal_to_a_reader_that_went_away_keeps_its_status(scene: Scene) -> None:
    """SIGPIPE must not turn the refusal into a death by signal."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [scene.stage.launcher, scene.root / "missing", "--", "/bin/true"]
    done = scene.stage.run(
        command, preexec=lambda: os.dup2(writer, 2), pass_fds=[writer]
    )
    os.close(writer)
    assert done.returncode == 125


def test_output_file_keeps_its_rights(scene: Scene) -> None:
    """GL-029 S2-146 position, append mode and truncation pass unchanged."""
    target = scene.file("target", "0123456789")
    fd = os.open(target, os.O_RDWR)
    os.lseek(fd, 4, os.SEEK_SET)
    code = (
        "import os; print(os.lseek(1, 0, os.SEEK_CUR), file=__import__('sys').stderr);"
        "os.ftruncate(1, 2)"
    )
    done = scene.start(
        artifact(), PYTHON, "-ESc", code, preexec=lambda: os.dup2(fd, 1), pass_fds=[fd]
    )
    os.close(fd)
    assert (done.returncode, done.stderr) == (0, b"4\n")
    assert target.read_text() == "01"


def _limit(soft: int, hard: int) -> object:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _files(scene: Scene, count: int) -> list[str]:
    folder = scene.folder("many")
    paths = [folder / f"{number}" for number in range(count)]
    for path in paths:
        path.write_text("x")
    scene.stage.give(folder)
    return [str(path) for path in paths]


def test_soft_limit_is_raised_while_starting_and_given_back(scene: Scene) -> None:
    """GL-031 more grants than the soft limit allows descriptors."""
    grants = {"read": _files(scene, 300), "read_exec": ["/usr/bin"]}
    code = (
        "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE));"
        f"print(open({grants['read'][-1]!r}).read())"
    )
    done = scene.start(
        artifact(grants), PYTHON, "-ESc", code, preexec=_limit(200, 4000)
    )
    assert started(done) == b"(200, 4000)\nx\n"


def test_too_low_hard_limit_is_refused_with_the_number(scene: Scene) -> None:
    grants = {"read": _files(scene, 300)}
    done = scene.start(artifact(grants), preexec=_limit(200, 200))
    text = reason(done)
    assert "starting needs 330 descriptors and the limit is 200" in text


def test_limits_are_the_callers(scene: Scene) -> None:
    """GL-031 every limit is equal inside and outside."""
    code = (
        "import resource; print([resource.getrlimit(getattr(resource, n))"
        " for n in sorted(dir(resource)) if n.startswith('RLIMIT_')])"
    )
    outside = scene.stage.run([PYTHON, "-ESc", code])
    inside = scene.start(artifact(OPEN), PYTHON, "-ESc", code)
    assert started(inside) == started(outside)
