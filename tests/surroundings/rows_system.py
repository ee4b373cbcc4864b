# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List surroundings that root arranges: mounts, users, namespaces."""

from __future__ import annotations

from surrounding import AS_ROOT, BECOME, NO_MOUNTS, Surroundings, among, by_user

_STRANGER = "stands for all that this user namespace does not map"
_ROOT = ("/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", "STAGE")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")

MOUNTS = (
    among("no-proc", "no `/proc`, a writable path", ("no-proc",), refused=NO_MOUNTS),
    among(
        "no-proc-reading",
        "no `/proc`, no writable path",
        ("no-proc",),
        policy="reading",
    ),
    Surroundings(
        "no-proc-no-close-range",
        "no `/proc`, and a filter that refuses `close_range`",
        (
            ("new-mounts",),
            ("no-proc",),
            BECOME,
            ("filter", "EPERM:close_range"),
        ),
        needs=AS_ROOT,
        refused="close_range fails under an outer filter and `/proc/self/fd` cannot be"
        " read; allow one of them",
    ),
    among(
        "covered-proc",
        "an empty file system over `/proc`",
        ("tmpfs", "/proc", "ro"),
        refused=NO_MOUNTS,
    ),
    among(
        "covered-sys",
        "empty file systems over `/proc/sys` and `/sys`, as in containers",
        ("tmpfs", "/proc/sys", "ro"),
        ("tmpfs", "/sys", "ro"),
    ),
    among(
        "small-proc",
        "`ProcSubset=pid` and `ProtectProc=invisible`",
        ("proc", "subset=pid,hidepid=invisible"),
    ),
    among("ptraceable-proc", "`ProtectProc=ptraceable`", ("proc", "hidepid=4")),
    among(
        "noexec",
        "noexec on `/tmp` and `/dev/shm`",
        ("tmpfs", "/tmp", "noexec"),
        ("tmpfs", "/dev/shm", "noexec"),
    ),
    among(
        "noexec-everywhere",
        "noexec wherever the canary may lie",
        ("own-root", "noexec", *_ROOT, *_DEVICES),
        ("make-folders", "/tmp", "/var/tmp", "/dev/shm"),
    ),
    among("read-only", "everything mounted read-only", ("read-only",)),
    among(
        "no-space",
        "no space in `/tmp`, `/dev/shm` and `/run`",
        ("tmpfs", "/tmp", "", "size=64k,mode=1777"),
        ("fill", "/tmp"),
        ("tmpfs", "/dev/shm", "", "size=64k,mode=1777"),
        ("fill", "/dev/shm"),
        ("tmpfs", "/run", "", "size=64k,mode=1777"),
        ("fill", "/run"),
    ),
    among(
        "no-inodes",
        "no room for another file in `/tmp`",
        ("tmpfs", "/tmp", "", "nr_inodes=4,mode=1777"),
        ("fill-files", "/tmp"),
    ),
    among(
        "no-canary-folder",
        "no folder for the canary that the user can write",
        ("tmpfs", "/tmp", "", "mode=0755"),
        ("tmpfs", "/dev/shm", "", "mode=0755"),
        ("tmpfs", "/run", "", "mode=0755"),
        ("remount", "/var/tmp", "ro"),
    ),
    among(
        "own-root",
        "`chroot` to a root without `/tmp`, `/run` and `/dev/shm`",
        ("own-root", "", *_ROOT, *_DEVICES),
    ),
    among(
        "own-root-no-null",
        "the same without `/dev/null`, started with descriptor 0 closed",
        ("own-root", "", *_ROOT),
        ("close", 0),
        refused="cannot open `/dev/null` in place of the closed descriptor 0",
    ),
)

_MAP_ROOT, _MAP_SELF, _MAP_OTHER = "0 U 1", "U U 1", "5000 U 1"
_USERS = ("root-user", "user-namespaces")
USERS = (
    Surroundings("root", "root", (), refused="started as root", needs=("root-user",)),
    Surroundings(
        "capability",
        "an ordinary user with one ambient capability",
        (("become-with-capability", "USER"),),
        refused="started with capabilities",
        needs=AS_ROOT,
    ),
    Surroundings(
        "no-capabilities",
        "no capability in the bounding set",
        (("empty-bound",), BECOME),
        needs=AS_ROOT,
    ),
    by_user(
        "mapped-root",
        "root of a user namespace of the user's own",
        ("new-users", _MAP_ROOT),
        refused="started as root",
        needs=_USERS,
    ),
    by_user(
        "mapped-self",
        "a user namespace that maps the user to himself",
        ("new-users", _MAP_SELF),
        refused=_STRANGER,
        needs=_USERS,
    ),
    by_user(
        "mapped-self-memory",
        "the same, the artifact as a sealed memfd, as `stockade run` hands it over",
        ("new-users", _MAP_SELF),
        memory_file=True,
        needs=_USERS,
    ),
    by_user(
        "mapped-other",
        "a user namespace that maps the user to another number, the artifact a memfd",
        ("new-users", _MAP_OTHER),
        memory_file=True,
        needs=_USERS,
    ),
    by_user(
        "unmapped",
        "a user namespace without a map",
        ("new-users",),
        refused=_STRANGER,
        needs=_USERS,
    ),
    Surroundings(
        "loopback-down",
        "a network namespace with nothing up",
        (("new-network",), BECOME),
        needs=AS_ROOT,
    ),
    among(
        "parent-0",
        "the first process of a PID namespace, whose parent has the number 0",
        ("new-pids",),
        ("proc",),
    ),
    Surroundings(
        "parent-0-old-proc",
        "the same, seeing the `/proc` of the namespace outside",
        (("new-pids",), BECOME),
        needs=AS_ROOT,
    ),
    among(
        "parent-1",
        "a child of the first process, which belongs to root",
        ("new-pids",),
        ("proc",),
        ("orphan",),
    ),
    Surroundings(
        "parent-1-own",
        "a child of the first process, which belongs to the user",
        (("new-mounts",), ("new-pids",), ("proc",), BECOME, ("child",)),
        needs=AS_ROOT,
    ),
)
