# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold the command line to what it accepts: everything else is refused."""

from __future__ import annotations

import pytest
from launcher_scene import Scene, artifact, reason, started

REFUSALS = (
    ([], "no artifact is named"),
    (["--"], "no artifact is named"),
    (["--nonsense", "a.stk", "/bin/true"], "unknown option `--nonsense`"),
    (["a.stk", "--nonsense", "/bin/true"], "unknown option `--nonsense`"),
    (["--check"], "no artifact is named"),
    (["--artifact-fd"], "`--artifact-fd` needs a value"),
    (["--protect"], "`--protect` needs a value"),
    (["--artifact-fd", "x"], "`--artifact-fd` needs a number, not `x`"),
    (["--artifact-fd", "-4"], "`--artifact-fd` needs a number, not `-4`"),
    (["--artifact-fd", "99999999999"], "`--artifact-fd` needs a number"),
    (["--artifact-fd", "2", "/bin/true"], "needs a descriptor above 2, not `2`"),
    (["--artifact-fd", "", "/bin/true"], "needs a descriptor above 2"),
    (["--artifact-fd", "5", "--artifact-fd", "6"], "`--artifact-fd` is given twice"),
    (["a.stk", "--artifact-fd", "5", "/bin/true"], "both `a.stk` and `--artifact-fd`"),
    (["a.stk"], "no program is named"),
    (["a.stk", "--"], "no program is named"),
    (["a.stk", "true"], "the program's path `true` is not absolute"),
    (["a.stk", "--", ""], "the program's path `` is not absolute"),
    (["--json", "a.stk", "/bin/true"], "`--json` and `--warning` are for `--check`"),
    (["--warning", "a=b", "a.stk", "/bin/true"], "are for `--check`"),
    (["--check", "--warning", "a", "a.stk"], "`--warning` needs `ID=TEXT`, not `a`"),
    (["--check", "--warning", "=a", "a.stk"], "`--warning` needs `ID=TEXT`, not `=a`"),
    (["--check", *["--warning", "a=b"] * 33, "a.stk"], "more than 32 warnings"),
    (["--check", "a.stk", "./true"], "the program's path `./true` is not absolute"),
)


@pytest.mark.parametrize(("arguments", "expected"), REFUSALS)
def test_refuses_what_it_does_not_understand(
    scene: Scene, arguments: list[str], expected: str
) -> None:
    done = scene.stage.run([scene.stage.launcher, *arguments])
    assert expected in reason(done)


def test_started_without_any_argument_is_refused(scene: Scene) -> None:
    """An empty argument list, which execve allows, is read no further."""
    script = (
        "import ctypes, sys; libc = ctypes.CDLL(None);"
        "empty = (ctypes.c_char_p * 1)(None);"
        "libc.execve(sys.argv[1].encode(), empty, empty)"
    )
    launcher = str(scene.stage.launcher)
    done = scene.stage.run(["/usr/bin/python3", "-c", script, launcher])
    # Linux 5.18 and newer make one empty argument of it.
    assert "no artifact is named" in reason(done)


def test_help_fits_a_screen(scene: Scene) -> None:
    text = started(scene.stage.run([scene.stage.launcher, "--help"])).decode()
    lines = text.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    for word in ("--check", "--artifact-fd", "--protect", "ARTIFACT", "PROGRAM", "125"):
        assert word in text


def test_version_is_one_line(scene: Scene) -> None:
    text = started(scene.stage.run([scene.stage.launcher, "--version"])).decode()
    assert text.startswith("stockade-launch ")
    assert text.count("\n") == 1


def test_answers_are_refused_when_nobody_can_read_them(scene: Scene) -> None:
    shell = 'exec "$0" --help >/dev/full'
    done = scene.stage.run(["/bin/sh", "-c", shell, scene.stage.launcher])
    assert "cannot write to standard output" in reason(done)


@pytest.mark.needs("landlock-abi-1")
def test_options_may_follow_the_artifact(scene: Scene) -> None:
    path = scene.write(artifact())
    protected = scene.file("protected")
    command = [scene.stage.launcher, path, "--protect", protected, "--", "/bin/true"]
    started(scene.stage.run(command))


@pytest.mark.needs("landlock-abi-1")
def test_arguments_of_the_program_are_left_alone(scene: Scene) -> None:
    """S1-019 empty, spaced, option-like and not UTF-8."""
    arguments = [b"", b"a b", b"--check", b"--", b"-x", b"\xff\xfe", b"line\nbreak"]
    done = scene.start(artifact(), "/usr/bin/printf", "%s\\0", *arguments)
    assert started(done) == b"".join(argument + b"\0" for argument in arguments)


@pytest.mark.needs("landlock-abi-1")
def test_hostile_bytes_stay_in_one_line(scene: Scene) -> None:
    name = b"/nonexistent/\x1b[31m\nstockade: fine"
    done = scene.start(artifact(), name)
    assert "?[31m?stockade: fine" in reason(done)
