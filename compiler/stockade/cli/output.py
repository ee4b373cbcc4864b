# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write text to the standard streams, without buffers, whatever the locale."""

from __future__ import annotations

import contextlib
import os

from stockade.diagnostics import PolicyRejected
from stockade.diagnostics.render import render
from stockade.driver.targets import TargetsRefusedError

_OUT = 1
_ERROR = 2


class Refusal(Exception):
    """The command cannot go on; the message says why."""


def write_out(text: str) -> None:
    """Write text to standard output; raise Refusal when it does not take it."""
    try:
        _write(_OUT, text)
    except OSError as error:
        raise Refusal(f"cannot write to standard output: {error.strerror}") from error


def write_error(text: str) -> None:
    """Write text to standard error, if it takes it."""
    # With nowhere left to complain, the status alone tells.
    with contextlib.suppress(OSError):
        _write(_ERROR, text)


def write_rejection(rejected: PolicyRejected) -> None:
    """Write the diagnostics of a policy to standard error, and how many there are."""
    number = len(rejected.diagnostics)
    text = render(rejected.diagnostics, colour=os.isatty(_ERROR))
    errors = "1 error" if number == 1 else f"{number} errors"
    write_error(f"{text}stockade: the policy is refused: {errors}\n")


def write_unheld(refused: TargetsRefusedError) -> None:
    """Write why targets cannot hold a policy, and how to choose those that can."""
    lines = list(refused.reasons)
    if refused.working:
        options = " ".join(f"--target {one}" for one in refused.working)
        lines.append(f"nothing is made of the policy; it can be made with `{options}`")
    else:
        lines.append("nothing is made of the policy; no target can hold it as it is")
    write_error("".join(f"stockade: {line}\n" for line in lines))


def _write(descriptor: int, text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    while data:
        data = data[os.write(descriptor, data) :]
