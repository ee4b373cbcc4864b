# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Try calls on processes, and of other architectures, and leave no trace of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from enforcement_scene import (
    CANARY_PROBES,
    CHMOD_BAD,
    refusal,
    variant_of,
)
from launcher_scene import (
    CHMODAT,
    EPERM,
    ERRNO,
    FORK,
    KILL,
    PYTHON,
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
    Filter,
    Instruction,
    Operand,
    Relocation,
)

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
    made = artifact(variant=variant_of(FORK_PROBE, denied=((FORK, EPERM),)))
    done = scene.start(made, PYTHON, "-ESc", code, before=before)
    disposition = "SIG_IGN" if ignored else "SIG_DFL"
    expected = f"set() {disposition} {{<Signals.SIGCHLD: 17>}}\nnone\n"
    assert started(done).decode() == expected
    assert refusal(scene, variant_of(FORK_PROBE)) == "fork: expected EPERM, got success"


@pytest.mark.needs("x86_64")
def test_vfork_returns_once(scene: Scene) -> None:
    vfork = 58
    tried = probe("vfork", call(vfork, kind="fork"), EPERM)
    made = artifact(variant=variant_of(tried, denied=((vfork, EPERM),)))
    assert started(scene.start(made, "/usr/bin/printf", "once")) == b"once"
    assert refusal(scene, variant_of(tried)) == "vfork: expected EPERM, got success"


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
    assert refusal(scene, variant_of(COMPAT)) == "i386: expected EPERM, got success"


SIGNAL_PROBE = probe("signal", call(KILL, Operand("target-pid"), number(0)), EPERM)
SIGNALS_DENIED = ((KILL, EPERM),)


def test_parent_is_the_target(scene: Scene) -> None:
    """GL-011 nothing arrives, and the missing rule is caught."""
    made = artifact(variant=variant_of(SIGNAL_PROBE, denied=SIGNALS_DENIED))
    shell = ["/bin/sh", "-c", '"$0" "$@"; exit $?']
    path = scene.write(made)
    done = scene.stage.run([*shell, scene.stage.launcher, path, "--", "/bin/true"])
    assert started(done) == b""
    path = scene.write(artifact(variant=variant_of(SIGNAL_PROBE)))
    done = scene.stage.run([*shell, scene.stage.launcher, path, "--", "/bin/true"])
    assert reason(done).endswith("signal: expected EPERM, got success")


_CHILDREN = "import os\ntry: os.wait()\nexcept ChildProcessError: print('none')\n"


@pytest.mark.needs("root-user")
def test_stand_in_serves_where_the_parent_may_not_be_signalled(scene: Scene) -> None:
    """GL-012 the parent is root's; no child is left to wait for."""
    made = artifact(variant=variant_of(SIGNAL_PROBE, denied=SIGNALS_DENIED))
    assert started(scene.start(made, PYTHON, "-ESc", _CHILDREN)) == b"none\n"
    text = refusal(scene, variant_of(SIGNAL_PROBE))
    assert text == "signal: expected EPERM, got success"


@pytest.mark.needs("root-user")
def test_stand_in_ends_with_the_start(scene: Scene) -> None:
    """GL-012 and it keeps no output open."""
    made = artifact(variant=variant_of(SIGNAL_PROBE, denied=SIGNALS_DENIED))
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
        artifact(variant=variant_of(SIGNAL_PROBE, denied=SIGNALS_DENIED)), "inner.stk"
    )
    clone = 56 if X86_64 else 220
    denied = variant_of(denied=((clone, EPERM),))
    assert started(scene.start_nested(inner, denied)) == b""


# --- the canary's place


@pytest.mark.needs("release-launcher")
def test_same_artifact_starts_inside_itself(scene: Scene) -> None:
    """Every control is denied outside already, but for the witness."""
    variant = variant_of(*CANARY_PROBES, CHMOD_BAD, denied=((CHMODAT, EPERM),))
    inner = scene.write(artifact(variant=variant), "inner.stk")
    assert started(scene.start_nested(inner, variant)) == b""


@pytest.mark.needs("release-launcher")
def test_outer_filter_that_kills_costs_one_probe(scene: Scene) -> None:
    """The control ends a child; the probe is not made again, the others are."""
    getppid = 110 if X86_64 else 173
    fatal = probe("fatal", call(getppid), EPERM)
    variant = variant_of(fatal, CHMOD_BAD, denied=((CHMODAT, EPERM),))
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
    missing = scene.write(artifact(variant=variant_of(fatal, CHMOD_BAD)), "inner.stk")
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
    variant = variant_of(*CANARY_PROBES, FORK_PROBE, denied=((FORK, EPERM),))
    made = artifact({"read": ["/proc"]}, variant=variant)
    inside = scene.start(made, *program, before=before)
    assert started(inside) == started(outside)
