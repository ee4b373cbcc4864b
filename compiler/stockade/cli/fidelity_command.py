# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`fidelity`: say of each key of a policy how well which host holds it."""

from __future__ import annotations

from stockade.cli.arguments import read_arguments
from stockade.cli.output import Refusal, write_out
from stockade.cli.policy_file import read_policy_file
from stockade.driver.fidelity import fidelity

COMMAND = "fidelity"


def fidelity_command(entry: bytes, raw: list[bytes]) -> int:
    """Print a line for each key and standing; return the status."""
    del entry
    arguments = [one.decode("utf-8", "surrogateescape") for one in raw]
    operands = read_arguments(COMMAND, arguments, operands_anywhere=True).operands
    if len(operands) != 1:
        raise Refusal("`fidelity` takes one policy; see `stockade --help`")
    file = read_policy_file(operands[0])
    write_out("".join(f"{line}\n" for line in fidelity(file.data, file.name)))
    return 0
