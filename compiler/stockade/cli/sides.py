# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read what a review is about: a policy, a bundle, or either as git has it.

Pages are written here too.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from stockade.artifact.errors import BundleRefused, LimitExceeded
from stockade.artifact.layout import LIMITS
from stockade.cli.output import Refusal, write_error
from stockade.diagnostics import PolicyRejected, quote
from stockade.driver.review import ClaimRefusedError, Side, read_side, write_page
from stockade.driver.targets import TargetsRefusedError

# What a bundle may have is more than what a policy may.
_MOST_BYTES = LIMITS["BUNDLE_BYTES"] + 1
_SECONDS = 60


def side(what: str, operand: str, wanted: list[str]) -> Side:
    """Read a file, or `REV:PATH`, for the targets that are wanted.

    `what` says of a refused operand which one it is.
    """
    data = _bytes(operand)
    try:
        return read_side(data, operand, wanted)
    except BundleRefused as refused:
        raise Refusal(
            f"the {what} {quote(operand)} is no bundle: {refused}"
        ) from refused
    except LimitExceeded as refused:
        message = f"the {what} {quote(operand)} is too big: {refused}"
        raise Refusal(message) from refused
    except ClaimRefusedError as refused:
        message = f"the {what} {quote(operand)} cannot be compared: {refused}"
        raise Refusal(message) from refused
    except (PolicyRejected, TargetsRefusedError):
        write_error(f"stockade: the {what} {quote(operand)} is refused:\n")
        raise


def _bytes(operand: str) -> bytes:
    """Read a file, or what git has under `REV:path` where there is no such file."""
    path = Path(operand)
    if ":" in operand and not path.exists():
        return _from_git(operand)
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise Refusal(f"cannot read {quote(operand)}: {error.strerror}") from error


def _from_git(operand: str) -> bytes:
    if operand.startswith("-"):
        raise Refusal(f"{quote(operand)} is no revision of a file")
    try:
        with subprocess.Popen(  # noqa: S603 - an argument, never a shell's text
            ["git", "cat-file", "blob", operand],  # noqa: S607 - the user's own git
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as git:
            data, errors = git.communicate(timeout=_SECONDS)
    except OSError as error:
        raise Refusal(f"cannot run git: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise Refusal(f"git gives no {quote(operand)} in {_SECONDS} s") from None
    if git.returncode:
        lines = errors.decode("utf-8", "replace").splitlines() or [
            "it does not say why"
        ]
        raise Refusal(f"git has no {quote(operand)}: {quote(lines[-1])}")
    return data[:_MOST_BYTES]


def write_html(path: str, text: str) -> None:
    """Write a page to where the user wants it."""
    try:
        write_page(Path(path), text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file's name"
        raise Refusal(f"cannot write {quote(path)}: {reason}") from error
