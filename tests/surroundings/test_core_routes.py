# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Try a part of the escape routes where other sandboxes are at work already.

What an outer filter denies proves nothing and is passed over. The rest must be denied
inside as it is without surroundings, and what must work inside must work.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from routes import policy_text, suite_lines
from rows import ROWS
from surrounded import Place

import host_features
from stage import Stage, require

_ARCH = os.uname().machine
_POLICIES = ("alone", "default")
# Under the first policy that each has.
_ROUTES = frozenset(
    [
        *("read-openat", "read-link", "read-list"),
        *("write-openat", "write-truncate", "write-open-truncate", "write-mode-three"),
        *("name-create", "name-link-out", "exec-outside", "exec-descriptor"),
        *("setid-openat", "metadata-fchmodat", "victim-read", "victim-limits"),
        *("signal-kill", "signal-everyone", "child-clone", "child-sibling"),
        *("socket-udp", "socket-abstract", "socket-pair-datagram", "kernel-ring"),
        *("foreign-i386-open", "ipc-memory", "kernel-loosen-filter"),
        *("works-read", "works-write", "works-exec", "works-threads"),
    ]
)
# How a route may end outside where a filter is in its way.
_DENIED = ("EPERM", "ENOSYS", "EAFNOSUPPORT", "none")
_PLACES = (
    "docker",
    "native",
    "hardened",
    "hardened-in-docker",
    "supervised",
    "small-proc",
    "noexec",
    "loopback-down",
    "parent-1",
    "files-64",
)
# So many of the routes work outside in each of them, on kernels that have less too.
_LEAST = 25
_TOTAL = re.compile(r"^suite: (\d+) passed, 0 failed, (\d+) skipped$", re.MULTILINE)


def _lines(arena: Path, launcher: Path, bundles: dict[str, str]) -> Iterator[str]:
    abi = host_features.landlock_abi()
    lines = suite_lines(str(arena), str(launcher), bundles, _ARCH, abi, brief=True)
    for line in lines:
        kind, *fields = line.split()
        if kind != "route":
            yield line
        elif fields[0] in _ROUTES:
            *before, natural, needs = fields
            answers = "|".join([*_DENIED, *([] if natural == "-" else [natural])])
            yield " ".join([kind, *before, answers, needs])


@pytest.fixture(scope="module")
def place(stage: Stage, probe: Path) -> Place:
    return Place(stage, probe)


@pytest.fixture(scope="module")
def suite(stage: Stage) -> Path:
    """Return the lines of the routes, for an arena of their own."""
    arena = stage.folder("core-arena")
    bundles = {
        name: str(stage.compile(policy_text(name, str(arena)), name))
        for name in _POLICIES
    }
    file = stage.root / "core-routes"
    file.write_text(
        "".join(f"{line}\n" for line in _lines(arena, stage.launcher, bundles))
    )
    return file


@pytest.mark.parametrize("name", _PLACES)
def test_routes_are_denied_in_surroundings(
    name: str, place: Place, suite: Path
) -> None:
    """S2-390 S2-380"""
    (row,) = (row for row in ROWS if row.name == name)
    require(*row.needs)
    done = place.run(row.steps, [place.program, "suite", suite])
    text = done.stdout.decode()
    assert done.returncode == 0, text + done.stderr.decode()
    counts = _TOTAL.search(text)
    assert counts is not None, text
    assert int(counts[1]) >= _LEAST, text
