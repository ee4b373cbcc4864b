# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show which command lines are understood, and how."""

from __future__ import annotations

import pytest

from stockade.cli.arguments import read_arguments
from stockade.cli.options import OPTIONS, Option
from stockade.cli.output import Refusal


def _read(*arguments: str, command: str = "run") -> tuple[list[str], list[str]]:
    read = read_arguments(command, list(arguments))
    given = [f"{one.option.name}={one.value}" for one in read.given]
    return given, list(read.operands)


def _refusal(*arguments: str, command: str = "run") -> str:
    with pytest.raises(Refusal) as caught:
        read_arguments(command, list(arguments))
    return str(caught.value)


def test_first_operand_ends_the_options() -> None:
    """S1-075."""
    assert _read("/bin/echo", "--ip", "all") == ([], ["/bin/echo", "--ip", "all"])
    given, operands = _read("--ip", "all", "/bin/echo", "--read", "/x")
    assert (given, operands) == (["--ip=all"], ["/bin/echo", "--read", "/x"])


def test_everything_after_two_dashes_is_the_programs() -> None:
    """S1-076."""
    assert _read("--", "/bin/echo", "--", "x") == ([], ["/bin/echo", "--", "x"])
    assert _read("--", "--ip") == ([], ["--ip"])


def test_value_in_the_same_argument() -> None:
    given, _ = _read("--set-env=A=B=C", "--read=", "--read=--x")
    assert given == ["--set-env=A=B=C", "--read=", "--read=--x"]
    assert "takes no value" in _refusal("--no-warnings=1")


@pytest.mark.parametrize(
    "argument", ["--reed", "--read-e", "--rea", "-r", "-ip", "--x"]
)
def test_unknown_options_and_prefixes(argument: str) -> None:
    """S1-077."""
    assert f"unknown option `{argument}`" in _refusal(argument, "/x", "/bin/true")


def test_near_option_is_suggested() -> None:
    assert "did you mean `--read`?" in _refusal("--reed", "/x")
    assert "did you mean `--read-exec`?" in _refusal("--read_exec", "/x")
    assert "see `stockade --help`" in _refusal("--zzz")


@pytest.mark.parametrize(
    "option",
    [one for one in OPTIONS.values() if one.built and one.placeholder],
    ids=lambda option: option.name,
)
def test_valued_option_without_value(option: Option) -> None:
    """S1-078."""
    command = option.commands[0]
    assert "needs a value" in _refusal(option.name, command=command)
    assert "needs a value" in _refusal(option.name, "--", command=command)
    assert "needs a value" in _refusal(option.name, "--read", "/x", command=command)


@pytest.mark.parametrize(
    "option",
    [one for one in OPTIONS.values() if one.built],
    ids=lambda option: option.name,
)
def test_options_that_may_be_repeated(option: Option) -> None:
    """S1-081, S1-082."""
    value = ["x"] if option.placeholder else []
    twice = [option.name, *value, option.name, *value]
    command = option.commands[0]
    if option.repeatable:
        assert len(read_arguments(command, twice).given) == 2
    else:
        assert "is given twice" in _refusal(*twice, command=command)


def test_repeatable_options_are_those_of_the_format() -> None:
    """S1-081."""
    assert sorted(one.name for one in OPTIONS.values() if one.repeatable) == [
        "--expose",
        "--fail-on",
        "--forward",
        "--hide-warning",
        "--macos-mach-service",
        "--pass-env",
        "--project-write",
        "--read",
        "--read-exec",
        "--read-write",
        "--set-env",
        "--show-warning",
        "--target",
    ]


@pytest.mark.parametrize(
    "option",
    [one for one in OPTIONS.values() if not one.built],
    ids=lambda option: option.name,
)
def test_options_that_are_not_built(option: Option) -> None:
    """S1-072, S1-089, S1-091, S1-092: known, and refused by name."""
    message = _refusal(option.name, "x", command=option.commands[0])
    assert message == f"option `{option.name}` is not supported yet"


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("--json", "run"),
        ("--status-fd", "check"),
        ("--status-file", "check"),
        ("--explain", "check"),
        ("--explain-path", "run"),
        ("--remove", "run"),
        ("--install-copy", "check"),
        ("--elevate", "run"),
        ("--target", "run"),
        ("-o", "check"),
        ("--read", "compile"),
        ("--hide-warning", "setup"),
        ("--no-warnings", "setup"),
        ("--show-warning", "setup"),
    ],
)
def test_options_of_other_commands(option: str, wrong: str) -> None:
    """S1-089, S1-090, S1-091, S1-092, S1-093."""
    assert f"not for `{wrong}`" in _refusal(option, "x", command=wrong)


FORMAT = """
    policy level json hide-warning no-warnings show-warning read read-exec read-write
    system view symlinks ip unix-sockets signals end-with-parent parent-pid
    parent-start status-fd status-file explain explain-path children expose forward
    egress linux-path-metadata macos-mach-service macos-relays pass-env set-env
    project-files project-write self-check others ipc memory-files linux-ioctls
    linux-kernel-surface appcontainer windows-junctions windows-win32k cwd target
    remove install-copy elevate
"""


def test_every_option_of_the_format_is_known() -> None:
    """S1-072, S1-073, GL-205."""
    further = ("-o", "--fail-on", "--check", "--text-only", "--html", "--markdown")
    assert sorted(OPTIONS) == sorted(
        [*further, *(f"--{name}" for name in FORMAT.split())]
    )
