# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bound what reading and deciding may cost, whatever a profile says.

Real profiles of the largest public programs stay below a tenth of each.
"""

from __future__ import annotations

# Characters of a profile's text, or of one imported text.
MAX_TEXT = 2_000_000
# Lists in lists, as written.
MAX_NESTING = 100
# Expressions evaluated inside others; each takes a few frames of Python's.
MAX_DEPTH = 100
# Expressions evaluated in all.
MAX_STEPS = 500_000
# Characters of all strings that a profile makes.
MAX_MADE = 4_000_000
# Members of all lists that a profile makes.
MAX_LISTED = 100_000
MAX_IMPORTS = 16
# Rules for one operation, and tests in all rules together.
MAX_RULES = 20_000
MAX_TESTS = 2_000_000
# States of expressions, in all of a profile, and followed for one request.
MAX_STATES = 400_000
MAX_FOLLOWED = 2_000_000
# Filters in filters.
MAX_FILTER_DEPTH = 50
# Apple's compiler takes numbers of a machine word.
MAX_NUMBER = 2**63 - 1
# Characters of one regular expression: of a path, quoted, and of names below it.
MAX_REGEX = 4_096

# The bytes that Apple's compiler gives to one rule's patterns: "pattern serialization
# length N exceeds maximum (65535)", NixOS/nix#4119.
MAX_SERIALIZED = 65_535
# How many bytes a pattern takes is not published. About 1,600 store paths of Nix took
# 97,830 (measured there), 61 for each: a byte a character, and these for the rest.
BYTES_PER_PATTERN = 8
