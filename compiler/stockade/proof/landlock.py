# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare an artifact's Landlock table with the meaning of its policy.

The evaluator follows landlock(7): a path may use the rights of every rule on it
or on a folder above it, a port those of every rule on it, and a right that is not
handled is not denied. It knows which right an action takes and nothing of how the
table was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from stockade.model.artifact import Artifact, Variant
from stockade.model.decide import allowed_on, decide
from stockade.model.policy import Policy, Signals, UnixSockets
from stockade.model.request import (
    PathAction,
    PortAction,
    PortRequest,
    Situation,
)
from stockade.model.system_set import readable_system_paths, writable_system_paths
from stockade.proof.rights import (
    NEEDED,
    NEEDED_ON_PORTS,
    SCOPE_ABSTRACT,
    SCOPE_SIGNAL,
    SCOPES_SINCE,
    SINCE,
    rights_by_path,
    rights_on,
)

# The kernel's choice, the ports of root, their border, the last one.
_PORTS = (0, 1, 80, 1023, 1024, 40000, 65535)


class TableDisagreementError(Exception):
    """A Landlock table does not decide what its policy means."""


def check_table(
    policy: Policy, situation: Situation, artifact: Artifact, variant: Variant
) -> None:
    """Compare one variant's table with the policy on and around every path."""
    handled = variant.fs_required | variant.fs_optional
    unhandled = _mask(
        frozenset(
            action
            for action, needed in NEEDED.items()
            if not needed & handled and situation.landlock_abi >= SINCE.get(action, 1)
        )
    )
    rules = rights_by_path(artifact)
    for path in _paths(policy, artifact):
        rights = rights_on(rules, path)
        allowed = allowed_on(policy, situation, path)
        meant = _mask(allowed)
        if rights & handled == meant & handled and not unhandled & ~meant:
            continue
        for action, needed in NEEDED.items():
            granted = needed & ~rights == 0 if needed & handled else None
            _compare(
                situation,
                f"`{path}` {action}",
                action,
                granted,
                meant=action in allowed,
            )
    _check_ports(policy, situation, artifact, variant)
    _check_scopes(policy, situation, variant)


@cache
def _mask(actions: frozenset[PathAction]) -> int:
    return sum(needed for action, needed in NEEDED.items() if action in actions)


def _check_ports(
    policy: Policy, situation: Situation, artifact: Artifact, variant: Variant
) -> None:
    handled = variant.net_required | variant.net_optional
    for port in _PORTS:
        rights = 0
        for row in artifact.ports:
            rights |= row.rights if row.port == port else 0
        for action, needed in NEEDED_ON_PORTS.items():
            meant = decide(policy, situation, PortRequest(port, action)).allowed
            granted = needed & ~rights == 0 if needed & handled else None
            _compare(situation, f"port {port} {action}", action, granted, meant=meant)


def _compare(
    situation: Situation,
    what: str,
    action: PathAction | PortAction,
    granted: bool | None,  # noqa: FBT001 - None where the kernel does not judge
    *,
    meant: bool,
) -> None:
    """Compare one answer; below the right's ABI the filter denies, or nothing."""
    if granted is None:
        granted = meant or situation.landlock_abi >= SINCE.get(action, 1)
    if meant != granted:
        message = (
            f"{what}: the policy {'allows' if meant else 'denies'} it, the table"
            " does not"
        )
        raise TableDisagreementError(message)


def _check_scopes(policy: Policy, situation: Situation, variant: Variant) -> None:
    handled = variant.scope_required | variant.scope_optional
    meant = 0
    if situation.landlock_abi >= SCOPES_SINCE:
        if policy.unix_sockets is UnixSockets.NONE:
            meant |= SCOPE_ABSTRACT
        if policy.signals in {Signals.ISOLATED, Signals.SELF}:
            meant |= SCOPE_SIGNAL
    if handled != meant:
        message = f"scopes {handled:#x}: the policy means {meant:#x}"
        raise TableDisagreementError(message)


def _paths(policy: Policy, artifact: Artifact) -> Iterator[str]:
    """Visit every path of policy and table, one below, one beside, and all above."""
    seen: dict[str, None] = {"/": None, "/nowhere": None}
    granted = [
        *(row.path for row in artifact.grants),
        *(grant.path for grant in policy.grants),
        *readable_system_paths(policy),
        *writable_system_paths(policy),
    ]
    for whole in granted:
        base = whole.rstrip("/")
        seen[whole] = seen[f"{base}/below/it"] = None
        if base:
            seen[f"{base}.beside"] = None
        while base:
            base = base.rpartition("/")[0]
            seen[base or "/"] = None
    yield from seen
