# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Choose the command, and turn every refusal into a message and status 125."""

from __future__ import annotations

from collections.abc import Callable

from stockade.cli.bundle_commands import disasm_command, verify_command
from stockade.cli.compile_command import compile_command
from stockade.cli.diff_command import diff_command
from stockade.cli.fidelity_command import fidelity_command
from stockade.cli.help_text import OVERVIEW, page
from stockade.cli.output import (
    Refusal,
    write_error,
    write_out,
    write_rejection,
    write_unheld,
)
from stockade.cli.query_command import query_command
from stockade.cli.report_command import report_command
from stockade.cli.snapshot_command import snapshot_command
from stockade.cli.start_command import check_command, run_command
from stockade.diagnostics import PolicyRejected, quote
from stockade.driver.targets import TargetsRefusedError
from stockade.policy.suggest import suggestion

DONE = 0
REFUSED = 125

_Command = Callable[[bytes, list[bytes]], int]
COMMANDS: dict[str, _Command] = {
    "compile": compile_command,
    "run": run_command,
    "check": check_command,
    "verify": verify_command,
    "disasm": disasm_command,
    "diff": diff_command,
    "query": query_command,
    "report": report_command,
    "fidelity": fidelity_command,
    "snapshot": snapshot_command,
}
_LATER = ("setup",)


def run(entry: bytes, arguments: list[bytes]) -> int:
    """Run the command line that `entry` was started with; return its status."""
    try:
        return _run(entry, arguments)
    except PolicyRejected as rejected:
        write_rejection(rejected)
    except TargetsRefusedError as refused:
        write_unheld(refused)
    except Refusal as refusal:
        write_error(f"stockade: {refusal}\n")
    return REFUSED


def _run(entry: bytes, arguments: list[bytes]) -> int:
    if not arguments:
        raise Refusal("no command is given; see `stockade --help`")
    name = arguments[0].decode("utf-8", "surrogateescape")
    command = COMMANDS.get(name)
    # Before the first operand only: after it, `--help` belongs to the program.
    if name in ("--help", "-h") or (command and arguments[1:2] == [b"--help"]):
        write_out(page(name) if command else OVERVIEW)
        return DONE
    if name == "--version":
        write_out(f"stockade {_version()}\n")
        return DONE
    if command is not None:
        return command(entry, arguments[1:])
    if name in _LATER:
        raise Refusal(f"command `{name}` is not supported yet")
    kind = "option" if name.startswith("-") else "command"
    near = suggestion(name, COMMANDS)
    advice = f"did you mean `{near}`?" if near else "see `stockade --help`"
    raise Refusal(f"unknown {kind} {quote(name)}; {advice}")


def _version() -> str:
    # Looked up when asked for: loading it costs more than all else here.
    from importlib.metadata import version  # noqa: PLC0415

    return version("stockade")
