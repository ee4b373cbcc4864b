# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Believe no outer filter that answers for the kernel and does nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from launcher_scene import (
    EPERM,
    FORK,
    KILL,
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

from stockade.model.artifact import GrantRow, Operand, Probe

_CLONE = 56 if X86_64 else 220
_SIGNAL = probe("signal", call(KILL, Operand("target-pid"), number(0)), EPERM)
_FORK = probe("fork", call(FORK, kind="fork"), EPERM)
_FALSE_CLONE = (
    "an outer filter answers `clone` falsely: it says 0 and starts no process"
)

pytestmark = pytest.mark.needs("release-launcher")


def _variant(*probes: Probe, denied: tuple[tuple[int, int], ...] = ()) -> dict:
    return {"probes": probes, "filter": filter_of(*denied)}


def test_outer_filter_that_only_claims_to_start_processes_is_named(
    scene: Scene,
) -> None:
    """The launcher must not end as the child that it takes itself for."""
    inner = scene.write(
        artifact(variant=_variant(_SIGNAL, denied=((KILL, EPERM),))), "inner.stk"
    )
    text = reason(scene.start_nested(inner, _variant(denied=((_CLONE, 0),))))
    assert text.startswith(_FALSE_CLONE)
    assert (
        started(scene.start_nested(inner, _variant(denied=((_CLONE, EPERM),)))) == b""
    )
    assert started(scene.start_nested(inner)) == b""


def test_outer_filter_that_claims_to_start_the_guard_is_named(scene: Scene) -> None:
    """The thread that limits lookups of what is in no cache of the kernel."""
    missing = GrantRow(f"/dev/shm/{scene.root.name}", "read", True, False)
    made = artifact()
    inner = scene.keep(
        scene.write(replace(made, grants=(*made.grants, missing)), "inner.stk")
    )
    folders = [scene.stage.launcher.parent, "/usr/lib"]
    for denied, status in (((), 0), (((_CLONE, 0),), 125)):
        outer = artifact(
            {"read": [scene.root], "read_exec": folders},
            variant=_variant(denied=denied),
        )
        done = scene.start(outer, scene.stage.launcher, "--check", inner)
        assert done.returncode == status, done
        assert (_FALSE_CLONE.encode() in done.stderr) == (status != 0)


# Elsewhere fork is clone, which the launcher itself needs.
@pytest.mark.needs("x86_64")
def test_false_fork_is_a_success_of_the_probe(scene: Scene) -> None:
    """Status 0 without a program would be believed."""
    outer = _variant(denied=((FORK, 0),))
    missing = scene.write(artifact(variant=_variant(_FORK)), "inner.stk")
    text = reason(scene.start_nested(missing, outer))
    assert text.endswith("fork: expected EPERM, got success")
    variant = _variant(_FORK, denied=((FORK, EPERM),))
    inner = scene.write(artifact(variant=variant), "inner.stk")
    assert started(scene.start_nested(inner, outer)) == b""
    assert started(scene.start_nested(inner)) == b""
