# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name what artifacts are made for: a system and, on Linux, an architecture."""

from __future__ import annotations

from enum import StrEnum

from stockade.abi.arch import LINUX_TARGETS


class System(StrEnum):
    """One operating system."""

    LINUX = "linux"
    MACOS = "macos"
    WINDOWS = "windows"


# In the order in which targets are written and compared.
SYSTEM_OF: dict[str, System] = {
    **dict.fromkeys(sorted(LINUX_TARGETS), System.LINUX),
    "macos": System.MACOS,
    "windows": System.WINDOWS,
}
