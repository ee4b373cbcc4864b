# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the page of macOS and Windows artifacts: what it shows, as text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flat_subjects import OBEDIENT, by_keys, macos_subject, windows_subject
from page_reader import Element, read_page

from stockade.abi.targets import System
from stockade.driver.linux import build_linux
from stockade.model.artifact import Requirement, WarningLine
from stockade.model.path_family import policy_on
from stockade.model.policy import Access, Grant, Policy
from stockade.review.difference import differences
from stockade.review.page import difference_page, report_page
from stockade.review.page_text import Document
from stockade.review.report import entries
from stockade.review.subject import Subject

_ODD = "/srv/<b>\"o'dd&"
_POLICY = Policy(
    grants=tuple(
        sorted(
            (
                Grant("/srv/in", Access.READ),
                Grant("/srv/out", Access.READ_WRITE),
                Grant(_ODD, Access.READ),
                Grant("C:\\srv\\in", Access.READ),
                Grant("D:\\data", Access.READ_WRITE),
            )
        )
    ),
    appcontainer_name="Example.App",
)
_LINE = Requirement("ip-network-denied", "IP networking denied", "no rule; no more", ())


@pytest.fixture(scope="module")
def page() -> Element:
    on = {system: policy_on(_POLICY, system) for system in System}
    macos = macos_subject(on[System.MACOS])
    windows = windows_subject(on[System.WINDOWS])
    lines = {"requirements": (_LINE,), "warnings": (WarningLine("w", "take `care`"),)}
    text = report_page(
        Document("a.toml", "version = 1\n"),
        (
            Subject(build_linux(_POLICY, "x", "linux-x86_64"), on[System.LINUX]),
            replace(macos, artifact=replace(macos.artifact, **lines)),  # type: ignore[arg-type]
            replace(windows, artifact=replace(windows.artifact, **lines)),  # type: ignore[arg-type]
        ),
        by_keys,
    )
    return read_page(text)


def test_each_system_has_its_matrix_and_its_note(page: Element) -> None:
    ids = [one.attributes["id"] for one in page.walk() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    linux, macos, windows = page.all("table", "matrix")
    assert len(linux.all("thead")[0].all("th")) > 2
    for matrix in (macos, windows):
        heads = [one.text for one in matrix.all("thead")[0].all("th")]
        assert heads == ["Requirement", "simulated, never run there"]
        assert "IP networking denied" in matrix.text
    notes = [one.text for one in page.all("p", "intro")]
    for name in ("macos", "windows"):
        said = f"`{name}` is simulated: decided by evaluators, never run there"
        # With the requirements, and again with what a launcher would apply.
        assert notes.count(said) == 2


def test_paths_stand_in_a_tree_with_what_a_judge_allows(page: Element) -> None:
    _, macos, windows = page.all("ul", "tree")
    assert [one.text for one in macos.all("code", "path")] == [
        *("/srv", "/<b>\"o'dd&", "/in", "/out"),
    ]
    assert [one.text for one in windows.all("code", "path")] == [
        *("C:\\\\srv\\\\in", "D:\\\\data"),
    ]
    legend = page.all("dl", "legend")[1].text
    assert "read files, list folders" in legend
    assert "write files" in legend


def test_a_profile_and_a_manifest_stand_in_full(page: Element) -> None:
    titles = [one.text for one in page.all("h2")]
    assert "Profile macos" in titles
    assert "Manifest windows" in titles
    source = page.all("table", "source")[1]
    assert source.all("tr")[0].text.endswith("(version 1)")
    tables = {
        tuple(head.text for head in one.all("thead")[0].all("th")): one
        for one in page.all("table", "calls")
    }
    values = tables["Name", "Kind", "Value"]
    assert ["P0", "path", _ODD] in [
        [cell.text for cell in row.walk() if cell.tag in {"th", "td"}]
        for row in values.all("tr")
    ]
    manifest = tables["Path", "Granted", "Entries"]
    assert "D:\\\\data" in manifest.text
    assert "S-1-15" not in manifest.text
    assert "S-1-15-3-1024" in tables["Stands for", "Kind", "Name and SID"].text


def test_a_difference_says_what_is_simulated() -> None:
    old, new = Policy(), Policy(grants=(Grant("/srv", Access.READ),))
    found = differences(macos_subject(old), macos_subject(new), OBEDIENT)
    text = difference_page(Document("old"), Document("new"), entries(found))
    assert "decided by evaluators, never run there" in read_page(text).text
    equal = difference_page(Document("old"), Document("new"), ())
    assert "never run there" not in read_page(equal).text
