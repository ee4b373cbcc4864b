# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let the tests of removal import the modules beside them."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "plan")]
