# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuse places of Windows by their names, and no place beside them."""

from __future__ import annotations

import pytest

from stockade.model.policy import Access, Grant
from stockade.plan.windows_places import fault_of_place

_NAME = "example.app"


@pytest.mark.parametrize(
    "path",
    [
        "C:\\ProgramData",
        "C:\\programdata\\microsoft",
        "C:\\ProgramData\\Microsoft\\Windows\\Start Menu\\Programs\\StartUp\\x",
        "C:\\Users\\me\\.ssh",
        "C:\\users\\Me\\.SSH\\x",
        "C:\\Users\\me\\Documents",
        "C:\\Users\\me\\AppData\\Local",
        "C:\\Users\\me\\AppData\\Roaming\\Microsoft",
    ],
)
def test_no_writable_path_reaches_what_others_trust(path: str) -> None:
    """S1-324 S2-352: at, above and below, in any case; to read it is no fault."""
    assert "trust" in fault_of_place(Grant(path, Access.READ_WRITE), _NAME)
    assert fault_of_place(Grant(path, Access.READ), _NAME) == ""


@pytest.mark.parametrize(
    "path",
    [
        "C:\\ProgramData-x",
        "C:\\ProgramData\\example",
        "C:\\Users\\me\\Documents-x",
        "C:\\Users\\me\\Documents\\letters",
        "C:\\Users\\me\\.sshx",
        "C:\\Users\\me\\AppData\\Local\\example",
        "D:\\Users\\me\\.ssh",
        "C:\\Work\\.ssh",
    ],
)
def test_places_beside_those_are_writable(path: str) -> None:
    """S1-324: a folder that holds none of them stays the author's to grant."""
    assert fault_of_place(Grant(path, Access.READ_WRITE), _NAME) == ""


@pytest.mark.parametrize("access", [Access.READ, Access.READ_EXEC, Access.READ_WRITE])
@pytest.mark.parametrize("path", ["C:\\", "D:\\", "C:\\Users", "c:\\users\\ME"])
def test_roots_of_drives_and_profiles_get_no_entry(path: str, access: Access) -> None:
    """S2-356: whatever is granted there."""
    assert "never changed" in fault_of_place(Grant(path, access), _NAME)


_PACKAGES = "C:\\Users\\me\\AppData\\Local\\Packages"


@pytest.mark.parametrize(
    "path",
    ["C:\\Users\\me\\AppData", "C:\\users\\Me\\appdata\\LOCAL", _PACKAGES],
)
def test_nothing_is_executable_where_the_container_writes(path: str) -> None:
    """Its own folder takes over what is granted above it; to read there is no fault."""
    for access in (Access.READ_EXEC, Access.COMMAND):
        assert "its own folder" in fault_of_place(Grant(path, access), _NAME)
    assert fault_of_place(Grant(path, Access.READ), _NAME) == ""


@pytest.mark.parametrize("access", list(Access))
def test_a_containers_own_folder_is_not_granted(access: Access) -> None:
    for path in (f"{_PACKAGES}\\Example.App", f"{_PACKAGES}\\example.app\\AC\\x"):
        fault = fault_of_place(Grant(path, access), _NAME)
        assert "container's own folder" in fault
        assert fault_of_place(Grant(path, access), "example.other") == ""
    for path in ("D:\\Users\\me\\AppData\\Local", f"{_PACKAGES}\\example.app-x"):
        assert fault_of_place(Grant(path, access), _NAME) == ""


def test_paths_are_only_so_deep() -> None:
    """Each folder above is judged, so their number has a bound."""
    for count, words in ((128, ""), (129, "more than 128 folders deep")):
        grant = Grant("C:" + "\\x" * count, Access.READ)
        assert words in fault_of_place(grant, _NAME)
        assert bool(words) is bool(fault_of_place(grant, _NAME))
