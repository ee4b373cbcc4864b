# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Let the tests of the fuzzers import the modules beside them."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import host_features

sys.path.insert(0, str(Path(__file__).resolve().parent))


@host_features.feature("clang")
def _clang() -> bool:
    return shutil.which("clang") is not None


@host_features.feature("atheris")
def _atheris() -> bool:
    return importlib.util.find_spec("atheris") is not None
