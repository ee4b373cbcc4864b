# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read public macOS profiles and check published decisions, where they are at hand.

STOCKADE_DATA names a directory with `corpus/sb`, profiles of other projects, and
`cases/macos`: lines of a profile, an operation, what is known of a request and the
expected answer, and a table of operations.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stage as stages
from stockade.proof.sbpl.context import Address, Fact, context_of
from stockade.proof.sbpl.operations import EVERYWHERE, OPERATIONS, Certainty
from stockade.proof.sbpl.place import ProfileRefusedError
from stockade.proof.sbpl.profile import read_profile

# Told by their authors' programs when they start; what they are does not matter.
_PATHS = """
_GLOBAL_TMP_DIR _NIX_BUILD_TOP APP_PATH BROWSER_PID BUNDLE_ID BUNDLE_PATH
BUNDLE_VERSION_PATH CACHE_DIR CURRENT_PID DARWIN_USER_CACHE_DIR DARWIN_USER_DIR
DARWIN_USER_TEMP_DIR EXECUTABLE_PATH FIELD_TRIAL_SERVER_NAME HOME_DIR HOME_PATH
INCLUDE_DIR_0 INCLUDE_DIR_1 INCLUDE_DIR_2 INCLUDE_DIR_3 INCLUDE_DIR_4 LOG_FILE_PATH
NETWORK_SERVICE_STORAGE_PATH_0 NETWORK_SERVICE_STORAGE_PATH_1 PROFILE_DIR
SODA_COMPONENT_PATH SODA_LANGUAGE_PACK_PATH STORAGE_PATH_0 STORAGE_PATH_1
TARGET_DIR TMP_DIR USER_HOMEDIR_AS_LITERAL
"""
_SWITCHES = """
DISABLE_SANDBOX_DENIAL_LOGGING ELCAP_OR_LATER ENABLE_LOGGING FILTER_SYSCALLS
FILTER_SYSCALLS_DEBUG HAS_SANDBOXED_PROFILE HAS_WINDOW_SERVER IS_ROSETTA_TRANSLATED
MACOS_1013 SANDBOX_LEVEL_1 SANDBOX_LEVEL_2 SHOULD_LOG
"""
_NUMBERS = {
    "MAC_OS_VERSION": "1400",
    "NETWORK_SERVICE_STORAGE_PATHS_COUNT": "2",
    "OS_VERSION": "1400",
    "PATHS_COUNT": "2",
}
# Apple's own files, which nobody may copy: an empty text stands for each.
_IMPORTS = {"system.sb": "", "bsd.sb": ""}
_RAW_START, _RAW_END = 'R""(', ')""'


@pytest.fixture(scope="module")
def data() -> Path:
    stages.require("published-decisions")
    return Path(os.environ["STOCKADE_DATA"])


def _parameters(switch: str) -> dict[str, str]:
    return {
        **{name: f"/p/{name.lower()}" for name in _PATHS.split()},
        **dict.fromkeys(_SWITCHES.split(), switch),
        **_NUMBERS,
    }


def _profile_text(file: Path) -> str:
    """Give a profile as its program would: unwrapped, behind what it is added to."""
    text = file.read_text("utf-8")
    if file.parent.name == "nix":
        inner = text.split(_RAW_START, 1)[1].rsplit(_RAW_END, 1)[0]
        return f"(version 1)\n{inner}"
    has_version = bool(re.search(r"^\s*\(version", text, re.MULTILINE))
    if not has_version and file.parent.name == "chromium87":
        return (file.parent / "common.sb").read_text("utf-8") + text
    return text if has_version else f"(version 1)\n{text}"


def _files(data: Path) -> list[Path]:
    return sorted(
        file for file in (data / "corpus" / "sb").rglob("*") if ".sb" in file.suffix
    )


def _is_invalid(file: Path) -> bool:
    return "invalid" in file.name or "partial-errors" in file.name


@pytest.mark.parametrize("switch", ["TRUE", "FALSE"])
def test_public_profiles_are_read_whole(data: Path, switch: str) -> None:
    valid = [file for file in _files(data) if not _is_invalid(file)]
    for file in valid:
        profile = read_profile(_profile_text(file), _parameters(switch), _IMPORTS)
        assert profile.rules, file
        assert profile.version == 1, file
    assert len(valid) >= 42


def test_public_profiles_with_faults_are_refused_at_a_place(data: Path) -> None:
    invalid = [file for file in _files(data) if _is_invalid(file)]
    for file in invalid:
        with pytest.raises(ProfileRefusedError) as caught:
            read_profile(file.read_text("utf-8"), {}, _IMPORTS)
        assert caught.value.place.line > 1, file
    assert len(invalid) >= 3


def _facts(told: dict[str, Any]) -> Iterator[tuple[str, list[Fact]]]:
    for name, value in told.items():
        if name in {"local", "remote"}:
            yield name, [Address(*value)]
        else:
            yield name, value if isinstance(value, list) else [value]


def _decided(row: dict[str, Any]) -> str:
    """Decide a row's operation; `error` where its profile is refused."""
    try:
        profile = read_profile(row["profile"], row.get("params", {}), _IMPORTS)
    except ProfileRefusedError:
        return "error"
    found = profile.decide(row["op"], context_of(dict(_facts(row["ctx"]))))
    return "allow" if found.allowed else "deny"


def test_published_decisions_are_ours(data: Path) -> None:
    lines = (data / "cases" / "macos" / "decisions.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in lines.splitlines()]
    wrong = [row["id"] for row in rows if _decided(row) != row["expected"]]
    assert wrong == []
    assert len(rows) >= 37


def test_the_table_of_operations_is_the_published_one(data: Path) -> None:
    text = (data / "cases" / "macos" / "operations.json").read_text("utf-8")
    published = {row["op"]: row for row in json.loads(text)}
    ours = {
        name: row
        for name, row in OPERATIONS.items()
        if row.certainty is Certainty.TABLE
    }
    # Renamed and moved since: `iokit-open` and `mach-task-name`.
    assert sorted(set(published) - set(ours)) == ["iokit-open", "mach-task-name"]
    assert sorted(set(ours) - set(published)) == []
    for name, row in ours.items():
        theirs = published[name]
        own = {0: "deny", 1: "allow"}[theirs["action"]] if theirs["terminal"] else None
        assert (row.parent, row.own) == (theirs["fallback"], own), name
        filters = [one for one in theirs["filters"] if one not in EVERYWHERE]
        added = [] if "target" in filters else ["target"]
        assert [one for one in row.categories if one not in added] == filters, name
