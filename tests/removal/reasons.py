# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say why no test misses a refusal when it is gone: the open list."""

from __future__ import annotations

import re

_PARSED = "a second look: the parser refuses such an artifact before"
_FAULT = "only a call that fails or lies reaches it, and no fault of the short run does"
_GOES_ON = "only faults reach it; in the three tried, going on confined no less"
_OTHER_PART = "another part of the condition, or a look further on, refuses the same"
_TEXT = "the same text is refused further on, or is one that the kernel never gives"
_RACE = "only a file, a descriptor or a mount that changes during the start reaches it"
_LIMIT = "a limit of a static table that the artifact's own limits keep away"
_SWITCH = "a `switch` without a last way out: every kind of rule has its case"

# By what the line of a survivor says; the first that fits.
_REASONS: tuple[tuple[str, str], ...] = (
    (r"STK_BUNDLE_SLICE`$", _SWITCH),
    (
        (
            r"of the artifact has no class|artifact (`%s` )?has no (level|variant)"
            r"|outside the (artifact|data|filter)|of an unknown kind|has no filter"
            r"|is not of (a process ID|the witness)|of the artifact has no call"
            r"|program has no class|artifact has more than|unknown base"
            r"|call %ld of another architecture"
        ),
        _PARSED,
    ),
    (
        (
            r"levels_count == 0|settings_count != 1|requirements_count|probe_refs_count"
            r"|probes_count|insn_count|first_insn|first_relocation|PLACEHOLDER"
            r"|count >= MOST_RUNS"
        ),
        _PARSED,
    ),
    (r"changed while starting|was replaced while|pin_path\(&again|path_same", _RACE),
    (r"is a symbolic link", _RACE),
    (r"refuse_text", _TEXT),
    (
        (
            r"too long|lies too deep|more than %d (places|loaders|bytes)"
            r"|have more than %d bytes|too long a (path|name)|has more than %d bytes"
        ),
        _LIMIT,
    ),
    (
        (
            r"`(effective|saved) == 0`|text == value|size < 2|offset > INT32_MAX"
            r"|!inside`|!folder"
            r"|\*folder !=|part < 0|fcntl\(ends|strcmp\(\*next"
            r"|start < end`|count > end - used|STK_BUNDLE_DATA, data \+ at\)"
        ),
        _OTHER_PART,
    ),
    (r"call_refuse_false_clone|cannot be closed|was lost|LEAST", _FAULT),
    (r"die_errno|die_unavailable_errno|cannot tell", _FAULT),
    (r"< 0`|!= 0`|!= fd`|>= 0`|!= EBADF`|== MAP_FAILED`", _FAULT),
)


def reason(name: str, faults: int) -> str | None:
    """Return the reason for a survivor that so many faults reach, or None."""
    if faults:
        return _GOES_ON
    for pattern, why in _REASONS:
        if re.search(pattern, name):
            return why
    return None
