# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`query`: say what a policy or a bundle decides about one request, and why."""

from __future__ import annotations

from pathlib import Path

from stockade.artifact.errors import BundleRefused, LimitExceeded
from stockade.artifact.layout import LIMITS
from stockade.cli.arguments import read_arguments
from stockade.cli.compiling import known_target
from stockade.cli.output import Refusal, write_out
from stockade.diagnostics import quote
from stockade.driver.query import query
from stockade.driver.review import ClaimRefusedError, Side, read_side
from stockade.review.query import json_text, text_lines
from stockade.review.reasons import ALLOWED
from stockade.review.request_words import NotARequestError

COMMAND = "query"
_DENIED = 1
_MOST_BYTES = LIMITS["BUNDLE_BYTES"] + 1


def query_command(entry: bytes, raw: list[bytes]) -> int:
    """Print the decisions; return 1 where some host denies the request."""
    del entry
    arguments = [one.decode("utf-8", "surrogateescape") for one in raw]
    read = read_arguments(COMMAND, arguments)
    if len(read.operands) < 2:
        raise Refusal("`query` takes a policy or bundle and a request; see --help")
    wanted = [known_target(one) for one in read.values("--target")]
    side = _side(read.operands[0], wanted)
    try:
        found = query(side, read.operands[1:])
    except NotARequestError as error:
        raise Refusal(f"no request: {error}") from error
    if read.value("--json") is not None:
        write_out(json_text(found) + "\n")
    else:
        write_out("".join(f"{line}\n" for line in text_lines(found)))
    return 0 if all(one.decision == ALLOWED for one in found) else _DENIED


def _side(path: str, wanted: list[str]) -> Side:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MOST_BYTES)
        return read_side(data, path, wanted)
    except OSError as error:
        raise Refusal(f"cannot read {quote(path)}: {error.strerror}") from error
    except BundleRefused as refused:
        raise Refusal(f"{quote(path)} is no bundle: {refused}") from refused
    except LimitExceeded as refused:
        raise Refusal(f"{quote(path)} is too big: {refused}") from refused
    except ClaimRefusedError as refused:
        raise Refusal(f"cannot answer for {quote(path)}: {refused}") from refused
