# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name policies and kernels that several tests go through."""

from __future__ import annotations

import itertools

from stockade.model.policy import (
    Access,
    Children,
    Grant,
    Ip,
    PathMetadata,
    Policy,
    Signals,
    System,
)

GRANTS = (
    Grant("/opt/tools", Access.READ_EXEC),
    Grant("/srv/in", Access.READ),
    Grant("/srv/out", Access.READ_WRITE),
)

# Every combination of the keys that change a filter.
KEY_COMBINATIONS = tuple(
    Policy(
        system=System.MINIMAL,
        grants=GRANTS,
        ip=ip,
        signals=signals,
        children=children,
        path_metadata=metadata,
    )
    for ip, signals, children, metadata in itertools.product(
        Ip, Signals, Children, PathMetadata
    )
)
LANDLOCK_ABIS = tuple(range(1, 12))


def label(policy: Policy) -> str:
    """Name a policy by the keys that differ."""
    return f"{policy.ip}-{policy.signals}-{policy.children}-{policy.path_metadata}"
