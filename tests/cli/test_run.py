# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show that `run` and `check` give what the launcher gives, and nothing of Python's.

Everything here starts the installed command as the unprivileged user.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from stage import Stage
from stockade.cli.start import Environment

POLICY = """\
version = 1

[filesystem]
read = ["/etc/hostname"]

[process]
signals = "isolated"

[environment]
pass = ["LANG", "LC_CTYPE", "ODD", "EMPTY", "TWICE", "UNSET", "PYTHONPATH"]
set = { FIXED = "x y" }
"""
OPTIONS = ["--read", "/etc/hostname", "--signals", "isolated", "--set-env", "FIXED=x y"]
OPTIONS += [
    argument
    for name in ("LANG", "LC_CTYPE", "ODD", "EMPTY", "TWICE", "UNSET", "PYTHONPATH")
    for argument in ("--pass-env", name)
]
GIVEN = [
    b"LANG=C",
    b"ODD=\xff\xfe=\n",
    b"EMPTY=",
    b"TWICE=first",
    b"TWICE=second",
    b"PYTHONPATH=/nonexistent",
    b"PYTHONCOERCECLOCALE=warn",
    b"PYTHONUTF8=0",
    b"PYTHONINSPECT=1",
    b"HOME=/nonexistent",
]
ODD_ARGUMENTS = [b"", b"a b", b"--ip", b"--", b"\xff\xfe", "é".encode(), b"\n"]


class _Caller:
    """A caller that sets up everything a started program can inherit."""

    def __init__(self, stage: Stage, command: list[str | bytes | Path]) -> None:
        self._stage = stage
        self._command = [os.fsencode(one) for one in command]
        self.environment = GIVEN
        self.closed: tuple[int, ...] = ()

    def _become(self) -> None:
        os.umask(0o27)
        os.nice(3)
        os.setpgid(0, 0)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGRTMIN])
        resource.setrlimit(resource.RLIMIT_CORE, (0, 4096))
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, 1024))
        for descriptor in (7, 300):
            os.dup2(1, descriptor, inheritable=True)
        for descriptor in self.closed:
            os.close(descriptor)
        block = b"\0".join(self.environment)
        os.execve(self._command[0], self._command, Environment(block))

    def start(self, given: bytes = b"the caller's") -> tuple[int, int, list[str], str]:
        """Return process, status, lines and errors."""
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._stage.root,
            preexec_fn=self._become,  # noqa: PLW1509 - no threads here
            close_fds=False,
            **self._stage.identity(),  # type: ignore[call-overload]
        )
        out, error = process.communicate(given, timeout=120)
        lines = out.decode("utf-8", "surrogateescape").splitlines()
        return process.pid, process.returncode, lines, error.decode()


def _facts(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith(("pid ", "group "))]


@pytest.fixture(scope="session")
def policy_file(stage: Stage) -> Path:
    file = stage.root / "run-policy.toml"
    file.write_text(POLICY)
    file.chmod(0o644)
    return file


@pytest.fixture(scope="session")
def bundle(stage: Stage) -> Path:
    return stage.compile(POLICY, "run-policy")


@pytest.mark.parametrize("how", ["policy", "options", "plain"])
def test_run_equals_the_bare_launcher(
    stage: Stage,
    installed: Path,
    reporter: Path,
    policy_file: Path,
    bundle: Path,
    how: str,
) -> None:
    """S2-377 S1-004, S1-016, S1-019, S1-247, S1-310, S2-375."""
    program = ["--", reporter, *ODD_ARGUMENTS]
    options = {
        "policy": [installed, "run", "--policy", policy_file],
        "options": [installed, "run", *OPTIONS],
        "plain": [installed.with_name("stockade-plain"), "run", *OPTIONS],
    }
    bare = _Caller(stage, [stage.launcher, bundle, *program])
    front = _Caller(stage, [*options[how], *program])
    if how == "plain":
        # A Python that is not isolated from the first obeys this one by itself.
        front.environment = [one for one in GIVEN if b"COERCECLOCALE" not in one]
    one, two = bare.start(), front.start()
    assert two[3] == one[3] == ""
    assert two[1] == one[1] == 42
    assert _facts(two[2]) == _facts(one[2])
    for process, _, lines, _ in (one, two):
        assert f"pid {process}" in lines
        assert f"group {process}" in lines
    # The facts are there, so equal is not equally empty.
    lines = two[2]
    assert "umask 27" in lines
    assert "signal 10 ignored" in lines
    assert "signal 12 default blocked" in lines
    assert "signal 13 default" in lines
    assert "input 12 the caller's" in lines
    assert f"variable {b'TWICE=first'.hex()}" in lines
    assert not [line for line in lines if b"LC_CTYPE".hex() in line]
    assert [line.split()[1] for line in lines if line.startswith("descriptor")] == [
        "0",
        "1",
        "2",
    ]


@pytest.mark.parametrize("closed", [(0,), (2,), (0, 2)])
def test_closed_standard_streams_equal_the_bare_launchers(
    stage: Stage, installed: Path, reporter: Path, bundle: Path, closed: tuple[int, ...]
) -> None:
    """GL-032, through the front end as well."""
    results = []
    for command in (
        [stage.launcher, bundle, "--", reporter],
        [installed, "run", *OPTIONS, "--", reporter],
    ):
        caller = _Caller(stage, command)
        caller.closed = closed
        results.append(caller.start(b""))
    bare, front = results
    assert front[1] == bare[1] == 42
    assert _facts(front[2]) == _facts(bare[2])


def test_check_equals_the_bare_launchers(
    stage: Stage, installed: Path, bundle: Path, policy_file: Path
) -> None:
    """S2-377 S1-129, S1-136, S1-255."""
    bare = stage.run([stage.launcher, "--check", bundle])
    front = stage.run([installed, "check", "--policy", policy_file])
    assert front.stdout == bare.stdout
    assert front.stdout.startswith(b"backend: linux\nenforced     ")
    assert front.stderr == bare.stderr
    assert front.returncode == bare.returncode == 0


def test_hidden_warnings_change_nothing_else(stage: Stage, installed: Path) -> None:
    """S1-137, S1-138, S1-177 to S1-180, S1-179, S1-183, S1-351, S1-352."""
    shown = stage.run([installed, "check"])
    assert shown.stderr.startswith(b"warning: [signals-any] ")
    assert shown.stderr.count(b"\n") == 1
    for options, errors in (
        (["--hide-warning", "signals-any"], b""),
        (["--no-warnings"], b""),
        (["--no-warnings", "--show-warning", "signals-any"], shown.stderr),
        (["--hide-warning", "writable-home"], shown.stderr),
    ):
        other = stage.run([installed, "check", *options])
        assert (other.stdout, other.returncode) == (shown.stdout, shown.returncode)
        assert other.stderr == errors


def test_run_says_nothing_of_its_own(stage: Stage, installed: Path) -> None:
    """S1-017."""
    command = [installed, "run", "--read", "/dev", "--ip", "all", "--", "/bin/true"]
    done = stage.run(command)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_policy_on_standard_input(stage: Stage, installed: Path) -> None:
    """S1-084, S1-085, S2-147, S2-373: in effect, and the program reads nothing."""
    command = [installed, "run", "--policy", "-"]
    text = b'version = 1\nfilesystem.read = ["/etc/hostname"]\n'
    done = stage.run([*command, "--", "/bin/cat", "-"], input=text)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = stage.run([*command, "--", "/bin/readlink", "/proc/self/fd/0"], input=text)
    assert done.stdout == b"/dev/null\n"
    done = stage.run([*command, "--", "/bin/cat", "/etc/hostname"], input=text)
    assert done.stdout == Path("/etc/hostname").read_bytes()
    done = stage.run([*command, "--", "/bin/cat", "/etc/passwd"], input=text)
    assert (done.returncode, done.stdout) == (1, b"")
    refused = stage.run([*command, "--", "/bin/true"], input=b"version = 2\n")
    assert refused.returncode == 125
    assert refused.stderr.startswith(b"standard input:1:11: error[STK013]")


def test_endless_standard_input_is_refused(stage: Stage, installed: Path) -> None:
    """S1-031."""
    with Path("/dev/zero").open("rb") as zero:
        command = [installed, "run", "--policy", "-", "--", "/bin/true"]
        done = stage.run(command, stdin=zero.fileno())
    assert done.returncode == 125
    assert b"error[STK001]" in done.stderr
    assert done.stdout == b""


def test_own_files_are_kept_from_the_program(stage: Stage, installed: Path) -> None:
    """S1-294, S1-295, S2-374: entry, package, what it imports, and the policy."""
    folder = stage.give(stage.folder("own"))
    policy = folder / "policy.toml"
    policy.write_text(f'version = 1\nfilesystem.read_write = ["{folder}"]\n')
    policy.chmod(0o644)
    command = [installed, "run", "--policy", policy, "--", "/bin/true"]
    done = stage.run(command)
    assert done.returncode == 125
    assert str(policy).encode() in done.stderr
    site = next(installed.parent.parent.glob("lib/python*/site-packages"))
    for place in (installed.parent, site, site / "stockade" / "cli", site / "jinja2"):
        command = [installed, "run", "--read-write", place, "--", "/bin/true"]
        done = stage.run(command)
        assert done.returncode == 125, place
        assert b"protected path" in done.stderr
    # The control: another policy in a writable folder is nobody's business.
    done = stage.run([installed, "run", "--read-write", folder, "--", "/bin/true"])
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", ["stockade", "stockade-plain"])
def test_nothing_of_the_callers_surroundings_is_loaded(
    stage: Stage, installed: Path, name: str
) -> None:
    """S2-376: hostile modules in the working directory, PYTHONPATH and user site."""
    folder = stage.folder("hostile")
    mark = folder / "mark"
    modules = ("jinja2", "tomlkit", "cffi", "contextlib", "tomllib", "fcntl", "typing")
    version = installed.parent.parent.glob("lib/python*")
    site = folder / ".local" / "lib" / next(version).name / "site-packages"
    site.mkdir(parents=True)
    for module in modules:
        for place in (folder, site):
            (place / f"{module}.py").write_text(f"open({str(mark)!r}, 'w')\n")
    environment = {
        "PYTHONPATH": str(folder),
        "HOME": str(folder),
        "PYTHONUSERBASE": str(folder / ".local"),
        "PYTHONSTARTUP": str(folder / "jinja2.py"),
    }
    command = [installed.with_name(name), "run", "--", "/bin/true"]
    done = stage.run(command, env=environment, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not mark.exists()
    # The control: the same folder does lend its modules to a plain Python.
    plain = [installed.with_name("python"), "-c", "import jinja2"]
    stage.run(plain, env=environment, cwd=folder)
    assert mark.exists()


def test_launcher_of_path_is_never_used(stage: Stage, installed: Path) -> None:
    folder = stage.folder("path")
    impostor = folder / "stockade-launch"
    impostor.write_text("#!/bin/sh\necho impostor\n")
    impostor.chmod(0o755)
    environment = {"PATH": str(folder), "HOME": "/nonexistent"}
    command = [installed, "run", "--", "/bin/true"]
    done = stage.run(command, env=environment, cwd=folder)
    assert (done.returncode, done.stdout) == (0, b"")


def test_exception_of_the_front_end_is_125(stage: Stage, installed: Path) -> None:
    """S1-021: injected where it hurts most, in the last step before the start."""
    code = "import os, signal, sys\nfrom stockade.cli import start\n{}\n"
    code += "sys.exit(start._run(b'x', [b'check']))\n"
    python = installed.with_name("python")
    for injected, words in (
        ("def fail(*a): raise KeyError('in\\nvented')", b"internal error: KeyError"),
        ("def fail(*a): os.kill(os.getpid(), signal.SIGINT)", b"interrupted"),
        ("def fail(*a): raise SystemExit(0)", b"internal error: SystemExit"),
        (
            "def deep(n): return deep(n)\ndef fail(*a, **b): return deep(0)",
            b"internal error: RecursionError",
        ),
        ("def fail(*a): raise MemoryError", b"internal error: MemoryError"),
    ):
        patch = f"{injected}\nimport stockade.cli.start_command as c\n"
        patch += "c.compile_one = fail"
        done = stage.run([python, "-I", "-c", code.format(patch)])
        assert done.returncode == 125
        assert done.stderr.startswith(b"stockade: " + words)
        assert done.stderr.count(b"\n") == 1
        assert done.stdout == b""


def test_missing_launcher_is_125(stage: Stage, installed: Path) -> None:
    code = (
        "import sys\n"
        "from stockade.cli import handover, start\n"
        "handover.LAUNCHER = '/nonexistent/stockade-launch'\n"
        "sys.exit(start._run(b'x', [b'check']))\n"
    )
    done = stage.run([installed.with_name("python"), "-I", "-c", code])
    assert done.returncode == 125
    assert b"cannot start the launcher `/nonexistent/stockade-launch`" in done.stderr


def test_artifact_is_handed_over_sealed(stage: Stage, installed: Path) -> None:
    """The launcher accepts only a sealed memfd; here what it could not be asked."""
    code = (
        "import errno, fcntl, os\n"
        "from stockade.cli.handover import _sealed\n"
        "fd = _sealed(b'x' * 100_000)\n"
        "seals = fcntl.fcntl(fd, fcntl.F_GET_SEALS)\n"
        "assert seals & 0b1111 == 0b1111, seals\n"
        "assert os.get_inheritable(fd)\n"
        "assert os.fstat(fd).st_size == 100_000\n"
        "for change in (lambda: os.pwrite(fd, b'y', 0), lambda: os.ftruncate(fd, 0)):\n"
        "    try:\n"
        "        change()\n"
        "    except OSError as error:\n"
        "        assert error.errno == errno.EPERM\n"
        "    else:\n"
        "        raise AssertionError\n"
    )
    done = stage.run([installed.with_name("python"), "-I", "-c", code])
    assert (done.returncode, done.stderr) == (0, b"")


def test_record_and_folder_reach_the_launcher(stage: Stage, installed: Path) -> None:
    """S1-128 S1-275 the descriptor survives every step of the start."""
    ends = os.pipe()
    folder = stage.folder("place")
    command = [installed, "run", "--read-exec", "/usr/bin", "--cwd", folder]
    command += ["--status-fd", str(ends[1]), "--"]
    script = "echo $$; pwd"
    done = stage.run([*command, "/bin/sh", "-c", script], pass_fds=[ends[1]])
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as file:
        record = file.read()
    assert (done.returncode, done.stderr) == (0, b""), done
    number, place = done.stdout.decode().splitlines()
    assert record == f"pid {number}\n".encode()
    assert place == os.fspath(folder)
    for wrong in ("99", "x", "-1"):
        done = stage.run([*command[:6], "--status-fd", wrong, "--", "/bin/true"])
        assert done.returncode == 125
        assert b"option `--status-fd` needs an open descriptor" in done.stderr


def test_check_as_an_object(stage: Stage, installed: Path) -> None:
    """S1-145 S1-146 S2-287 what is hidden from people stays in it."""
    command = [installed, "check", "--json", "--read", "/usr/share"]
    done = stage.run(command)
    assert (done.returncode, done.stderr) == (0, b""), done
    found = json.loads(done.stdout)
    ids = ["signals-any", "path-metadata-open-files"]
    assert found["levels"][0]["warning_ids"] == ids
    hidden = ["--no-warnings", "--hide-warning", "signals-any"]
    assert json.loads(stage.run([*command, *hidden]).stdout) == found
    done = stage.run([*command, "--read-write", "/usr/lib"])
    assert (done.returncode, done.stdout) == (125, b"")
