# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`run` and `check`: compile in memory for this machine, then become the launcher."""

from __future__ import annotations

import os

from stockade.cli.arguments import Arguments, read_arguments
from stockade.cli.compiling import compile_one, known_target
from stockade.cli.handover import become_launcher
from stockade.cli.output import Refusal
from stockade.cli.overlay import option_settings
from stockade.cli.policy_file import (
    STANDARD_INPUT,
    PolicyFile,
    empty_standard_input,
    read_policy_file,
)
from stockade.cli.warning_ids import OPTION_WIDENS_POLICY, hidden_warnings
from stockade.diagnostics import Report, quote
from stockade.driver.explain import explain_path
from stockade.driver.targets import TargetsRefusedError, chosen_targets
from stockade.model.policy import Policy
from stockade.policy.lower import lower
from stockade.policy.places import places
from stockade.policy.read import read_file
from stockade.policy.settings import Setting, Widening, overlay, widenings

# Options that mean something to the launcher alone.
_HANDED_ON = ("--cwd", "--status-fd", "--status-file")


def run_command(entry: bytes, raw: list[bytes]) -> int:
    """Start the program confined; return only by raising Refusal or PolicyRejected."""
    return _start("run", entry, raw)


def check_command(entry: bytes, raw: list[bytes]) -> int:
    """Print how this host enforces the policy; start nothing."""
    return _start("check", entry, raw)


def _start(command: str, entry: bytes, raw: list[bytes]) -> int:
    arguments = [one.decode("utf-8", "surrogateescape") for one in raw]
    read = read_arguments(command, arguments)
    _judge_program(command, read)
    _judge_status(read)
    hidden = hidden_warnings(
        read.values("--hide-warning"),
        read.values("--show-warning"),
        hide_all=read.value("--no-warnings") is not None,
    )
    asks_json = read.value("--json") is not None
    if asks_json:
        # Programs read it: what is hidden from people stays in it.
        hidden = frozenset()
    path = read.value("--policy")
    file = read_policy_file(path) if path is not None else None
    settings, policy, widened = _policy(command, arguments, read, file)
    if path == STANDARD_INPUT:
        empty_standard_input()
    name = _printable(file.stem) if file else "command-line"
    target = _held_target(policy, settings)
    bundle = compile_one(policy, name, target, hidden).bundle
    options = []
    if command == "check":
        options = [b"--check", *_warnings(widened, hidden)]
    if asks_json:
        options.append(b"--json")
    options += _explained(read, bundle, policy, settings)
    for option in _HANDED_ON:
        for value in read.values(option):
            options += [option.encode(), value.encode("utf-8", "surrogateescape")]
    become_launcher(
        bundle,
        options,
        _protected(entry, file),
        raw[len(raw) - len(read.operands) :],
    )


def _judge_program(command: str, read: Arguments) -> None:
    program = read.operands[:1]
    if not program and command == "run":
        raise Refusal("no program is given; see `stockade --help`")
    if program and not program[0].startswith("/"):
        raise Refusal(f"the program's path must be absolute: {quote(program[0])}")
    if command == "check" and len(read.operands) > 1:
        raise Refusal(
            f"`check` takes no arguments of the program: {quote(read.operands[1])}"
        )


def _explained(
    read: Arguments, bundle: bytes, policy: Policy, settings: dict[str, Setting]
) -> list[bytes]:
    """Return the launcher's option for a line on one path."""
    path = read.value("--explain-path")
    if path is None:
        return []
    if read.value("--json") is not None:
        raise Refusal(
            "option `--explain-path` adds a line of text and `--json` has none;"
            " `stockade query --json` answers on paths"
        )
    line = explain_path(bundle, policy, settings, path)
    return [b"--note", line.encode()]


def _policy(
    command: str, arguments: list[str], read: Arguments, file: PolicyFile | None
) -> tuple[dict[str, Setting], Policy, tuple[Widening, ...]]:
    report = Report()
    below = read_file(file.data, file.name, report) if file else {}
    options = option_settings(command, arguments, read, report)
    settings = overlay(below, options)
    return settings, lower(settings, report), widenings(below, options)


def _judge_status(read: Arguments) -> None:
    """Refuse a descriptor that is not open, before the artifact gets its number."""
    number = read.value("--status-fd")
    if number is None:
        return
    try:
        os.fstat(int(number) if number.isascii() and number.isdigit() else -1)
    except (OSError, OverflowError) as error:
        raise Refusal(
            f"option `--status-fd` needs an open descriptor, not {quote(number)}"
        ) from error


def _warnings(widened: tuple[Widening, ...], hidden: frozenset[str]) -> list[bytes]:
    """Return the launcher's options for warnings that no policy file gives."""
    options = []
    for one in widened if OPTION_WIDENS_POLICY not in hidden else ():
        text = (
            f"{OPTION_WIDENS_POLICY}=option `{one.key.option}` replaces"
            f" {quote(one.before)} of the policy file by {quote(one.after)},"
            " which allows more"
        )
        options += [b"--warning", text.encode("utf-8", "surrogateescape")]
    return options


def _held_target(policy: Policy, settings: dict[str, Setting]) -> str:
    """Give this machine's target; raise Refusal where it cannot hold the policy."""
    target = known_target(f"linux-{os.uname().machine}")
    try:
        chosen_targets(policy, [target], places(settings))
    except TargetsRefusedError as refused:
        raise Refusal("\nstockade: ".join(refused.reasons)) from None
    return target


def _printable(stem: str) -> str:
    return stem if stem and stem.isprintable() else "policy"


def _protected(entry: bytes, file: PolicyFile | None) -> list[bytes]:
    """List the files that a confined program must not be able to write."""
    paths = [entry]
    if file is not None and file.path is not None:
        paths.append(file.path.encode("utf-8", "surrogateescape"))
    # An entry that is no file: started by `python -c`, or removed since.
    there = [path for path in paths if os.path.exists(path)]  # noqa: PTH110 - bytes
    return [_from_root(path) for path in there]


def _from_root(path: bytes) -> bytes:
    """Return an absolute path; its links and `..` are left to the launcher."""
    if path.startswith(b"/"):
        return path
    try:
        return os.getcwdb() + b"/" + path  # noqa: PTH109 - bytes
    except OSError as error:
        raise Refusal(f"cannot tell the working folder: {error.strerror}") from error
