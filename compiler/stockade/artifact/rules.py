# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the rules that fields of the bundle follow."""

from __future__ import annotations

from stockade.abi.features import FEATURES
from stockade.artifact.limits import LIMITS
from stockade.artifact.shape import Rule

ANY = Rule("any")
ZERO = Rule("range")
STRING = Rule("string")
TEXT = Rule("text")
NAME = Rule("name")
PATH = Rule("path")
WINDOWS_PATH = Rule("windows-path")
VARIABLE = Rule("variable")
LINES = Rule("lines")
IDENTIFIER = Rule("identifier")
WORD = Rule("word")
LABEL = Rule("label")
SID = Rule("sid")
SDDL = Rule("sddl")
FEATURE_BITS = Rule("bits", high=sum(FEATURES.values()))
PORT = Rule("range", high=65535)
# MAX_ERRNO of linux/err.h.
ANSWER = Rule("range", high=4095)


def one_of(name: str) -> Rule:
    """Return the rule of a field that holds one number of an enumeration."""
    return Rule("one-of", name)


def bits_of(name: str) -> Rule:
    """Return the rule of a field that holds bits of an enumeration."""
    return Rule("bits-of", name)


def index(section: str, *, optional: bool = False) -> Rule:
    """Return the rule of a field that names a record of a section."""
    return Rule("index", section, high=int(optional))


def slice_of(section: str, low: int, limit: str) -> Rule:
    """Return the rule of a field that, with the next one, names some records."""
    return Rule("slice", section, low, LIMITS[limit])
