# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuse root and every capability, whoever the program would be otherwise."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable

import pytest
from launcher_scene import Scene, artifact, reason, started

import host_features

_NOBODY = host_features.UNPRIVILEGED
_KEEP_CAPABILITIES = 8
_AMBIENT = 47
_AMBIENT_RAISE = 2
_CAPABILITY_CHOWN = 0
_CAPABILITY_AUDIT_READ = 37

needs_root = pytest.mark.needs("root-user")


def _start_as(scene: Scene, become: Callable[[], None]) -> subprocess.CompletedProcess:
    path = scene.write(artifact())
    command = [scene.stage.launcher, path, "--", "/bin/true"]
    return subprocess.run(command, capture_output=True, preexec_fn=become, check=False)


def _become(real: int, effective: int, saved: int) -> Callable[[], None]:
    def become() -> None:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(real, effective, saved)

    return become


def become_capable(number: int) -> Callable[[], None]:
    """Return what makes root an ordinary user with one capability."""
    libc = ctypes.CDLL(None, use_errno=True)

    def become() -> None:
        libc.prctl(_KEEP_CAPABILITIES, 1, 0, 0, 0)
        _become(_NOBODY, _NOBODY, _NOBODY)()
        bits = (ctypes.c_uint32 * 6)()
        word, bit = divmod(number, 32)
        for kind in range(3):
            bits[word * 3 + kind] = 1 << bit
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        assert libc.capset(header, bits) == 0
        assert libc.prctl(_AMBIENT, _AMBIENT_RAISE, number, 0, 0) == 0

    return become


@needs_root
@pytest.mark.parametrize(
    "user", [(0, 0, 0), (0, _NOBODY, _NOBODY), (_NOBODY, _NOBODY, 0)]
)
def test_root_is_refused(scene: Scene, user: tuple[int, int, int]) -> None:
    """S2-293 real, effective and saved user are each looked at."""
    if user[2] == 0 and user[1] != 0:
        # The kernel sets the saved user to the effective one at exec, so only a
        # launcher that is itself set-user-ID could see this one.
        user = (0, _NOBODY, 0)
    assert "started as root" in reason(_start_as(scene, _become(*user)))


@needs_root
@pytest.mark.parametrize("number", [_CAPABILITY_CHOWN, _CAPABILITY_AUDIT_READ])
def test_one_ambient_capability_is_refused(scene: Scene, number: int) -> None:
    """S2-293 both words of the capability sets are looked at."""
    done = _start_as(scene, become_capable(number))
    assert "started with capabilities" in reason(done)


@needs_root
def test_an_ordinary_user_is_accepted(scene: Scene) -> None:
    become = _become(_NOBODY, _NOBODY, _NOBODY)
    assert started(_start_as(scene, become)) == b""
