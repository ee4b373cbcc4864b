# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the files that belong to the project, committed or about to be."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def project_files(*patterns: str) -> list[Path]:
    """Return what git tracks or would track, below the root, sorted."""
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            "--",
            *patterns,
        ],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    paths = sorted(ROOT / name for name in listed.split("\0") if name)
    return [path for path in paths if path.is_file()]
