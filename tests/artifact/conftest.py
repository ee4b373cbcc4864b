# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the parser under sanitizers, and let tests import the modules beside them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from parse_driver import Driver, build_driver


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    """Return the parser as a program that stops at the first stray access."""
    return build_driver(tmp_path_factory.mktemp("driver"))
