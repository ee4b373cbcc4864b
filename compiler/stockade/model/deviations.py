# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the deviations of each system whose artifacts decide requests as a whole."""

from __future__ import annotations

from collections.abc import Mapping

from stockade.abi.targets import System
from stockade.model.deviation import Deviation
from stockade.model.macos_deviations import MACOS_DEVIATIONS
from stockade.model.windows_deviations import WINDOWS_DEVIATIONS

DEVIATIONS: Mapping[System, tuple[Deviation, ...]] = {
    System.MACOS: MACOS_DEVIATIONS,
    System.WINDOWS: WINDOWS_DEVIATIONS,
}
