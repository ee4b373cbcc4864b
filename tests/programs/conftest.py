# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Give the tests of real programs a place with the folders that examples name."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stage import Stage

sys.path.insert(0, str(Path(__file__).resolve().parent))

from place import Place


@pytest.fixture
def place(stage: Stage) -> Place:
    return Place(stage)


@pytest.fixture
def listener() -> Iterator[int]:
    """Listen outside; gives the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]
