# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Number what closed fields of the bundle may hold, and spell the numbers."""

from __future__ import annotations

from stockade.artifact.shape import Enumeration
from stockade.artifact.windows_enumerations import WINDOWS_ENUMERATIONS

# What an instruction holds until the launcher fills it in: operation, constant.
# Both fail closed when nobody does: no process has this ID, the errno is 4095.
PLACEHOLDERS: dict[str, tuple[int, int]] = {
    "OWN_PID": (0x15, 0x7FFFFFFF),
    "WITNESS": (0x06, 0x00050FFF),
}

_SHARED: tuple[Enumeration, ...] = (
    Enumeration(
        "target",
        (
            ("LINUX_X86_64", 1, "linux-x86_64"),
            ("LINUX_AARCH64", 2, "linux-aarch64"),
            ("MACOS", 3, "macos"),
            ("WINDOWS", 4, "windows"),
        ),
    ),
    Enumeration(
        "entry",
        (("MUST_UNDERSTAND", 1, "a reader that does not know the kind refuses"),),
        bits=True,
    ),
    Enumeration(
        "relocation",
        (
            ("OWN_PID", 1, "JEQ constant 0x7fffffff becomes the program's process ID"),
            ("WITNESS", 2, "RET constant 0x00050fff gets the errno drawn for a start"),
        ),
    ),
    Enumeration(
        "requirement",
        (("SHOW_RIGHTS", 1, "append the Landlock file rights in force to the line"),),
        bits=True,
    ),
    Enumeration(
        "class",
        (
            ("WRITE", 1, "grants writing: subject to the overlap rules"),
            ("EXECUTE", 2, "grants executing: subject to the overlap rules"),
            ("SYSTEM", 4, "part of the system set"),
            ("COMMAND", 8, "a file to execute: its loader is granted with it"),
        ),
        bits=True,
    ),
    Enumeration(
        "grant",
        (
            ("OPTIONAL", 1, "skipped where the path does not exist"),
            ("POLICY", 2, "named by the policy: its absence refuses the start"),
        ),
        bits=True,
    ),
    Enumeration(
        "environment",
        (
            ("PASS", 1, "copied from the launcher's environment where set"),
            ("SET", 2, "fixed value"),
        ),
    ),
    Enumeration(
        "call",
        (
            ("NATIVE", 0, "through the native entry"),
            ("COMPAT", 1, "through `int 0x80`, i386 numbers; x86_64 only"),
            ("FORK", 2, "starts a child that ends at once"),
        ),
    ),
    Enumeration(
        "operand",
        (
            ("NONE", 0, "0"),
            ("IMMEDIATE", 1, "the value itself"),
            ("DATA", 2, "address of the offset `value` in `data`"),
            ("CANARY_PATH", 3, "path of the canary"),
            ("CANARY_FD", 4, "descriptor of the canary"),
            ("FOLDER_FD", 5, "descriptor of the canary's folder"),
            ("OWN_PID", 6, "the launcher's process ID"),
            ("TARGET_PID", 7, "a process outside that may be signalled"),
            ("SETUP_RESULT", 8, "what the setup call returned"),
        ),
    ),
    Enumeration(
        "folder",
        (
            ("PATH", 0, "the path as it stands"),
            ("USER", 1, "the path, up to a slash, and the user's number"),
        ),
    ),
    Enumeration(
        "trusted",
        (
            ("ABSOLUTE", 0, "an absolute path"),
            ("HOME", 1, "below each home folder; empty means the home folder itself"),
            ("VARIABLE", 2, "an absolute path held by an environment variable"),
            ("VARIABLE_HOME", 3, "the same, where `~/` stands for the home folder"),
        ),
    ),
    Enumeration(
        "concession",
        (
            ("SELF_CHECK_OFF", 1, "the launcher makes no try of the check"),
            ("IPC_SHARED", 2, "System V objects are shared with other processes"),
            ("MEMORY_FILES_EXECUTABLE", 4, "files in memory can be executed"),
            ("KERNEL_SURFACE_WIDE", 8, "calls for debuggers are answered"),
        ),
        bits=True,
    ),
    Enumeration(
        "stream",
        (
            ("UNIX_CONNECTED", 1, "connected stream or seqpacket Unix socket"),
            ("UNIX_ANY", 2, "any other Unix socket"),
            ("INET", 4, "TCP, UDP, ICMP or MPTCP socket"),
            ("ROUTE_NETLINK", 8, "route netlink socket"),
            ("PTY_MASTER", 16, "master side of a pseudo-terminal"),
            ("TCP_CONNECTED", 32, "connected TCP socket, not MPTCP"),
        ),
        bits=True,
    ),
    Enumeration(
        "parameter",
        (
            ("PATH", 1, "absolute path that must exist, to be resolved"),
            ("WRITTEN", 2, "the same as the policy spells it"),
            ("SYSTEM_PATH", 3, "absolute path of the system"),
            ("PORT", 4, "`localhost:` and a port"),
            ("PROGRAM", 5, "the program's resolved path; empty here"),
        ),
    ),
    Enumeration(
        "process_rule",
        (
            ("REFUSE_ROOT", 1, "the superuser is refused"),
            ("CLOSE_DESCRIPTORS", 2, "all but 0, 1 and 2 are closed"),
            ("SUPERVISE", 4, "the launcher stays, and ends what is left"),
        ),
        bits=True,
    ),
)

ENUMERATIONS = (*_SHARED, *WINDOWS_ENUMERATIONS)


def _word(enumeration: Enumeration, member: str, doc: str) -> str:
    # Targets are spelled as in file names; all else in lower case with hyphens.
    if enumeration.name == "target":
        return doc
    return member.lower().replace("_", "-")


# Per enumeration: the number of each word, and the word of each number.
NUMBERS: dict[str, dict[str, int]] = {
    enumeration.name: {
        _word(enumeration, name, doc): number
        for name, number, doc in enumeration.members
    }
    for enumeration in ENUMERATIONS
}
WORDS: dict[str, dict[int, str]] = {
    name: {number: word for word, number in numbers.items()}
    for name, numbers in NUMBERS.items()
}
