# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe the sections of Windows bundles: what the manifest says, as records."""

from __future__ import annotations

from stockade.abi.targets import System
from stockade.artifact.limits import LIMITS
from stockade.artifact.rules import (
    ANY,
    LABEL,
    NAME,
    SDDL,
    SID,
    TEXT,
    WINDOWS_PATH,
    WORD,
    bits_of,
    index,
    one_of,
    slice_of,
)
from stockade.artifact.shape import Field, Section

_WINDOWS = (System.WINDOWS,)
_f = Field

WINDOWS_SECTIONS: tuple[Section, ...] = (
    Section(
        24,
        "windows_settings",
        "windows_settings",
        (
            _f("policy_name", "str", TEXT, ""),
            _f("stream_kinds", "u32", bits_of("stream"), "allowed as 0, 1 and 2"),
            _f("container_name", "str", LABEL, ""),
            _f("container_sid", "str", SID, "what Windows derives from the name"),
            _f("junctions", "u32", one_of("junctions"), ""),
            _f("job_limits", "u32", bits_of("job_limit"), ""),
            _f("ui_limits", "u32", bits_of("ui_limit"), ""),
            _f("mitigations", "u32", bits_of("mitigation"), ""),
            _f("handles", "u32", bits_of("handle"), "that the program inherits"),
        ),
        "exactly one record",
        low=1,
        high=1,
        systems=_WINDOWS,
    ),
    Section(
        25,
        "capabilities",
        "capability",
        (
            _f("name", "str", WORD, ""),
            _f("kind", "u32", one_of("capability"), ""),
            _f("sid", "str", SID, "what Windows derives from the name"),
        ),
        "capabilities of the container's token",
        high=LIMITS["CAPABILITIES"],
        systems=_WINDOWS,
    ),
    Section(
        26,
        "path_entries",
        "path_entry",
        (
            _f("path", "str", WINDOWS_PATH, ""),
            _f("access", "str", WORD, "what the policy grants"),
            _f("capability", "u32", index("capabilities"), "of kind `path`"),
            _f(
                "first_entry",
                "u32",
                slice_of("access_entries", 0, "ENTRIES_PER_PATH"),
                "",
            ),
            _f("entry_count", "u32", ANY, "length of the slice"),
        ),
        "granted paths",
        high=LIMITS["GRANTS"],
        systems=_WINDOWS,
    ),
    Section(
        27,
        "access_entries",
        "access_entry",
        (
            _f("kind", "u32", one_of("access_entry"), "does not fall within a path"),
            _f("entry", "str", SDDL, "allows, and names the path's capability"),
        ),
        "access entries of the granted paths, as SDDL",
        systems=_WINDOWS,
    ),
    Section(
        28,
        "container_entries",
        "container_entry",
        (
            _f("kind", "u32", one_of("container_entry"), "does not fall"),
            _f("entry", "str", SDDL, "allows, and names whom the kind says"),
        ),
        "access entries of what no path of the policy names",
        high=LIMITS["CONTAINER_ENTRIES"],
        systems=_WINDOWS,
    ),
    Section(
        29,
        "open_folders",
        "open_folder",
        (_f("path", "str", WINDOWS_PATH, ""),),
        "what Windows itself opens to every container",
        high=LIMITS["OPEN_FOLDERS"],
        systems=_WINDOWS,
    ),
    Section(
        30,
        "preflight",
        "preflight",
        (
            _f("name", "str", WORD, ""),
            _f("kind", "u32", one_of("preflight"), "what follows where it is missing"),
            _f("text", "str", NAME, ""),
        ),
        "what the host must have",
        high=LIMITS["PREFLIGHT"],
        systems=_WINDOWS,
    ),
    Section(
        31,
        "removals",
        "removal",
        (
            _f("kind", "u32", one_of("removal"), ""),
            _f("subject", "str", TEXT, "path, nothing, or the container's name"),
            _f("sid", "str", SID, "whose entries are taken back"),
        ),
        "what a removal takes back, in its order",
        high=LIMITS["REMOVALS"],
        systems=_WINDOWS,
    ),
)
