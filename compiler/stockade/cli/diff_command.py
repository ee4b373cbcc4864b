# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`diff`: say what changes between two policies, bundles or revisions of them."""

from __future__ import annotations

import os

from stockade.cli.arguments import Arguments, read_arguments
from stockade.cli.compiling import known_target
from stockade.cli.output import Refusal, write_out
from stockade.cli.sides import side, write_html
from stockade.diagnostics import quote
from stockade.driver.review import (
    NothingInCommonError,
    Side,
    difference,
    difference_html,
)
from stockade.proof.prover import ProofRefusedError
from stockade.review.change import Kind
from stockade.review.hosts import TooManyHostsError
from stockade.review.markdown import markdown_lines
from stockade.review.report import Entry, entries, json_text, text_lines

COMMAND = "diff"
_VERDICT = 1
_KINDS = {str(kind).replace(" ", "-"): kind for kind in Kind}
_OUT = 1


def diff_command(entry: bytes, raw: list[bytes]) -> int:
    """Print the differences of two sides; return 1 for one that must not be."""
    del entry
    arguments = [one.decode("utf-8", "surrogateescape") for one in raw]
    read = read_arguments(COMMAND, arguments, operands_anywhere=True)
    if len(read.operands) != 2:
        raise Refusal("`diff` takes two policies or bundles; see `stockade --help`")
    fatal = [_kind(one) for one in read.values("--fail-on")]
    old, new = _sides(read)
    try:
        found = entries(difference(old, new))
    except NothingInCommonError as error:
        raise Refusal(f"nothing to compare: {error}") from error
    except (ProofRefusedError, TooManyHostsError) as error:
        raise Refusal(f"cannot compare: {error}") from error
    page = read.value("--html")
    if page is not None:
        write_html(page, difference_html(old, new, found))
    write_out(_text(read, found))
    return _VERDICT if any(one.change.kind in fatal for one in found) else 0


def _sides(read: Arguments) -> tuple[Side, Side]:
    wanted = [known_target(one) for one in read.values("--target")]
    old, new = read.operands
    return side("old side", old, wanted), side("new side", new, wanted)


def _text(read: Arguments, found: tuple[Entry, ...]) -> str:
    if read.value("--json") is not None:
        return json_text(found) + "\n"
    if read.value("--markdown") is not None:
        return "".join(f"{line}\n" for line in markdown_lines(found))
    colour = os.isatty(_OUT)
    return "".join(f"{line}\n" for line in text_lines(found, colour=colour))


def _kind(name: str) -> Kind:
    if name not in _KINDS:
        listed = ", ".join(f"`{one}`" for one in _KINDS)
        raise Refusal(f"unknown kind of change {quote(name)}; there are {listed}")
    return _KINDS[name]
