# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let the tests of the bench import its modules, which also run as a script."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
