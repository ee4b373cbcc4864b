# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuse places of Windows by their names, and no place beside them."""

from __future__ import annotations

import pytest

from stockade.model.policy import Access, Grant
from stockade.plan.windows_places import fault_of_place


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
    assert "trust" in fault_of_place(Grant(path, Access.READ_WRITE))
    assert fault_of_place(Grant(path, Access.READ)) == ""


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
    assert fault_of_place(Grant(path, Access.READ_WRITE)) == ""


@pytest.mark.parametrize("access", [Access.READ, Access.READ_EXEC, Access.READ_WRITE])
@pytest.mark.parametrize("path", ["C:\\", "D:\\", "C:\\Users", "c:\\users\\ME"])
def test_roots_of_drives_and_profiles_get_no_entry(path: str, access: Access) -> None:
    """S2-356: whatever is granted there."""
    assert "never changed" in fault_of_place(Grant(path, access))
