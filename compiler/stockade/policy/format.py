# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List every key of policy format version 1, and which of their values are built.

Built is what a policy can hold; which system can hold it is decided later, target by
target. One table for the reader of files and for the command line, so that an option
and its key cannot drift apart. INVARIANT: a key that the format knows but this version
does not build is refused by name, never ignored; its default may be written, since
that is what holds without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

VERSION = 1


class Kind(Enum):
    """What a key holds, in the words of messages."""

    WORD = "a string"
    TEXT = "a string, free to choose"
    FLAG = "a boolean"
    PORT = "an integer"
    PATHS = "an array of paths"
    NAMES = "an array of names"
    VALUES = "a table of strings"
    ENTRY = "a table"
    ENTRIES = "an array of tables"


@dataclass(frozen=True, slots=True)
class Key:
    """One key: its values, strictest first, and those that this version builds.

    `words` is for WORD, `members` for ENTRY and ENTRIES. Of other kinds, `built`
    holds either nothing or ANY. `default` is None where leaving the key out is not
    the same as any value.
    """

    table: str
    name: str
    kind: Kind
    words: tuple[str, ...] = ()
    built: tuple[str, ...] = ()
    default: object = None
    option: str = ""
    in_level: bool = False
    members: Mapping[str, Key] | None = None
    required: bool = False

    @property
    def path(self) -> str:
        """Return the dotted name of the key."""
        return f"{self.table}.{self.name}" if self.table else self.name


ANY = ("*",)


def _words(  # noqa: PLR0913 - one row of the table
    table: str,
    name: str,
    words: str,
    default: str | None,
    built: str = "",
    option: str = "",
    *,
    level: bool = False,
) -> Key:
    return Key(
        table,
        name,
        Kind.WORD,
        words=tuple(words.split()),
        built=tuple(built.split()),
        default=default,
        option=option,
        in_level=level,
    )


def _list(  # noqa: PLR0913 - one row of the table
    table: str,
    name: str,
    kind: Kind,
    option: str = "",
    built: tuple[str, ...] = (),
    default: object = (),
) -> Key:
    return Key(table, name, kind, built=built, default=default, option=option)


def _member(
    name: str, kind: Kind, words: str = "", built: str = "", *, required: bool = False
) -> Key:
    return Key(
        "",
        name,
        kind,
        words=tuple(words.split()),
        built=tuple(built.split()) or tuple(words.split()),
        required=required,
    )


def _entry(
    table: str, name: str, kind: Kind, option: str, *members: Key, level: bool = False
) -> Key:
    return Key(
        table,
        name,
        kind,
        built=ANY,
        default=() if kind is Kind.ENTRIES else None,
        option=option,
        in_level=level,
        members={member.name: member for member in members},
    )


_KEYS = (
    _words("filesystem", "system", "none minimal programs", "minimal", "none minimal",
           "--system"),
    _list("filesystem", "read", Kind.PATHS, "--read", ANY),
    _list("filesystem", "read_exec", Kind.PATHS, "--read-exec", ANY),
    _list("filesystem", "read_write", Kind.PATHS, "--read-write", ANY),
    _words("filesystem", "view", "policy all", "all", "", "--view", level=True),
    _words("filesystem", "symlinks", "deny allow", "deny", "deny allow", "--symlinks"),
    _list("filesystem", "hide", Kind.PATHS),
    _words("filesystem", "grant_links", "refuse root follow", "follow"),
    _words("filesystem", "project_files", "protected writable", "writable",
           "protected writable", "--project-files", level=True),
    _words("filesystem", "project_missing", "freeze hold open", None, level=True),
    _list("filesystem", "project_write", Kind.PATHS, "--project-write", ANY),
    _words("filesystem", "home", "empty host", "host", level=True),
    _words("filesystem", "tmp", "private host", "host", level=True),
    _words("network", "ip", "none private client all", "none",
           "none private client all", "--ip", level=True),
    _words("network", "unix_sockets", "none granted all", "none", "none all",
           "--unix-sockets", level=True),
    _entry("network", "expose", Kind.ENTRIES, "--expose",
           _member("listen", Kind.TEXT, required=True),
           _member("port", Kind.PORT, required=True)),
    _entry("network", "forward", Kind.ENTRIES, "--forward",
           _member("port", Kind.PORT, required=True),
           _member("to", Kind.TEXT, required=True)),
    _entry("network", "egress", Kind.ENTRY, "--egress",
           _member("port", Kind.PORT, required=True),
           _member("reach", Kind.WORD, "public public-and-local"),
           # Without the member there is no secret, so that word may be written.
           _member("auth", Kind.WORD, "secret none", built="none"), level=True),
    _words("network", "sockets", "none policy", "policy", "none policy", level=True),
    _words("process", "signals", "self isolated terminate any", "any",
           "self isolated terminate any", "--signals", level=True),
    _words("process", "children", "none contained allowed", "allowed",
           "none contained allowed", "--children", level=True),
    Key("process", "end_with_parent", Kind.FLAG, default=False,
        option="--end-with-parent", in_level=True),
    _words("process", "self_check", "on off", "on", "on off", "--self-check"),
    _words("process", "others", "hidden fixed visible", "visible", "fixed visible",
           "--others", level=True),
    _words("process", "ipc", "none private isolated shared", "isolated",
           "none isolated shared", "--ipc", level=True),
    _words("process", "memory_files", "refused sealed allowed", "refused",
           "refused allowed", "--memory-files", level=True),
    Key("process", "user", Kind.TEXT),
    _list("environment", "pass", Kind.NAMES, "--pass-env", ANY),
    _list("environment", "set", Kind.VALUES, "--set-env", ANY),
    _words("environment", "base", "none locale terminal", "none",
           "none locale terminal"),
    _list("commands", "allow", Kind.PATHS, "", ANY, None),
    Key("commands", "name_refused", Kind.FLAG, default=False),
    _words("linux", "path_metadata", "deny-all deny allow", "deny",
           "deny-all deny allow", "--linux-path-metadata", level=True),
    _words("linux", "ioctls", "no-input listed", "listed", "no-input listed",
           "--linux-ioctls", level=True),
    _words("linux", "kernel_surface", "reduced wide", "reduced", "reduced wide",
           "--linux-kernel-surface", level=True),
    _words("linux", "root", "refuse drop", "refuse"),
    _words("macos", "relays", "ipv4 dual-stack", "dual-stack", "ipv4 dual-stack",
           "--macos-relays", level=True),
    _list("macos", "mach_services", Kind.NAMES, "--macos-mach-service", ANY),
    Key("windows", "appcontainer_name", Kind.TEXT, built=ANY, option="--appcontainer",
        in_level=True),
    _words("windows", "win32k", "deny allow", "allow", "deny allow",
           "--windows-win32k", level=True),
    _words("windows", "junctions", "refuse grant", "grant", "refuse grant",
           "--windows-junctions"),
)  # fmt: skip

KEYS: Mapping[str, Key] = {key.path: key for key in _KEYS}
TABLES: Mapping[str, Mapping[str, Key]] = {
    table: {key.name: key for key in _KEYS if key.table == table}
    for table in dict.fromkeys(key.table for key in _KEYS)
}
FALLBACK = "fallback"
# Words that only a fallback level may give to a key of another kind, to take away
# what the base sets.
LEVEL_WORDS: Mapping[str, str] = {
    "network.egress": "none",
    "filesystem.hide": "none",
    "commands.allow": "any",
}
MACH_SERVICES = ("com.apple.trustd.agent",)
# Settings of one run, which an author may look for in the file.
RUN_ONLY: Mapping[str, str] = {
    "cwd": "--cwd",
    "level": "--level",
    "parent_pid": "--parent-pid",
    "parent_start": "--parent-start",
    "status_fd": "--status-fd",
    "status_file": "--status-file",
    "explain": "--explain",
    "hide_warning": "--hide-warning",
    "no_warnings": "--no-warnings",
    "show_warning": "--show-warning",
}
