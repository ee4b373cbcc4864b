# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read the addresses of network filters: a host that is `*` or `localhost`, a port.

Apple's compiler refuses a profile with any other host, and port 0 (mxc's and nono's
authors report both).
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from stockade.proof.sbpl.context import Address
from stockade.proof.sbpl.place import UnreadableArgumentError

PROTOCOLS = tuple(
    protocol + family for protocol in ("ip", "tcp", "udp") for family in ("", "4", "6")
)
_WRITTEN = re.compile(r"(.*):(\*|[0-9]{1,5})", re.DOTALL)
# What `localhost` covers for sure; on some hosts it covers other own addresses too.
_LOCALHOST = (ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1"))


@dataclass(frozen=True, slots=True)
class AddressPattern:
    """What an address filter asks for; None stands for any."""

    protocol: str | None
    family: int | None
    is_local: bool
    port: int | None

    def matches(self, address: Address) -> bool:
        """Tell whether an address is one of these; a name is an outside host's."""
        family, is_local = _host(address.host)
        return (
            self.protocol in (None, address.protocol)
            and self.family in (None, family)
            and (not self.is_local or is_local)
            and self.port in (None, address.port)
        )


def _host(host: str) -> tuple[int | None, bool]:
    """Tell the version of IP and whether a host is this one, as far as can be told."""
    try:
        found = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return None, False
    return found.version, found in _LOCALHOST


def read_address(protocol: str, written: str) -> AddressPattern:
    """Read a protocol word and `host:port`."""
    if protocol not in PROTOCOLS:
        raise UnreadableArgumentError(f"`{protocol}` is no protocol")
    found = _WRITTEN.fullmatch(written)
    if not found:
        raise UnreadableArgumentError(
            f"`{written}` is no address; write `localhost:PORT` or `*:PORT`"
        )
    host, port = found.groups()
    if host not in {"*", "localhost"}:
        raise UnreadableArgumentError(
            f"the host `{host}` is neither `*` nor `localhost`; no other compiles"
        )
    if port != "*" and not 0 < int(port) < 65536:
        raise UnreadableArgumentError(f"port {port} does not compile; `*` is any")
    family = protocol[-1:]
    return AddressPattern(
        None if protocol.startswith("ip") else protocol[:3],
        int(family) if family in ("4", "6") else None,
        host == "localhost",
        None if port == "*" else int(port),
    )
