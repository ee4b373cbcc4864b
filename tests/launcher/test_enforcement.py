# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove the confinement before the program runs, and refuse what is unproved."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from launcher_scene import (
    AT_FDCWD,
    CHMODAT,
    CLOSE,
    EACCES,
    EBADF,
    EFAULT,
    ENOENT,
    ENOSYS,
    EPERM,
    ERRNO,
    ETXTBSY,
    EXECVE,
    FORK,
    KILL,
    OPENAT,
    PYTHON,
    READ_CANARY,
    SOCKET,
    TRUNCATE,
    WITNESS,
    X86_64,
    Scene,
    artifact,
    call,
    filter_of,
    number,
    probe,
    reason,
    started,
)

from stockade.model.artifact import (
    CanaryFolder,
    Filter,
    Instruction,
    Operand,
    Probe,
    Relocation,
)

PATH, FOLDER = Operand("canary-path"), Operand("folder-fd")
READ_ONLY, READ_WRITE, TRUNCATING, TEMPORARY = 0, 2, 0o1000, 0o20200000
CLOSE_ON_EXEC = 0o2000000
NULL = Operand()


def open_canary(flags: int) -> object:
    return call(OPENAT, number(AT_FDCWD), PATH, number(flags | CLOSE_ON_EXEC))


CHMOD_BAD = probe("chmod", call(CHMODAT, number(-1), NULL), EPERM, EFAULT)
CANARY_PROBES = (
    READ_CANARY,
    probe("canary-write", open_canary(READ_WRITE), EACCES),
    probe("canary-empty", open_canary(READ_ONLY | TRUNCATING), EACCES),
    probe("canary-length", call(TRUNCATE, PATH, number(0)), EACCES),
    probe("canary-run", call(EXECVE, PATH, NULL, NULL), EACCES, ETXTBSY),
    probe(
        "canary-beside",
        call(
            OPENAT,
            FOLDER,
            Operand("data", data=b".\0"),
            number(TEMPORARY | READ_WRITE | CLOSE_ON_EXEC),
            number(0o600),
        ),
        EACCES,
    ),
)


def _variant(*probes: Probe, denied: tuple[tuple[int, int], ...] = ()) -> dict:
    return {"probes": probes, "filter": filter_of(*denied)}


def _refusal(scene: Scene, variant: dict, **how: object) -> str:
    text = reason(scene.start(artifact(variant=variant), **how))
    return text.removeprefix("refused: enforcement check: ")


def test_whole_check_passes(scene: Scene) -> None:
    """GL-003 GL-006…GL-008 the canary by every way, a refused call, the witness."""
    variant = _variant(*CANARY_PROBES, CHMOD_BAD, denied=((CHMODAT, EPERM),))
    assert started(scene.start(artifact(variant=variant))) == b""


def test_missing_rule_is_caught(scene: Scene) -> None:
    """GL-013 GL-016 the line says what was expected and what came."""
    text = _refusal(scene, _variant(CHMOD_BAD))
    assert text == "chmod: expected EPERM, got EFAULT"


@pytest.mark.parametrize("errno", [ENOENT, ENOSYS, EACCES, 4094])
def test_other_error_than_the_expected_is_caught(scene: Scene, errno: int) -> None:
    """GL-013"""
    text = _refusal(scene, _variant(CHMOD_BAD, denied=((CHMODAT, errno),)))
    names = {ENOENT: "ENOENT", ENOSYS: "ENOSYS", EACCES: "EACCES", 4094: "errno 4094"}
    assert text == f"chmod: expected EPERM, got {names[errno]}"


@pytest.mark.parametrize("tried", CANARY_PROBES, ids=lambda tried: tried.name)
def test_ruleset_that_lacks_a_right_is_caught(scene: Scene, tried: Probe) -> None:
    """GL-006…GL-008 each canary probe on its own, under a ruleset without it."""
    rights = {
        "canary-read": 1 << 2,
        "canary-write": 1 << 1 | 1 << 2,
        "canary-empty": 1 << 14 | 1 << 2,
        "canary-length": 1 << 14,
        "canary-run": 1 << 0 | 1 << 2,
        "canary-beside": 1 << 8 | 1 << 1 | 1 << 2,
    }[tried.name]
    variant = {
        "probes": (tried,),
        "fs_required": 0x1FFF & ~rights,
        "fs_optional": 0x1E000 & ~rights,
    }
    text = _refusal(scene, variant)
    got = "ETXTBSY" if tried.name == "canary-run" else "success"
    assert text == f"{tried.name}: expected EACCES, got {got}"


def test_filter_without_the_witness_answer_is_caught(scene: Scene) -> None:
    """The relocated instruction is there and never reached."""
    unreached = Filter(
        (
            Instruction(0x06, 0, 0, 0x7FFF0000),
            Instruction(0x06, 0, 0, 0x00050FFF),
        ),
        (Relocation(1, "witness"),),
    )
    text = _refusal(scene, {"filter": unreached})
    assert text.startswith("witness: expected errno ")
    assert text.endswith(", got ENOSYS")


def test_witness_differs_from_start_to_start(scene: Scene) -> None:
    code = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True);"
        f"libc.syscall({WITNESS}); print(ctypes.get_errno())"
    )
    made = scene.write(artifact())
    seen = {int(started(scene.start(made, PYTHON, "-ESc", code))) for _ in range(12)}
    assert len(seen) > 8
    assert all(1000 <= errno <= 4094 for errno in seen)


def test_call_refused_outside_already_proves_nothing_and_starts(scene: Scene) -> None:
    """GL-003 the control gives the expected answer."""
    outside = probe("close", call(CLOSE, number(-1)), EBADF)
    assert started(scene.start(artifact(variant=_variant(outside)))) == b""


def test_control_that_fails_in_another_way_does_not_refuse(scene: Scene) -> None:
    """The artifact expected ENOENT before; what came serves as well."""
    odd = probe("chmod", CHMOD_BAD.call, EPERM, control=ENOENT)
    variant = _variant(odd, denied=((CHMODAT, EPERM),))
    assert started(scene.start(artifact(variant=variant))) == b""


def test_nothing_is_lost_when_a_probe_succeeds(scene: Scene) -> None:
    """GL-007 mode, length and times of a file are as before a refused start."""
    victim = scene.file("victim", "content")
    before = victim.stat()
    attempt = probe("victim", call(TRUNCATE, Operand("data", data=b"\0")), EACCES)
    assert "victim: expected" in _refusal(scene, _variant(attempt))
    assert victim.stat() == before


def test_probe_with_a_preparation(scene: Scene) -> None:
    """The connection of a socket that is made first."""
    address = b"\2\0\0\0\x7f\0\0\1" + bytes(8)
    connect = 42 if X86_64 else 203
    setup = call(SOCKET, number(2), number(1 | CLOSE_ON_EXEC))
    made = call(
        connect, Operand("setup-result"), Operand("data", data=address), number(16)
    )
    tried = probe("connect", made, EPERM, 111, setup)
    variant = _variant(tried, denied=((connect, EPERM),))
    assert started(scene.start(artifact(variant=variant))) == b""
    assert _refusal(scene, _variant(tried)) == (
        "connect: expected EPERM, got ECONNREFUSED"
    )
    denied = ((connect, EPERM), (SOCKET, EPERM))
    text = _refusal(scene, _variant(tried, denied=denied))
    assert text == "connect: expected EPERM, got no answer"


def test_preparation_that_fails_outside_drops_the_probe(scene: Scene) -> None:
    setup = call(SOCKET, number(99), number(1 | CLOSE_ON_EXEC))
    made = call(CLOSE, Operand("setup-result"))
    assert (
        started(
            scene.start(artifact(variant=_variant(probe("x", made, EPERM, 0, setup))))
        )
        == b""
    )


def test_preparation_that_would_leak_is_refused(scene: Scene) -> None:
    setup = call(SOCKET, number(2), number(1))
    made = call(CHMODAT, number(-1), NULL, Operand("setup-result"))
    text = reason(
        scene.start(artifact(variant=_variant(probe("x", made, EFAULT, 0, setup))))
    )
    assert text == "a probe of the artifact leaves a descriptor open"


OWN_PID = probe("own", call(KILL, Operand("own-pid"), number(0)), EPERM)


def test_own_process_is_the_program(scene: Scene) -> None:
    """S1-004 the number in the operand and in the filter is the program's."""
    instructions = (
        Instruction(0x20, 0, 0, 0),
        Instruction(0x15, 0, 1, WITNESS),
        Instruction(0x06, 0, 0, 0x00050FFF),
        Instruction(0x15, 0, 3, KILL),
        Instruction(0x20, 0, 0, 16),
        Instruction(0x15, 0, 1, 0x7FFFFFFF),
        Instruction(0x06, 0, 0, ERRNO | EPERM),
        Instruction(0x06, 0, 0, 0x7FFF0000),
    )
    own = Filter(instructions, (Relocation(2, "witness"), Relocation(5, "own-pid")))
    made = artifact(variant={"probes": (OWN_PID,), "filter": own})
    code = (
        "import os\n"
        "try: os.kill(os.getpid(), 0)\n"
        "except PermissionError: print('own')\n"
    )
    assert started(scene.start(made, PYTHON, "-ESc", code)) == b"own\n"


FORK_PROBE = probe("fork", call(FORK, kind="fork"), EPERM)


@pytest.mark.parametrize("ignored", [True, False])
def test_started_process_is_caught_and_leaves_no_trace(
    scene: Scene, ignored: bool
) -> None:
    """GL-010 no child, no pending signal and no changed disposition is left."""
    before = (
        "import signal\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])\n"
        + ("signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" if ignored else "")
    )
    code = (
        "import os, signal\n"
        "print(signal.sigpending(), signal.getsignal(signal.SIGCHLD).name,"
        " signal.pthread_sigmask(signal.SIG_BLOCK, []))\n"
        "try: os.wait()\n"
        "except ChildProcessError: print('none')\n"
    )
    made = artifact(variant=_variant(FORK_PROBE, denied=((FORK, EPERM),)))
    done = scene.start(made, PYTHON, "-ESc", code, before=before)
    disposition = "SIG_IGN" if ignored else "SIG_DFL"
    expected = f"set() {disposition} {{<Signals.SIGCHLD: 17>}}\nnone\n"
    assert started(done).decode() == expected
    assert _refusal(scene, _variant(FORK_PROBE)) == "fork: expected EPERM, got success"


@pytest.mark.needs("x86_64")
def test_vfork_returns_once(scene: Scene) -> None:
    vfork = 58
    tried = probe("vfork", call(vfork, kind="fork"), EPERM)
    made = artifact(variant=_variant(tried, denied=((vfork, EPERM),)))
    assert started(scene.start(made, "/usr/bin/printf", "once")) == b"once"
    assert _refusal(scene, _variant(tried)) == "vfork: expected EPERM, got success"


_I386_GETPID = 20
COMPAT = probe("i386", call(_I386_GETPID, kind="compat"), EPERM)


@pytest.mark.needs("release-launcher")
@pytest.mark.needs("x86_64")
def test_other_architecture_is_tried(scene: Scene) -> None:
    """The handler of the caller's SIGSEGV, and its mask, are as before."""
    arch = (
        Instruction(0x20, 0, 0, 4),
        Instruction(0x15, 0, 1, 0x40000003),
        Instruction(0x06, 0, 0, ERRNO | EPERM),
    )
    plain = filter_of()
    made = Filter(
        (*arch, *plain.instructions),
        tuple(Relocation(r.insn + 3, r.kind) for r in plain.relocations),
    )
    before = (
        "import signal\n"
        "signal.signal(signal.SIGSEGV, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGSEGV])\n"
    )
    code = (
        "import signal; print(signal.getsignal(signal.SIGSEGV).name,"
        " signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    )
    variant = {"probes": (COMPAT,), "filter": made}
    done = scene.start(artifact(variant=variant), PYTHON, "-ESc", code, before=before)
    assert started(done) == b"SIG_IGN {<Signals.SIGSEGV: 11>}\n"


@pytest.mark.needs("i386-calls")
def test_open_door_of_another_architecture_is_caught(scene: Scene) -> None:
    assert _refusal(scene, _variant(COMPAT)) == "i386: expected EPERM, got success"


SIGNAL_PROBE = probe("signal", call(KILL, Operand("target-pid"), number(0)), EPERM)
SIGNALS_DENIED = ((KILL, EPERM),)


def test_parent_is_the_target(scene: Scene) -> None:
    """GL-011 nothing arrives, and the missing rule is caught."""
    made = artifact(variant=_variant(SIGNAL_PROBE, denied=SIGNALS_DENIED))
    shell = ["/bin/sh", "-c", '"$0" "$@"; exit $?']
    path = scene.write(made)
    done = scene.stage.run([*shell, scene.stage.launcher, path, "--", "/bin/true"])
    assert started(done) == b""
    path = scene.write(artifact(variant=_variant(SIGNAL_PROBE)))
    done = scene.stage.run([*shell, scene.stage.launcher, path, "--", "/bin/true"])
    assert reason(done).endswith("signal: expected EPERM, got success")


_CHILDREN = "import os\ntry: os.wait()\nexcept ChildProcessError: print('none')\n"


@pytest.mark.needs("root-user")
def test_stand_in_serves_where_the_parent_may_not_be_signalled(scene: Scene) -> None:
    """GL-012 the parent is root's; no child is left to wait for."""
    made = artifact(variant=_variant(SIGNAL_PROBE, denied=SIGNALS_DENIED))
    assert started(scene.start(made, PYTHON, "-ESc", _CHILDREN)) == b"none\n"
    text = _refusal(scene, _variant(SIGNAL_PROBE))
    assert text == "signal: expected EPERM, got success"


@pytest.mark.needs("root-user")
def test_stand_in_ends_with_the_start(scene: Scene) -> None:
    """GL-012 and it keeps no output open."""
    made = artifact(variant=_variant(SIGNAL_PROBE, denied=SIGNALS_DENIED))
    started(scene.start(made, "/bin/true", timeout=5.0))
    for entry in Path("/proc").glob("[0-9]*/exe"):
        try:
            running = entry.readlink()
        except OSError:
            continue
        assert running != scene.stage.launcher


@pytest.mark.needs("root-user")
def test_without_a_process_to_signal_the_probe_is_dropped(scene: Scene) -> None:
    """An outer sandbox that denies new processes, under a parent of another user."""
    inner = scene.write(
        artifact(variant=_variant(SIGNAL_PROBE, denied=SIGNALS_DENIED)), "inner.stk"
    )
    clone = 56 if X86_64 else 220
    denied = _variant(denied=((clone, EPERM),))
    assert started(scene.start_nested(inner, denied)) == b""


# --- the canary's place


def _canary(scene: Scene, grants: dict, *probes: Probe, **how: object) -> object:
    made = artifact(grants, variant={"probes": probes or CANARY_PROBES}, **how)
    return scene.start(made)


def test_canary_finds_a_folder_that_no_grant_covers(scene: Scene) -> None:
    """GL-005 granted folders are passed over, wherever the grant lies above."""
    folders = (CanaryFolder(str(scene.root / "deep")), CanaryFolder("/var/tmp"))
    (scene.root / "deep").mkdir()
    scene.stage.give(scene.root)
    assert started(_canary(scene, {"read": [scene.root]}, canary_folders=folders)) == (
        b""
    )


def test_everything_readable_still_starts(scene: Scene) -> None:
    """GL-002 what is granted is not probed, and what is not granted is."""
    assert started(_canary(scene, {"read": ["/"]})) == b""
    variant = {"probes": CANARY_PROBES, "fs_optional": 0}
    made = artifact({"read": ["/"]}, variant=variant)
    text = reason(scene.start(made))
    assert text.endswith("canary-length: expected EACCES, got success")


def test_without_a_folder_for_the_canary_it_starts(scene: Scene) -> None:
    missing = CanaryFolder(str(scene.root / "missing"))
    closed = CanaryFolder("/proc")
    assert started(_canary(scene, {}, canary_folders=(missing, closed))) == b""
    assert started(_canary(scene, {}, canary_folders=())) == b""


def test_folder_of_the_user_has_his_number(scene: Scene) -> None:
    folder = scene.folder(str(scene.stage.user))
    place = CanaryFolder(f"{folder.parent}/", "user")
    variant = {"probes": (READ_CANARY,), "fs_required": 0x1FFB, "fs_optional": 0}
    made = artifact(variant=variant, canary_folders=(place,))
    # A broken ruleset shows that the canary was made there.
    assert "canary-read: expected EACCES" in reason(scene.start(made))
    folder.rmdir()
    assert started(scene.start(made)) == b""


def test_canary_does_not_depend_on_the_umask(scene: Scene) -> None:
    variant = {"probes": CANARY_PROBES}
    done = scene.start(artifact(variant=variant), before="os.umask(0o777)")
    assert started(done) == b""


def test_no_file_is_left_behind(scene: Scene) -> None:
    """GL-004"""
    folder = scene.folder("canary")
    place = CanaryFolder(str(folder))
    assert started(_canary(scene, {}, canary_folders=(place,))) == b""
    assert list(folder.iterdir()) == []


# --- what is granted


def test_write_into_a_readable_folder_is_caught(scene: Scene) -> None:
    """A class that gives more than it says."""
    folder = scene.folder("folder")
    classes = list(artifact().classes)
    classes[0] = type(classes[0])("read", 0x7FFE)
    made = artifact({"read": [folder]}, classes=tuple(classes))
    text = reason(scene.start(made))
    assert text == (
        f"refused: enforcement check: writing in `{folder}`: "
        "expected EACCES, got success"
    )


def test_write_to_a_readable_file_is_caught(scene: Scene) -> None:
    file = scene.file("file")
    classes = list(artifact().classes)
    classes[0] = type(classes[0])("read", 0x6)
    made = artifact({"read": [file]}, classes=tuple(classes))
    text = reason(scene.start(made))
    assert f"writing in `{file}`: expected EACCES, got success" in text
    assert file.read_text() == "granted\n"


def test_read_path_that_is_also_writable_is_not_tried(scene: Scene) -> None:
    folder = scene.folder("folder")
    grants = {"read": [folder], "read_write": [folder]}
    assert started(scene.start(artifact(grants))) == b""


def test_grant_that_does_not_open_is_caught(scene: Scene) -> None:
    """As on a file system that does not keep what Landlock attaches."""
    file = scene.file("file")
    variant = {"fs_required": 0x1FFF, "filter": filter_of((OPENAT, EACCES))}
    made = artifact({"read": [file]}, variant={**variant, "probes": ()})
    text = reason(scene.start(made))
    assert "expected success, got EACCES; its file system may not keep" in text


def test_granted_path_that_the_user_cannot_open_is_as_before(scene: Scene) -> None:
    file, folder = scene.file("file", mode=0o000), scene.folder("folder")
    folder.chmod(0o311)
    assert started(scene.start(artifact({"read": [file, folder]}))) == b""


def test_pipes_and_devices_are_not_opened(scene: Scene) -> None:
    """A reader of a pipe would wait, or take what another reads."""
    os.mkfifo(scene.root / "pipe")
    scene.stage.give(scene.root)
    grants = {"read": [scene.root / "pipe", "/dev/null"]}
    assert started(scene.start(artifact(grants))) == b""


# --- inside other sandboxes


@pytest.mark.needs("release-launcher")
def test_same_artifact_starts_inside_itself(scene: Scene) -> None:
    """Every control is denied outside already, but for the witness."""
    variant = _variant(*CANARY_PROBES, CHMOD_BAD, denied=((CHMODAT, EPERM),))
    inner = scene.write(artifact(variant=variant), "inner.stk")
    assert started(scene.start_nested(inner, variant)) == b""


@pytest.mark.needs("release-launcher")
def test_outer_filter_that_kills_costs_one_probe(scene: Scene) -> None:
    """The control ends a child; the probe is not made again, the others are."""
    getppid = 110 if X86_64 else 173
    fatal = probe("fatal", call(getppid), EPERM)
    variant = _variant(fatal, CHMOD_BAD, denied=((CHMODAT, EPERM),))
    inner = scene.write(artifact(variant=variant), "inner.stk")
    killing = Filter(
        (
            Instruction(0x20, 0, 0, 0),
            Instruction(0x15, 0, 1, WITNESS),
            Instruction(0x06, 0, 0, 0x00050FFF),
            Instruction(0x15, 0, 1, getppid),
            Instruction(0x06, 0, 0, 0x80000000),
            Instruction(0x06, 0, 0, 0x7FFF0000),
        ),
        (Relocation(2, "witness"),),
    )
    assert started(scene.start_nested(inner, {"filter": killing})) == b""
    missing = scene.write(artifact(variant=_variant(fatal, CHMOD_BAD)), "inner.stk")
    text = reason(scene.start_nested(missing, {"filter": killing}))
    assert text.endswith("chmod: expected EPERM, got EFAULT")


@pytest.mark.needs("release-launcher")
def test_sixteen_sandboxes_are_named(scene: Scene) -> None:
    """S2-296"""
    folders = ["/usr/bin", "/usr/lib", scene.stage.launcher.parent]
    grants = {"read": [scene.root], "read_exec": folders}
    made = artifact(grants, variant={"probes": ()})
    path = scene.keep(scene.write(made))
    command: list[object] = []
    for _ in range(17):
        command += [scene.stage.launcher, path, "--"]
    done = scene.stage.run([*command[3:], "/bin/true"])
    assert started(done) == b""
    text = reason(scene.stage.run([*command, "/bin/true"]))
    assert text == "already inside 16 sandboxes, as many as the kernel nests"


def test_required_right_that_the_kernel_lacks_is_refused(scene: Scene) -> None:
    """The masks are looked at again where they are used."""
    text = reason(scene.start(artifact(variant={"fs_required": 1 << 40})))
    assert (
        text == "this kernel lacks Landlock file rights 0x10000000000 of the artifact"
    )


def test_variant_that_holds_no_file_is_refused(scene: Scene) -> None:
    """The compiler makes none; an artifact of another origin gets no start."""
    variant = {"probes": (), "fs_required": 0, "fs_optional": 0x1FFFF}
    text = reason(scene.start(artifact(variant=variant)))
    assert text == "the artifact's variant requires no file right"


@pytest.mark.needs("release-launcher")
def test_signals_of_the_caller_do_not_end_a_start(scene: Scene) -> None:
    """What the caller blocks and ignores is what the program gets."""
    before = (
        "import signal\n"
        "for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except OSError: pass\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
    )
    code = (
        "text = open('/proc/self/status').read().splitlines()\n"
        "print([line for line in text if line.startswith('Sig')][1:])\n"
    )
    wrapper = f"import os, sys\n{before}os.execv(sys.argv[1], sys.argv[1:])"
    program = [PYTHON, "-ESc", code]
    outside = scene.stage.run([PYTHON, "-ESc", wrapper, *program])
    variant = _variant(*CANARY_PROBES, FORK_PROBE, denied=((FORK, EPERM),))
    made = artifact({"read": ["/proc"]}, variant=variant)
    inside = scene.start(made, *program, before=before)
    assert started(inside) == started(outside)
