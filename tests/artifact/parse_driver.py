# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build and run `parse_driver.c`: the launcher's parser under ASan and UBSan."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD_SCRIPTS = ROOT / "compiler" / "build"
CORE = ROOT / "launcher-c" / "src" / "core"
PARSER_SOURCES = (*sorted(CORE.glob("bundle*.c")), CORE / "crc32c.c")
_SANITIZE = (
    "-std=c17",
    "-g",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
)
# Leaks are not the question here, and their search needs ptrace.
_OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0", "PATH": "/usr/bin:/bin"}


@dataclass(frozen=True, slots=True)
class Driver:
    """The built program."""

    program: Path

    def errors(self, bundles: Iterable[bytes]) -> list[int]:
        """Parse each bundle in one process; return the parser's answers, 0 or error.

        A stray access or undefined behaviour ends the program, and this raises.
        """
        frames = b"".join(struct.pack("<I", len(data)) + data for data in bundles)
        done = subprocess.run(
            [self.program], input=frames, capture_output=True, env=_OPTIONS, timeout=600
        )
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode(errors="replace")[-4000:])
        return [int(line) for line in done.stdout.split()]


def render_header(folder: Path) -> Path:
    """Render the generated header into a folder and return the folder."""
    script = BUILD_SCRIPTS / "render_header.py"
    header = folder / "stk_bundle_format.h"
    subprocess.run([sys.executable, script, header], check=True)
    return folder


def build_driver(folder: Path) -> Driver:
    """Build the driver in a folder."""
    include = render_header(folder)
    program = folder / "parse-driver"
    source = Path(__file__).with_name("parse_driver.c")
    subprocess.run(
        [
            "gcc",
            *_SANITIZE,
            f"-I{include}",
            f"-I{CORE}",
            source,
            *PARSER_SOURCES,
            "-o",
            program,
        ],
        check=True,
    )
    return Driver(program)
