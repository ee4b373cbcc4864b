# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Try routes under the variants of older kernels, with a launcher that is told so.

S2-398: the Landlock ABI is faked, the kernel is this one: what is seen here is the
choice of variant and its filter, on kernels that no package brings (ABI 1, 3, 4, 5).
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from arenas import Arenas
from route import ABI_SCOPES, POLICIES
from routes import DENIED, startable_policies, suite_lines
from routes_granted import GRANTED

import host_features
from stage import REPOSITORY, Stage

MACHINE = os.uname().machine
_SKIP = re.compile(r"^skip \S+ \S+: needs (\S+) \(")

# Rows whose answer hangs on the ABI, and all that has to work in every variant.
CHOSEN = {
    *(route.name for route in DENIED if not isinstance(route.inside, str)),
    *(route.name for route in DENIED if route.name.startswith("signal-")),
    *(route.name for route in GRANTED),
}


def build_launcher(abi: int, folder: Path) -> Path:
    """Build a launcher that takes the host for one of an older ABI."""
    subprocess.run(
        [
            *("make", "-s", "-C", REPOSITORY / "launcher-c", "fake-abi"),
            *(f"FAKE_ABI={abi}", f"BUILD={folder}"),
            f"HEADER={REPOSITORY}/build/include/stk_bundle_format.h",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return folder / f"stockade-launch-fake-abi{abi}"


@pytest.fixture(scope="module")
def arena(stage: Stage) -> Path:
    return stage.folder("arena-faked")


@pytest.fixture(scope="module")
def bundles(stage: Stage, probe: Path, arena: Path) -> dict[str, str]:
    """Compile what old kernels can hold; one bundle has the variants of all."""
    chosen = startable_policies(1)
    assert "isolated" not in chosen
    arenas = Arenas(stage, probe)
    return {name: str(arenas.bundle_at(name, arena)) for name in chosen}


@pytest.mark.parametrize("abi", range(1, ABI_SCOPES))
def test_faked_abi(
    stage: Stage,
    probe: Path,
    tmp_path: Path,
    arena: Path,
    bundles: dict[str, str],
    abi: int,
) -> None:
    """S2-398 S2-295 GL-079 GL-080 GL-045: one suite under each faked ABI."""
    launcher = stage.install(build_launcher(abi, tmp_path), f"launch-abi-{abi}")
    rows = [
        line
        for line in suite_lines(
            str(arena), str(launcher), bundles, MACHINE, abi, brief=True
        )
        if not line.startswith("route ") or line.split()[1] in CHOSEN
    ]
    file = stage.root / f"suite-{abi}"
    file.write_text("".join(f"{line}\n" for line in rows))
    done = stage.run([probe, "suite", file])
    text = done.stdout.decode()
    assert done.returncode == 0, text
    skipped = [match[1] for line in text.splitlines() if (match := _SKIP.match(line))]
    for names in skipped:
        assert host_features.missing(tuple(names.split(","))), names


def test_isolated_children_are_refused(stage: Stage, tmp_path: Path) -> None:
    """S2-154: below ABI 6 signals of several processes cannot be limited."""
    launcher = stage.install(build_launcher(5, tmp_path), "launch-refusing")
    text = POLICIES["isolated"].replace("{arena}", str(stage.folder("arena")))
    paths = re.sub(r"(?m)^read.*$", "", text)
    bundle = stage.compile(paths, "isolated")
    done = stage.run([launcher, bundle, "--", "/usr/bin/true"])
    assert (done.returncode, done.stdout) == (125, b"")
    assert b"cannot enforce signals limited to the sandbox" in done.stderr
    assert b"6.12" in done.stderr
    check = stage.run([launcher, "--check", bundle, "--", "/usr/bin/true"])
    assert check.returncode == 1
    assert b"UNAVAILABLE  signals limited to the sandbox: " in check.stdout
