# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rewrite the system-call tables from a folder of Linux UAPI headers.

    python compiler/build/refresh_syscalls.py INCLUDE_DIR

INCLUDE_DIR holds `x86-linux-any/asm/unistd_64.h`, `aarch64-linux-any/asm/
unistd_64.h` and `any-linux-any/linux/version.h`, as the include folder of the
`ziglang` wheel does (sanitised headers of one kernel release for every
architecture). Only names and numbers are taken: they are facts, the headers
themselves are not copied.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TABLES = Path(__file__).resolve().parents[1] / "stockade" / "abi"
HEADERS = {
    "x86_64": "x86-linux-any/asm/unistd_64.h",
    "aarch64": "aarch64-linux-any/asm/unistd_64.h",
}
_DEFINE = re.compile(r"^#define __NR_(\w+)\s+(\d+)\s*$", re.MULTILINE)
_VERSION = re.compile(r"^#define LINUX_VERSION_(\w+)\s+(\d+)\s*$", re.MULTILINE)
# Names that are markers or aliases, not calls.
_NOT_CALLS = frozenset({"syscalls", "arch_specific_syscall"})


def kernel_version(include: Path) -> str:
    """Read the release the headers belong to, such as `7.2.0`."""
    text = (include / "any-linux-any/linux/version.h").read_text("ascii")
    parts = dict(_VERSION.findall(text + "\n"))
    return ".".join(parts[key] for key in ("MAJOR", "PATCHLEVEL", "SUBLEVEL"))


def read_calls(header: Path) -> dict[str, int]:
    """Collect the numbered calls of one header."""
    found = _DEFINE.findall(header.read_text("ascii"))
    return {name: int(number) for name, number in found if name not in _NOT_CALLS}


def render(arch: str, version: str, calls: dict[str, int]) -> str:
    """Lay out one table: a line of origin, then `NUMBER NAME`, by number."""
    rows = sorted((number, name) for name, number in calls.items())
    lines = [f"# linux {version}, {arch}, asm/unistd_64.h, {len(rows)} calls"]
    lines += [f"{number} {name}" for number, name in rows]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write both tables."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: refresh_syscalls.py INCLUDE_DIR\n")
        return 2
    include = Path(sys.argv[1])
    version = kernel_version(include)
    for arch, header in HEADERS.items():
        table = render(arch, version, read_calls(include / header))
        (TABLES / f"syscalls-{arch}.txt").write_text(table, "ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
