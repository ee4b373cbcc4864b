# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Choose what a variant has Landlock handle: file rights, ports and scopes.

A right that is handled is denied but for what rules grant. Optional rights are
second walls: seccomp holds the requirement without them.
"""

from __future__ import annotations

from stockade.abi.landlock import (
    FS_RIGHTS,
    NET_RIGHTS,
    SCOPES,
    fs_mask,
    net_mask,
    scope_mask,
    supported,
)
from stockade.model.plan import Handled
from stockade.model.policy import Ip, Policy, Signals, UnixSockets


def handled(policy: Policy, landlock_abi: int) -> Handled:
    """Choose what a variant for kernels of this ABI handles."""
    fs = supported(FS_RIGHTS, landlock_abi)
    ports = supported(NET_RIGHTS, landlock_abi)
    scopes = supported(SCOPES, landlock_abi)
    resolve_unix = fs & fs_mask("RESOLVE_UNIX")
    # A handled scope or right would cut off the sockets that the policy grants.
    unix_denied = policy.unix_sockets is UnixSockets.NONE
    optional_scopes = scope_mask("ABSTRACT_UNIX_SOCKET") if unix_denied else 0
    if policy.signals is Signals.SELF:
        optional_scopes |= scope_mask("SIGNAL")
    return Handled(
        fs_required=fs & ~resolve_unix,
        fs_optional=resolve_unix if unix_denied else 0,
        net_required=(
            ports & net_mask("BIND_TCP", "BIND_UDP") if policy.ip is Ip.CLIENT else 0
        ),
        net_optional=ports if policy.ip is Ip.NONE else 0,
        scope_required=(
            scopes & scope_mask("SIGNAL") if policy.signals is Signals.ISOLATED else 0
        ),
        scope_optional=scopes & optional_scopes,
    )
