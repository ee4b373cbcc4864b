# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`report`: write a page of what a policy or bundle means."""

from __future__ import annotations

from stockade.cli.arguments import read_arguments
from stockade.cli.compiling import known_target
from stockade.cli.output import Refusal
from stockade.cli.sides import side, write_html
from stockade.driver.review import report_html

COMMAND = "report"


def report_command(entry: bytes, raw: list[bytes]) -> int:
    """Write the page; return the status."""
    del entry
    arguments = [one.decode("utf-8", "surrogateescape") for one in raw]
    read = read_arguments(COMMAND, arguments, operands_anywhere=True)
    if len(read.operands) != 1:
        raise Refusal("`report` takes one policy or bundle; see `stockade --help`")
    page = read.value("--html")
    if page is None:
        raise Refusal("`report` writes a page; name its file with `--html FILE`")
    wanted = [known_target(one) for one in read.values("--target")]
    write_html(page, report_html(side("operand", read.operands[0], wanted)))
    return 0
