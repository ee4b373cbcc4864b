# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Derive the requirements of keys about processes and the kernel, seccomp's alone."""

from __future__ import annotations

from stockade.model.artifact import Requirement
from stockade.model.policy import (
    Children,
    Ioctls,
    Ipc,
    KernelSurface,
    MemoryFiles,
    Others,
    Policy,
    SelfCheck,
)

_SECCOMP = ("seccomp-filter",)
_IPC = {
    Ipc.ISOLATED: "no System V or POSIX IPC with other processes",
    Ipc.NONE: "no System V or POSIX IPC",
}


def process_requirements(policy: Policy) -> tuple[Requirement, ...]:
    """List, in order, what the keys that are written require."""
    lines: list[Requirement] = []
    if policy.ioctls is Ioctls.NO_INPUT:
        lines.append(
            _by_seccomp(
                "ioctl-input-denied",
                "no request hands data to a device or file system",
                "seccomp refuses every ioctl request numbered as handing data in",
            )
        )
    if policy.others is Others.FIXED:
        lines.append(_others_fixed(policy))
    title = _IPC.get(policy.ipc) if policy.ipc else None
    if title:
        lines.append(
            _by_seccomp(
                f"ipc-{policy.ipc}",
                title,
                "seccomp refuses every call on segments, semaphores and queues",
            )
        )
    if policy.memory_files is MemoryFiles.REFUSED:
        lines.append(
            _by_seccomp(
                "memory-files-refused",
                "no executable file in memory",
                "seccomp answers memfd_create without the seal against execution as"
                " if the kernel lacked it",
            )
        )
    if policy.kernel_surface is KernelSurface.REDUCED:
        lines.append(
            _by_seccomp(
                "kernel-surface-reduced",
                "no calls for debuggers and performance tools",
                "seccomp refuses ptrace, process memory, bpf, perf_event_open,"
                " userfaultfd, modify_ldt and syslog",
            )
        )
    if policy.self_check is SelfCheck.ON:
        lines.append(
            Requirement(
                "enforcement-checked",
                "confinement proved before the program starts",
                "the launcher tries what is denied, confined, and then becomes the"
                " program",
                (),
            )
        )
    return tuple(lines)


def _others_fixed(policy: Policy) -> Requirement:
    alone = policy.children is Children.NONE
    mechanism = (
        "seccomp lets limits, priority and scheduling be set for the caller"
        f"{' and its own number' if alone else ''} only and refuses process"
        " descriptors and page moves"
    )
    return _by_seccomp(
        "others-fixed", "limits and priority of other processes fixed", mechanism
    )


def _by_seccomp(name: str, title: str, mechanism: str) -> Requirement:
    return Requirement(name, title, mechanism, _SECCOMP)
