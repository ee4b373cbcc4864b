# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn names into the numbers and bits of a bundle, and back.

Names that stand for bits come back in the order of the bits.
"""

from __future__ import annotations

from collections.abc import Iterable

from stockade.abi.features import FEATURES
from stockade.artifact.enumerations import NUMBERS
from stockade.artifact.errors import ArtifactMalformed


def number_of(enumeration: str, word: str) -> int:
    """Return the number of a word; an unknown one is ArtifactMalformed."""
    return _known(enumeration, NUMBERS[enumeration], word)


def bits_of(enumeration: str, words: Iterable[str]) -> int:
    """Return the bits of some words; an unknown one is ArtifactMalformed."""
    return _union(enumeration, NUMBERS[enumeration], words)


def words_of(enumeration: str, bits: int) -> tuple[str, ...]:
    """Return the words whose bits are set."""
    return _members(NUMBERS[enumeration], bits)


def feature_bits(names: Iterable[str]) -> int:
    """Return the bits of some features; an unknown one is ArtifactMalformed."""
    return _union("feature", FEATURES, names)


def feature_names(bits: int) -> tuple[str, ...]:
    """Return the features whose bits are set."""
    return _members(FEATURES, bits)


def _known(what: str, numbers: dict[str, int], word: str) -> int:
    if word not in numbers:
        message = f"unknown {what} `{word}`; known: {', '.join(numbers)}"
        raise ArtifactMalformed(message)
    return numbers[word]


def _union(what: str, numbers: dict[str, int], words: Iterable[str]) -> int:
    bits = 0
    for word in words:
        bits |= _known(what, numbers, word)
    return bits


def _members(numbers: dict[str, int], bits: int) -> tuple[str, ...]:
    return tuple(word for word, bit in numbers.items() if bits & bit)
