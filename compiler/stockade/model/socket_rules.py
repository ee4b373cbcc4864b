# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the refused ways to make and name sockets."""

from __future__ import annotations

from stockade.model.calls import CallRule, is_, is_not, refuse

# sys/socket.h and netinet/in.h
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_SOCK_TYPE_MASK = 0xF
_SOCK_STREAM, _SOCK_DGRAM, _SOCK_SEQPACKET = 1, 2, 5
# ICMP, TCP, UDP, ICMPv6, MPTCP, and 0 for the type's own protocol
_IP_PROTOCOLS = (0, 1, 6, 17, 58, 262)

_IP = "ip-network-denied"
_UNIX = "unix-sockets-denied"

SOCKET_RULES: tuple[CallRule, ...] = (
    refuse("socket", "EPERM", "no family is granted", _IP, when="ip-none"),
    # One end of a pair can take an abstract name, which others then lack.
    refuse("bind", "EPERM", "no address is granted", _UNIX, when="ip-none"),
    refuse(
        "socket",
        "EPERM",
        "family not granted",
        _UNIX,
        is_not(0, _AF_INET, _AF_INET6, _AF_NETLINK),
        when="ip-all",
    ),
    refuse(
        "socket",
        "EPERM",
        "netlink other than route",
        _UNIX,
        is_(0, _AF_NETLINK),
        is_not(2, 0),
        when="ip-all",
    ),
    refuse(
        "socket",
        "EPERM",
        "raw and packet sockets",
        _UNIX,
        is_(0, _AF_INET, _AF_INET6),
        is_not(1, _SOCK_STREAM, _SOCK_DGRAM, mask=_SOCK_TYPE_MASK),
        when="ip-all",
    ),
    refuse(
        "socket",
        "EPERM",
        "protocol not granted",
        _UNIX,
        is_(0, _AF_INET, _AF_INET6),
        is_not(2, *_IP_PROTOCOLS),
        when="ip-all",
    ),
    refuse("socketpair", "EPERM", "family not granted", _UNIX, is_not(0, _AF_UNIX)),
    # A datagram pair, and SOCK_RAW which becomes one, sends to any socket's path.
    refuse(
        "socketpair",
        "EPERM",
        "datagram pair reaches any path",
        _UNIX,
        is_not(1, _SOCK_STREAM, _SOCK_SEQPACKET, mask=_SOCK_TYPE_MASK),
    ),
)
