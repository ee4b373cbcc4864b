# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe what a route must answer, and the policies that it is tried under.

One row is one route under some policies. Outside it works, or the kernel itself
lacks what it needs; inside it gets the named error, and nothing outside changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

# Landlock ABIs at which another mechanism, with another error, holds a promise.
ABI_REFER = 2
ABI_TRUNCATE = 3
ABI_TCP = 4
ABI_IOCTL_DEV = 5
ABI_SCOPES = 6
ABI_UDP = 10
ABI_NEWEST = 11

# An errno name, `ok`, or such by the lowest ABI from which it holds.
Answer: TypeAlias = str | tuple[tuple[int, str], ...]

_PATHS = """\
version = 1
[filesystem]
read = ["{arena}/read"{more}]
read_exec = ["{arena}/exec"]
read_write = ["{arena}/write", "{arena}/write2"]
"""
_ISOLATED = '[process]\nsignals = "isolated"\n'
_ALONE = f'{_ISOLATED}children = "none"\n'


# With Landlock's scope these calls work, and reach nobody outside.
UNDELIVERED: Answer = ((0, "EPERM"), (ABI_SCOPES, "ok"))
# What calls on IPC and keys answer where the kernel lacks them.
NO_IPC = ("ENOSYS", "EINVAL", "ENOENT", "ENOKEY")
# What sockets answer where loopback is down or the family is not built.
NO_LOOPBACK = ("ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT")


def _policy(rest: str, more: str = "") -> str:
    return _PATHS.replace("{more}", more) + rest


# By name; `{arena}` stands for the arena's folder.
POLICIES: dict[str, str] = {
    "alone": _policy(_ALONE),
    "default": _policy(""),
    "isolated": _policy(_ISOLATED),
    "network": _policy(f'{_ALONE}[network]\nip = "all"\n'),
    "client": _policy(f'{_ALONE}[network]\nip = "client"\n'),
    "services": _policy('[network]\nunix_sockets = "all"\n'),
    "client-services": _policy('[network]\nip = "client"\nunix_sockets = "all"\n'),
    "no-sockets": _policy(f'{_ALONE}[network]\nsockets = "none"\n'),
    "links": _policy(f'symlinks = "allow"\n{_ALONE}'),
    "self": _policy('[process]\nsignals = "self"\nchildren = "none"\n'),
    "terminate": _policy('[process]\nsignals = "terminate"\n'),
    "terminate-alone": _policy('[process]\nsignals = "terminate"\nchildren = "none"\n'),
    "strict": _policy(
        '[process]\nsignals = "self"\nchildren = "none"\nothers = "fixed"\n'
        'ipc = "none"\nmemory_files = "refused"\nself_check = "on"\n[linux]\n'
        'path_metadata = "deny-all"\nioctls = "no-input"\n'
        'kernel_surface = "reduced"\n'
    ),
    "fixed": _policy('[process]\nothers = "fixed"\n'),
    "shared": _policy('[process]\nipc = "shared"\n'),
    "memory": _policy('[process]\nmemory_files = "allowed"\n'),
    "wide": _policy('[linux]\nkernel_surface = "wide"\n', ', "/proc"'),
    "metadata": _policy(f'{_ALONE}[linux]\npath_metadata = "allow"\n'),
    "processes": _policy(_ALONE, ', "/proc"'),
    "devices": _policy(_ALONE, ', "/dev/ptmx", "/dev/pts"'),
}
# Policies that a host must have a feature for; the others start from ABI 1.
POLICY_NEEDS: dict[str, tuple[str, ...]] = {"isolated": (f"landlock-abi-{ABI_SCOPES}",)}


@dataclass(frozen=True, slots=True)
class Route:
    """One route under some policies, and what it must answer.

    `effect` is what must be seen to change outside when the route gets through
    there; `left` is what may change even from inside. `natural` are the kernel's
    own answers where it lacks what `needs` names. A route that is `same_as` another
    differs from it by an argument only, and does not count as a further route.
    """

    name: str
    inside: Answer
    policies: tuple[str, ...] = ("alone",)
    effect: str = ""
    left: str = ""
    needs: tuple[str, ...] = ()
    natural: tuple[str, ...] = ()
    outside: str = "ok"
    same_as: str = ""
    covers: str = ""

    def inside_at(self, abi: int) -> str:
        """Return the answer wanted on a kernel of one Landlock ABI."""
        if isinstance(self.inside, str):
            return self.inside
        return [answer for least, answer in self.inside if least <= abi][-1]


def rows(
    names: str,
    inside: Answer,
    *policies: str,
    effect: str = "",
    covers: str = "",
) -> tuple[Route, ...]:
    """Make rows that differ by their names only."""
    chosen = policies or ("alone", "default")
    return tuple(
        Route(name, inside, chosen, effect, covers=covers) for name in names.split()
    )
