# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`diff`: say what changes between two policies, bundles or revisions of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from stockade.artifact.errors import BundleRefused
from stockade.artifact.layout import LIMITS
from stockade.cli.arguments import Arguments, read_arguments
from stockade.cli.compiling import known_target
from stockade.cli.output import Refusal, write_error, write_out
from stockade.diagnostics import PolicyRejected, quote
from stockade.driver.review import (
    ClaimRefusedError,
    NothingInCommonError,
    Side,
    difference,
    read_side,
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
# What a bundle may have is more than what a policy may.
_MOST_BYTES = LIMITS["BUNDLE_BYTES"] + 1
_SECONDS = 60


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
    write_out(_text(read, found))
    return _VERDICT if any(one.change.kind in fatal for one in found) else 0


def _sides(read: Arguments) -> tuple[Side, Side]:
    wanted = [known_target(one) for one in read.values("--target")]
    old, new = read.operands
    return _side("old", old, wanted), _side("new", new, wanted)


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


def _side(side: str, operand: str, wanted: list[str]) -> Side:
    data = _bytes(operand)
    try:
        return read_side(data, operand, wanted)
    except BundleRefused as refused:
        raise Refusal(
            f"the {side} side {quote(operand)} is no bundle: {refused}"
        ) from refused
    except ClaimRefusedError as refused:
        message = f"the {side} side {quote(operand)} cannot be compared: {refused}"
        raise Refusal(message) from refused
    except PolicyRejected:
        write_error(f"stockade: the {side} side {quote(operand)} is refused:\n")
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
