# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the operations that macOS asks a profile about, and what each falls back to.

Facts of macOS 10.15 as 0xbf00/simbple read them from Apple's libraries
(src/platform_data/catalina/operations.c @7d5ac2d5), and names of 14.4 as
Protonk/sandbox-boostrap did (vocab/ops.json @c6eb5ff6); none was measured on a Mac by
this project.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Certainty(Enum):
    """What an operation's parent and its own answer rest on."""

    TABLE = "in Apple's table of macOS 10.15"
    INFERRED = "later; allowed by itself, since real profiles deny it by name"
    NAMED = "later; only its name is known, the parent is guessed from it"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: whom it asks next, or what it answers itself.

    `categories` are the kinds of filter that apply, beside those that always do.
    """

    name: str
    parent: str
    own: str | None
    categories: tuple[str, ...]
    certainty: Certainty = Certainty.TABLE


_FILE = "path file-mode vnode-type device fs"
_IOKIT = "iokit-user-client iokit-connection"
_NETWORK = "socket network path file-mode vnode-type fs"

# Each line: names, `<` their parent or `=` their own answer, `:` what filters apply.
_TABLE = f"""
default = deny
appleevent-send < default : ae-destination
authorization-right-obtain < default : auth-right-name
boot-arg-set < default : boot-arg
device* < default
device-camera device-microphone < device*
darwin-notification-post = allow : notification
distributed-notification-post < default : notification
dynamic-code-generation = allow
file* < default : {_FILE}
file-chroot file-mknod file-mount file-revoke file-search file-unmount < file* : {_FILE}
file-read* file-write* < file* : {_FILE}
file-ioctl < file* : {_FILE} ioctl
file-issue-extension < file* : {_FILE} extension-class
file-mount-update < file-mount : {_FILE}
file-clone file-link file-map-executable file-test-existence = allow : {_FILE}
file-read-data file-read-metadata < file-read* : {_FILE}
file-read-xattr < file-read* : {_FILE} xattr
file-write-acl file-write-create file-write-data < file-write* : {_FILE}
file-write-finderinfo file-write-flags file-write-mode < file-write* : {_FILE}
file-write-owner file-write-times file-write-unlink < file-write* : {_FILE}
file-write-xattr < file-write* : {_FILE} xattr
file-write-setugid = deny : {_FILE}
fs-rename fs-snapshot* < default
fs-snapshot-create fs-snapshot-delete fs-snapshot-revert < fs-snapshot*
generic-issue-extension < default : extension-class
qtn-user < default : path
hid-control < default
iokit* < default
iokit-issue-extension < iokit* : extension-class
iokit-set-properties < iokit* : iokit-property {_IOKIT}
iokit-get-properties = allow : iokit-property {_IOKIT}
ipc* < default
ipc-posix* < ipc* : posix-ipc
ipc-posix-issue-extension < ipc-posix* : posix-ipc extension-class
ipc-posix-sem* < ipc-posix* : posix-ipc semaphore
ipc-posix-sem-create ipc-posix-sem-open < ipc-posix-sem* : posix-ipc semaphore
ipc-posix-sem-post ipc-posix-sem-unlink < ipc-posix-sem* : posix-ipc semaphore
ipc-posix-sem-wait < ipc-posix-sem* : posix-ipc semaphore
ipc-posix-shm* < ipc-posix* : posix-ipc
ipc-posix-shm-read-data ipc-posix-shm-write* < ipc-posix-shm* : posix-ipc
ipc-posix-shm-write-create < ipc-posix-shm-write* : posix-ipc
ipc-posix-shm-write-data < ipc-posix-shm-write* : posix-ipc
ipc-posix-shm-write-unlink < ipc-posix-shm-write* : posix-ipc
ipc-sysv* < ipc*
ipc-sysv-msg ipc-sysv-sem ipc-sysv-shm < ipc-sysv*
job-creation = deny
load-unsigned-code < default : path fs
lsopen mach* < default
mach-cross-domain-lookup = allow : mach
mach-host* mach-priv* < mach*
mach-host-exception-port-set < mach-host*
mach-host-special-port-set < mach-host* : mach-special-port
mach-issue-extension < mach* : mach extension-class
mach-lookup mach-register < mach* : mach
mach-priv-host-port < mach-priv*
mach-priv-task-port < mach-priv* : path target
network* < default : {_NETWORK}
network-inbound network-outbound < network* : {_NETWORK}
network-bind < network-inbound : {_NETWORK}
nvram* = allow : nvram
nvram-delete nvram-get nvram-set < nvram* : nvram
opendirectory-user-modify < default
process* < default
process-codesigning-status* < process* : target
process-codesigning-status-set < process-codesigning-status* : target
process-codesigning-status-get < process-codesigning-status* : target
process-exec* < process* : path file-mode fs
process-exec-interpreter < process-exec* : path file-mode fs
process-fork < process*
process-info* = allow
process-info-codesignature = allow : target
process-info-dirtycontrol process-info-rusage < process-info* : target
process-info-pidinfo process-info-pidfdinfo < process-info* : target
process-info-pidfileportinfo process-info-setcontrol < process-info* : target
process-info-listpids < process-info*
pseudo-tty < default
signal < default : target signal
socket-ioctl = allow : socket ioctl
sysctl* < default : sysctl
sysctl-read sysctl-write < sysctl* : sysctl
system* < default
system-acct system-audit system-mac-label system-nfssvc < system*
system-package-check system-set-time system-suspend-resume system-swap < system*
system-automount < system* : path
system-debug system-sched < system* : target
system-fsctl < system* : fsctl
system-info < system* : info
system-kext* < system*
system-kext-load system-kext-unload < system-kext* : kext-bundle-id
system-kext-query < system-kext*
system-privilege = allow : priv
system-reboot < system* : reboot-flags
system-socket < system* : socket
user-preference* < default : preference-domain
user-preference-read user-preference-write < user-preference* : preference-domain
managed-preference-read < user-preference-read : preference-domain
syscall-unix = allow : syscall
storage-class-map = deny : path
"""

_INFERRED = """
syscall-mach syscall-mig = allow : syscall
system-fcntl = allow : fcntl
system-mac-syscall = allow : mac-syscall
mach-message-send = allow : mach
iokit-external-method iokit-async-external-method iokit-external-trap = allow
"""

_NAMED = f"""
file-lock < file* : {_FILE}
fs-quota* < default
fs-quota-get fs-quota-on fs-quota-off fs-quota-stat fs-quota-sync < fs-quota*
fs-quota-set* < fs-quota*
fs-quota-set-limits fs-quota-set-usage < fs-quota-set*
fs-snapshot-mount < fs-snapshot*
iokit-open* < iokit* : {_IOKIT}
iokit-open-user-client iokit-open-service < iokit-open* : {_IOKIT}
mach-bootstrap mach-derive-port mach-kernel-endpoint < mach* : mach
mach-task* < mach* : target
mach-task-inspect mach-task-name mach-task-read < mach-task* : target
mach-task-special-port* < mach-task* : target
mach-task-special-port-get < mach-task-special-port* : target
mach-task-special-port-set < mach-task-special-port* : target
process-codesigning < process* : target
process-exec-update-label < process-exec* : path file-mode fs
process-info-ledger < process-info* : target
socket-option* < default : socket
socket-option-get socket-option-set < socket-option* : socket
system-kas-info system-memorystatus-control system-necp-client-action < system*
necp-client-open xpc-message-send < default
"""

# What the later systems take beside the table: profiles that run there filter these
# by target (codex' base policy; a rule for exec, fork and signal alike, measured).
_LATER_CATEGORIES = dict.fromkeys(
    ("process-exec*", "process-fork", "process-info*"), ("target",)
)

# Other names of operations (Apple's own prelude of version 1, as simbple carries it).
# `sysctl-write` is a real operation too, but a profile that writes it means `sysctl*`.
ALIASES = {
    "file-fsctl": "system-fsctl",
    "file-issue-extension*": "file-issue-extension",
    "file-issue-extension-read": "file-issue-extension",
    "file-issue-extension-write": "file-issue-extension",
    "file-unlink": "file-write-unlink",
    "file-write-mount": "file-mount",
    "file-write-umount": "file-unmount",
    "file-write-unmount": "file-unmount",
    "iokit-open": "iokit-open-user-client",
    "ipc-posix-sem": "ipc-posix-sem*",
    "ipc-posix-shm": "ipc-posix-shm*",
    "ipc-posix-shm-read*": "ipc-posix-shm-read-data",
    "managed-preference*": "managed-preference-read",
    "process-exec": "process-exec*",
    "system-misc": "system*",
    "sysctl-write": "sysctl*",
    "time-set": "system-set-time",
}
# Names that still compile and stand for nothing since 10.15.
IDLE = (
    "ipc-posix-shm-read-metadata",
    "mach-per-user-lookup",
    "qtn-download",
    "system-chud",
)


def _rows(table: str, certainty: Certainty) -> Iterator[Operation]:
    for line in table.split("\n"):
        head, _, filters = line.partition(" : ")
        names, mark, rest = head.partition(" < ")
        if not mark:
            names, _, rest = head.partition(" = ")
        for name in names.split():
            own = None if mark else rest
            parent = rest if mark else "default"
            categories = (*filters.split(), *_LATER_CATEGORIES.get(name, ()))
            yield Operation(name, parent, own, categories, certainty)


OPERATIONS: dict[str, Operation] = {
    row.name: row
    for table, certainty in (
        (_TABLE, Certainty.TABLE),
        (_INFERRED, Certainty.INFERRED),
        (_NAMED, Certainty.NAMED),
    )
    for row in _rows(table, certainty)
}
# Kinds of filter that every operation takes.
EVERYWHERE = ("extension", "process", "system")


def operation_named(name: str) -> Operation | None:
    """Find the operation that the system asks about by a name or another one."""
    return OPERATIONS.get(name) or OPERATIONS.get(ALIASES.get(name, ""))
