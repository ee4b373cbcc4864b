# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Find the word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

# Comparing takes time in proportion to the length, and no word is this long.
_LONGEST = 64


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """Return the known word nearest to one that is not known, or None."""
    if len(word) > _LONGEST:
        return None
    by_folded = {_folded(name): name for name in known}
    near = get_close_matches(_folded(word), by_folded, n=1, cutoff=0.7)
    return by_folded[near[0]] if near else None


def _folded(word: str) -> str:
    return word.lower().replace("-", "_")
