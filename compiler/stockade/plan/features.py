# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Word why a host may lack a feature, and what its owner can do about it."""

from __future__ import annotations

from stockade.model.artifact import Feature

# Containers and services refuse both kinds of calls or neither, so one remedy names
# all of them: a caller should not have to come back for the second.
_ALLOW_BOTH = (
    "let the enclosing container or service allow `seccomp` and the `landlock_*` calls"
)

FEATURES: tuple[Feature, ...] = (
    Feature(
        "seccomp-filter",
        ("outer-filter",),
        "the `seccomp` call does not answer, and an outer seccomp filter is in force"
        " here that may hide it",
        _ALLOW_BOTH,
    ),
    Feature(
        "seccomp-filter",
        (),
        "this kernel offers no seccomp filters",
        "use a kernel built with CONFIG_SECCOMP_FILTER",
    ),
    Feature(
        "landlock-built",
        ("outer-filter",),
        "Landlock's calls do not answer, and an outer seccomp filter is in force here"
        " that may hide them",
        _ALLOW_BOTH,
    ),
    Feature(
        "landlock-built",
        (),
        "this kernel has no Landlock",
        "use Linux 5.13 or newer built with CONFIG_SECURITY_LANDLOCK",
    ),
    Feature(
        "landlock-abi-1",
        (),
        "Landlock is switched off at boot",
        "add `landlock` to the `lsm=` boot parameter",
    ),
    Feature(
        "landlock-abi-6",
        (),
        "this kernel's Landlock cannot confine signals",
        'use Linux 6.12 or newer, or set `children = "none"`',
    ),
)
