# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show what a macOS bundle applies: the profile, and the values that it takes.

The values come first, as comments that hold arguments of sandbox-exec(1), so that the
whole is a profile that a reader can try on a Mac.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.model.macos_artifact import MacosArtifact, ParameterKind
from stockade.render.shell import shell_text
from stockade.render.text import plain

# Stands for what only a start knows.
_PROGRAM = "PATH-OF-THE-PROGRAM"


def disassemble_macos(artifact: MacosArtifact) -> Iterator[str]:
    """Give the profile as lines, behind comments with its parameters."""
    yield "; Never run on a Mac by those who wrote it. For sandbox-exec(1): -f with"
    yield "; this file, and each parameter; a launcher resolves their paths first."
    for row in artifact.parameters:
        value = _PROGRAM if row.kind is ParameterKind.PROGRAM else row.value
        yield f"; {shell_text(('-D', f'{row.name}={value}'))}"
    yield from map(plain_line, artifact.profile.removesuffix("\n").split("\n"))


def plain_line(line: str) -> str:
    r"""Give a line as it stands; a bundle's profile is printable ASCII.

    Only the backslash would be doubled by `plain`, and here it must not be.
    """
    return "\\".join(plain(part) for part in line.split("\\"))
