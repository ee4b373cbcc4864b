# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read the bytes of a policy, from a file or from standard input."""

from __future__ import annotations

import os
from dataclasses import dataclass

from stockade.cli.output import Refusal
from stockade.diagnostics import quote
from stockade.policy.text import MAX_BYTES

STANDARD_INPUT = "-"
_SUFFIX = ".toml"


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A policy's bytes and what diagnostics call it; `path` is None for `-`."""

    data: bytes
    name: str
    path: str | None

    @property
    def stem(self) -> str:
        """Return the file's name without its suffix, which artifacts are called by."""
        if self.path is None:
            return "standard-input"
        return os.path.basename(self.path).removesuffix(_SUFFIX)  # noqa: PTH119 - bytes kept as they are


def read_policy_file(path: str) -> PolicyFile:
    """Read a policy, `-` from standard input; raise Refusal where it cannot be read.

    One byte more than a policy may have is read at most, so an endless input ends.
    """
    if path == STANDARD_INPUT:
        return PolicyFile(_read(0, "standard input"), "standard input", None)
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY
    try:
        descriptor = os.open(path.encode("utf-8", "surrogateescape"), flags)
    except OSError as error:
        raise Refusal(f"cannot open policy {quote(path)}: {error.strerror}") from error
    try:
        return PolicyFile(_read(descriptor, f"policy {quote(path)}"), path, path)
    finally:
        os.close(descriptor)


def _read(descriptor: int, what: str) -> bytes:
    parts: list[bytes] = []
    left = MAX_BYTES + 1
    try:
        while left > 0 and (part := os.read(descriptor, left)):
            parts.append(part)
            left -= len(part)
    except OSError as error:
        raise Refusal(f"cannot read {what}: {error.strerror}") from error
    return b"".join(parts)


def empty_standard_input() -> None:
    """Make the null device standard input, since the policy was read from it."""
    null = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(null, 0)
    os.close(null)
