# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name policies and kernels that several tests go through."""

from __future__ import annotations

import itertools
from dataclasses import fields, replace

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

# Every combination of the keys that change a filter in many places.
_COMBINATIONS = tuple(
    Policy(
        system=System.MINIMAL,
        grants=GRANTS,
        ip=ip,
        signals=signals,
        children=children,
        path_metadata=metadata,
    )
    for ip, signals, children, metadata in itertools.product(
        Ip,
        (Signals.ANY, Signals.ISOLATED),
        Children,
        (PathMetadata.DENY, PathMetadata.ALLOW),
    )
)
_STRICT = Policy(grants=GRANTS, signals=Signals.ISOLATED, children=Children.NONE)
_LAX = Policy(grants=GRANTS, ip=Ip.ALL, path_metadata=PathMetadata.ALLOW)
# The other values of keys, each beside strict and beside lax ones.
_FURTHER = (
    replace(_STRICT, signals=Signals.SELF),
    replace(_LAX, signals=Signals.SELF, children=Children.NONE),
    replace(_STRICT, signals=Signals.TERMINATE),
    replace(_LAX, signals=Signals.TERMINATE),
)
KEY_COMBINATIONS = (*_COMBINATIONS, *_FURTHER)
LANDLOCK_ABIS = tuple(range(1, 12))


def label(policy: Policy) -> str:
    """Name a policy by the keys that differ."""
    always = ("ip", "signals", "children", "path_metadata")
    words = [str(getattr(policy, name)) for name in always]
    for field in fields(policy):
        value = getattr(policy, field.name)
        if field.name not in (*always, "grants") and value != field.default:
            words.append(f"{field.name}={value}")
    return "-".join(words)
