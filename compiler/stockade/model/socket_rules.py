# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the refused ways to make, name and open sockets."""

from __future__ import annotations

from collections.abc import Callable

from stockade.model.calls import ALLOW, CallRule, is_, is_not, refuse
from stockade.model.policy import Ip, Policy, Sockets, UnixSockets

# sys/socket.h and netinet/in.h
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_SOCK_TYPE_MASK = 0xF
_SOCK_STREAM, _SOCK_DGRAM, _SOCK_SEQPACKET = 1, 2, 5
# ICMP, TCP, UDP, ICMPv6, and 0 for the type's own protocol
_IP_PROTOCOLS = (0, 1, 6, 17, 58)
_MPTCP = 262

_IP = "ip-network-denied"
_INBOUND = "ip-inbound-denied"
_UNIX = "unix-sockets-denied"
_FAMILIES = "socket-families-limited"
_NONE = "sockets-denied"


def _has_no_sockets(policy: Policy) -> bool:
    return policy.ip is Ip.NONE and policy.unix_sockets is UnixSockets.NONE


SOCKET_CONDITIONS: dict[str, Callable[[Policy, int], bool]] = {
    "ip-none": lambda policy, _abi: policy.ip is Ip.NONE,
    "ip-client": lambda policy, _abi: policy.ip is Ip.CLIENT,
    "ip-all": lambda policy, _abi: policy.ip is Ip.ALL,
    "ip-some": lambda policy, _abi: policy.ip is not Ip.NONE,
    "unix-none": lambda policy, _abi: policy.unix_sockets is UnixSockets.NONE,
    "unix-all": lambda policy, _abi: policy.unix_sockets is UnixSockets.ALL,
    "sockets-none": lambda policy, _abi: policy.sockets is Sockets.NONE,
    "no-sockets": lambda policy, _abi: _has_no_sockets(policy),
}

SOCKET_RULES: tuple[CallRule, ...] = (
    # Those on standard streams stay, which send and receive without these calls.
    refuse(
        "socket socketpair connect bind listen accept accept4",
        "EPERM",
        "no socket is granted",
        _NONE,
        when="sockets-none",
    ),
    # Before what refuses families, since the first rule that holds decides.
    CallRule(
        ("socket",),
        ALLOW,
        "Unix sockets are granted",
        when="unix-all",
        tests=(is_(0, _AF_UNIX),),
    ),
    refuse("socket", "EPERM", "no family is granted", _IP, when="ip-none"),
    # One end of a pair can take an abstract name, which others then lack.
    refuse("bind", "EPERM", "no address is granted", _UNIX, when="no-sockets"),
    refuse(
        "socket",
        "EPERM",
        "family not granted",
        _FAMILIES,
        is_not(0, _AF_INET, _AF_INET6, _AF_NETLINK),
        when="ip-some",
    ),
    refuse(
        "socket",
        "EPERM",
        "netlink other than route",
        _FAMILIES,
        is_(0, _AF_NETLINK),
        is_not(2, 0),
        when="ip-some",
    ),
    refuse(
        "socket",
        "EPERM",
        "raw and packet sockets",
        _FAMILIES,
        is_(0, _AF_INET, _AF_INET6),
        is_not(1, _SOCK_STREAM, _SOCK_DGRAM, mask=_SOCK_TYPE_MASK),
        when="ip-some",
    ),
    refuse(
        "socket",
        "EPERM",
        "protocol not granted",
        _FAMILIES,
        is_(0, _AF_INET, _AF_INET6),
        is_not(2, *_IP_PROTOCOLS, _MPTCP),
        when="ip-all",
    ),
    # Since its first erratum was fixed, Landlock lets MPTCP bind to any port.
    refuse(
        "socket",
        "EPERM",
        "protocol not granted",
        _INBOUND,
        is_(0, _AF_INET, _AF_INET6),
        is_not(2, *_IP_PROTOCOLS),
        when="ip-client",
    ),
    # Without an address a socket that listens takes one that Landlock never sees.
    refuse(
        "listen accept accept4",
        "EPERM",
        "takes connections",
        _INBOUND,
        when="ip-client",
    ),
    refuse("socketpair", "EPERM", "family not granted", _FAMILIES, is_not(0, _AF_UNIX)),
    # A datagram pair, and SOCK_RAW which becomes one, sends to any socket's path.
    refuse(
        "socketpair",
        "EPERM",
        "datagram pair reaches any path",
        _UNIX,
        is_not(1, _SOCK_STREAM, _SOCK_SEQPACKET, mask=_SOCK_TYPE_MASK),
        when="unix-none",
    ),
)
