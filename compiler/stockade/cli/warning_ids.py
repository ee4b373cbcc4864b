# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the identifiers of warnings, of every platform, and choose the hidden ones."""

from __future__ import annotations

from stockade.cli.output import Refusal
from stockade.diagnostics import quote
from stockade.policy.suggest import suggestion

OPTION_WIDENS_POLICY = "option-widens-policy"

# Stable: a command line that hides one works on every platform and for good.
WARNING_IDS = (
    "unix-sockets-all",
    "signals-any",
    "egress-probing",
    "path-metadata-allow",
    "symlinks-followed-outside",
    "commands-loader",
    "writable-home",
    "terminals-reachable",
    "writable-path-directory",
    "mach-services-ignored",
    "mach-service-reach",
    OPTION_WIDENS_POLICY,
    "fallback-level",
    "ip-client-udp",
    "ip-client-unix-listen",
    "ip-client-private-networks",
    "ip-private-same-user",
    "ip-private-exposed-addresses",
    "ip-private-later-addresses",
    "ip-private-link-local",
    "relays-ipv4-only",
    "loopback-within-appcontainer",
    "signals-isolated-terminal",
    "signals-isolated-sigio",
    "forward-other-users",
    "egress-other-users",
    "relay-outlives-program",
    "path-metadata-open-files",
    "unix-sockets-existence",
    "view-holds-root",
    "view-partial",
    "contained-posix-spawn",
    "openssl-include",
    "cgroup-limit",
    "ecryptfs-unlisted",
    "appcontainer-shared",
    "grant-follows-file",
    "session-zero",
    "junction-closed",
    "signals-terminate",
    "self-check-off",
    "ipc-shared",
    "memory-files-executable",
    "project-files-nested",
    "resolver-socket",
    "sockets-pair",
    "files-open-to-containers",
    "sockets-local",
    "unix-sockets-writable",
    "written-files-executable",
)


def hidden_warnings(
    hidden: list[str], shown: list[str], *, hide_all: bool
) -> frozenset[str]:
    """Return the identifiers whose warnings are left out; raise Refusal."""
    for name in (*hidden, *shown):
        if name not in WARNING_IDS:
            near = suggestion(name, WARNING_IDS)
            advice = f"; did you mean `{near}`?" if near else ""
            raise Refusal(f"no warning is called {quote(name)}{advice}")
    for name in hidden:
        if name in shown:
            raise Refusal(f"warning {quote(name)} is both hidden and shown")
    if hide_all:
        return frozenset(name for name in WARNING_IDS if name not in shown)
    return frozenset(hidden)
