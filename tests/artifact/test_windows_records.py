# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the parser takes in Windows bundles, by record; refusals have a control."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest
from surgery import place
from system_examples import windows_example

from stockade.artifact import layout
from stockade.artifact.decode import decode
from stockade.artifact.encode import encode
from stockade.artifact.enumerations import NUMBERS
from stockade.artifact.errors import ArtifactMalformed, BundleRefused
from stockade.artifact.parser import parse
from stockade.artifact.write import checked_bytes
from stockade.model.artifact import TrustedLocation
from stockade.model.macos_artifact import ParameterKind, ProcessRule
from stockade.model.policy import Junctions
from stockade.model.windows_artifact import (
    CapabilityKind,
    JobLimit,
    Mitigation,
    PreflightKind,
    Removal,
    RemovalKind,
    UiLimit,
)

WHOLE = windows_example()
_PROGRAM, _FIRST, _NETWORK, _SECOND = WHOLE.capabilities
_OTHER = "S-1-15-3-1024-1-1-1-1-1-1-1-1"


def comes_back(**changes: object) -> bool:
    """Tell whether the changed artifact comes back out of its bundle as it was."""
    changed = replace(WHOLE, **changes)  # type: ignore[arg-type]
    return decode(checked_bytes(changed)) == changed


def is_refused(**changes: object) -> str:
    """Return why the parser refuses the bundle of the changed artifact."""
    changed = replace(WHOLE, **changes)  # type: ignore[arg-type]
    with pytest.raises(BundleRefused) as caught:
        parse(encode(changed))
    return caught.value.text


def with_entry(entry: str) -> tuple[object, ...]:
    """Return the entries with another one for the first path."""
    return (replace(WHOLE.entries[0], folder=(entry,)), *WHOLE.entries[1:])


def with_path(path: str) -> tuple[object, ...]:
    """Return the entries with another path first."""
    return (replace(WHOLE.entries[0], path=path), *WHOLE.entries[1:])


def test_artifact_without_optional_records_comes_back() -> None:
    names = (
        *("streams", "keys", "capabilities", "program", "entries", "private_folder"),
        *("open_folders", "job_limits", "ui_limits", "mitigations", "handles"),
        *("preflight", "removal", "environment", "requirements", "trusted"),
    )
    assert comes_back(**dict.fromkeys(names, ()), warnings=())


@pytest.mark.parametrize(
    ("enumeration", "words"),
    [
        ("parameter", ParameterKind),
        ("process_rule", ProcessRule),
        ("junctions", Junctions),
        ("capability", CapabilityKind),
        ("job_limit", JobLimit),
        ("ui_limit", UiLimit),
        ("mitigation", Mitigation),
        ("preflight", PreflightKind),
        ("removal", RemovalKind),
    ],
)
def test_numbers_are_those_of_the_words(enumeration: str, words: type[str]) -> None:
    """What an artifact can say has a number, and every number is one of a word."""
    assert set(NUMBERS[enumeration]) == {str(word) for word in words}


@pytest.mark.parametrize(
    "path", ["C:\\", "Z:\\a", "C:\\a b\\c.d", "C:\\ a", "C:\\.a", "C:\\\u00fc\\\udcff"]
)
def test_normalised_paths_come_back(path: str) -> None:
    assert comes_back(entries=with_path(path), open_folders=(path,))


@pytest.mark.parametrize(
    "path",
    [
        "",
        "C:",
        "c:\\a",
        "\\\\server\\share",
        "\\\\?\\C:\\a",
        "/srv",
        "C:/a",
        "C:\\a/b",
        "C:\\a\\",
        "C:\\\\a",
        "C:\\a\\\\b",
        "C:\\.",
        "C:\\a\\..\\b",
        "C:\\a.",
        "C:\\a \\b",
        "C:\\a ",
        "C:\\a:stream",
        "C:\\a*",
        "C:\\a?",
        'C:\\a"',
        "C:\\<a",
        "C:\\a>",
        "C:\\a|b",
        "C:\\a\nb",
        "C:\\a\x7f",
        "CC:\\a",
        "@:\\a",
        "[:\\a",
        "C;\\a",
        "C:a",
    ],
)
def test_paths_of_two_spellings_are_refused(path: str) -> None:
    """S2-348 whatever names a file twice, or a device, a stream or a share."""
    assert "absolute and normalised" in is_refused(entries=with_path(path))
    assert "absolute and normalised" in is_refused(open_folders=(path,))


def test_longest_path_comes_back() -> None:
    path = "C:\\" + "x" * 4092
    assert comes_back(open_folders=(path,))
    with patch.dict(layout.LIMITS, PATH_BYTES=1 << 20):
        assert "absolute and normalised" in is_refused(open_folders=(f"{path}x",))


@pytest.mark.parametrize(
    "entry", ["(A;;FR;;;SID)", "(A;OICIIO;0x1301bf;;;SID)", "(A;NP;FRFX;;;SID)"]
)
def test_entries_that_allow_the_capability_come_back(entry: str) -> None:
    assert comes_back(entries=with_entry(entry.replace("SID", _FIRST.sid)))


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "(D;;FR;;;SID)",
        "(A;;FR;;;OTHER)",
        "(A;;FR;;;WD)",
        "(A;;FR;;;SID0)",
        "(A;;FR;;;SID)(A;;FA;;;WD)",
        "(A;;FA;;;WD)(A;;FR;;;SID)",
        "(A;;;;;SID)",
        "(A;OI-CI;FR;;;SID)",
        "(A;OI-FR;;;SID)",
        "(A;;FR-;;SID)",
        "(A;;F-R;;;SID)",
        "(A;;FR;x;;SID)",
        "(A;;FR;;SID)",
        "(A;;FR;;;SID",
        "A;;FR;;;SID)",
        "(A;;FR;;;SID) ",
        "(A;;FR;;;SID)\n",
        "(OA;;FR;;;SID)",
        "D:(A;;FR;;;SID)",
    ],
)
def test_other_entries_are_refused(entry: str) -> None:
    """S2-348 none denies, none is for anybody else, and no text adds a second one."""
    text = entry.replace("SID", _FIRST.sid).replace("OTHER", _SECOND.sid)
    assert "access entry" in is_refused(entries=with_entry(text))
    path = replace(WHOLE.entries[0], file=(text,))
    assert "access entry" in is_refused(entries=(path, WHOLE.entries[1]))
    path = replace(WHOLE.entries[0], junction=(text,))
    assert "access entry" in is_refused(entries=(path, WHOLE.entries[1]))


def test_entries_of_program_and_folder_name_their_own() -> None:
    program, container = WHOLE.program, WHOLE.private_folder
    assert comes_back(program=program * 2, private_folder=container * 2)
    assert "access entry" in is_refused(program=container)
    assert "access entry" in is_refused(private_folder=program)
    assert "access entry" in is_refused(capabilities=(_FIRST, _NETWORK, _SECOND))


def test_kinds_of_entries_do_not_fall() -> None:
    data = encode(WHOLE)
    spot = place(data, "access_entries", 0, "kind")
    with pytest.raises(BundleRefused, match="out of order") as caught:
        parse(spot.write(data, NUMBERS["access_entry"]["junction"]))
    assert caught.value.offset == spot.start + 8
    # For the container's own, the entry has to fit its kind as well.
    both = encode(replace(WHOLE, private_folder=WHOLE.private_folder * 2))
    first = place(both, "container_entries", 0, "entry")
    container = place(both, "container_entries", 1, "entry").read(both)
    both = first.write(both, container)
    both = place(both, "container_entries", 0, "kind").write(both, 2)
    assert decode(both).program == ()
    last = place(both, "container_entries", 2, "kind")
    with pytest.raises(BundleRefused, match="out of order"):
        parse(last.write(both, 1))


def test_entries_are_for_a_capability_of_a_path() -> None:
    kinds = (CapabilityKind.NETWORK, CapabilityKind.PROGRAM)
    for kind in kinds:
        changed = (_PROGRAM, replace(_FIRST, kind=kind), _NETWORK, _SECOND)
        assert "capability is not" in is_refused(capabilities=changed)


def test_program_has_one_capability() -> None:
    second = replace(_NETWORK, kind=CapabilityKind.PROGRAM)
    assert "capability is not" in is_refused(
        capabilities=(_PROGRAM, _FIRST, second, _SECOND)
    )


@pytest.mark.parametrize(
    "sid",
    [
        *("", "S-1-15-2-1", "S-1-5-32-1", "S-1-15-3-", "S-1-15-3--1", "S-1-15-3-1-"),
        *("s-1-15-3-1", "S-1-15-3-x", "S-1-15-3-1)", "S-1-15-3-1\n", "WD", "S-1-"),
        *("S-1-15-3-1S", "S-1-15-3-1-S", "AS-1-15-3-1"),
    ],
)
def test_capabilities_have_sids_of_capabilities(sid: str) -> None:
    changed = (_PROGRAM, _FIRST, replace(_NETWORK, sid=sid), _SECOND)
    assert "security identifier" in is_refused(capabilities=changed)
    assert comes_back(capabilities=WHOLE.capabilities)


def test_longest_sid_comes_back() -> None:
    sid = "S-1-15-3-".ljust(4095, "1")
    rows = (_PROGRAM, _FIRST, replace(_NETWORK, sid=sid), _SECOND)
    assert comes_back(capabilities=rows)
    rows = (_PROGRAM, _FIRST, replace(_NETWORK, sid=f"{sid}1"), _SECOND)
    with patch.dict(layout.LIMITS, TEXT_BYTES=1 << 20):
        assert "security identifier" in is_refused(capabilities=rows)


@pytest.mark.parametrize("sid", ["", "S-1-15-3-1", "S-1-1-0", "S-1-15-2", "WD"])
def test_container_has_a_sid_of_containers(sid: str) -> None:
    changed = {"private_folder": (), "removal": ()}
    assert comes_back(**changed, container_sid="S-1-15-2-9")
    assert "security identifier" in is_refused(**changed, container_sid=sid)


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", "\u00fc", "a\n", "a;b", "a:b"])
def test_container_has_a_name_that_windows_takes(name: str) -> None:
    assert "word" in is_refused(container_name=name, removal=())
    assert comes_back(container_name="A b-c_d.9", removal=())


@pytest.mark.parametrize(
    "removal",
    [
        Removal(RemovalKind.ENTRIES, "", _FIRST.sid),
        Removal(RemovalKind.ENTRIES, "/srv", _FIRST.sid),
        Removal(RemovalKind.ENTRIES, "C:\\", WHOLE.container_sid),
        Removal(RemovalKind.ENTRIES, "C:\\", "S-1-5-32-544"),
        Removal(RemovalKind.JUNCTION_ENTRIES, "", _FIRST.sid),
        Removal(RemovalKind.JUNCTION_ENTRIES, "C:\\", WHOLE.container_sid),
        Removal(RemovalKind.PROGRAM_ENTRIES, "C:\\", _PROGRAM.sid),
        Removal(RemovalKind.PROGRAM_ENTRIES, "", WHOLE.container_sid),
        Removal(RemovalKind.LOOPBACK_EXEMPTION, "other", WHOLE.container_sid),
        Removal(RemovalKind.LOOPBACK_EXEMPTION, WHOLE.container_name, _FIRST.sid),
        Removal(RemovalKind.PROFILE, "other", WHOLE.container_sid),
        Removal(RemovalKind.PROFILE, WHOLE.container_name, "S-1-15-2-1"),
    ],
)
def test_nothing_foreign_is_taken_back(removal: Removal) -> None:
    found = is_refused(removal=(removal,))
    assert "removal of what" in found or "security identifier" in found
    assert comes_back(removal=WHOLE.removal)


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("absolute", ""),
        ("absolute", "/etc"),
        ("absolute", "C:\\a\\"),
        ("home", "AppData/Roaming"),
        ("home", "AppData\\..\\x"),
        ("home", "\\AppData"),
        ("variable", "A=B"),
    ],
)
def test_trusted_places_are_paths_of_the_system(base: str, path: str) -> None:
    found = is_refused(trusted=(TrustedLocation(base, path),))
    assert "path" in found or "variable" in found
    assert comes_back(trusted=WHOLE.trusted)


def test_mistakes_of_earlier_stages_are_named() -> None:
    for change, words in (
        ({"capabilities": (*WHOLE.capabilities, _NETWORK)}, "two capabilities"),
        ({"capabilities": (_PROGRAM, _FIRST)}, "is not listed"),
        ({"junctions": "x"}, "unknown junctions `x`"),
        ({"handles": ("x",)}, "unknown handle `x`"),
        ({"target": "windows-arm64"}, "unknown target `windows-arm64`"),
        ({"private_folder": (f"(D;;FA;;;{_OTHER})",)}, "access entry"),
    ):
        with pytest.raises(ArtifactMalformed, match=words):
            checked_bytes(replace(WHOLE, **change))  # type: ignore[arg-type]
