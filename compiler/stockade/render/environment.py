# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Render templates from views whose text is typed and already quoted.

INVARIANT: no bare string reaches a template, not even one a filter made.
"""

from __future__ import annotations

from functools import partial
from importlib import resources
from typing import TYPE_CHECKING

from jinja2 import Environment, FunctionLoader, StrictUndefined, Undefined

from stockade.render.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class UnquotedText(TypeError):
    """A template was about to print something that nobody quoted."""


class Templates:
    """Templates of one origin: the installed package or a given folder.

    `language` is the kind of text that they print; a page takes HtmlText alone.
    """

    def __init__(
        self, load: Callable[[str], str | None], language: type[Text] = Text
    ) -> None:
        # The guard stands where escaping would, for pages as well.
        self._environment = Environment(  # noqa: S701
            loader=FunctionLoader(load),
            finalize=partial(_guard, language),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )

    def render(self, template: str, **view: object) -> str:
        """Return the template's text for this view."""
        return self._environment.get_template(template).render(**view)


def packaged(language: type[Text] = Text) -> Templates:
    """Return the templates that ship with the package, for one kind of text."""
    root = resources.files("stockade.templates")

    def load(name: str) -> str | None:
        entry = root.joinpath(name)
        return entry.read_text(encoding="utf-8") if entry.is_file() else None

    return Templates(load, language)


def from_folder(folder: Path) -> Templates:
    """Return the templates of a folder, for builds that run before installation."""

    def load(name: str) -> str | None:
        path = folder / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    return Templates(load)


def _guard(language: type[Text], value: object) -> object:
    # Undefined passes, so that StrictUndefined reports it by name.
    if isinstance(value, (language, Undefined)):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    message = f"a template prints {type(value).__name__} {value!r}, which is not quoted"
    raise UnquotedText(message)
