# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let the tests of hostile texts import the modules beside them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
