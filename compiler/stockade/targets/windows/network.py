# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Choose the network capabilities of a container.

A token without one reaches no address but the loopback of its own container. Rules
for single hosts or ports need an administrator's filters, which nothing here sets.
"""

from __future__ import annotations

from stockade.model.policy import Ip

# Out to what Windows counts as the internet; nothing of a private or domain network.
_OUT = "internetClient"
# Out and in there, and out and in on private and domain networks: Windows has no
# capability for one direction of the latter.
_OUT_AND_IN = ("internetClient", "internetClientServer", "privateNetworkClientServer")


def network_capabilities(ip: Ip) -> tuple[str, ...]:
    """Name the capabilities that a policy's network needs, in their order."""
    match ip:
        case Ip.NONE | Ip.PRIVATE:
            return ()
        case Ip.CLIENT:
            return (_OUT,)
        case Ip.ALL:
            return _OUT_AND_IN


def loopback_exempt(ip: Ip) -> bool:
    """Tell whether the container may connect to the machine's own loopback."""
    return ip in (Ip.CLIENT, Ip.ALL)
