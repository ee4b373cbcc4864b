# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Open pages in a real browser: no errors, no requests, search, widths, no scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
from tree import ROOT

from stockade.driver.review import (
    difference,
    difference_html,
    read_side,
    report_html,
    write_page,
)
from stockade.review.report import entries

pytestmark = pytest.mark.needs(f"program-{browser.PROGRAM}")

_SHOWN = "one => one.checkVisibility()"
_LONG = "/srv/" + "a-very-long-name-without-any-blank" * 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    data = (ROOT / "docs" / "examples" / "nginx.toml").read_bytes()
    wider = data.replace(b'"isolated"', b'"any"').replace(
        b"/srv/stockade-demo/public", _LONG.encode()
    )
    old = read_side(data, "old.toml")
    new = read_side(wider, f"HEAD:{_LONG}.toml")
    write_page(made / "report.html", report_html(new))
    found = entries(difference(old, new))
    write_page(made / "difference.html", difference_html(old, new, found))
    return made


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    with browser.opened(tmp_path_factory.mktemp("browser")) as made:
        yield made


@pytest.mark.parametrize("name", ["report", "difference"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_loads_itself_alone_and_fits(
    page: browser.Browser, folder: Path, name: str, scheme: str, width: int
) -> None:
    path = folder / f"{name}.html"
    page.use_colours(scheme)
    page.open_file(path, width=width)
    size = page.value(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert size == [width, width]
    assert page.requests() == [path.as_uri()]
    assert page.complaints() == []
    # The style sheet is in force, and follows what the reader prefers.
    colours = page.value(
        "[getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.body).color].map(one =>"
        " one.match(/[0-9]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0))"
    )
    paper, ink = colours
    assert (paper > ink) == (scheme == "light")


@pytest.mark.parametrize("name", ["report", "difference"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_below_it(
    page: browser.Browser, folder: Path, name: str, scheme: str
) -> None:
    """The contrast of every run of text is what WCAG 2 asks for at level AA, 4.5."""
    page.use_colours(scheme)
    page.open_file(folder / f"{name}.html")
    assert page.value(_CONTRAST) == []


_CONTRAST = """
(() => {
  const parts = (text) => text.match(/[0-9.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((one) => one / 255).map(
      (one) => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const below = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  const bad = new Set();
  for (const one of document.querySelectorAll("body *")) {
    const text = [...one.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!text || !one.checkVisibility() || one.matches("script, .spoken")) continue;
    const pair = [light(parts(getComputedStyle(one).color)), light(below(one))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) bad.add(`${one.tagName}.${one.className}: ${ratio.toFixed(2)}`);
  }
  return [...bad];
})()
"""


def _shown(page: browser.Browser, selector: str) -> int:
    return int(
        page.value(
            f"[...document.querySelectorAll('{selector}')].filter({_SHOWN}).length"
        )
    )


def test_search_by_keyboard_shows_what_matches_and_nothing_else(
    page: browser.Browser, folder: Path
) -> None:
    page.open_file(folder / "report.html")
    everything = _shown(page, ".item")
    assert _shown(page, "details[open]") == 0
    page.key("/", "/")
    assert page.value("document.activeElement.id") == "filter"
    page.write("VFORK")
    assert page.value("document.getElementById('filter').value") == "VFORK"
    found = page.value(f"[...document.querySelectorAll('.item')].filter({_SHOWN})"
                       ".map(one => one.textContent.toLowerCase())")  # fmt: skip
    assert found
    assert all("vfork" in one for one in found)
    assert _shown(page, "details[open]") > 0
    assert page.value("document.getElementById('count').textContent").startswith(
        f"{len(found)} of "
    )
    page.key("Escape")
    assert _shown(page, ".item") == everything
    assert _shown(page, "details[open]") == 0
    page.write("no such thing anywhere")
    assert _shown(page, ".item") == 0
    assert page.complaints() == []


def test_what_lies_below_a_path_that_matches_stays(
    page: browser.Browser, folder: Path
) -> None:
    page.open_file(folder / "report.html")
    page.key("/", "/")
    page.write("/srv/stockade-demo")
    paths = page.value(f"[...document.querySelectorAll('.tree .item')].filter({_SHOWN})"
                       ".map(one => one.dataset.own)")  # fmt: skip
    assert "/srv/stockade-demo/scratch" in paths
    assert not any(one.startswith("/etc") for one in paths)


def test_without_scripts_all_is_there_and_no_filter(
    page: browser.Browser, folder: Path
) -> None:
    page.open_file(folder / "report.html")
    script = page.value("document.querySelector('main').textContent")
    assert _shown(page, "form.filter") == 1
    page.open_file(folder / "report.html", scripts=False)
    assert page.value("document.querySelector('main').textContent") == script
    assert _shown(page, "form.filter") == 0
    assert _shown(page, "summary") > 10
    page.value("document.querySelector('summary').click()")
    assert _shown(page, "details[open] tbody") > 0


def test_all_of_a_page_is_printed(page: browser.Browser, folder: Path) -> None:
    """Also what is folded, and not what only a screen can use."""
    page.open_file(folder / "report.html")
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        hidden = page.value(
            "[...document.querySelectorAll('details tbody')].filter(one =>"
            " !one.getClientRects().length).length"
        )
        assert hidden == 0
        assert _shown(page, "form.filter") == 0
        assert page.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.7)["data"]
    finally:
        page.call("Emulation.setEmulatedMedia", media="")
    assert (
        page.value(
            "[...document.querySelectorAll('details tbody')].filter(one =>"
            " one.getClientRects().length && one.checkVisibility()).length"
        )
        == 0
    )
