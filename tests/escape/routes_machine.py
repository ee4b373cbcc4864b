# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Expect of routes to the network and to the kernel itself."""

from __future__ import annotations

from route import ABI_TCP, ABI_UDP, NO_LOOPBACK, Route, rows


def _inet(name: str, effect: str, *needs: str, same_as: str = "") -> Route:
    return Route(
        name,
        "EPERM",
        ("alone", "default"),
        effect=effect,
        needs=("loopback", *needs),
        natural=(*NO_LOOPBACK, "EPROTONOSUPPORT"),
        same_as=same_as,
        covers="S2-002 S2-003",
    )


def _family(name: str, feature: str, *natural: str, covers: str) -> Route:
    policies = ("alone", "services")
    if name != "socket-ping":
        policies = (*policies, "network", "client")
    return Route(
        name, "EPERM", policies, needs=(feature,), natural=natural, covers=covers
    )


_SOCKETS = (
    _inet("socket-tcp", "connection"),
    _inet("socket-tcp6", "connection", "ipv6"),
    _inet("socket-udp", "datagram"),
    _inet("socket-mptcp", "connection", "mptcp"),
    Route(
        "socket-high",
        "EPERM",
        effect="connection",
        needs=("loopback",),
        natural=NO_LOOPBACK,
        same_as="socket-tcp",
        covers="S2-013",
    ),
    *rows("socket-listen socket-route", "EPERM", covers="S2-002 S2-012"),
    *rows("socket-interfaces", "EPERM"),
    _family("socket-ping", "ping-sockets", "EACCES", covers="S2-002"),
    _family("socket-udp-lite", "udp-lite", "EPROTONOSUPPORT", covers="S2-011"),
    _family("socket-vsock", "vsock", "EAFNOSUPPORT", covers="S2-010"),
    *rows(
        "socket-diagnosis socket-events",
        "EPERM",
        "alone",
        "network",
        "client",
        "client-services",
        covers="S2-012",
    ),
    *rows(
        "socket-path socket-abstract",
        "EPERM",
        "alone",
        "default",
        "network",
        effect="connection",
        covers="S1-108 S2-122",
    ),
    *rows(
        "socket-path-datagram socket-pair-datagram socket-pair-raw"
        " socket-pair-abstract",
        "EPERM",
        "alone",
        "default",
        "network",
        effect="datagram",
        covers="S2-124 S2-125",
    ),
    *rows(
        "client-listen-unbound client-listen-unbound-six",
        "EPERM",
        "alone",
        "client",
        covers="S2-032",
    ),
    *rows("socket-listen", "EPERM", "client", covers="S1-103 S2-024"),
    *rows(
        "client-listen-local client-listen-local-packets",
        "EPERM",
        "alone",
        "client",
        "client-services",
        covers="S2-024",
    ),
    # Below the ABI that has the right, a bind that nobody can listen on works.
    *rows(
        "client-bind client-bind-six",
        ((0, "ok"), (ABI_TCP, "EACCES")),
        "client",
        covers="S2-026 S2-029",
    ),
    *rows(
        "client-bind-udp client-bind-udp-six",
        ((0, "ok"), (ABI_UDP, "EACCES")),
        "client",
        covers="S2-027 S2-029",
    ),
    *(
        Route(
            name,
            "EPERM",
            ("client",),
            effect=effect,
            needs=("mptcp", "loopback"),
            natural=(*NO_LOOPBACK, "EPROTONOSUPPORT"),
            covers="S2-030",
        )
        for name, effect in (("client-bind-mptcp", ""), ("socket-mptcp", "connection"))
    ),
    *rows(
        "socket-tcp socket-path socket-listen socket-pair-datagram works-socket-pair",
        "EPERM",
        "no-sockets",
        covers="GL-038 GL-039",
    ),
    *rows("socket-tcp socket-udp", "EPERM", "services", effect=""),
    # Nothing can be sent to it, but the name is taken from whoever it belongs to.
    *rows("socket-pair-bind", "EPERM"),
    *rows(
        "socket-bind",
        "EPERM",
        "alone",
        "network",
        effect="special-file",
        covers="S2-126",
    ),
)


def _surface(
    name: str, feature: str, *natural: str, inside: str = "EPERM", covers: str = ""
) -> Route:
    return Route(
        name,
        inside,
        ("alone", "default"),
        needs=(feature,),
        natural=natural,
        covers=covers,
    )


_KERNEL = (
    _surface(
        "kernel-ring",
        "io-uring",
        "EPERM",
        "ENOSYS",
        inside="ENOSYS",
        covers="S2-015 GL-071",
    ),
    _surface(
        "kernel-watch", "file-handles", "ENODEV", "EXDEV", "EOPNOTSUPP", covers="S2-307"
    ),
    _surface("kernel-user-faults", "user-faults", "ENOSYS", covers="S2-307"),
    _surface(
        "kernel-performance", "performance-events", "EACCES", "EPERM", covers="S2-307"
    ),
    _surface("kernel-log", "kernel-log", "EPERM", covers="GL-074"),
    # Names in denied folders are guarded by nothing else, so this stays refused.
    Route(
        "kernel-watch",
        "EPERM",
        ("wide",),
        needs=("file-handles",),
        natural=("ENODEV", "EXDEV", "EOPNOTSUPP"),
        covers="S2-307",
    ),
    _surface("kernel-quota", "quotas", "ENOSYS", covers="GL-074"),
    *rows("kernel-loosen-filter kernel-loosen-listener", "EPERM", covers="GL-075"),
    *rows("kernel-loosen-domain kernel-exec-again", "EACCES", covers="GL-075"),
)


def _foreign(name: str, feature: str, natural: str, effect: str = "") -> Route:
    return Route(
        name,
        "EPERM",
        ("alone", "default"),
        effect=effect,
        needs=(feature,),
        natural=(natural,),
        covers="S2-014 GL-072",
    )


_FOREIGN = (
    *(
        _foreign(f"foreign-i386-{name}", "i386-calls", "none", effect)
        for name, effect in (
            ("getpid", ""),
            ("open", ""),
            ("chmod", "outside-changed"),
            ("socket", ""),
            ("kill", "victim-signal"),
            ("fork", ""),
        )
    ),
    *(
        _foreign(f"foreign-x32-{name}", "x32-calls", "ENOSYS", effect)
        for name, effect in (("open", ""), ("socket", ""), ("kill", "victim-signal"))
    ),
)

MACHINE: tuple[Route, ...] = (*_SOCKETS, *_KERNEL, *_FOREIGN)
