# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Join the rows of every route, and write them as lines for booted kernels.

    python tests/escape/routes.py ARENA LAUNCHER ARTIFACTS ABI [ARCH] > FILE
    escape suite FILE

`ARTIFACTS/NAME.linux-ARCH.stk` are the bundles of `POLICIES`; the policies stand
in `route.py`, the rows in the modules beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from route import ABI_SCOPES, POLICIES, POLICY_NEEDS, Route
from routes_files import FILES
from routes_granted import GRANTED
from routes_machine import MACHINE
from routes_processes import PROCESSES

# Routes that no architecture but x86_64 has: numbers that newer ones dropped, and
# its two other tables of numbers.
X86_ONLY = frozenset(
    [
        "read-open",
        "write-open-truncate-legacy",
        "write-creat",
        "write-mode-three-legacy",
        "setid-open",
        "setid-creat",
        "setid-mknod",
        "setid-chmod",
        "metadata-chmod",
        "metadata-chown",
        "metadata-lchown",
        "metadata-utime",
        "metadata-utimes",
        "metadata-futimesat",
        "child-fork",
        "child-vfork",
    ]
) | {route.name for route in MACHINE if route.name.startswith("foreign-")}

DENIED: tuple[Route, ...] = (*FILES, *PROCESSES, *MACHINE)


def cases(arch: str) -> Iterator[tuple[Route, str]]:
    """Yield every route with each of its policies, for one architecture."""
    for route in (*DENIED, *GRANTED):
        if arch == "x86_64" or route.name not in X86_ONLY:
            for policy in route.policies:
                yield route, policy


def policy_text(name: str, arena: str) -> str:
    """Return a policy's text for an arena in one place."""
    return POLICIES[name].replace("{arena}", arena)


def startable_policies(abi: int) -> tuple[str, ...]:
    """Name the policies that a kernel of one Landlock ABI can hold."""
    return tuple(
        name for name in POLICIES if name not in POLICY_NEEDS or abi >= ABI_SCOPES
    )


def suite_lines(
    arena: str,
    launcher: str,
    artifacts: Mapping[str, str],
    arch: str,
    abi: int,
    *,
    brief: bool = False,
) -> Iterator[str]:
    """Yield the lines of `escape suite`, for a kernel of one Landlock ABI.

    `artifacts` gives the path of each policy's bundle; policies that are not in it
    are left out with their routes. With `brief`, each row comes under one policy
    only, the first that is there.
    """
    yield f"arena {arena}"
    yield f"launcher {launcher}"
    chosen = [name for name in startable_policies(abi) if name in artifacts]
    for name in chosen:
        yield f"policy {name} {artifacts[name]}"
    done: set[Route] = set()
    for route, policy in cases(arch):
        if policy in chosen and not (brief and route in done):
            done.add(route)
            yield _suite_line(route, policy, abi)


def _suite_line(route: Route, policy: str, abi: int) -> str:
    fields = (
        route.name,
        policy,
        route.outside,
        route.inside_at(abi),
        route.effect,
        route.left,
        "|".join(route.natural),
        ",".join(route.needs),
    )
    return "route " + " ".join(field or "-" for field in fields)


def main(words: list[str]) -> int:
    """Print the lines for one place; 2 for a wrong number of words."""
    if not 4 <= len(words) <= 5:
        sys.stderr.write((__doc__ or "") + "\n")
        return 2
    arena, launcher, folder, abi, *rest = words
    arch = rest[0] if rest else "x86_64"
    artifacts = {name: f"{folder}/{name}.linux-{arch}.stk" for name in POLICIES}
    for line in suite_lines(arena, launcher, artifacts, arch, int(abi)):
        sys.stdout.write(line + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
