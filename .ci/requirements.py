# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Print what pip must install: build requirements, then the named groups.

`pyproject.toml` stays the only list; the pip of Debian 12 cannot read dependency
groups itself. Usage: requirements.py [run] [GROUP]..., where `run` stands for
what the package needs at run time.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def main(names: list[str]) -> None:
    """Print one requirement a line."""
    text = Path(__file__).resolve().parent.parent.joinpath("pyproject.toml").read_text()
    project = tomllib.loads(text)
    requirements = list(project["build-system"]["requires"])
    for name in names:
        if name == "run":
            requirements += project["project"]["dependencies"]
        else:
            requirements += project["dependency-groups"][name]
    print("\n".join(requirements))


main(sys.argv[1:])
