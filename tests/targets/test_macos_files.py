# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ask profiles about files: what each grant gives, and what no grant gives.

Simulated: an evaluator of profiles answers, no Mac does.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from macos_asked import PROGRAM, asked, built, loaded

from stockade.model.macos_artifact import ParameterKind
from stockade.model.macos_set import READABLE, WRITABLE, Purpose
from stockade.model.policy import (
    Access,
    Commands,
    Grant,
    Ip,
    MemoryFiles,
    Policy,
    ProjectFiles,
    Symlinks,
    System,
    UnixSockets,
)
from stockade.proof.macos_gate import judge
from stockade.proof.sbpl.context import context_of
from stockade.proof.sbpl.operations import OPERATIONS

_POLICY = Policy(
    grants=(
        Grant("/opt/tools", Access.READ_EXEC),
        Grant("/srv/in", Access.READ),
        Grant("/srv/out", Access.READ_WRITE),
    )
)
_READING = ("file-read-data", "file-read-metadata", "file-read-xattr")
_CHANGING = (
    "file-write-acl",
    "file-write-data",
    "file-write-flags",
    "file-write-mode",
    "file-write-owner",
    "file-write-times",
    "file-write-unlink",
    "file-write-xattr",
)
_OTHER_KINDS = ("SYMLINK", "FIFO", "SOCKET", "BLOCK-DEVICE", "CHARACTER-DEVICE", "TTY")


@pytest.mark.parametrize("operation", _READING)
@pytest.mark.parametrize("granted", ["/srv/in", "/srv/out", "/opt/tools"])
def test_granted_paths_are_read(granted: str, operation: str) -> None:
    """S1-010, S2-330: the path itself and all below it, not what is named alike."""
    assert asked(_POLICY, operation, granted)
    assert asked(_POLICY, operation, f"{granted}/a/b")
    assert not asked(_POLICY, operation, f"{granted}-x/a")
    assert not asked(_POLICY, operation, "/Users/u/secret")


@pytest.mark.parametrize("operation", _CHANGING)
def test_writable_paths_alone_are_changed(operation: str) -> None:
    """GL-065, S2-384: mode, owner, flags, attributes and times too."""
    assert asked(_POLICY, operation, "/srv/out/x", vnode_type="REGULAR-FILE")
    for path in ("/srv/in/x", "/opt/tools/x", "/Users/u/x", "/usr/lib/x", PROGRAM):
        assert not asked(_POLICY, operation, path, vnode_type="REGULAR-FILE")


def test_writable_paths_keep_their_place() -> None:
    """A path that is moved away would leave its name to something else."""
    for operation in ("file-write-create", "file-write-unlink"):
        kind = {"vnode_type": "DIRECTORY"}
        assert asked(_POLICY, operation, "/srv/out/x", **kind)
        assert not asked(_POLICY, operation, "/srv/out", **kind)
        assert not asked(_POLICY, operation, "/srv", **kind)


@pytest.mark.parametrize("operation", ["file-write-create", "file-link", "file-clone"])
def test_files_and_folders_alone_are_made(operation: str) -> None:
    """S2-236, S2-240, S2-242: links as the policy says, never pipes or devices."""
    linking = replace(_POLICY, symlinks=Symlinks.ALLOW)
    for policy in (_POLICY, linking):
        for kind in ("REGULAR-FILE", "DIRECTORY"):
            assert asked(policy, operation, "/srv/out/x", vnode_type=kind)
            assert not asked(policy, operation, "/srv/in/x", vnode_type=kind)
        for kind in _OTHER_KINDS:
            expected = policy is linking and kind == "SYMLINK"
            assert asked(policy, operation, "/srv/out/x", vnode_type=kind) is expected
    assert not asked(linking, operation, "/srv/in/x", vnode_type="SYMLINK")


def test_sockets_are_files_of_their_own_key() -> None:
    """S2-127."""
    sockets = replace(_POLICY, unix_sockets=UnixSockets.ALL)
    for policy in (_POLICY, sockets):
        allowed = policy is sockets
        found = asked(policy, "file-write-create", "/srv/out/s", vnode_type="SOCKET")
        assert found is allowed


def test_no_devices_and_no_set_id_bits() -> None:
    """S2-334: neither operation hangs on the write group; both are named."""
    for operation in ("file-mknod", "file-write-setugid"):
        assert not asked(_POLICY, operation, "/srv/out/x")
        assert loaded(_POLICY).decide(operation, context_of({})).rule is not None
    assert asked(_POLICY, "file-write-mode", "/srv/out/x")


def test_programs_of_executable_paths_are_executed() -> None:
    """S2-336: the program itself as well, or the launcher could not become it."""
    for operation in ("process-exec*", "process-exec-interpreter"):
        assert asked(_POLICY, operation, "/opt/tools/a")
        assert asked(_POLICY, operation, PROGRAM)
        for path in ("/srv/in/a", "/srv/out/a", "/bin/sh", "/usr/lib/a"):
            assert not asked(_POLICY, operation, path)
        for mode in (0o4755, 0o2755, 0o6755):
            assert not asked(_POLICY, operation, "/opt/tools/a", file_mode=mode)
        assert asked(_POLICY, operation, "/opt/tools/a", file_mode=0o755)


def test_listed_commands_alone_are_executed() -> None:
    """GL-151, GL-158: an interpreter follows the list too."""
    listed = Grant("/usr/bin/cat", Access.COMMAND)
    policy = Policy(grants=(*_POLICY.grants, listed), commands=Commands.LISTED)
    for operation in ("process-exec*", "process-exec-interpreter"):
        assert asked(policy, operation, "/usr/bin/cat")
        assert asked(policy, operation, PROGRAM)
        assert not asked(policy, operation, "/opt/tools/a")
        assert asked(_POLICY, operation, "/opt/tools/a")
    assert asked(policy, "file-read-data", "/usr/bin/cat", vnode_type="REGULAR-FILE")
    assert not asked(policy, "file-read-data", "/usr/bin/cat", vnode_type="DIRECTORY")
    assert asked(policy, "file-map-executable", "/opt/tools/lib.dylib")


def test_code_is_loaded_from_readable_paths_that_nobody_writes() -> None:
    """GL-185: below a wider grant too."""
    wide = Policy(
        grants=(Grant("/", Access.READ), Grant("/srv/out", Access.READ_WRITE))
    )
    for path in ("/opt/tools/a", "/srv/in/a", "/usr/lib/libSystem.B.dylib", PROGRAM):
        assert asked(_POLICY, "file-map-executable", path)
    assert not asked(_POLICY, "file-map-executable", "/srv/out/a")
    assert not asked(_POLICY, "file-map-executable", "/usr/local/lib/a")
    assert asked(wide, "file-map-executable", "/usr/local/lib/a")
    assert not asked(wide, "file-map-executable", "/srv/out/a")


def test_generated_code_needs_its_key() -> None:
    """GL-155, GL-185."""
    for memory_files in (None, *MemoryFiles):
        policy = replace(_POLICY, memory_files=memory_files)
        found = asked(policy, "dynamic-code-generation")
        assert found is (memory_files is MemoryFiles.ALLOWED)


def test_outside_paths_look_missing() -> None:
    """S1-010, S2-230, S2-324, GL-191: by stat and by access alike."""
    for operation in ("file-read-metadata", "file-test-existence"):
        for path in ("/", "/srv", "/opt", "/etc", "/tmp", "/var", "/private/etc"):
            assert asked(_POLICY, operation, path)
        for path in ("/Users", "/Users/u/x", "/private/etc/passwd", "/srv/x"):
            assert not asked(_POLICY, operation, path)
    assert not asked(_POLICY, "file-read-data", "/srv")


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("/tmp/x", "/private/tmp/x"),
        ("/TMP/x", "/private/tmp/x"),
        ("/var/lib", "/private/var/lib"),
        ("/etc/hosts", "/private/etc/hosts"),
        ("/private/tmp/x", "/private/tmp/x"),
        ("/System/Volumes/Data/Users/u", "/Users/u"),
        ("/System/Volumes/Data/private/tmp/x", "/private/tmp/x"),
        ("/System/Volumes/Data/other", "/System/Volumes/Data/other"),
        ("/tmpx", "/tmpx"),
        ("/Users/tmp/x", "/Users/tmp/x"),
    ],
)
def test_paths_are_spelled_as_the_kernel_does(written: str, seen: str) -> None:
    """S2-330, GL-084: a rule on `/tmp` would match nothing."""
    policy = Policy(grants=(Grant(written, Access.READ_WRITE),))
    values = [
        one.value for one in built(policy).parameters if one.kind is ParameterKind.PATH
    ]
    assert values == [seen]
    assert asked(policy, "file-write-data", f"{seen}/a")


def test_two_spellings_of_one_path_are_one_grant() -> None:
    policy = Policy(
        grants=(Grant("/private/tmp/x", Access.READ), Grant("/tmp/x", Access.READ))
    )
    names = [one.name for one in built(policy).parameters if "READ" in one.name]
    assert names == ["READ_0", "READ_0_WRITTEN"]


def test_the_start_set_is_read_and_no_more() -> None:
    """GL-189, S2-321: each row of the set, with the network and without."""
    networked = Policy(ip=Ip.CLIENT)
    for row in (*READABLE, *WRITABLE):
        of_network = row.purpose in (Purpose.RESOLVER, Purpose.CERTIFICATES)
        assert asked(networked, "file-read-data", row.path)
        assert asked(Policy(), "file-read-data", row.path) is not of_network
        assert not asked(Policy(system=System.NONE), "file-read-data", row.path)
        assert asked(Policy(), "file-write-data", row.path) is (row in WRITABLE)
        assert row.source
    assert asked(Policy(), "file-read-data", "/")
    assert not asked(Policy(system=System.NONE), "file-read-data", "/")
    for path in ("/private/etc/master.passwd", "/dev/ttys001", "/System/Volumes/Data"):
        assert not asked(networked, "file-read-data", path)


def test_terminals_are_asked_and_never_changed() -> None:
    """S2-326, GL-052: in a grant too; TIOCSTI by its number."""
    granting = Policy(grants=(Grant("/dev", Access.READ_WRITE),))
    asking, changing = (19, 104, 119), (9, 20, 21, 22, 97, 103, 114, 118, 127)
    for policy in (Policy(), granting):
        for path in ("/dev/tty", "/dev/ttys001"):
            for number in asking:
                command = ord("t") << 8 | number
                assert asked(policy, "file-ioctl", path, ioctl_command=command)
            for number in changing:
                command = ord("t") << 8 | number
                assert not asked(policy, "file-ioctl", path, ioctl_command=command)
    command = ord("t") << 8 | 19
    assert not asked(Policy(), "file-ioctl", "/dev/ttysx", ioctl_command=command)
    assert not asked(Policy(), "file-ioctl", "/dev/disk0", ioctl_command=command)
    assert not asked(Policy(), "pseudo-tty")


@pytest.mark.parametrize(
    "name", [".git", ".GIT/config", ".Envrc", ".hu\u017fky/x", ".config/LEFTHOOK.yml"]
)
def test_project_files_stay(name: str) -> None:
    """GL-107, GL-110, GL-121, GL-122: write, make, move, link, change; there or not."""
    guarded = replace(_POLICY, project_files=ProjectFiles.PROTECTED)
    freed = replace(guarded, project_write=("/srv/out",))
    for operation in (*_CHANGING, "file-write-create", "file-link"):
        kind = {"vnode_type": "REGULAR-FILE"}
        assert not asked(guarded, operation, f"/srv/out/{name}", **kind)
        assert asked(guarded, operation, f"/srv/out/sub/{name}", **kind)
        assert asked(guarded, operation, "/srv/out/src/main.c", **kind)
        assert asked(freed, operation, f"/srv/out/{name}", **kind)
    assert asked(guarded, "file-read-data", f"/srv/out/{name}")


def test_folders_of_project_files_keep_their_place() -> None:
    """GL-110, GL-111."""
    guarded = replace(_POLICY, project_files=ProjectFiles.PROTECTED)
    for operation in ("file-write-create", "file-write-unlink"):
        kind = {"vnode_type": "DIRECTORY"}
        for path in ("/srv/out/.config", "/srv/out/.CONFIG", "/srv/out"):
            assert not asked(guarded, operation, path, **kind)
        assert asked(guarded, operation, "/srv/out/.config/nvim", **kind)
        assert asked(_POLICY, operation, "/srv/out/.config", **kind)


def test_nothing_is_open_by_itself() -> None:
    """S2-328, GL-185, GL-190: over every operation, with nothing told about it."""
    policy = Policy()
    left = [
        name
        for name, operation in OPERATIONS.items()
        if asked(policy, name) and operation.name != "default"
    ]
    assert set(left) == _LEFT_OPEN


# What a default policy grants, every program's way into the kernel, and operations of
# newer systems, of which only profiles tell that they are open: messages to ports and
# drivers that a program holds already, of which a profile gives it none.
_LEFT_OPEN = {
    *("process-fork", "signal"),
    *("syscall-mach", "syscall-mig", "syscall-unix"),
    *("system-fcntl", "system-mac-syscall", "mach-message-send"),
    *("iokit-external-method", "iokit-async-external-method", "iokit-external-trap"),
}


@pytest.mark.parametrize(
    "grant",
    [
        Grant("/", Access.READ),
        Grant("/dev", Access.READ_WRITE),
        Grant("/dev/null", Access.READ_WRITE),
        Grant("/etc", Access.READ),
        Grant("/private", Access.READ_WRITE),
        Grant("/System/Volumes/Data", Access.READ),
        Grant("/usr/bin", Access.READ_WRITE),
        Grant("/usr/bin/true", Access.READ),
        Grant("/usr/lib", Access.READ_EXEC),
        Grant("/private/var/run/mDNSResponder", Access.READ_WRITE),
    ],
    ids=lambda grant: f"{grant.access} {grant.path}",
)
def test_grants_that_meet_the_system_decide_as_they_mean(grant: Grant) -> None:
    """S2-329: a rule of the start set on a single operation outranks no denial."""
    policies = (
        Policy(grants=(grant,), project_files=ProjectFiles.PROTECTED),
        Policy(grants=(grant,), commands=Commands.LISTED, ip=Ip.CLIENT),
        Policy(grants=(grant,), unix_sockets=UnixSockets.ALL, ip=Ip.ALL),
    )
    for policy in policies:
        assert judge(policy, built(policy)) > 100
