# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Expect of what a policy grants, and of what documents state as a limit."""

from __future__ import annotations

from route import (
    ABI_REFER,
    ABI_TRUNCATE,
    NO_IPC,
    NO_LOOPBACK,
    UNDELIVERED,
    Route,
    rows,
)

# What a policy grants, and what the documents state as a limit: works inside.
GRANTED: tuple[Route, ...] = (
    *rows(
        "works-read works-list works-write works-truncate"
        " works-create works-nameless works-rename works-hard-link"
        " works-remove-host-link works-devices works-metadata-by-descriptor works-exec"
        " works-threads works-raise works-kill-self works-abort works-descriptors"
        " works-socket-pair works-own-limits works-own-group works-terminal",
        "ok",
        "alone",
        "default",
        covers="S2-240 S2-254 S2-123 S2-250 S2-174 S2-156",
    ),
    *rows("works-own-limits-by-number", "ok", "alone", covers="S2-168"),
    *rows("works-own-limits-by-number", "EPERM", "default", covers="S2-168"),
    *rows("works-rename-across", ((0, "EXDEV"), (ABI_REFER, "ok")), covers="S2-218"),
    # Below that ABI the filter holds it, which reads no paths.
    *rows("works-truncate-path", ((0, "EPERM"), (ABI_TRUNCATE, "ok")), covers="S2-295"),
    # musl sends a thread's signal by the thread's number, which an own-PID filter
    # cannot know.
    *rows(
        "works-thread-signal",
        UNDELIVERED,
        "alone",
        covers="S2-156",
    ),
    *rows("works-thread-signal", "ok", "default", "isolated", covers="S2-156"),
    Route(
        "works-sealed-memory",
        "ok",
        ("alone", "default"),
        needs=("linux-6.3",),
        natural=("EINVAL",),
        covers="S2-180",
    ),
    *rows(
        "works-children works-child-program",
        "ok",
        "default",
        "isolated",
        covers="S1-109 S2-174",
    ),
    *rows(
        "child-fork child-vfork child-clone child-shared-memory child-from-thread",
        "ok",
        "default",
        "isolated",
        covers="S2-174",
    ),
    *rows("works-metadata-by-path", "ok", "metadata", covers="S2-257"),
    Route(
        "works-attributes",
        "ok",
        ("metadata",),
        needs=("user-attributes",),
        natural=("EOPNOTSUPP",),
        covers="S2-257",
    ),
    *(
        Route(
            name,
            "ok",
            ("network",),
            effect=effect,
            left=effect,
            needs=("loopback", *needs),
            natural=(*NO_LOOPBACK, "EPROTONOSUPPORT"),
            covers="S2-017",
        )
        for name, effect, needs in (
            ("socket-tcp", "connection", ()),
            ("socket-tcp6", "connection", ("ipv6",)),
            ("socket-udp", "datagram", ()),
            ("socket-mptcp", "connection", ("mptcp",)),
            ("socket-listen", "", ()),
        )
    ),
    *rows(
        "works-raise works-kill-self works-abort works-threads works-read works-write"
        " works-own-group works-terminal",
        "ok",
        "self",
        "terminate-alone",
        covers="GL-044",
    ),
    *rows(
        "works-raise works-kill-self works-abort works-threads works-read works-write"
        " works-descriptors works-socket-pair works-own-limits-by-number"
        " works-terminal",
        "ok",
        "strict",
        covers="GL-044 GL-047 GL-064",
    ),
    *rows(
        "works-read works-children works-child-program works-own-group",
        "ok",
        "fixed",
        covers="GL-047",
    ),
    *rows("works-debugger works-read works-children", "ok", "wide", covers="GL-076"),
    *rows("terminal-modes", "ok", covers="GL-064"),
    *(
        Route(name, "ok", ("wide",), needs=(feature,), natural=(natural,))
        for name, feature, natural in (
            ("kernel-user-faults", "user-faults", "ENOSYS"),
            ("kernel-log", "kernel-log", "EPERM"),
        )
    ),
    Route(
        "exec-memory-path",
        "ok",
        ("memory",),
        needs=("executable-memory-files",),
        natural=("EACCES",),
        covers="GL-168",
    ),
    *(
        Route(
            name,
            "ok",
            ("shared",),
            effect=effect,
            left=effect,
            needs=(feature,),
            natural=NO_IPC,
            covers="GL-055",
        )
        for name, feature, effect in (
            ("ipc-memory", "system-v-ipc", ""),
            ("ipc-memory-by-key", "system-v-ipc", ""),
            ("ipc-queue", "system-v-ipc", "message"),
            ("ipc-semaphore", "system-v-ipc", "message"),
        )
    ),
    # Any signal to oneself needs the own number, which children make unsafe.
    *rows("works-raise works-kill-self", "EPERM", "terminate"),
    *rows("works-children works-child-program", "ok", "terminate"),
    *(
        Route(
            name,
            "ok",
            ("terminate", "terminate-alone"),
            effect="victim-signal",
            left="victim-signal",
        )
        for name in (
            "signal-end",
            "signal-end-thread",
            "signal-end-queue",
            "signal-end-descriptor",
        )
    ),
    *(
        Route(
            name,
            "ok",
            ("client",),
            effect=effect,
            left=effect,
            needs=("loopback", *needs),
            natural=NO_LOOPBACK,
            covers="S1-103 S2-023 S2-028",
        )
        for name, effect, needs in (
            ("socket-tcp", "connection", ()),
            ("socket-tcp6", "connection", ("ipv6",)),
            ("socket-udp", "datagram", ()),
            ("works-client-bind", "", ()),
            ("works-client-exchange", "datagram", ()),
        )
    ),
    *rows("client-bind client-bind-udp client-listen-unbound", "ok", "network"),
    *(
        Route(
            name,
            "ok",
            ("services",),
            effect=effect,
            left=effect,
            covers="S1-108 S2-130",
        )
        for name, effect in (
            ("socket-path", "connection"),
            ("socket-path-datagram", "datagram"),
            ("socket-abstract", "connection"),
            ("socket-pair-datagram", "datagram"),
            ("socket-bind", "special-file"),
            ("name-socket", "special-file"),
        )
    ),
    *rows("socket-pair-bind client-listen-local", "ok", "services"),
    *(
        Route(
            name,
            "ok",
            ("links",),
            effect="special-file",
            left="special-file",
            covers="S2-242",
        )
        for name in (
            "name-link-in-write-grant",
            "name-rename-link",
            "name-hard-link-link",
        )
    ),
    *rows("socket-route socket-interfaces", "ok", "network", "client", covers="S2-012"),
    Route(
        "signal-kill",
        "ok",
        ("default",),
        effect="victim-signal",
        left="victim-signal",
        covers="S1-109",
    ),
    *rows(
        "limit-stat limit-folder limit-link-target limit-lock limit-watch"
        " limit-process-numbers limit-others",
        "ok",
        covers="S2-213 S2-385 S2-233 S2-386",
    ),
    Route(
        "limit-open-metadata",
        "ok",
        effect="granted-changed",
        left="granted-changed",
        covers="S2-250",
    ),
    # A filter cannot tell a local socket from one of the network.
    *rows("socket-pair-bind", "ok", "network"),
    Route("limit-hard-link", "ok", effect="outside-changed", left="outside-changed"),
    Route(
        "limit-folder-of-links",
        "ok",
        effect="special-file",
        left="special-file",
        covers="S2-238",
    ),
)
