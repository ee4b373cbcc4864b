# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold a policy's meaning, free of TOML, spans and platforms."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property


class System(StrEnum):
    """Whether the paths that programs need to start are granted."""

    MINIMAL = "minimal"
    NONE = "none"


class Ip(StrEnum):
    """IPv4 and IPv6 networking, loopback included."""

    NONE = "none"
    PRIVATE = "private"
    CLIENT = "client"
    ALL = "all"


class Reach(StrEnum):
    """Which addresses the broker of a private network connects to."""

    PUBLIC = "public"
    PUBLIC_AND_LOCAL = "public-and-local"


class Relays(StrEnum):
    """Over which versions of IP a private network's ports are reached on macOS."""

    IPV4 = "ipv4"
    DUAL_STACK = "dual-stack"


class Win32k(StrEnum):
    """Whether a Windows program may make calls of the window system's driver."""

    DENY = "deny"
    ALLOW = "allow"


class Junctions(StrEnum):
    """Whether junctions on the way to a granted Windows path get an entry."""

    REFUSE = "refuse"
    GRANT = "grant"


class ProjectFiles(StrEnum):
    """Whether what tools run or trust in a checkout stays writable with it."""

    PROTECTED = "protected"
    WRITABLE = "writable"


class UnixSockets(StrEnum):
    """Unix domain sockets."""

    NONE = "none"
    ALL = "all"


class Symlinks(StrEnum):
    """Whether symbolic links may be made in writable paths."""

    DENY = "deny"
    ALLOW = "allow"


class Signals(StrEnum):
    """Which processes the program may signal, and with what."""

    ANY = "any"
    TERMINATE = "terminate"
    ISOLATED = "isolated"
    SELF = "self"


class Children(StrEnum):
    """Whether the program may start other processes."""

    ALLOWED = "allowed"
    CONTAINED = "contained"
    NONE = "none"


class Sockets(StrEnum):
    """Whether the program may have sockets at all."""

    POLICY = "policy"
    NONE = "none"


class Base(StrEnum):
    """Which variables the program gets beside those that are named."""

    NONE = "none"
    LOCALE = "locale"
    TERMINAL = "terminal"


class Commands(StrEnum):
    """Which files may be executed: those of readable paths, or a list of files."""

    ANY = "any"
    LISTED = "listed"


class SelfCheck(StrEnum):
    """Whether the launcher tries denied actions before the program starts."""

    ON = "on"
    OFF = "off"


class Others(StrEnum):
    """Whether other processes' limits, priority and scheduling may be changed."""

    VISIBLE = "visible"
    FIXED = "fixed"


class Ipc(StrEnum):
    """System V objects and POSIX queues."""

    SHARED = "shared"
    ISOLATED = "isolated"
    NONE = "none"


class MemoryFiles(StrEnum):
    """Whether files in memory may be made that can be executed."""

    ALLOWED = "allowed"
    REFUSED = "refused"


class PathMetadata(StrEnum):
    """Whether metadata may be changed, by path or by descriptor too."""

    DENY_ALL = "deny-all"
    DENY = "deny"
    ALLOW = "allow"


class Ioctls(StrEnum):
    """Which device and file requests are answered."""

    LISTED = "listed"
    NO_INPUT = "no-input"


class KernelSurface(StrEnum):
    """Whether calls for debuggers and the like are answered."""

    WIDE = "wide"
    REDUCED = "reduced"


class Access(StrEnum):
    """What a grant allows below its path."""

    READ = "read"
    READ_EXEC = "read_exec"
    READ_WRITE = "read_write"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, order=True)
class Grant:
    """One path rule: an absolute, normalised path and what it allows.

    Paths that are not UTF-8 (command line only) carry surrogate escapes.
    """

    path: str
    access: Access


@dataclass(frozen=True, slots=True, order=True)
class Expose:
    """A loopback address and port outside that leads to a port of the program."""

    listen: str
    port: int


@dataclass(frozen=True, slots=True, order=True)
class Forward:
    """A port of the program's loopback that leads to an address and port outside."""

    port: int
    to: str


@dataclass(frozen=True, slots=True)
class Egress:
    """The port of the program's loopback at which the broker takes requests."""

    port: int
    reach: Reach = Reach.PUBLIC


@dataclass(frozen=True)
class Policy:
    """One level of a policy: every key resolved, defaults filled in.

    `grants` is sorted and without repeats; `pass_names` and `set_values` are
    sorted by name and disjoint, since a set value wins over a passed one.

    Four keys are None where they are not written: their strict value holds all the
    same, and has no line of its own among the requirements.
    """

    system: System = System.MINIMAL
    # Left out of the hash, which is asked for again and again: there may be many.
    grants: tuple[Grant, ...] = field(default=(), hash=False)
    symlinks: Symlinks = Symlinks.DENY
    commands: Commands = Commands.ANY
    ip: Ip = Ip.NONE
    unix_sockets: UnixSockets = UnixSockets.NONE
    sockets: Sockets = Sockets.POLICY
    signals: Signals = Signals.ANY
    children: Children = Children.ALLOWED
    environment_base: Base = Base.NONE
    pass_names: tuple[str, ...] = ()
    set_values: tuple[tuple[str, str], ...] = ()
    path_metadata: PathMetadata = PathMetadata.DENY
    self_check: SelfCheck | None = None
    others: Others = Others.VISIBLE
    ipc: Ipc | None = None
    memory_files: MemoryFiles | None = None
    ioctls: Ioctls = Ioctls.LISTED
    kernel_surface: KernelSurface | None = None
    project_files: ProjectFiles = ProjectFiles.WRITABLE
    project_write: tuple[str, ...] = ()
    expose: tuple[Expose, ...] = ()
    forward: tuple[Forward, ...] = ()
    egress: Egress | None = None
    relays: Relays = Relays.DUAL_STACK
    mach_services: tuple[str, ...] = ()
    appcontainer_name: str = ""
    win32k: Win32k = Win32k.ALLOW
    junctions: Junctions = Junctions.GRANT

    @cached_property
    def accesses(self) -> dict[str, tuple[Access, ...]]:
        """Give what is granted on each path, without what system paths add."""
        found: dict[str, tuple[Access, ...]] = {}
        for grant in self.grants:
            found[grant.path] = (*found.get(grant.path, ()), grant.access)
        return found
