# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn grants into Landlock rows: classes of rights, a class per path, and ports."""

from __future__ import annotations

from stockade.abi.landlock import fs_mask, net_mask
from stockade.model.artifact import GrantRow, PortRow, RightsClass
from stockade.model.policy import Commands, Ip, Policy, Symlinks, UnixSockets
from stockade.model.system_set import readable_system_paths, writable_system_paths

_READ = fs_mask("READ_FILE", "READ_DIR")
# No right to make pipes or devices, and links and sockets by a key of their own:
# what a program leaves in a writable folder, others open later. IOCTL_DEV lets a
# granted terminal or pseudo-terminal master work (its requests need it from ABI 5
# on).
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
# Stands in a rule for a port that the kernel chooses, not for every port.
_CHOSEN_BY_KERNEL = 0


def classes(policy: Policy) -> tuple[RightsClass, ...]:
    """List what each kind of grant allows under a policy."""
    write, executes = _WRITE, policy.commands is Commands.ANY
    if policy.symlinks is Symlinks.ALLOW:
        write |= fs_mask("MAKE_SYM")
    if policy.unix_sockets is UnixSockets.ALL:
        write |= fs_mask("MAKE_SOCK")
    return (
        RightsClass(
            PROGRAM_CLASS, fs_mask("EXECUTE", "READ_FILE"), execute=True, system=True
        ),
        RightsClass(_SYSTEM_CLASS, _READ, system=True),
        RightsClass(
            _SYSTEM_DEVICE_CLASS, fs_mask("READ_FILE", "WRITE_FILE"), system=True
        ),
        RightsClass("read", _READ),
        RightsClass(
            "read_exec",
            _READ | (fs_mask("EXECUTE") if executes else 0),
            execute=executes,
        ),
        RightsClass("read_write", write, write=True),
        RightsClass(
            "command", fs_mask("EXECUTE", "READ_FILE"), execute=True, command=True
        ),
    )


def port_rows(policy: Policy) -> tuple[PortRow, ...]:
    """List what a policy lets through of the port rights that it handles.

    A client's sockets get a port from the kernel, by asking for 0 or, of UDP, by
    sending first, which Landlock judges as port 0 too.
    """
    if policy.ip is not Ip.CLIENT:
        return ()
    return (PortRow(_CHOSEN_BY_KERNEL, net_mask("BIND_TCP", "BIND_UDP")),)


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
