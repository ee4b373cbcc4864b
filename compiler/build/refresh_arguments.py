# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rewrite the table of argument widths from a kernel's own prototypes.

    python compiler/build/refresh_arguments.py LINUX_HEADERS

LINUX_HEADERS holds `include/linux/syscalls.h`, as Debian's package
`linux-headers-VERSION-common` does. The kernel cuts each argument to its declared
type, so a filter that compares more bits than the type has can be passed by
setting the others. Only widths are taken; the header is not copied.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ABI = Path(__file__).resolve().parents[1] / "stockade" / "abi"
_PROTOTYPE = re.compile(r"asmlinkage long sys_(\w+)\s*\(([^;]*)\);")
_NARROW = {
    "__s32": 32,
    "__u32": 32,
    "clockid_t": 32,
    "enum": 32,
    "gid_t": 32,
    "int": 32,
    "key_serial_t": 32,
    "key_t": 32,
    "mqd_t": 32,
    "old_gid_t": 16,
    "old_uid_t": 16,
    "pid_t": 32,
    "qid_t": 32,
    "rwf_t": 32,
    "timer_t": 32,
    "u32": 32,
    "uid_t": 32,
    "uint32_t": 32,
    "umode_t": 16,
    "unsigned": 32,
}
# Where the table's name differs from the kernel's function.
_ALIASES = {
    "stat": "newstat",
    "fstat": "newfstat",
    "lstat": "newlstat",
    "uname": "newuname",
    "umount2": "umount",
    "sendfile": "sendfile64",
}
# Declared per architecture, or not at all: arch/x86 and kernel/fork.c.
_BY_HAND = {
    "arch_prctl": (32, 64),
    # Its flags and the protection of mmap are declared wider than what is kept
    # (measured: a higher bit changes nothing).
    "clone": (32, 64, 64, 64, 64),
    "fork": (),
    "iopl": (32,),
    "map_shadow_stack": (64, 64, 32),
    "mmap": (64, 64, 32, 64, 64, 64),
    "modify_ldt": (32, 64, 64),
    "rt_sigreturn": (),
    "vfork": (),
}


def width(parameter: str) -> int:
    """Give the bits that the kernel keeps of one declared parameter."""
    words = parameter.replace("__user", "").split()
    if "*" in parameter or "long" in words or "[" in parameter:
        return 64
    return min((_NARROW.get(word, 64) for word in words[:2]), default=64)


def read_prototypes(header: Path) -> dict[str, tuple[int, ...]]:
    """Collect the widths of every declared call, by the function's name."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text("utf-8"), flags=re.DOTALL)
    found = {}
    for name, parameters in _PROTOTYPE.findall(text):
        declared = [part.strip() for part in parameters.split(",")]
        found[name] = tuple(width(part) for part in declared if part != "void")
    return found


def table_names() -> list[str]:
    """List the calls of every architecture's table."""
    names = set()
    for table in sorted(ABI.glob("syscalls-*.txt")):
        rows = table.read_text("ascii").splitlines()[1:]
        names |= {row.split()[1] for row in rows}
    return sorted(names)


def main() -> int:
    """Write the table: `NAME WIDTH…`, calls without a prototype left out."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: refresh_arguments.py LINUX_HEADERS\n")
        return 2
    header = Path(sys.argv[1]) / "include" / "linux" / "syscalls.h"
    prototypes = read_prototypes(header) | _BY_HAND
    lines = ["# argument widths in bits, linux 7.2, include/linux/syscalls.h"]
    for name in table_names():
        widths = prototypes.get(_ALIASES.get(name, name))
        if widths is not None:
            lines.append(" ".join((name, *map(str, widths))))
    (ABI / "arguments.txt").write_text("\n".join(lines) + "\n", "ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
