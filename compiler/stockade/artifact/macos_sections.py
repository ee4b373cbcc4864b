# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe the sections of macOS bundles, and the keys that Windows bundles share.

The profile is a string, so that it lies in the file as `sandbox_init_with_parameters`
takes it: ended by a zero byte.
"""

from __future__ import annotations

from stockade.abi.targets import System
from stockade.artifact.limits import LIMITS
from stockade.artifact.rules import (
    IDENTIFIER,
    LINES,
    STRING,
    TEXT,
    WORD,
    bits_of,
    one_of,
)
from stockade.artifact.shape import Field, Section

_f = Field

KEY_SECTIONS: tuple[Section, ...] = (
    Section(
        21,
        "keys",
        "key",
        (
            _f("name", "str", WORD, "a field of the policy"),
            _f("value", "str", STRING, "its value, or one of them"),
        ),
        "the policy, key by key, from which its proof is repeated",
        high=LIMITS["KEYS"],
        systems=(System.MACOS, System.WINDOWS),
    ),
)

MACOS_SECTIONS: tuple[Section, ...] = (
    Section(
        22,
        "macos_settings",
        "macos_settings",
        (
            _f("policy_name", "str", TEXT, ""),
            _f("stream_kinds", "u32", bits_of("stream"), "allowed as 0, 1 and 2"),
            _f("profile", "str", LINES, "Seatbelt profile"),
            _f("process_rules", "u32", bits_of("process_rule"), ""),
        ),
        "exactly one record",
        low=1,
        high=1,
        systems=(System.MACOS,),
    ),
    Section(
        23,
        "parameters",
        "parameter",
        (
            _f("name", "str", IDENTIFIER, "as the profile names it"),
            _f("kind", "u32", one_of("parameter"), "who knows the value"),
            _f("value", "str", TEXT, "fits the kind"),
        ),
        "values that the profile takes by name",
        high=LIMITS["PARAMETERS"],
        systems=(System.MACOS,),
    ),
)
