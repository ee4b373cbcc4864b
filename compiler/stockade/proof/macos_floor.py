# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List what every macOS profile refuses and allows, beside what requests ask.

Neutral requests know nothing of loading code, of terminals or of macOS' own operations.
What a profile must decide about those stands here, apart from the code that writes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from stockade.model.macos_artifact import MacosArtifact, ParameterKind
from stockade.model.path_family import folders_above
from stockade.model.policy import Access, Children, Policy
from stockade.proof.macos_questions import Ask, on_path
from stockade.proof.sbpl.operations import OPERATIONS, Certainty

ELSEWHERE = "/elsewhere/x"
# Operations that some policy opens, wholly or in part; requests ask about most.
_BY_POLICY = (
    *("dynamic-code-generation", "ipc-sysv-msg", "ipc-sysv-sem", "ipc-sysv-shm"),
    *("mach-lookup", "network-bind", "network-inbound", "network-outbound"),
    *("process-exec-interpreter", "process-exec-update-label", "process-fork"),
    *("signal", "system-socket"),
)
# Every program asks for everything by these.
_LEFT_OPEN = ("syscall-unix",)
# What no policy opens on any file, beside wildcards.
_CLOSED_ON_FILES = (
    *("file-chroot", "file-issue-extension", "file-mknod", "file-mount"),
    *("file-mount-update", "file-revoke", "file-search", "file-unmount"),
    *("file-write-setugid", "file-lock"),
)
# Requests of a terminal, by the letter `t` and a number (sys/ttycom.h of macOS):
# TIOCEXCL, TIOCSETA, TIOCSETAW, TIOCSETAF, TIOCSETD, TIOCSIG, TIOCSCTTY, TIOCCONS,
# TIOCSWINSZ, TIOCSTI and TIOCSPGRP.
_BY_TERMIOS = (13, 20, 21, 22, 27, 95, 97, 98, 103, 114, 118)
# The settings once more, as 4.3BSD asked for them (sys/ioctl_compat.h; apple/darwin-xnu
# has them in bsd/kern/tty_compat.c): OTIOCSETD, TIOCSETP, TIOCSETN, TIOCSETC, TIOCSLTC,
# TIOCLSET, TIOCLBIC and TIOCLBIS.
_BY_SGTTY = (1, 9, 10, 17, 117, 125, 126, 127)
_TAKING_A_TERMINAL = (*_BY_TERMIOS, *_BY_SGTTY)
# TIOCGETA and TIOCGWINSZ.
_LOOKING_AT_A_TERMINAL = (19, 104)
# SIOCSIFADDR, and FIONBIO, which makes a socket's calls return at once.
_SETTING_AN_ADDRESS, _NOT_WAITING = 26892, 26238
_TERMINALS = ("/dev/tty", "/dev/ttys003")
_SET_ID_MODES = (0o4755, 0o2755)


def refused(policy: Policy) -> Iterator[Ask]:
    """Give what a profile must refuse; `policy` holds paths of this system alone."""
    for name in _closed_operations():
        yield Ask(name, (("target", "others"), ("sysctl-name", "kern.proc.pid.1")))
    yield Ask("socket-ioctl", (("ioctl-command", _SETTING_AN_ADDRESS),))
    for path in (ELSEWHERE, *(grant.path for grant in policy.grants)):
        for name in _CLOSED_ON_FILES:
            yield on_path(name, path)
        for mode in _SET_ID_MODES:
            yield on_path("process-exec*", path, mode=mode)
    yield from _of_foreign_paths(policy)
    for path in (*_TERMINALS, *(grant.path for grant in policy.grants)):
        for number in _TAKING_A_TERMINAL:
            yield _terminal(path, number)
    yield from _of_writable_paths(policy)
    if policy.children is Children.CONTAINED:
        # Who leaves the group is not found when it ends.
        for call in ("SYS_setsid", "SYS_setpgid", "SYS_posix_spawn"):
            yield Ask("syscall-unix", (("syscall-number", call),))


def _closed_operations() -> Iterator[str]:
    """Give the operations of no file that no policy opens to others."""
    for operation in OPERATIONS.values():
        name = operation.name
        is_asked = not name.endswith("*") and name not in ("default", *_LEFT_OPEN)
        by_request = name in _BY_POLICY or name.startswith("file-")
        if (
            is_asked
            and not by_request
            and operation.certainty is not Certainty.INFERRED
        ):
            yield name


def _of_foreign_paths(policy: Policy) -> Iterator[Ask]:
    """Give what would bring a file that is not writable into a writable folder.

    There it would have another name, and the rules of that name.
    """
    writable = [one.path for one in policy.grants if one.access is Access.READ_WRITE]
    granted = [one.path for one in policy.grants]
    for path in (ELSEWHERE, *granted):
        if not _lies_in(path, writable):
            yield on_path("file-link", path)
    if not _lies_in(ELSEWHERE, granted):
        yield on_path("file-clone", ELSEWHERE)
        yield on_path("file-map-executable", ELSEWHERE)


def _lies_in(path: str, folders: list[str]) -> bool:
    folded = [one.casefold() for one in folders]
    return any(above.casefold() in folded for above in folders_above(path))


def _of_writable_paths(policy: Policy) -> Iterator[Ask]:
    """Give what would load written code, or put something else in a path's place."""
    for grant in policy.grants:
        if grant.access is Access.READ_WRITE:
            for path in (grant.path, f"{grant.path.rstrip('/')}/x"):
                yield on_path("file-map-executable", path)
            for kind in ("DIRECTORY", "REGULAR-FILE"):
                yield on_path("file-write-unlink", grant.path, kind)
                yield on_path("file-write-create", grant.path, kind)


def _terminal(path: str, number: int) -> Ask:
    command = ord("t") * 256 + number
    return on_path("file-ioctl", path, "CHARACTER-DEVICE", ioctl_command=command)


def links(artifact: MacosArtifact) -> Iterator[Ask]:
    """Give what a program must see to go to a path as the policy spells it."""
    for one in artifact.parameters:
        if one.kind is ParameterKind.WRITTEN:
            for path in folders_above(one.value):
                yield on_path("file-read-metadata", path, "SYMLINK")


def of_networks() -> Iterator[Ask]:
    """Give what tells of the own addresses, which programs with a network ask."""
    yield Ask("sysctl-read", (("sysctl-name", "net.routetable.0.0.3.0"),))


def allowed(program: str) -> Iterator[Ask]:
    """Give what a program needs to start and to know itself."""
    yield on_path("process-exec*", program, mode=0o755)
    for name in ("file-read-data", "file-read-metadata", "file-map-executable"):
        yield on_path(name, program, mode=0o755)
    folder = program.rpartition("/")[0] or "/"
    yield on_path("file-read-metadata", folder, "DIRECTORY")
    # The loader opens the root folder; a start without it ends by SIGABRT (measured
    # by akitaonrails/ai-jail#77 on macOS 26.5.2).
    yield on_path("file-read-data", "/", "DIRECTORY")
    yield Ask("process-info-pidinfo", (("target", "self"),))
    yield Ask("process-info-codesignature", (("target", "self"),))
    yield Ask("signal", (("target", "self"),))
    yield Ask("sysctl-read", (("sysctl-name", "hw.pagesize"),))
    yield Ask("socket-ioctl", (("ioctl-command", _NOT_WAITING),))
    for number in _LOOKING_AT_A_TERMINAL:
        yield _terminal(_TERMINALS[1], number)
