# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read a page as a tree of elements, and refuse one whose tags do not close."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "input", "col"}


@dataclass
class Element:
    """One element; `children` holds elements and runs of text in order."""

    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        """Give this element and all below it, in order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str, style: str = "") -> list[Element]:
        """List the elements of a tag, those of a class where one is named."""
        return [
            one
            for one in self.walk()
            if one.tag == tag
            and (not style or style in (one.attributes.get("class") or "").split())
        ]

    @property
    def text(self) -> str:
        """Give all text below."""
        return "".join(
            one if isinstance(one, str) else one.text for one in self.children
        )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len(dict(attrs)), f"<{tag}> repeats an attribute"
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> ends <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a page of ours has no comment: {data!r}")


def read_page(text: str) -> Element:
    """Read a whole page."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    (root,) = reader.open
    return root
