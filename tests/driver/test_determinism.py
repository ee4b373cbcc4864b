# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that the same policy gives the same bytes everywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

_POLICY = """\
version = 1
[filesystem]
read = ["/srv/b", "/srv/a", "/srv/ä"]
read_write = ["/srv/out"]
[process]
signals = "isolated"
children = "none"
[environment]
pass = ["TZ", "LANG"]
set = { B = "2", A = "1" }
"""
_COMPILE = """\
import sys
from pathlib import Path
from stockade.driver.compile import compile_policy, write_bundles
from stockade.driver.targets import default_targets
from stockade.policy import read_policy
policy = read_policy(Path(sys.argv[1]).read_bytes(), "policy.toml")
compiled = {
    target: compile_policy(policy, "policy", target)
    for target in default_targets(policy)
}
write_bundles(Path(sys.argv[2]), "policy", compiled)
"""


def _digest(folder: Path, **environment: str) -> dict[str, str]:
    out = folder / "out"
    (folder / "policy.toml").write_text(_POLICY, "utf-8")
    subprocess.run(
        [sys.executable, "-c", _COMPILE, str(folder / "policy.toml"), str(out)],
        check=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
    )
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.iterdir())
    }


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return _digest(tmp_path_factory.mktemp("reference"), PYTHONHASHSEED="0")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "4294967295"},
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8"},
        {"TZ": "Asia/Kathmandu", "SOURCE_DATE_EPOCH": "1"},
        {"PYTHONOPTIMIZE": "2"},
    ],
    ids="-".join,
)
def test_bytes_do_not_depend_on_surroundings(
    tmp_path: Path, reference: dict[str, str], environment: dict[str, str]
) -> None:
    """S1-371: hash seed, locale, time zone, optimisation, folder."""
    folder = tmp_path / "another place"
    folder.mkdir()
    assert _digest(folder, **environment) == reference
    assert len(reference) == 6


def test_order_of_keys_and_entries_does_not_matter(
    tmp_path: Path, reference: dict[str, str]
) -> None:
    folder = tmp_path / "turned"
    folder.mkdir()
    lines = _POLICY.splitlines()
    turned = "\n".join([lines[0], *lines[7:], *lines[4:7], *lines[1:4]]).replace(
        '["/srv/b", "/srv/a", "/srv/ä"]', '["/srv/ä", "/srv/a", "/srv/b/"]'
    )
    (folder / "policy.toml").write_text(turned, "utf-8")
    out = folder / "out"
    subprocess.run(
        [sys.executable, "-c", _COMPILE, str(folder / "policy.toml"), str(out)],
        check=True,
    )
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.iterdir())
    }
    assert found == reference
