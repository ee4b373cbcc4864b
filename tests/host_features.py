# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measure what this host can do, so that a skip can be checked against a fact.

A test names the features it needs. A skip counts only when the feature it names
was measured here and found missing; anything else is a failure (conftest.py).
Features are read from what the kernel says about itself, never from the call a
test is about to try, so that the two can contradict each other.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import pwd
import re
import resource
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# Whom tests run confined programs as. Two sessions at one time need two users: a
# signal to everyone reaches all processes of the user.
UNPRIVILEGED = int(os.environ.get("STOCKADE_TEST_UID", "65534"))
_LANDLOCK_CREATE_RULESET = 444  # the same number on every architecture
_LANDLOCK_QUERY_VERSION = 1
_X32_GETPID = 0x40000000 | 39
_CAP_SYS_ADMIN = 21

_measures: dict[str, Callable[[], bool]] = {}


class UnknownFeatureError(Exception):
    """A test names a feature that nothing here measures."""


def feature(name: str) -> Callable[[Callable[[], bool]], Callable[[], bool]]:
    """Register a function as the measure of one feature."""

    def register(measure: Callable[[], bool]) -> Callable[[], bool]:
        _measures[name] = functools.cache(measure)
        return measure

    return register


@functools.cache
def landlock_abi() -> int:
    """Return the kernel's Landlock ABI, 0 where there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    answer = libc.syscall(
        ctypes.c_long(_LANDLOCK_CREATE_RULESET),
        ctypes.c_long(0),
        ctypes.c_long(0),
        ctypes.c_long(_LANDLOCK_QUERY_VERSION),
    )
    return max(int(answer), 0)


@functools.cache
def kernel_version() -> tuple[int, int]:
    """Return major and minor number of the running kernel."""
    match = re.match(r"(\d+)\.(\d+)", platform.release())
    return (int(match[1]), int(match[2])) if match else (0, 0)


def has(name: str) -> bool:
    """Tell whether this host has a feature; a name nobody measures is an error."""
    if match := re.fullmatch(r"landlock-abi-(\d+)", name):
        return landlock_abi() >= int(match[1])
    if match := re.fullmatch(r"linux-(\d+)\.(\d+)", name):
        return kernel_version() >= (int(match[1]), int(match[2]))
    if match := re.fullmatch(r"program-([a-z0-9-]+)", name):
        return shutil.which(match[1], path="/usr/bin:/bin:/usr/sbin:/sbin") is not None
    if name not in _measures:
        raise UnknownFeatureError(name)
    return _measures[name]()


def missing(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the named features that this host lacks, in order."""
    return tuple(name for name in names if not has(name))


def _setting(name: str) -> str | None:
    """Read a kernel setting; None where the kernel has no such setting."""
    try:
        return (Path("/proc/sys") / name).read_text().strip()
    except OSError:
        return None


def _protocol(name: str) -> bool:
    """Tell whether the kernel lists a socket protocol by this name."""
    lines = Path("/proc/net/protocols").read_text().splitlines()
    return any(line.split()[:1] == [name] for line in lines)


@feature("x86_64")
def _x86_64() -> bool:
    return platform.machine() == "x86_64"


@feature("root-user")
def _root_user() -> bool:
    return os.getuid() == 0


@feature("namespaces")
def _namespaces() -> bool:
    # A container's root lacks the capability, or a filter refuses the calls.
    lines = dict(
        line.split(":\t", 1)
        for line in Path("/proc/self/status").read_text().splitlines()
        if ":\t" in line
    )
    able = int(lines["CapEff"], 16) >> _CAP_SYS_ADMIN & 1
    return bool(able) and lines["Seccomp"] == "0"


@feature("i386-calls")
def _i386_calls() -> bool:
    if not _x86_64() or _setting("abi/vsyscall32") is None:
        return False
    return "ia32_emulation=0" not in Path("/proc/cmdline").read_text().split()


@feature("x32-calls")
def _x32_calls() -> bool:
    # The kernel says nowhere whether x32 is on, so its own number is asked.
    libc = ctypes.CDLL(None, use_errno=True)
    return _x86_64() and libc.syscall(ctypes.c_long(_X32_GETPID)) == os.getpid()


@feature("user-namespaces")
def _user_namespaces() -> bool:
    # Debian's switch, then Ubuntu's; other kernels have neither.
    return (
        _setting("user/max_user_namespaces") not in (None, "0")
        and _setting("kernel/unprivileged_userns_clone") != "0"
        and _setting("kernel/apparmor_restrict_unprivileged_userns") != "1"
    )


@feature("typed-input")
def _typed_input() -> bool:
    # The setting came with 6.2; before, TIOCSTI could not be switched off.
    return _setting("dev/tty/legacy_tiocsti") in (None, "1")


@feature("io-uring")
def _io_uring() -> bool:
    return _setting("kernel/io_uring_disabled") in (None, "0")


@feature("user-faults")
def _user_faults() -> bool:
    return _setting("vm/unprivileged_userfaultfd") is not None


@feature("performance-events")
def _performance_events() -> bool:
    return int(_setting("kernel/perf_event_paranoid") or 3) <= 2


@feature("kernel-log")
def _kernel_log() -> bool:
    return _setting("kernel/dmesg_restrict") == "0"


@feature("unprivileged-bpf")
def _unprivileged_bpf() -> bool:
    return _setting("kernel/unprivileged_bpf_disabled") == "0"


@feature("keyrings")
def _keyrings() -> bool:
    return Path("/proc/keys").exists()


@feature("system-v-ipc")
def _system_v_ipc() -> bool:
    return Path("/proc/sysvipc").exists()


@feature("posix-queues")
def _posix_queues() -> bool:
    return _setting("fs/mqueue/msg_max") is not None


@feature("ping-sockets")
def _ping_sockets() -> bool:
    limits = (_setting("net/ipv4/ping_group_range") or "1 0").split()
    group = UNPRIVILEGED if os.getuid() == 0 else os.getgid()
    return int(limits[0]) <= group <= int(limits[1])


@feature("ipv6")
def _ipv6() -> bool:
    return Path("/proc/net/if_inet6").exists()


@feature("loopback")
def _loopback() -> bool:
    flags = int(Path("/sys/class/net/lo/flags").read_text(), 16)
    return bool(flags & 1)  # IFF_UP


@feature("mptcp")
def _mptcp() -> bool:
    return _setting("net/mptcp/enabled") == "1"


@feature("udp-lite")
def _udp_lite() -> bool:
    return _protocol("UDP-Lite")


@feature("vsock")
def _vsock() -> bool:
    return _protocol("AF_VSOCK")


@feature("executable-memory-files")
def _executable_memory_files() -> bool:
    return _setting("vm/memfd_noexec") in (None, "0")


@feature("huge-pages")
def _huge_pages() -> bool:
    return int(_setting("vm/nr_hugepages") or 0) > 0


@feature("quotas")
def _quotas() -> bool:
    return Path("/proc/sys/fs/quota").exists()


def _mount_type(path: str) -> str:
    """Return the type of the file system that holds a path."""
    best, kind = "", ""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, place, found, *_ = line.split()
        if len(place) >= len(best) and f"{path}/".startswith(place.rstrip("/") + "/"):
            best, kind = place, found
    return kind


@feature("user-attributes")
def _user_attributes() -> bool:
    # tmpfs keeps them since 6.6.
    kind = _mount_type("/var/tmp")
    return kind in {"ext4", "xfs", "btrfs"} or (
        kind == "tmpfs" and kernel_version() >= (6, 6)
    )


@feature("file-flags")
def _file_flags() -> bool:
    return _user_attributes()


@feature("file-handles")
def _file_handles() -> bool:
    return _mount_type("/var/tmp") in {"ext4", "xfs", "btrfs", "tmpfs"}


@feature("memory-nodes")
def _memory_nodes() -> bool:
    return Path("/sys/devices/system/node").exists()


@feature("core-files")
def _core_files() -> bool:
    # A pipe or an absolute pattern puts the file elsewhere.
    pattern = _setting("kernel/core_pattern") or "|"
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    return pattern[0] not in "|/" and hard != 0


@feature("published-decisions")
def _published_decisions() -> bool:
    # Outside data, read from where the variable says and never checked in.
    folder = Path(os.environ.get("STOCKADE_DATA", "/nonexistent"))
    return (folder / "cases" / "seccomp" / "decisions.jsonl").is_file()


@feature("published-sids")
def _published_sids() -> bool:
    folder = Path(os.environ.get("STOCKADE_DATA", "/nonexistent"))
    return (folder / "cases" / "windows" / "sids.json").is_file()


@feature("libseccomp")
def _libseccomp() -> bool:
    # Where Debian's and others' packages put it.
    folders = [*Path("/usr/lib").glob("*-linux-gnu"), Path("/usr/lib64")]
    return any((folder / "libseccomp.so.2").exists() for folder in folders)


@feature("postgresql")
def _postgresql() -> bool:
    # Where Debian's packages put it, which hold several versions side by side.
    return any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@feature("numpy")
def _numpy() -> bool:
    return Path("/usr/lib/python3/dist-packages/numpy").is_dir()


@feature("user-entry")
def _user_entry() -> bool:
    try:
        pwd.getpwuid(UNPRIVILEGED if os.getuid() == 0 else os.getuid())
    except KeyError:
        return False
    return True


@feature("kafel")
def _kafel() -> bool:
    # A path that leads nowhere is an error of the test, not a reason to skip it.
    return bool(os.environ.get("STOCKADE_KAFEL"))


@feature("minijail")
def _minijail() -> bool:
    return bool(os.environ.get("STOCKADE_MINIJAIL"))
