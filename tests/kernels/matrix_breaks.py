# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Break artifacts on purpose, each in the way of one mistake of compiler or launcher.

The gate would refuse most of these, so they are encoded behind its back. The probes
of the enforcement check that would notice are taken out as well: what is asked is
whether the matrix sees a sandbox that is open, not whether such a one starts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from expected_check import ABI_IOCTL_DEV, ABI_RESOLVE_UNIX, ABI_TRUNCATE, ABI_UDP
from kernel_rows import ARM64

from stockade.abi.arch import LINUX_TARGETS, LinuxTarget
from stockade.abi.landlock import fs_mask, net_mask
from stockade.artifact.write import checked_bytes
from stockade.driver.linux import build_linux
from stockade.model.decide import WITNESS_NUMBER, rules_by_call
from stockade.model.policy import UnixSockets
from stockade.policy import read_policy
from stockade.targets.linux.seccomp import Defaults, compile_filter, table_calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernel_rows import Row

    from stockade.model.artifact import Artifact, Filter, Variant
    from stockade.model.policy import Policy

# Neighbours in the table and in meaning, of which a policy refuses one only.
_SWAPPED = ("fchownat", "fchdir")


@dataclass(frozen=True, slots=True)
class Part:
    """One variant of an artifact, with what it was made of."""

    policy: Policy
    target: LinuxTarget
    variant: Variant

    @property
    def abi(self) -> int:
        """Return the lowest Landlock ABI that the variant is for."""
        prefix = "landlock-abi-"
        return max(
            int(name.removeprefix(prefix))
            for name in self.variant.must
            if name.startswith(prefix)
        )

    def filter(
        self, abi: int, defaults: Defaults | None = None, swapped: tuple[str, ...] = ()
    ) -> Filter:
        """Compile a filter by the rules of one ABI, with defaults or numbers wrong."""
        calls = table_calls(self.target, rules_by_call(self.policy, abi))
        if swapped:
            here, there = (
                next(number for number, call in calls.items() if call.name == name)
                for name in swapped
            )
            calls[here], calls[there] = calls[there], calls[here]
        return compile_filter(
            self.target, calls, WITNESS_NUMBER, defaults or Defaults()
        )


@dataclass(frozen=True, slots=True)
class Break:
    """One mistake: what it does to a variant, and on which rows it must be seen."""

    name: str
    change: Callable[[Part], Variant]
    seen_on: Callable[[Row], bool]
    probes: tuple[str, ...] = ()


def broken_bundle(chosen: Break | None, name: str, text: str, target: str) -> bytes:
    """Compile a policy, with a mistake where one is chosen, past the gate."""
    policy = read_policy(text, name)
    artifact = build_linux(policy, name, target)
    if chosen is not None:
        artifact = broken(chosen, policy, artifact)
    return checked_bytes(artifact)


def broken(chosen: Break, policy: Policy, artifact: Artifact) -> Artifact:
    """Make a mistake in every variant that it touches."""
    (level,) = artifact.levels
    target = LINUX_TARGETS[artifact.target]
    variants = tuple(
        _without(chosen.change(Part(policy, target, variant)), chosen.probes)
        for variant in level.variants
    )
    return replace(artifact, levels=(replace(level, variants=variants),))


def _without(variant: Variant, probes: tuple[str, ...]) -> Variant:
    kept = tuple(probe for probe in variant.probes if probe.name not in probes)
    return replace(variant, probes=kept)


def _no_truncate_right(part: Part) -> Variant:
    if not ABI_TRUNCATE <= part.abi < ABI_IOCTL_DEV:
        return part.variant
    rights = part.variant.fs_required & ~fs_mask("TRUNCATE")
    return replace(part.variant, fs_required=rights)


def _no_truncation_guard(part: Part) -> Variant:
    if part.abi >= ABI_TRUNCATE:
        return part.variant
    return replace(part.variant, filter=part.filter(ABI_TRUNCATE))


def _no_x32_leaf(part: Part) -> Variant:
    if not part.target.has_x32:
        return part.variant
    return replace(part.variant, filter=part.filter(part.abi, Defaults(x32="ALLOW")))


def _numbers_swapped(part: Part) -> Variant:
    if part.target.arch != "aarch64":
        return part.variant
    return replace(part.variant, filter=part.filter(part.abi, swapped=_SWAPPED))


def _udp_not_handled(part: Part) -> Variant:
    if part.abi < ABI_UDP:
        return part.variant
    udp = net_mask("BIND_UDP", "CONNECT_SEND_UDP")
    return replace(
        part.variant,
        net_required=part.variant.net_required & ~udp,
        net_optional=part.variant.net_optional & ~udp,
    )


def _services_cut_off(part: Part) -> Variant:
    if part.policy.unix_sockets is UnixSockets.NONE:
        return part.variant
    # The launcher cuts it to what the kernel has.
    return replace(part.variant, fs_optional=fs_mask("RESOLVE_UNIX"))


_TRUNCATION = ("canary-empty", "canary-truncate")

BREAKS: tuple[Break, ...] = (
    Break(
        "no-truncate-right-at-3",
        _no_truncate_right,
        lambda row: ABI_TRUNCATE <= row.held_abi < ABI_IOCTL_DEV,
        _TRUNCATION,
    ),
    Break(
        "no-truncation-guard-below-3",
        _no_truncation_guard,
        lambda row: 0 < row.held_abi < ABI_TRUNCATE,
        _TRUNCATION,
    ),
    Break(
        "udp-not-handled-at-10",
        _udp_not_handled,
        lambda row: row.held_abi >= ABI_UDP,
        ("udp-port",),
    ),
    Break(
        "resolve-unix-under-all",
        _services_cut_off,
        lambda row: row.held_abi >= ABI_RESOLVE_UNIX,
    ),
    Break("no-x32-leaf", _no_x32_leaf, lambda row: row.x32, ("x32-call",)),
    Break(
        "arm64-numbers-swapped",
        _numbers_swapped,
        lambda row: row.arch == ARM64 and row.held_abi > 0,
    ),
)

# Routes that at least one mistake opens or shuts, and some that none does.
ROUTES = frozenset(
    {
        *("write-truncate", "write-truncate-read-grant", "write-open-truncate"),
        *("works-truncate", "works-truncate-path", "write-openat", "write-append"),
        *("foreign-x32-open", "foreign-x32-socket", "foreign-x32-kill"),
        *("foreign-i386-getpid", "foreign-i386-open"),
        *("metadata-fchownat", "metadata-fchmodat", "works-metadata-by-path"),
        *("read-openat", "read-list", "socket-tcp", "socket-udp", "socket-path"),
        *("client-bind", "client-bind-udp", "client-bind-udp-six"),
        *("works-client-bind", "works-client-exchange", "client-listen-unbound"),
        *("socket-abstract", "socket-path-datagram", "name-socket"),
        *("signal-kill", "name-create", "works-read", "works-write", "works-exec"),
    }
)
