# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn path rules into Landlock rows: classes of rights, and a class per path."""

from __future__ import annotations

from dataclasses import dataclass

from stockade.abi.landlock import (
    FS_RIGHTS,
    NET_RIGHTS,
    SCOPES,
    fs_mask,
    supported,
)
from stockade.model.artifact import GrantRow, RightsClass
from stockade.model.policy import Ip, Policy, Signals
from stockade.model.system_set import readable_system_paths, writable_system_paths

_READ = fs_mask("READ_FILE", "READ_DIR")
# No right to make links, pipes, sockets or devices: what a program leaves in a
# writable folder, others open later. IOCTL_DEV lets a granted terminal or
# pseudo-terminal master work (its requests need it from ABI 5 on).
_WRITE = _READ | fs_mask(
    "WRITE_FILE",
    "TRUNCATE",
    "REMOVE_DIR",
    "REMOVE_FILE",
    "MAKE_DIR",
    "MAKE_REG",
    "REFER",
    "IOCTL_DEV",
)

PROGRAM_CLASS = "program"
_SYSTEM_CLASS = "system"
_SYSTEM_DEVICE_CLASS = "system-device"

CLASSES: tuple[RightsClass, ...] = (
    RightsClass(
        PROGRAM_CLASS, fs_mask("EXECUTE", "READ_FILE"), execute=True, system=True
    ),
    RightsClass(_SYSTEM_CLASS, _READ, system=True),
    RightsClass(_SYSTEM_DEVICE_CLASS, fs_mask("READ_FILE", "WRITE_FILE"), system=True),
    RightsClass("read", _READ),
    RightsClass("read_exec", _READ | fs_mask("EXECUTE"), execute=True),
    RightsClass("read_write", _WRITE, write=True),
)


@dataclass(frozen=True, slots=True)
class Handled:
    """Masks of what a ruleset handles: what a requirement rests on, and the rest."""

    fs_required: int
    fs_optional: int
    net_required: int
    net_optional: int
    scope_required: int
    scope_optional: int


def handled(policy: Policy, landlock_abi: int) -> Handled:
    """Choose what a variant for kernels of this ABI handles.

    Optional rights are second walls: seccomp holds the requirement without them.
    """
    fs = supported(FS_RIGHTS, landlock_abi)
    resolve_unix = fs & fs_mask("RESOLVE_UNIX")
    scopes = supported(SCOPES, landlock_abi)
    abstract, signal = (right.bit for right in SCOPES)
    second = abstract | (signal if policy.signals is Signals.SELF else 0)
    return Handled(
        fs_required=fs & ~resolve_unix,
        fs_optional=resolve_unix,
        net_required=0,
        net_optional=(
            supported(NET_RIGHTS, landlock_abi) if policy.ip is Ip.NONE else 0
        ),
        scope_required=scopes & signal if policy.signals is Signals.ISOLATED else 0,
        scope_optional=scopes & second,
    )


def grant_rows(policy: Policy) -> tuple[GrantRow, ...]:
    """List every path with its class: the system set, then the policy's own."""
    system = [
        GrantRow(path, _SYSTEM_CLASS, optional=True, policy=False)
        for path in readable_system_paths(policy)
    ]
    devices = [
        GrantRow(path, _SYSTEM_DEVICE_CLASS, optional=True, policy=False)
        for path in writable_system_paths(policy)
    ]
    own = [
        GrantRow(grant.path, str(grant.access), optional=False, policy=True)
        for grant in policy.grants
    ]
    return (*system, *devices, *own)
