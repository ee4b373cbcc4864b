# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Lay out the ways to start, or to be refused, that faults are tried in."""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from launcher_scene import LIBC, Scene, artifact, environment
from test_identity import become_capable

from stockade.model.artifact import GrantRow
from stockade.model.decide import WITNESS_NUMBER

EACCES, ENOSYS, EOPNOTSUPP = 13, 38, 95
_TMPFILE = 0o20200000
_ALL_SEALS = 0x1 | 0x2 | 0x4 | 0x8
_WRITE_SEAL = 0x8
_NOEXEC_MEMFD = 0x8 | os.MFD_ALLOW_SEALING
# Above what the injector leaves open.
_LOWEST = 300


class End(Enum):
    """What a start comes to without a fault."""

    PROGRAM = "starts"
    REPORT = "reports"
    REFUSAL = "is refused"


@dataclass(frozen=True, slots=True)
class Mode:
    """One command, its surroundings, and what it comes to without a fault."""

    name: str
    command: tuple[str | Path, ...]
    end: End = End.PROGRAM
    # Calls that fail in each run: name, bits of the third argument, errno.
    always: tuple[tuple[str, int, int], ...] = ()
    # The exec that makes the launcher to try, where another one comes first.
    execs: int = 1
    # What the caller leaves: no descriptor 0, a secret on 3, 9 and 200.
    close_input: bool = False
    leave_open: bool = True
    stdin: Callable[[], int] | None = None
    # Descriptors of the command's own.
    passed: tuple[int, ...] = ()
    # Run by root, who may become somebody.
    become: Callable[[], None] | None = None
    # Faults of these calls alone; all where empty.
    only: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Props:
    """The programs, and the files that the witness looks for."""

    scene: Scene
    tools: Path
    witness: Path
    dynamic: Path
    secret: Path
    outside: Path
    given: Path
    out: Path
    home: Path

    def arguments(self) -> tuple[str | Path, ...]:
        """Return what the witness is told."""
        paths = (self.secret, self.outside, self.given, self.out)
        return (str(WITNESS_NUMBER), *paths)

    def compile(self, writable: Path | None) -> Path:
        """Compile the policy of most modes."""
        given = f'read = ["{self.given}"]\n'
        if writable:
            given += f'read_write = ["{writable}"]\n'
        text = (
            f"version = 1\n[filesystem]\n{given}"
            '[process]\nsignals = "isolated"\nchildren = "none"\n'
            '[environment]\npass = ["PASSED"]\nset = { FIXED = "value" }\n'
        )
        return self.scene.keep(self.scene.stage.compile(text))


def lay_out(scene: Scene, tools: Path) -> Props:
    """Make the files, all but the programs outside of what is granted."""
    outside = scene.folder("outside")
    for name in ("victim", "program"):
        path = outside / name
        path.write_bytes(b"")
        path.chmod(0o755)
    scene.stage.give(outside)
    return Props(
        scene,
        scene.stage.install(tools / "inject", "inject"),
        scene.stage.install(tools / "witness", "witness"),
        scene.stage.install(tools / "witness-dynamic", "witness-dynamic"),
        scene.file("secret", "the secret\n"),
        outside,
        scene.file("given"),
        scene.folder("out"),
        scene.folder("home"),
    )


def all_modes(props: Props) -> tuple[Mode, ...]:
    """Return every mode that the running user can have."""
    found = (*_starts(props), *_refusals(props), *_streams(props))
    return found if os.getuid() == 0 else tuple(one for one in found if not one.become)


def _starts(props: Props) -> tuple[Mode, ...]:
    launcher = props.scene.stage.launcher
    usual = props.compile(props.out)
    words = (props.witness, *props.arguments())
    start = (launcher, usual, "--", *words)
    bare = (launcher, props.compile(None), "--", *words)
    sealed = ("--artifact-fd", str(_memfd(usual, _ALL_SEALS)))
    script = props.scene.file(
        "script", f"#!{props.witness} {WITNESS_NUMBER}\n", mode=0o755
    )
    programs = frozenset({"pread64", "openat", "statx", "access", "faccessat"})
    return (
        Mode("file", start),
        Mode("memfd", (launcher, *sealed, "--", *words), passed=(int(sealed[1]),)),
        Mode("check", (launcher, "--check", usual, *words), End.REPORT),
        Mode("nothing writable", bare),
        Mode("in another", (launcher, _outer(props, usual), "--", *start), execs=2),
        Mode("slow lookups", (launcher, _slow(props), "--", *words)),
        Mode("no openat2", bare, always=(("openat2", 0, ENOSYS),)),
        Mode("no close_range", bare, always=(("close_range", 0, ENOSYS),)),
        Mode("no nameless files", bare, always=(("openat", _TMPFILE, EOPNOTSUPP),)),
        Mode("no standard input", bare, close_input=True),
        Mode("a script", (*start[:3], script, *words[2:]), only=programs),
        Mode("a loader", (*start[:3], props.dynamic, *words[1:]), only=programs),
        Mode(
            "few descriptors",
            start,
            become=_low_limit(props),
            leave_open=False,
            only=frozenset({"prlimit64"}),
        ),
    )


def _refusals(props: Props) -> tuple[Mode, ...]:
    launcher, scene = props.scene.stage.launcher, props.scene
    words = ("--", props.witness, *props.arguments())
    usual = props.compile(props.out)
    loose, torn = (scene.root / f"{name}.stk" for name in ("loose", "torn"))
    for path, end in ((loose, None), (torn, -1)):
        scene.keep(path.parent)
        path.write_bytes(usual.read_bytes()[:end])
        path.chmod(0o666 if path is loose else 0o644)
    unsealed = _memfd(usual, 0)
    start = (launcher, usual, *words)
    lost = (("close_range", 0, ENOSYS), ("getdents64", 0, EACCES))
    return (
        Mode("conflict", (launcher, props.compile(props.home), *words), End.REFUSAL),
        Mode("artifact others write", (launcher, loose, *words), End.REFUSAL),
        Mode("torn artifact", (launcher, torn, *words), End.REFUSAL),
        Mode(
            "unsealed memfd",
            (launcher, "--artifact-fd", str(unsealed), *words),
            End.REFUSAL,
            passed=(unsealed,),
        ),
        Mode(
            "no Landlock",
            start,
            End.REFUSAL,
            always=(("landlock_create_ruleset", 0, ENOSYS),),
        ),
        Mode("descriptors unseen", start, End.REFUSAL, always=lost),
        Mode("root", start, End.REFUSAL, become=lambda: None),
        Mode("a capability", start, End.REFUSAL, become=become_capable(0)),
    )


def _streams(props: Props) -> tuple[Mode, ...]:
    start = (props.scene.stage.launcher, props.compile(None), "--", props.witness)
    calls = frozenset(
        (
            *("fcntl", "fstat", "fstatfs", "ioctl", "getsockopt", "getpeername"),
            *("readlink", "statx", "openat", "read", "poll"),
        )
    )
    kinds = {
        "socket": _socket,
        "memory file": _memory_file,
        "tmpfs file": _file_in_memory,
        "terminal": _terminal,
    }
    return tuple(
        Mode(f"input: {name}", (*start, *props.arguments()), stdin=make, only=calls)
        for name, make in kinds.items()
    )


def _outer(props: Props, inner: Path) -> Path:
    """Make an artifact in which another start works; the secret is open to it."""
    scene = props.scene
    reads = [scene.root, inner.parent, "/proc", "/etc/passwd"]
    programs = [scene.stage.launcher.parent, "/usr/lib"]
    grants = {"read": reads, "read_exec": programs, "read_write": [props.out]}
    passed = environment(HOME=None, PASSED=None)
    return scene.keep(scene.write(artifact(grants, environment=passed), "outer.stk"))


def _slow(props: Props) -> Path:
    """Make an artifact with a link, and a path that the kernel never remembers."""
    scene = props.scene
    link = scene.root / "link"
    link.symlink_to(props.given)
    # No less than the policies that are compiled.
    whole = {"fs_required": 0x7FFF, "fs_optional": 0x18000}
    made = artifact({"read": [link], "read_write": [props.out]}, variant=whole)
    lost = GrantRow(f"/dev/shm/{scene.root.name}", "read", True, False)
    grants = (*made.grants, lost)
    return scene.keep(scene.write(replace(made, grants=grants), "slow.stk"))


def _low_limit(props: Props) -> Callable[[], None]:
    def become() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 4096))
        os.setgroups([])
        os.setresgid(*(props.scene.stage.group,) * 3)
        os.setresuid(*(props.scene.stage.user,) * 3)

    return become


def _memfd(source: Path, seals: int) -> int:
    low = os.memfd_create("artifact", os.MFD_ALLOW_SEALING)
    os.write(low, source.read_bytes())
    fd = fcntl.fcntl(low, fcntl.F_DUPFD, _LOWEST)
    os.close(low)
    if seals:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


def _terminal() -> int:
    # The master stays open until the session ends: a terminal without one is dead.
    return os.openpty()[1]


def _socket() -> int:
    one, other = socket.socketpair()
    with other:
        # Its other end goes; it was connected all the same.
        return one.detach()


def _file_in_memory() -> int:
    fd, name = tempfile.mkstemp(dir="/dev/shm")
    Path(name).unlink()
    return fd


def _memory_file() -> int:
    fd = int(LIBC.memfd_create(b"input", _NOEXEC_MEMFD))
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _WRITE_SEAL)
    return fd
