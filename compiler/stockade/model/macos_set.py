# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List what the minimal system set grants on macOS."""

from __future__ import annotations

from stockade.model.policy import Policy, System

# What the dynamic loader and the C library open on macOS 14 to 27, and what the
# shared cache lies in.
_READABLE = (
    "/Library/Apple",
    "/System",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/usr/lib",
    "/usr/share",
)
_READABLE_DEVICES = ("/dev/random", "/dev/urandom")
_WRITABLE_DEVICES = ("/dev/null", "/dev/zero")


def readable_macos_paths(policy: Policy) -> tuple[str, ...]:
    """List the paths of the system set that may be read, sorted."""
    if policy.system is System.NONE:
        return ()
    return tuple(sorted((*_READABLE, *_READABLE_DEVICES, *_WRITABLE_DEVICES)))


def writable_macos_devices(policy: Policy) -> tuple[str, ...]:
    """List the devices of the system set that may be written, sorted."""
    return () if policy.system is System.NONE else _WRITABLE_DEVICES
