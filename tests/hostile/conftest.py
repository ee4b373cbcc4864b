# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let the tests of hostile programs import the modules beside them and the routes."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "escape")]
