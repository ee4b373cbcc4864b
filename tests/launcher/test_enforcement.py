# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove the confinement before the program runs, and refuse what is unproved."""

from __future__ import annotations

import pytest
from enforcement_scene import (
    CANARY_PROBES,
    CHMOD_BAD,
    CLOSE_ON_EXEC,
    NULL,
    refusal,
    variant_of,
)
from launcher_scene import (
    CHMODAT,
    CLOSE,
    EACCES,
    EBADF,
    EFAULT,
    ENOENT,
    ENOSYS,
    EPERM,
    PYTHON,
    SOCKET,
    TRUNCATE,
    WITNESS,
    X86_64,
    Scene,
    artifact,
    call,
    number,
    probe,
    reason,
    started,
)

from stockade.model.artifact import (
    Filter,
    Instruction,
    Operand,
    Probe,
    Relocation,
)


def test_whole_check_passes(scene: Scene) -> None:
    """GL-003 GL-006…GL-008 the canary by every way, a refused call, the witness."""
    variant = variant_of(*CANARY_PROBES, CHMOD_BAD, denied=((CHMODAT, EPERM),))
    assert started(scene.start(artifact(variant=variant))) == b""


def test_missing_rule_is_caught(scene: Scene) -> None:
    """S1-375 GL-013 GL-016 no start; the line says what was expected and what came."""
    text = refusal(scene, variant_of(CHMOD_BAD))
    assert text == "chmod: expected EPERM, got EFAULT"


@pytest.mark.parametrize("errno", [ENOENT, ENOSYS, EACCES, 4094])
def test_other_error_than_the_expected_is_caught(scene: Scene, errno: int) -> None:
    """GL-013"""
    text = refusal(scene, variant_of(CHMOD_BAD, denied=((CHMODAT, errno),)))
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
    text = refusal(scene, variant)
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
    text = refusal(scene, {"filter": unreached})
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
    assert started(scene.start(artifact(variant=variant_of(outside)))) == b""


def test_control_that_fails_in_another_way_does_not_refuse(scene: Scene) -> None:
    """The artifact expected ENOENT before; what came serves as well."""
    odd = probe("chmod", CHMOD_BAD.call, EPERM, control=ENOENT)
    variant = variant_of(odd, denied=((CHMODAT, EPERM),))
    assert started(scene.start(artifact(variant=variant))) == b""


def test_nothing_is_lost_when_a_probe_succeeds(scene: Scene) -> None:
    """GL-007 mode, length and times of a file are as before a refused start."""
    victim = scene.file("victim", "content")
    before = victim.stat()
    attempt = probe("victim", call(TRUNCATE, Operand("data", data=b"\0")), EACCES)
    assert "victim: expected" in refusal(scene, variant_of(attempt))
    assert victim.stat() == before


def test_probe_with_a_preparation(scene: Scene) -> None:
    """GL-009: a connection that no one takes is not taken for a denied one."""
    address = b"\2\0\0\0\x7f\0\0\1" + bytes(8)
    connect = 42 if X86_64 else 203
    setup = call(SOCKET, number(2), number(1 | CLOSE_ON_EXEC))
    made = call(
        connect, Operand("setup-result"), Operand("data", data=address), number(16)
    )
    tried = probe("connect", made, EPERM, 111, setup)
    variant = variant_of(tried, denied=((connect, EPERM),))
    assert started(scene.start(artifact(variant=variant))) == b""
    assert refusal(scene, variant_of(tried)) == (
        "connect: expected EPERM, got ECONNREFUSED"
    )
    denied = ((connect, EPERM), (SOCKET, EPERM))
    text = refusal(scene, variant_of(tried, denied=denied))
    assert text == "connect: expected EPERM, got no answer"


def test_preparation_that_fails_outside_drops_the_probe(scene: Scene) -> None:
    setup = call(SOCKET, number(99), number(1 | CLOSE_ON_EXEC))
    made = call(CLOSE, Operand("setup-result"))
    assert (
        started(
            scene.start(artifact(variant=variant_of(probe("x", made, EPERM, 0, setup))))
        )
        == b""
    )


def test_preparation_that_would_leak_is_refused(scene: Scene) -> None:
    setup = call(SOCKET, number(2), number(1))
    made = call(CHMODAT, number(-1), NULL, Operand("setup-result"))
    text = reason(
        scene.start(artifact(variant=variant_of(probe("x", made, EFAULT, 0, setup))))
    )
    assert text == "a probe of the artifact leaves a descriptor open"


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
