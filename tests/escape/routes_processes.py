# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Expect of routes to other processes: namespaces, memory, signals, terminals."""

from __future__ import annotations

from route import ABI_IOCTL_DEV, NO_IPC, UNDELIVERED, Route, rows

_SPACES = ("user-namespaces",)


def _space(name: str, inside: str = "EPERM", same_as: str = "") -> Route:
    return Route(
        name,
        inside,
        ("alone", "default"),
        needs=_SPACES,
        natural=("EPERM", "ENOSPC", "EACCES"),
        same_as=same_as,
        covers="GL-073 S2-225",
    )


_NAMESPACES = (
    _space("namespace-unshare"),
    _space("namespace-mount"),
    _space("namespace-root", same_as="namespace-unshare"),
    _space("namespace-detached-tree", same_as="namespace-mount"),
    _space("namespace-clone"),
    _space("namespace-clone-high", same_as="namespace-clone"),
    _space("namespace-clone3", "ENOSYS"),
    *rows("namespace-files namespace-tree", "EPERM", covers="GL-073"),
    Route("namespace-join", "EPERM", outside="EINVAL", covers="GL-073"),
)

_VICTIM = (
    # Under `wide` the filter lets these pass, and Landlock alone refuses them.
    *rows(
        "victim-seize victim-read victim-descriptor victim-compare",
        "EPERM",
        "alone",
        "default",
        "wide",
        covers="S2-381 GL-049 GL-076",
    ),
    *rows("victim-robust-list", "EPERM", "alone", "default", "fixed", covers="GL-048"),
    *rows("limit-others", "EPERM", "fixed", "strict", covers="GL-047 GL-048"),
    *rows("works-debugger", "EPERM", "default", covers="GL-076"),
    *rows("victim-link-target", "EACCES", "alone", "processes", covers="GL-049"),
    # Below that ABI its request is not among the listed ones.
    Route(
        "victim-namespace",
        ((0, "EPERM"), (ABI_IOCTL_DEV, "EACCES")),
        ("alone", "default"),
        needs=("linux-6.11",),
        natural=("ENOTTY",),
        covers="GL-049",
    ),
    Route(
        "victim-pages",
        "EPERM",
        ("alone", "default"),
        needs=("memory-nodes",),
        natural=("ENOSYS",),
        covers="GL-048",
    ),
    *rows(
        "victim-attach victim-write",
        "EPERM",
        "alone",
        "default",
        "wide",
        effect="victim-memory",
        covers="S2-381 GL-076",
    ),
    *rows(
        "victim-memory-file victim-environment victim-maps",
        "EACCES",
        "alone",
        "default",
        "processes",
        "wide",
        covers="S2-381 GL-049",
    ),
    *rows("victim-badness", "EACCES", "alone", "processes", covers="GL-049"),
    *rows("victim-limits", "EPERM", effect="victim-limits", covers="S2-168"),
    Route(
        "victim-limits-high", "EPERM", effect="victim-limits", same_as="victim-limits"
    ),
    *rows(
        "victim-priority victim-priority-of-group victim-io-priority victim-affinity"
        " victim-scheduler victim-scheduler-attributes",
        "EPERM",
        "alone",
        "isolated",
        "self",
        "terminate",
        "fixed",
        effect="victim-priority",
        covers="S2-168 GL-047",
    ),
)

_SIGNALS = (
    *rows(
        "signal-kill signal-thread signal-group-thread signal-queue"
        " signal-queue-thread signal-descriptor",
        "EPERM",
        "alone",
        "isolated",
        "self",
        "terminate",
        "terminate-alone",
        effect="victim-signal",
        covers="S1-109 S2-155 GL-043",
    ),
    *rows(
        "signal-end signal-end-thread signal-end-queue signal-end-descriptor",
        "EPERM",
        "alone",
        "isolated",
        "self",
        effect="victim-signal",
        covers="S2-155 GL-043",
    ),
    Route("signal-kill-high", "EPERM", effect="victim-signal", same_as="signal-kill"),
    Route("signal-parent", "EPERM", same_as="signal-kill", covers="S2-170"),
    *rows(
        "signal-own-group signal-group signal-everyone",
        UNDELIVERED,
        "alone",
        "isolated",
        effect="victim-signal",
        covers="S2-155 S2-166",
    ),
    *rows(
        "signal-own-group signal-group signal-everyone",
        "EPERM",
        "self",
        "terminate",
        "terminate-alone",
        effect="victim-signal",
        covers="GL-043",
    ),
    *rows(
        "signal-owner signal-owner-group signal-owner-extended terminal-async",
        "EPERM",
        "alone",
        "isolated",
        "self",
        "terminate",
        effect="victim-signal",
        covers="S2-165 GL-045",
    ),
    # Without a network these two are refused as requests to sockets already.
    *rows(
        "signal-socket-owner signal-socket-group",
        "EPERM",
        effect="victim-signal",
        covers="GL-045",
    ),
    *rows(
        "signal-socket-owner signal-socket-group",
        "EPERM",
        "network",
        effect="victim-signal",
        covers="S2-165 GL-045",
    ),
    *rows("signal-join-group", "EPERM", "alone", "isolated", "self", covers="S2-157"),
    *rows("signal-lease signal-notify", "EPERM"),
)

_CHILDREN = (
    *rows(
        "child-fork child-vfork child-clone child-shared-memory child-from-thread",
        "EPERM",
        "alone",
        covers="S2-174",
    ),
    Route("child-thread-bit-high", "EPERM", same_as="child-clone", covers="S2-174"),
    *rows("child-clone3", "ENOSYS", covers="S2-175"),
    *rows("child-inherits", "EACCES", "default", "isolated", covers="S2-182"),
    *rows(
        "child-sibling",
        "EPERM",
        "alone",
        "default",
        "isolated",
        effect="stranger",
        covers="S2-167",
    ),
    Route("child-sibling-high", "EPERM", effect="stranger", same_as="child-sibling"),
)


def _ipc(name: str, feature: str, effect: str = "") -> Route:
    return Route(
        name,
        "EPERM",
        ("alone", "default", "strict"),
        effect=effect,
        needs=(feature,),
        natural=NO_IPC,
        covers="S2-305 S2-306 GL-053",
    )


_IPC = (
    _ipc("ipc-memory", "system-v-ipc"),
    _ipc("ipc-memory-by-key", "system-v-ipc"),
    _ipc("ipc-queue", "system-v-ipc", "message"),
    _ipc("ipc-semaphore", "system-v-ipc", "message"),
    _ipc("ipc-key-read", "keyrings"),
    _ipc("ipc-key-request", "keyrings"),
    _ipc("ipc-key-add", "keyrings"),
    *(
        Route(
            name,
            "EPERM",
            ("alone", "default", "strict", "shared"),
            effect=effect,
            needs=("posix-queues",),
            natural=NO_IPC,
            covers="S2-306 GL-055",
        )
        for name, effect in (
            ("ipc-posix-queue", "message"),
            # Landlock, which sees a queue opened, sees neither of these.
            ("ipc-posix-queue-make", ""),
            ("ipc-posix-queue-remove", "message"),
        )
    ),
    *rows("ipc-environment", "ENOENT", covers="GL-035"),
)

_TYPED = ("typed-input",)
_TERMINAL = (
    Route(
        "terminal-type",
        "EPERM",
        ("alone", "default"),
        effect="typed",
        needs=_TYPED,
        natural=("EIO",),
        covers="S2-304 GL-052",
    ),
    Route(
        "terminal-type-high",
        "EPERM",
        effect="typed",
        needs=_TYPED,
        natural=("EIO",),
        same_as="terminal-type",
        covers="S2-304",
    ),
    *rows("terminal-exclusive", "EPERM", effect="terminal-changed"),
    *rows("terminal-discipline", "EPERM"),
    *rows(
        "terminal-size terminal-foreground",
        "EPERM",
        "alone",
        "isolated",
        "self",
        effect="terminal-changed",
        covers="S2-158",
    ),
    *rows("terminal-size", "EPERM", "terminate", effect="terminal-changed"),
    *rows("terminal-modes", "EPERM", "strict", covers="GL-062"),
    *rows("terminal-open terminal-reopen", "EACCES"),
    *rows(
        "terminal-own-device",
        ((0, "EPERM"), (ABI_IOCTL_DEV, "EACCES")),
        "devices",
        covers="S2-301",
    ),
)

PROCESSES: tuple[Route, ...] = (
    *_NAMESPACES,
    *_VICTIM,
    *_SIGNALS,
    *_CHILDREN,
    *_IPC,
    *_TERMINAL,
)
