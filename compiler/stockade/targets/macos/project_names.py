# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write patterns for the names in a checkout that other tools run or trust.

Names on most volumes of a Mac are equal in any case, and whether Seatbelt folds the
case of a rule's path is told in two ways and measured in none, so no rule here rests
on it: each letter is a class of its own. APFS folds two letters beyond ASCII (U+017F
to s, U+212A to k), and HFS+ leaves out letters that have no width, so a run of
anything beyond ASCII may stand before and in place of letters.
"""

from __future__ import annotations

from collections.abc import Iterable

from stockade.model.project_files import (
    LEFTHOOK,
    LEFTHOOK_ENDINGS,
    LEFTHOOK_FOLDERS,
    LEFTHOOK_LOCAL,
    PROJECT_FOLDER,
    PROJECT_NAMES,
)
from stockade.render.text import SbplText, sbpl_string

_BEYOND_ASCII = "[^ -~]"
# What a letter beyond ASCII is folded to.
_FOLDED_TO = "ks"


def project_patterns() -> tuple[SbplText, ...]:
    """Give the ends of patterns that begin with a writable folder.

    Together they hold for every protected name and all below it.
    """
    names = _either(PROJECT_NAMES)
    hook_settings = (
        f"({_either(LEFTHOOK_FOLDERS)})?{_any_case(LEFTHOOK)}"
        f"({_any_case(LEFTHOOK_LOCAL)})?{_either(LEFTHOOK_ENDINGS)}"
    )
    return tuple(
        sbpl_string(f"/{name}{_BEYOND_ASCII}*(/|$)") for name in (names, hook_settings)
    )


def folder_pattern() -> SbplText:
    """Give that of the folder between, which stays in its place and holds others too.

    A folder of its name could else be filled elsewhere and moved there.
    """
    return sbpl_string(f"/{_any_case(PROJECT_FOLDER)}{_BEYOND_ASCII}*$")


def _either(names: Iterable[str]) -> str:
    return f"({'|'.join(map(_any_case, names))})"


def _any_case(name: str) -> str:
    return "".join(map(_character, name))


def _character(one: str) -> str:
    lower, upper = one.lower(), one.upper()
    if lower == upper:
        return f"{_BEYOND_ASCII}*[{one}]"
    if lower in _FOLDED_TO:
        return f"({_BEYOND_ASCII}*[{lower}{upper}]|{_BEYOND_ASCII}+)"
    return f"{_BEYOND_ASCII}*[{lower}{upper}]"
