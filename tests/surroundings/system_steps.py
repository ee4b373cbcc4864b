# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Change what a process sees of the system: mounts, namespaces, users."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long

_NEW_USER, _NEW_MOUNTS, _NEW_PIDS, _NEW_NETWORK = (
    0x10000000,
    0x20000,
    0x20000000,
    0x40000000,
)
_PRIVATE, _BIND, _REMOUNT, _DETACH = 1 << 18 | 1 << 14, 1 << 12, 1 << 5, 2
_FLAGS = {"ro": 1, "nosuid": 2, "nodev": 4, "noexec": 8}
_MOUNT_SETATTR, _HERE, _RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
_CAPSET, _CAPABILITY_VERSION = 126 if os.uname().machine == "x86_64" else 91, 0x20080522
_KEEP_CAPABILITIES, _DROP_BOUND, _AMBIENT, _RAISE = 8, 24, 47, 2
_BIND_SERVICE = 10
_DUMPABLE = 4
_ALL_BELOW = 1 << 14
_BLOCK = b"\0" * 65536


def check(result: int, what: str) -> int:
    """Raise what a call of the library left in errno."""
    if result == -1:
        raise OSError(ctypes.get_errno(), what)
    return result


def unshare(flags: int) -> None:
    """Leave the namespaces of the caller."""
    check(LIBC.unshare(flags), "unshare")


def _mount(source: str, target: str, kind: str, flags: int, data: str) -> None:
    words = [word.encode() for word in (source, target, kind)]
    check(LIBC.mount(*words, ctypes.c_ulong(flags), data.encode()), f"mount {target}")


def _flags(words: str) -> int:
    return sum(_FLAGS[word] for word in words.split(",") if word)


def _new_mounts() -> None:
    unshare(_NEW_MOUNTS)
    _mount("none", "/", "none", _PRIVATE, "")


def _tmpfs(target: str, flags: str = "", data: str = "mode=1777") -> None:
    before = os.statvfs(target).f_fsid, Path(target).stat().st_dev
    _mount("tmpfs", target, "tmpfs", _flags(flags), data)
    assert (os.statvfs(target).f_fsid, Path(target).stat().st_dev) != before
    if "noexec" in flags:
        assert os.statvfs(target).f_flag & os.ST_NOEXEC


def _proc(data: str = "") -> None:
    """Put a fresh /proc over the old one; it shows the namespace of the caller."""
    _mount("proc", "/proc", "proc", 0, data)
    assert Path("/proc/self/status").exists()
    if "subset=pid" in data:
        assert not Path("/proc/sys").exists()


def _no_proc() -> None:
    check(LIBC.umount2(b"/proc", _DETACH), "umount2")
    assert not list(Path("/proc").iterdir())


def _remount(target: str, flags: str) -> None:
    """Add flags to a mount that is there already."""
    _mount(target, target, "none", _BIND, "")
    _mount("none", target, "none", _BIND | _REMOUNT | _flags(flags), "")
    assert os.statvfs(target).f_flag & _flags(flags)


def _read_only() -> None:
    """Make everything that is mounted read-only."""
    attributes = struct.pack("=4Q", _READ_ONLY, 0, 0, 0)
    words = (_MOUNT_SETATTR, _HERE, b"/", _RECURSIVE, attributes, len(attributes))
    check(LIBC.syscall(*words), "mount_setattr")
    assert os.statvfs("/var/tmp").f_flag & os.ST_RDONLY


def _fill(target: str, wanted: str = "ENOSPC") -> None:
    """Write until no file can be made or grow."""
    found = ""
    for number in range(1000):
        try:
            with Path(target, f"fill-{number}").open("wb", buffering=0) as file:
                while file.write(_BLOCK):
                    pass
        except OSError as error:
            found = errno.errorcode[error.errno or 0]
            if error.filename is not None:
                break
    assert found == wanted, found


def _fill_files(target: str, wanted: str = "ENOSPC") -> None:
    """Make files until no further one can be made."""
    for number in range(1000):
        try:
            Path(target, f"fill-{number}").touch()
        except OSError as error:
            assert errno.errorcode[error.errno or 0] == wanted
            return
    raise AssertionError("there is always room")


def _own_root(flags: str, *paths: str) -> None:
    """Live in a root that has nothing but these paths."""
    base = "/mnt"
    _tmpfs(base, flags, "mode=0755")
    for path in paths:
        place = Path(base + path)
        if Path(path).is_symlink():
            place.symlink_to(Path(path).readlink())
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if Path(path).is_dir():
            place.mkdir()
        else:
            place.touch()
        _mount(path, str(place), "none", _BIND | _ALL_BELOW, "")
    os.chdir(base)
    os.chroot(".")
    assert not Path("/tmp").exists()


def _make_folders(*paths: str) -> None:
    """Make folders that everyone may write."""
    for path in paths:
        Path(path).mkdir(parents=True, exist_ok=True)
        Path(path).chmod(0o1777)


def _new_network() -> None:
    """Leave the network behind: what is left is a loopback that is down."""
    unshare(_NEW_NETWORK)
    assert "lo" not in Path("/proc/self/net/route").read_text()


def wait_and_leave(child: int) -> NoReturn:
    """End as a child ends."""
    _, status = os.waitpid(child, 0)
    sys.stdout.flush()
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _new_pids() -> None:
    """Go on as the first process of a namespace, whose parent has no number."""
    unshare(_NEW_PIDS)
    if child := os.fork():
        wait_and_leave(child)
    assert (os.getpid(), os.getppid()) == (1, 0)


def _child() -> None:
    """Go on in a child; what ran until here waits for it."""
    parent = os.getpid()
    if child := os.fork():
        wait_and_leave(child)
    assert os.getppid() == parent


def _orphan() -> None:
    """Go on as a child of the first process that this one did not start."""
    assert os.getpid() == 1
    if os.fork():
        status = 0
        while True:
            try:
                _, status = os.waitpid(-1, 0)
            except ChildProcessError:
                code = os.waitstatus_to_exitcode(status)
                os._exit(code if code >= 0 else 128 - code)
    if os.fork():
        os._exit(0)
    while os.getppid() != 1:
        os.sched_yield()


def _new_users(*maps: str) -> None:
    """Enter a user namespace with these maps of users and groups, or none."""
    user, group = os.geteuid(), os.getegid()
    unshare(_NEW_USER)
    if maps:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(maps[0].replace("U", str(user)))
        Path("/proc/self/gid_map").write_text(maps[0].replace("U", str(group)))


def _become(user: int) -> None:
    """Give up root's identity as whoever starts a service does."""
    if os.geteuid() == 0 and user != 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    assert os.getresuid() == (user, user, user)
    # The change took this away; whoever was started as the user has it.
    check(LIBC.prctl(_DUMPABLE, 1, 0, 0, 0), "prctl")


def _become_with_capability(user: int) -> None:
    """Give up root's identity and keep one capability over exec."""
    check(LIBC.prctl(_KEEP_CAPABILITIES, 1, 0, 0, 0), "prctl")
    _become(user)
    mask = 1 << _BIND_SERVICE
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    data = struct.pack("=6I", mask, mask, mask, 0, 0, 0)
    check(LIBC.syscall(_CAPSET, header, data), "capset")
    check(LIBC.prctl(_AMBIENT, _RAISE, _BIND_SERVICE, 0, 0), "prctl")


def _empty_bound() -> None:
    """Take every capability out of the bounding set."""
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for number in range(last + 1):
        check(LIBC.prctl(_DROP_BOUND, number, 0, 0, 0), "prctl")
    assert "CapBnd:\t0000000000000000" in Path("/proc/self/status").read_text()


STEPS: dict[str, Callable[..., None]] = {
    "become": _become,
    "become-with-capability": _become_with_capability,
    "child": _child,
    "empty-bound": _empty_bound,
    "fill": _fill,
    "fill-files": _fill_files,
    "make-folders": _make_folders,
    "new-mounts": _new_mounts,
    "new-network": _new_network,
    "new-pids": _new_pids,
    "new-users": _new_users,
    "no-proc": _no_proc,
    "own-root": _own_root,
    "orphan": _orphan,
    "proc": _proc,
    "read-only": _read_only,
    "remount": _remount,
    "tmpfs": _tmpfs,
}
