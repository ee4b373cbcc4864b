# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rebuild the policy that a Linux bundle's requirements and tables claim to hold."""

from __future__ import annotations

from stockade.abi.landlock import fs_mask
from stockade.model.artifact import Artifact
from stockade.model.policy import (
    Access,
    Children,
    Commands,
    Grant,
    Ioctls,
    Ip,
    Others,
    PathMetadata,
    Policy,
    Signals,
    Sockets,
    Symlinks,
    System,
    UnixSockets,
)
from stockade.model.quiet_keys import with_quiet_keys

_SIGNALS = (
    ("signals-self", Signals.SELF),
    ("signals-isolated", Signals.ISOLATED),
    ("signals-terminate", Signals.TERMINATE),
)
_METADATA = (
    ("open-metadata-protected", PathMetadata.DENY_ALL),
    ("metadata-protected", PathMetadata.DENY),
)


def claimed_policy(artifact: Artifact) -> Policy:
    """Rebuild the policy that a bundle's requirements and tables claim to hold."""
    names = {
        line.name
        for level in artifact.levels
        for variant in level.variants
        for line in variant.requirements
    }
    accesses = {str(access): access for access in Access}
    policy = Policy(
        system=(
            System.NONE
            if all(row.policy for row in artifact.grants)
            else System.MINIMAL
        ),
        grants=tuple(
            sorted(
                Grant(row.path, accesses[row.class_name])
                for row in artifact.grants
                if row.policy
            )
        ),
        symlinks=_symlinks(artifact),
        commands=Commands.LISTED if "commands-limited" in names else Commands.ANY,
        ip=_ip(names),
        sockets=Sockets.NONE if "sockets-denied" in names else Sockets.POLICY,
        unix_sockets=(
            UnixSockets.NONE if "unix-sockets-denied" in names else UnixSockets.ALL
        ),
        signals=next((word for name, word in _SIGNALS if name in names), Signals.ANY),
        children=Children.NONE if "children-denied" in names else Children.ALLOWED,
        pass_names=tuple(row.name for row in artifact.environment if row.value is None),
        set_values=tuple(
            (row.name, row.value)
            for row in artifact.environment
            if row.value is not None
        ),
        path_metadata=next(
            (word for name, word in _METADATA if name in names), PathMetadata.ALLOW
        ),
        others=Others.FIXED if "others-fixed" in names else Others.VISIBLE,
        ioctls=Ioctls.NO_INPUT if "ioctl-input-denied" in names else Ioctls.LISTED,
    )
    return with_quiet_keys(policy, (*sorted(names), *artifact.concessions))


def _ip(names: set[str]) -> Ip:
    if "ip-network-denied" in names:
        return Ip.NONE
    return Ip.CLIENT if "ip-inbound-denied" in names else Ip.ALL


def _symlinks(artifact: Artifact) -> Symlinks:
    """Read from the right itself whether links may be made: no line denies them."""
    rights = {row.name: row.rights for row in artifact.classes}
    right = fs_mask("MAKE_SYM")
    return Symlinks.ALLOW if rights.get("read_write", 0) & right else Symlinks.DENY
