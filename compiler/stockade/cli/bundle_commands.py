# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`verify` and `disasm`: judge and show a bundle from its file alone."""

from __future__ import annotations

from pathlib import Path

from stockade.artifact.errors import BundleRefused
from stockade.artifact.layout import LIMITS
from stockade.cli.arguments import read_arguments
from stockade.cli.output import Refusal, write_error, write_out
from stockade.diagnostics import quote
from stockade.driver.bundle import disassemble, verify
from stockade.proof.gate import GateRefusedError
from stockade.source.visible import visible

_DISAGREES = 1


def verify_command(entry: bytes, raw: list[bytes]) -> int:
    """Repeat the proof of a bundle; return 0 when it holds and 1 when it does not."""
    del entry
    path, data = _read("verify", raw)
    try:
        lines = verify(data)
    except BundleRefused as refused:
        raise Refusal(f"{quote(path)} is no bundle: {refused}") from refused
    except GateRefusedError as refused:
        # A reason may name what stands in the file.
        reason = visible(str(refused))
        write_error(f"stockade: {quote(path)} is not what it claims: {reason}\n")
        return _DISAGREES
    write_out("".join(f"{line}\n" for line in lines))
    return 0


def disasm_command(entry: bytes, raw: list[bytes]) -> int:
    """Print the programs of a bundle; return the status."""
    del entry
    path, data = _read("disasm", raw)
    try:
        lines = list(disassemble(data))
    except BundleRefused as refused:
        raise Refusal(f"{quote(path)} is no bundle: {refused}") from refused
    write_out("".join(f"{line}\n" for line in lines))
    return 0


def _read(command: str, raw: list[bytes]) -> tuple[str, bytes]:
    arguments = [one.decode("utf-8", "surrogateescape") for one in raw]
    operands = read_arguments(command, arguments, operands_anywhere=True).operands
    if len(operands) != 1:
        raise Refusal(f"`{command}` takes one bundle; see `stockade --help`")
    path = operands[0]
    try:
        with Path(path).open("rb") as file:
            # One byte more than a bundle may have: an endless file ends here.
            data = file.read(LIMITS["BUNDLE_BYTES"] + 1)
    except OSError as error:
        raise Refusal(f"cannot read {quote(path)}: {error.strerror}") from error
    return path, data
