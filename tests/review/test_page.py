# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check pages by a parser of HTML: structure, links, and that text stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError
from page_reader import Element, read_page
from tree import ROOT

from stockade.abi.arch import LINUX_TARGETS
from stockade.driver.compile import compile_policy
from stockade.driver.review import (
    Side,
    difference,
    difference_html,
    read_side,
    report_html,
    write_page,
)
from stockade.model.policy import Policy
from stockade.render.environment import Templates, UnquotedText
from stockade.render.text import (
    HtmlText,
    Text,
    html_asset,
    html_name,
    html_text,
    plain,
)
from stockade.review.report import entries

_EXAMPLES = ROOT / "docs" / "examples"
_TARGET = "linux-x86_64"
_OLD = """\
version = 1
[filesystem]
read = ["/srv/in"]
read_write = ["/srv/out"]
[process]
children = "none"
"""
_NEW = _OLD.replace("/srv/in", "/srv").replace('"none"', '"allowed"')


def _side(text: str, name: str, target: str = _TARGET) -> Side:
    return read_side(text.encode(), name, [target])


def _report(text: str, name: str = "a.toml") -> str:
    return report_html(_side(text, name))


def _difference(old: Side, new: Side) -> str:
    return difference_html(old, new, entries(difference(old, new)))


@pytest.fixture(scope="module")
def pages() -> dict[str, Element]:
    nginx = (_EXAMPLES / "nginx.toml").read_bytes()
    sides = _side(_OLD, "old.toml"), _side(_NEW, "new.toml")
    bundle = compile_policy(Policy(), "x", _TARGET).bundle
    texts = {
        "nginx": report_html(read_side(nginx, "nginx.toml", LINUX_TARGETS)),
        "bundle": report_html(read_side(bundle, "x.stk")),
        "difference": _difference(*sides),
        "equal": _difference(sides[0], sides[0]),
    }
    return {name: read_page(text) for name, text in texts.items()}


_NAMES = ("nginx", "bundle", "difference", "equal")


@pytest.mark.parametrize("name", _NAMES)
def test_a_page_is_one_file_that_asks_for_nothing(
    pages: dict[str, Element], name: str
) -> None:
    page = pages[name]
    assert page.all("html")[0].attributes["lang"] == "en"
    assert not {"link", "img", "iframe", "object", "base"} & {
        one.tag for one in page.walk()
    }
    for one in page.walk():
        for key, value in one.attributes.items():
            assert not key.startswith("on"), key
            assert key not in {"src", "style", "action", "srcdoc"}, key
            if key == "href":
                assert (value or "").startswith("#")
    (style,), (script,) = page.all("style"), page.all("script")
    assert "url(" not in style.text
    assert "@import" not in style.text
    (policy,) = (
        one.attributes["content"] or ""
        for one in page.all("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {_hash(style.text)}",
        f"script-src {_hash(script.text)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


@pytest.mark.parametrize("name", _NAMES)
def test_a_page_can_be_gone_through_by_its_structure(
    pages: dict[str, Element], name: str
) -> None:
    """Headings go down one step at a time, cells have headers, links lead somewhere."""
    page = pages[name]
    levels = [int(one.tag[1]) for one in page.walk() if re.fullmatch("h[1-6]", one.tag)]
    assert levels.count(1) == 1
    assert all(next_ <= level + 1 for level, next_ in pairwise(levels))
    for head in page.all("th"):
        assert head.attributes["scope"] in {"row", "col", "rowgroup"}
    ids = [one.attributes["id"] for one in page.walk() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    used = [
        (one.attributes.get(key) or "").removeprefix("#")
        for one in page.walk()
        for key in ("href", "for", "aria-labelledby", "aria-describedby")
        if key in one.attributes
    ]
    assert set(used) <= set(ids)
    for region in page.all("div", "scroll"):
        assert {"aria-label", "aria-labelledby"} & set(region.attributes)
        assert region.attributes["tabindex"] == "0"


def test_a_report_holds_what_the_policy_means(pages: dict[str, Element]) -> None:
    page = pages["nginx"]
    lines = page.all("table", "source")[0].all("tr")
    source = (_EXAMPLES / "nginx.toml").read_text().splitlines()
    assert [line.all("td")[0].text for line in lines] == source
    (matrix,) = page.all("table", "matrix")
    columns = len(matrix.all("thead")[0].all("th"))
    for row in matrix.all("tr"):
        assert len(row.all("th")) + len(row.all("td")) == columns
    assert "signals-isolated" in matrix.text
    scratch = next(
        one
        for one in page.all("li")
        if one.attributes.get("data-own") == "/srv/stockade-demo/scratch"
    )
    assert scratch.all("a")[0].attributes["href"] == "#line-17"
    groups = [one.all("code")[0].text for one in page.all("summary") if one.all("code")]
    assert "children-denied" in groups
    refusing = [
        one for one in page.all("tbody") if one.text.startswith("\na new process\n")
    ]
    # aarch64 has clone alone.
    assert [("vfork" in one.text) for one in refusing] == [False, True]
    for one in refusing:
        assert one.all("a")[0].attributes["href"] == "#line-26"


def test_a_bundle_has_no_text_and_says_so(pages: dict[str, Element]) -> None:
    page = pages["bundle"]
    assert page.all("table", "source") == []
    assert "A bundle does not hold the text of its policy" in page.text
    assert page.all("table", "matrix")


def test_a_host_without_what_is_needed_is_marked() -> None:
    """With children signals need Landlock's scope, so old kernels are refused."""
    page = read_page(_report('version = 1\n[process]\nsignals = "isolated"\n'))
    rows = page.all("tr", "requirement")
    assert rows
    for row in rows:
        marks = [cell.all("span", "spoken")[0].text for cell in row.all("td")]
        assert marks == ["refused", *["held"] * (len(marks) - 1)]


def test_a_difference_shows_kinds_witnesses_and_lines(
    pages: dict[str, Element],
) -> None:
    page = pages["difference"]
    kinds = [one.attributes["id"] for one in page.all("h2") if "id" in one.attributes]
    assert kinds[0] == "newly-allowed"
    tables = [list(map(_cells, one.all("tr"))) for one in page.all("table", "answers")]
    assert tables[0][1:] == [
        ["read /srv", "EACCES", "allow"],
        ["list /srv", "EACCES", "allow"],
    ]
    assert any(["spawn", "EPERM", "allow"] in rows for rows in tables)
    changed = page.all("table", "pairs")[0].all("tr", "changed")
    assert [_sides(row) for row in changed] == [
        ('read = ["/srv/in"]', 'read = ["/srv"]'),
        ('children = "none"', 'children = "allowed"'),
    ]
    assert all(row.all("a", "mark") for row in changed)


def _cells(row: Element) -> list[str]:
    return [one.text for one in row.walk() if one.tag in {"th", "td"}]


def _sides(row: Element) -> tuple[str, str]:
    old, new = (cell.all("code")[0].text for cell in row.all("td"))
    return old, new


def test_lines_that_one_side_lacks_stand_beside_a_gap() -> None:
    longer = _OLD + '[network]\nip = "client"\n'
    page = read_page(_difference(_side(_OLD, "old.toml"), _side(longer, "new.toml")))
    rows = page.all("table", "pairs")[0].all("tr", "changed")
    assert [len(row.all("td", "gap")) for row in rows] == [2, 2]
    back = read_page(_difference(_side(longer, "new.toml"), _side(_OLD, "old.toml")))
    rows = back.all("table", "pairs")[0].all("tr", "changed")
    assert [len(row.all("td", "gap")) for row in rows] == [2, 2]


def test_no_change_says_so(pages: dict[str, Element]) -> None:
    assert "No change" in pages["equal"].text
    assert pages["equal"].all("article") == []


def test_the_same_sides_give_the_same_bytes() -> None:
    made = {_difference(_side(_OLD, "a"), _side(_NEW, "b")) for _ in range(2)}
    assert len(made) == 1
    assert len({_report(_OLD) for _ in range(2)}) == 1


# What would be mark-up, end an element, or hide and turn around what follows.
_NASTY = st.lists(
    st.sampled_from(
        (
            *("</style>", "</script>", "<script>alert(1)</script>", "<!--", "-->"),
            *('"', "'", "&lt;", "&", "`", "{{ 7 * 7 }}", "{% raw %}", "]]>", "#"),
            *("\u202e", "\u2066", "\u200b", "\ufeff", "é", "漢", "a b", "x" * 300),
            *(" onload=alert(1) ", "javascript:alert(1)", "\\", "\t"),
        )
    ),
    max_size=6,
).map("".join)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(_NASTY, _NASTY, _NASTY)
def test_text_of_others_stays_text(path: str, comment: str, name: str) -> None:
    """Whatever paths, comments and names hold, elements and attributes are ours."""
    path = f"/srv/a{path}".replace("\t", "")
    comment = comment.replace("\t", " ")
    value = f"x{comment}"
    old = _policy("/srv/plain", "plain", "plain")
    new = _policy(path, comment, value)
    blank = _side(old, "plain")
    nasty = _side(new, name)
    report = read_page(report_html(nasty))
    assert _skeleton(report) == _skeleton(read_page(report_html(blank)))
    code = [one.text for one in report.all("code")]
    assert f"# {plain(comment)}" in code
    assert f"NAME={plain(value)}" in code
    change = read_page(_difference(blank, nasty))
    wanted = read_page(
        _difference(blank, _side(_policy("/srv/other", "o", "xo"), "other"))
    )
    if path != "/srv/a":
        assert {one.tag for one in change.walk()} <= {one.tag for one in wanted.walk()}
    for one in (*report.walk(), *change.walk()):
        assert not any(key.startswith("on") for key in one.attributes)
        for run in one.children:
            if isinstance(run, str):
                assert not re.search("[\u202e\u2066\u200b\ufeff]", run)


def _policy(path: str, comment: str, value: str) -> str:
    return (
        f"version = 1\n# {comment}\n[filesystem]\nread = [{_toml(path)}]\n"
        f"[environment]\nset = {{ NAME = {_toml(value)} }}\n"
    )


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _skeleton(page: Element) -> list[tuple[str, tuple[str, ...]]]:
    """Give elements and their attributes' names, but no text."""
    return [(one.tag, tuple(one.attributes)) for one in page.walk()]


def _one(text: str) -> Templates:
    return Templates(lambda _: text, HtmlText)


def test_a_page_prints_no_text_but_its_own_kind() -> None:
    assert _one("<p>{{ x }}").render("x", x=html_text("<b>")) == "<p>&lt;b&gt;"
    for value in ("bare", plain("<b>"), Text("<b>")):
        with pytest.raises(UnquotedText):
            _one("{{ x }}").render("x", x=value)
    with pytest.raises(UndefinedError):
        _one("{{ x }}").render("x")


def test_quoting_functions_refuse_what_they_cannot_quote() -> None:
    assert html_text("\u202e'\"&\x00") == "\\u{202e}&#x27;&quot;&amp;\\x00"
    for name in ("", "a b", 'a"', "A", "1", "é"):
        with pytest.raises(ValueError, match="not a name"):
            html_name(name)
    for asset in ("a</style>", "x <!-- y"):
        with pytest.raises(ValueError, match="would end"):
            html_asset(asset)
    assert html_asset("a > b & c") == "a > b & c"


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", "<p>")
    assert (tmp_path / "a.html").read_bytes() == b"<p>"
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_page(tmp_path / "folder", "<p>")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.html", "folder"]
