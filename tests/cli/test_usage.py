# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show that every wrong command line ends with 125, one reason, and nothing started."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from stockade.cli import main, start_command, warning_ids
from stockade.cli.help_text import OVERVIEW, is_built
from stockade.cli.main import COMMANDS
from stockade.cli.options import OPTIONS
from stockade.driver.compile import CompiledBundle
from stockade.model.policy import Access, Grant, PathMetadata, Policy, Signals
from stockade.plan.warnings import warnings

TRUE = "/bin/true"


class _Started(Exception):
    """What would have been handed to the launcher."""


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Record what reaches compiler and launcher, starting neither."""
    calls: list[dict[str, object]] = []

    def compile_one(
        policy: Policy, name: str, target: str, hidden: frozenset[str]
    ) -> CompiledBundle:
        calls.append({"policy": policy, "name": name, "target": target})
        calls[-1]["hidden"] = hidden
        return CompiledBundle(b"bundle", "text")

    def become(
        bundle: bytes,
        options: list[bytes],
        protected: list[bytes],
        program: list[bytes],
    ) -> None:
        calls[-1].update(protected=protected, program=program, options=options)
        raise _Started

    monkeypatch.setattr(start_command, "compile_one", compile_one)
    monkeypatch.setattr(start_command, "become_launcher", become)
    return calls


def _run(*arguments: str | bytes) -> int:
    return main.run(b"/usr/bin/stockade", [os.fsencode(one) for one in arguments])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no command is given"),
        (["start"], "unknown command `start`"),
        (["chekc"], "did you mean `check`?"),
        (["--ip"], "unknown option `--ip`"),
        (["setup"], "command `setup` is not supported yet"),
        (["setup", "--remove"], "command `setup` is not supported yet"),
        (["run"], "no program is given"),
        (["run", "--"], "no program is given"),
        (["run", "--ip", "none"], "no program is given"),
        (["run", "--", "true"], "must be absolute: `true`"),
        (["run", ""], "must be absolute: ``"),
        (["check", "true"], "must be absolute: `true`"),
        (["check", TRUE, "x"], "no arguments of the program: `x`"),
        (["run", "--reed", "/x", TRUE], "did you mean `--read`?"),
        (["run", "--policy", "/nonexistent/x", TRUE], "No such file or directory"),
        (["run", "--policy", "/", TRUE], "Is a directory"),
        (["run", "--policy", "a", "--policy", "b", TRUE], "is given twice"),
        (["run", "--hide-warning", "signal-any", TRUE], "did you mean `signals-any`?"),
        (["run", "--show-warning", "zzz", TRUE], "no warning is called `zzz`"),
        (["check", "--hide-warning", "signals-any", "--show-warning", "signals-any"],
         "both hidden and shown"),
        (["check", "--no-warnings", "--show-warning", "signals-any",
          "--hide-warning", "signals-any"], "both hidden and shown"),
        (["compile"], "no policy is given"),
        (["compile", "-"], "give it a file"),
        (["compile", "a", "b"], "one policy at a time"),
        (["compile", "a", "--target", "linux-x86"], "did you mean `linux-x86_64`?"),
        (["compile", "a", "--target", "freebsd"], "unknown target `freebsd`"),
        (["compile", "/nonexistent/x.toml"], "No such file or directory"),
    ],
)  # fmt: skip
def test_wrong_command_line_is_one_line_and_125(
    arguments: list[str], words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """S1-020, S1-073, S1-074, S1-079, S1-083, S1-181, S1-182, S1-251."""
    assert _run(*arguments) == 125
    out, error = capfd.readouterr()
    assert out == ""
    assert error.startswith("stockade: ")
    assert error.count("\n") == 1
    assert words in error


def test_rejected_policy_is_125_with_a_last_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """S1-020, S1-251, S1-368."""
    file = tmp_path / "policy.toml"
    file.write_text("version = 1\nfoo = 1\n")
    assert _run("run", "--policy", str(file), "--ip", "al", "--", TRUE) == 125
    out, error = capfd.readouterr()
    assert out == ""
    assert f"{file}:2:1: error[STK010]" in error
    assert "command line:1:" in error
    assert error.endswith("stockade: the policy is refused: 2 errors\n")
    assert "\x1b" not in error


def test_user_text_reaches_the_terminal_as_text_only(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert _run("run", "--\x1b[31m", TRUE) == 125
    assert _run(b"\xff\n") == 125
    assert _run("run", "--read", "\x1b]0;x\x07", TRUE) == 125
    error = capfd.readouterr().err
    assert all(line.isprintable() for line in error.split("\n"))


def _fits(text: str) -> bool:
    return text.count("\n") <= 24 and max(map(len, text.split("\n"))) <= 80


def test_help_fits_a_screen(capfd: pytest.CaptureFixture[str]) -> None:
    assert _run("--help") == 0
    text = capfd.readouterr().out
    assert text == OVERVIEW
    assert _fits(text)
    for command in COMMANDS:
        assert f"stockade {command} " in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Every option that is built for a command is on its page, and no other."""
    assert _run(command, "--help") == 0
    text = capfd.readouterr().out
    assert text.startswith(f"usage: stockade {command} ")
    assert _fits(text)
    for option in OPTIONS.values():
        named = re.search(rf"^  .*(?<![\w-]){option.name}(?![\w-])", text, re.MULTILINE)
        offered = command in option.commands and is_built(option)
        assert (named is not None) is offered, option.name


def test_help_after_the_program_is_the_programs(
    handed: list[dict[str, object]],
) -> None:
    """S1-075."""
    with pytest.raises(_Started):
        _run("run", "--", TRUE, "--help")
    assert handed[0]["program"] == [TRUE.encode(), b"--help"]


def test_full_standard_output_is_125(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = os.dup(1)
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        os.dup2(full, 1)
        assert _run("--help") == 125
    finally:
        os.dup2(saved, 1)
        os.close(full)
        os.close(saved)


def test_program_arguments_pass_as_bytes(handed: list[dict[str, object]]) -> None:
    """S1-019, S1-076."""
    odd = [b"", b"a b", b"--ip", b"--", b"\xff\xfe", "é".encode()]
    with pytest.raises(_Started):
        _run("run", "--read", "/x", "--", TRUE, *odd)
    assert handed[0]["program"] == [TRUE.encode(), *odd]
    assert handed[0]["options"] == []


def test_policy_file_and_entry_are_protected(
    handed: list[dict[str, object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1-294, S1-295: by absolute names, whatever the caller's folder."""
    (tmp_path / "policy.toml").write_text("version = 1\n")
    monkeypatch.chdir(tmp_path)
    entry = os.fsencode(tmp_path / "stockade")
    Path(os.fsdecode(entry)).touch()
    with pytest.raises(_Started):
        main.run(entry, [b"check", b"--policy", b"policy.toml"])
    assert handed[0]["protected"] == [entry, os.fsencode(tmp_path / "policy.toml")]
    assert handed[0]["name"] == "policy"


def test_hidden_warnings_reach_the_compiler(handed: list[dict[str, object]]) -> None:
    """S1-178 to S1-180, S1-182."""
    ids = frozenset(warning_ids.WARNING_IDS)
    assert len(ids) == 50
    each = [argument for one in sorted(ids) for argument in ("--hide-warning", one)]
    for options, hidden in (
        ([], frozenset()),
        (["--hide-warning", "signals-any"], {"signals-any"}),
        (["--no-warnings"], ids),
        (["--no-warnings", "--show-warning", "signals-any"], ids - {"signals-any"}),
        (["--show-warning", "signals-any"], frozenset()),
        (each, ids),
    ):
        with pytest.raises(_Started):
            _run("check", *options)
        assert handed[-1]["hidden"] == hidden


def test_check_warns_where_an_option_widens_the_file(
    handed: list[dict[str, object]], tmp_path: Path
) -> None:
    """S1-177, S1-184, S1-198: in `check` only, unless hidden; never in JSON."""
    file = tmp_path / "policy.toml"
    file.write_text('version = 1\nnetwork.ip = "none"\n')
    widening = ["--policy", str(file), "--ip", "all"]
    for command, more, warned in (
        ("check", [], True),
        ("check", ["--hide-warning", "option-widens-policy"], False),
        ("check", ["--no-warnings"], False),
        ("check", ["--no-warnings", "--json"], True),
        ("run", [], False),
    ):
        with pytest.raises(_Started):
            _run(command, *widening, *more, TRUE)
        options = handed[-1]["options"]
        assert (b"--warning" in options) is warned
        assert (b"--json" in options) is ("--json" in more)
        if warned:
            text = options[options.index(b"--warning") + 1]
            assert text.startswith(b"option-widens-policy=option `--ip` replaces")


def test_warnings_of_the_compiler_can_be_hidden() -> None:
    """S1-185: what the compiler warns about has an identifier that is known here."""
    for policy in (
        Policy(),
        Policy(signals=Signals.ISOLATED, path_metadata=PathMetadata.ALLOW),
        Policy(grants=(Grant("/dev", Access.READ),)),
    ):
        for warning in warnings(policy):
            assert warning.id in warning_ids.WARNING_IDS
