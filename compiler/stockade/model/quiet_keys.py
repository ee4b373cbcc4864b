# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what four keys give up, and the lines they add where they are written.

Their strict values hold without a line of their own, so that a policy which does not
name them means what it always meant. What a policy gives up has no line either; an
artifact names it as a concession, from which its policy can be told again.
"""

from __future__ import annotations

from dataclasses import replace

from stockade.model.policy import (
    Ipc,
    KernelSurface,
    MemoryFiles,
    Policy,
    SelfCheck,
)

_Value = SelfCheck | Ipc | MemoryFiles | KernelSurface

# A name, the field of a policy, and the value it stands for.
CONCESSIONS: tuple[tuple[str, str, _Value], ...] = (
    ("self-check-off", "self_check", SelfCheck.OFF),
    ("ipc-shared", "ipc", Ipc.SHARED),
    ("memory-files-executable", "memory_files", MemoryFiles.ALLOWED),
    ("kernel-surface-wide", "kernel_surface", KernelSurface.WIDE),
)
# Names of requirements.
WRITTEN: tuple[tuple[str, str, _Value], ...] = (
    ("enforcement-checked", "self_check", SelfCheck.ON),
    ("ipc-isolated", "ipc", Ipc.ISOLATED),
    ("ipc-none", "ipc", Ipc.NONE),
    ("memory-files-refused", "memory_files", MemoryFiles.REFUSED),
    ("kernel-surface-reduced", "kernel_surface", KernelSurface.REDUCED),
)


def concessions(policy: Policy) -> tuple[str, ...]:
    """Name what a policy gives up, in fixed order."""
    return tuple(
        name for name, field, value in CONCESSIONS if getattr(policy, field) is value
    )


def with_quiet_keys(policy: Policy, names: tuple[str, ...]) -> Policy:
    """Set the keys that concessions and requirements of these names tell of."""
    found = {
        field: value for name, field, value in (*CONCESSIONS, *WRITTEN) if name in names
    }
    return replace(policy, **found)  # type: ignore[arg-type]
