# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hand the program its arguments, its environment and the caller's state."""

from __future__ import annotations

import json
import os
import signal

import pytest
from launcher_scene import PYTHON, Scene, artifact, environment, started

from stockade.model.artifact import EnvironmentRow

_PRINT = "import json, os; print(json.dumps(dict(os.environ)))"
ENV = "/usr/bin/env"


def _environment(scene: Scene, made: object, **how: object) -> bytes:
    return started(scene.start(made, ENV, "-0", **how))


@pytest.mark.needs("release-launcher")
def test_environment_is_what_the_policy_names(scene: Scene) -> None:
    """S1-310 S1-312 GL-036 passed where set, fixed values, nothing else."""
    made = artifact(
        environment=environment(
            EMPTY="", FIXED="value", MISSING=None, PASSED=None, PATH="/fixed"
        )
    )
    env = {"PASSED": "a=b\nc", "FIXED": "other", "LD_PRELOAD": "/x.so", "PASSEDX": "1"}
    assert _environment(scene, made, env=env) == (
        b"EMPTY=\0FIXED=value\0PASSED=a=b\nc\0PATH=/fixed\0"
    )


@pytest.mark.needs("release-launcher")
def test_default_environment_is_empty(scene: Scene) -> None:
    """S1-310 GL-035 no secret of the caller's."""
    env = dict.fromkeys(("SSH_AUTH_SOCK", "GITHUB_TOKEN", "LD_PRELOAD"), "secret")
    assert _environment(scene, artifact(), env=env) == b""


def test_bytes_of_a_passed_variable_are_kept(scene: Scene) -> None:
    made = artifact(environment=environment(RAW=None))
    env = {b"RAW": b"\xff\xfe\n=", b"HOME": b"/nonexistent"}
    assert _environment(scene, made, env=env) == b"RAW=\xff\xfe\n=\0"


def test_as_many_variables_as_the_bundle_holds(scene: Scene) -> None:
    rows = tuple(EnvironmentRow(f"V{n:03}", None if n % 2 else "x") for n in range(256))
    env = {f"V{n:03}": "y" for n in range(256)}
    done = _environment(scene, artifact(environment=rows), env=env)
    lines = done.split(b"\0")[:-1]
    assert len(lines) == 256
    assert lines[:2] == [b"V000=x", b"V001=y"]


def test_first_of_two_equal_names_is_passed(scene: Scene) -> None:
    """As getenv(3) would answer."""
    made = scene.write(artifact(environment=environment(TWICE=None)))
    code = (
        "import ctypes, sys\n"
        "strings = lambda *v: (ctypes.c_char_p * (len(v) + 1))(*v, None)\n"
        "arguments = [a.encode() for a in sys.argv[1:]]\n"
        "ctypes.CDLL(None).execve(arguments[0], strings(*arguments),"
        " strings(b'TWICE=1', b'TWICE=2', b'ODD', b''))\n"
    )
    command = [PYTHON, "-ESc", code, scene.stage.launcher, made, "--", ENV]
    assert started(scene.stage.run(command)) == b"TWICE=1\n"


STATE = (
    "import json, os, sys\n"
    "status = open('/proc/self/status').read()\n"
    "wanted = ('SigP', 'SigB', 'SigI', 'SigC', 'Shd', 'Groups', 'Uid', 'Gid',"
    " 'Umask', 'Threads', 'Cap')\n"
    "lines = [l for l in status.splitlines() if l.startswith(wanted)]\n"
    "print(json.dumps([lines, os.getcwd(), os.getpgid(0), os.getsid(0),"
    " os.getpriority(0, 0), sys.argv, open('/proc/self/personality').read()"
    " if os.access('/proc/self/personality', 4) else '']))\n"
)


@pytest.mark.needs("release-launcher")
@pytest.mark.parametrize("unusual", [False, True])
def test_state_of_the_caller_is_the_programs(scene: Scene, unusual: bool) -> None:
    """GL-017 GL-031 signals, mask, groups, umask, folder, priority, session."""
    before = "pass\n"
    if unusual:
        before = (
            "import signal\n"
            "for number in signal.valid_signals():\n"
            "    try: signal.signal(number, signal.SIG_IGN)\n"
            "    except OSError: pass\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
            "os.umask(0o137); os.nice(3); os.chdir('/usr')\n"
        )
    wrapper = f"import os, sys\n{before}os.execv(sys.argv[1], sys.argv[1:])"
    program = [PYTHON, "-ESc", STATE, "argument"]
    preexec = {"preexec": lambda: os.setpgid(0, 0)}
    outside = scene.stage.run([PYTHON, "-ESc", wrapper, *program], **preexec)
    made = artifact({"read": ["/proc"]})
    inside = scene.start(made, *program, before=before, **preexec)
    wanted = json.loads(started(outside))
    got = json.loads(started(inside))
    # Each run leads a group of its own.
    wanted[2] = got[2]
    assert got == wanted


def test_program_is_the_process_that_was_started(scene: Scene) -> None:
    """S2-369 S1-004 the front end replaces itself."""
    code = "import os; print(os.getpid(), os.getppid())"
    made = scene.write(artifact())
    command = [scene.stage.launcher, made, "--", PYTHON, "-ESc", code]
    process = scene.stage.start(command)
    output, _ = process.communicate(timeout=20)
    assert output.split() == [str(process.pid).encode(), str(os.getpid()).encode()]


def test_program_is_confined_when_it_begins(scene: Scene) -> None:
    """S1-007 S1-012 S1-013 S2-382 its state shows a filter and no new privileges."""
    code = (
        "lines = open('/proc/self/status').read().splitlines()\n"
        "print([l.split()[1] for l in lines if l.startswith(('NoNewPrivs',"
        " 'Seccomp'))])\n"
    )
    done = scene.start(artifact({"read": ["/proc"]}), PYTHON, "-ESc", code)
    assert started(done) == b"['1', '2', '1']\n"


def test_status_of_the_program_is_the_status_of_the_start(scene: Scene) -> None:
    for status in (0, 1, 42, 124, 255):
        done = scene.start(artifact(), "/bin/sh", "-c", f"exit {status}")
        assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")


def test_signal_that_ends_the_program_is_what_the_caller_sees(scene: Scene) -> None:
    """S2-369 the caller waits for the program itself."""
    done = scene.start(artifact(), "/bin/sh", "-c", "kill -TERM $$")
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, b"")
