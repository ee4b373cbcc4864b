# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare derived SIDs with published ones.

The first table is small and stands here; with STOCKADE_DATA, a directory with
`cases/windows/sids.json`, every row of that file is compared as well.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import stage as stages
from stockade.abi.sid import (
    NameNotDerivableError,
    capability_sid,
    container_sid,
    group_sid,
)

# Chromium: chrome/installer/setup/configure_app_container_sandbox.cc (the first two),
# chrome://sandbox's list (the third).
_CAPABILITIES = {
    "chromeInstallFiles": "3424233489-972189580-2057154623-747635277-1604371224"
    "-316187997-3786583170-1043257646",
    "lpacChromeInstallFiles": "2302894289-466761758-1166120688-1039016420-2430351297"
    "-4240214049-4028510897-3317428798",
    "registryRead": "1065365936-1281604716-3511738428-1654721687-432734479"
    "-3232135806-4053264122-3456934681",
}
# Listings of `CheckNetIsolation LoopbackExempt -s`, and the container of the
# Internet Explorer.
_CONTAINERS = {
    "microsoft.windowsstore_8wekyb3d8bbwe": "1609473798-1231923017-684268153"
    "-4268514328-882773646-2760585773-1760938157",
    "windows_ie_ac_001": "1430448594-2639229838-973813799-439329657-1197984847"
    "-4069167804-1277922394",
    "Microsoft.MicrosoftEdge_8wekyb3d8bbwe": "3624051433-2125758914-1423191267"
    "-1740899205-1073925389-3782572162-737981194",
    "microsoft.windows.authhost.a.p_8wekyb3d8bbwe": "3506084497-1208594716-3384433646"
    "-2514033508-1838198150-1980605558-3480344935",
}
_NUMBERED = (
    *("internetClient", "internetClientServer", "privateNetworkClientServer"),
    *("picturesLibrary", "videosLibrary", "musicLibrary", "documentsLibrary"),
    *("enterpriseAuthentication", "sharedUserCertificates", "removableStorage"),
    *("appointments", "contacts"),
)


@pytest.mark.parametrize(("name", "words"), _CAPABILITIES.items())
def test_capabilities_have_their_published_sids(name: str, words: str) -> None:
    """S2-355."""
    for spelling in (name, name.upper(), name.lower()):
        assert capability_sid(spelling) == f"S-1-15-3-1024-{words}"
        assert group_sid(spelling) == f"S-1-5-32-{words}"
    assert capability_sid(name + "x") != capability_sid(name)


@pytest.mark.parametrize(("name", "words"), _CONTAINERS.items())
def test_containers_have_their_published_sids(name: str, words: str) -> None:
    """S2-355."""
    for spelling in (name, name.upper(), name.lower()):
        assert container_sid(spelling) == f"S-1-15-2-{words}"
    assert container_sid(name + "x") != container_sid(name)


def test_twelve_capabilities_are_numbered_and_their_groups_hashed() -> None:
    for number, name in enumerate(_NUMBERED, 1):
        assert capability_sid(name) == f"S-1-15-3-{number}"
        assert capability_sid(name.upper()) == f"S-1-15-3-{number}"
        assert re.fullmatch(r"S-1-5-32(-\d+){8}", group_sid(name))
    assert capability_sid("internetClients").startswith("S-1-15-3-1024-")


@pytest.mark.parametrize(
    "name", ["", "a" * 65, "grün", "a/b", "a\\b", "a\n", "a;b", "a(b", "\u212a"]
)
def test_no_container_has_another_name(name: str) -> None:
    """S2-339."""
    with pytest.raises(NameNotDerivableError):
        container_sid(name)
    assert container_sid("a" * 64) != container_sid("a")


@pytest.mark.parametrize(
    "name", ["grün", "\u212a", "isolatedWin32-print", "ISOLATEDWIN32"]
)
def test_no_sid_is_guessed_for_a_capability(name: str) -> None:
    for derive in (capability_sid, group_sid):
        with pytest.raises(NameNotDerivableError):
            derive(name)
        derive("isolated")


def test_a_capability_without_a_name_has_a_sid() -> None:
    """SHA-256 of nothing begins with e3b0c442 98fc1c14, in the order of its bytes."""
    words = capability_sid("").removeprefix("S-1-15-3-1024-").split("-")
    assert len(words) == 8
    assert words[:2] == [str(0x42C4B0E3), str(0x141CFC98)]


def test_every_published_sid_is_derived() -> None:
    """S2-355."""
    stages.require("published-sids")
    file = Path(os.environ["STOCKADE_DATA"]) / "cases" / "windows" / "sids.json"
    rows = json.loads(file.read_text("utf-8"))
    assert {name: capability_sid(name) for name in rows["cap"]} == rows["cap"]
    assert {name: container_sid(name) for name in rows["ac"]} == rows["ac"]
    assert len(rows["cap"]) >= 10
    assert len(rows["ac"]) >= 4
