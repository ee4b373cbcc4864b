# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the static programs of the guest, for this machine and for arm64.

Both are linked with musl by plain gcc: its wrapper script knows only the
machine's own architecture and silently ignores `-static-pie`.
"""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kernel_packages import UnavailableError
from kernel_rows import AMD64, ARM64, MACHINES

if TYPE_CHECKING:
    from collections.abc import Sequence

FLAGS = ("-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIE")
PT_INTERP = 3
COMPILERS = {AMD64: "gcc", ARM64: "aarch64-linux-gnu-gcc"}


class BuildError(Exception):
    """A program of ours does not build: a failure, never a skip."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler and the folder that holds its musl, `/` for the machine's own."""

    arch: str
    sysroot: Path

    @property
    def triple(self) -> str:
        """Return the name of the architecture's musl folders."""
        return f"{MACHINES[self.arch]}-linux-musl"

    def compiler(self) -> str:
        """Return the compiler; UnavailableError where it or musl is missing."""
        compiler = COMPILERS[self.arch]
        try:
            subprocess.run([compiler, "--version"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise UnavailableError(f"`{compiler}` is not installed") from error
        if not (self.libraries() / "libc.a").exists():
            raise UnavailableError(f"no musl below `{self.sysroot}`; install musl-dev")
        return compiler

    def libraries(self) -> Path:
        """Return the folder of musl's start files and `libc.a`."""
        return self.sysroot / "usr/lib" / self.triple

    def link_static(self, sources: Sequence[Path], target: Path) -> None:
        """Compile and link one static position-independent program."""
        compiler = self.compiler()
        own = subprocess.run(
            [compiler, "-print-file-name=include"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        lib = self.libraries()
        headers = str(self.sysroot / "usr/include" / self.triple)
        command = [compiler, *FLAGS, "-nostdinc", "-isystem", headers, "-isystem", own]
        command += ["-nostdlib", "-static-pie"]
        command += [str(lib / "rcrt1.o"), str(lib / "crti.o")]
        command += [str(source) for source in sources]
        command += [str(lib / "libc.a"), "-lgcc", "-lgcc_eh", str(lib / "libc.a")]
        command += [str(lib / "crtn.o"), "-s", "-o", str(target)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"`{target.name}` does not build:\n{done.stderr.strip()}")


def needs_loader(program: bytes) -> bool:
    """Tell whether a 64-bit ELF program asks for a dynamic loader."""
    start = int.from_bytes(program[32:40], "little")
    size, count = struct.unpack_from("<HH", program, 54)
    kinds = (
        int.from_bytes(program[at : at + 4], "little")
        for at in range(start, start + size * count, size)
    )
    return PT_INTERP in kinds
