# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Templates print what was quoted for their language, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import TemplateNotFound, UndefinedError

from stockade.render.environment import Templates, UnquotedText, from_folder, packaged
from stockade.render.text import (
    CText,
    MarkdownText,
    PlainText,
    c_bits,
    c_comment,
    c_name,
    c_number,
    c_type,
    c_word,
    markdown_code,
    markdown_prose,
    plain,
)


def render(source: str, **view: object) -> str:
    return Templates(lambda _: source).render("any", **view)


@pytest.mark.parametrize("value", [CText("a"), MarkdownText("a"), PlainText("a")])
def test_quoted_text_and_numbers_are_printed(value: str) -> None:
    assert render("{{ x }} {{ n }}", x=value, n=-3) == "a -3"


@pytest.mark.parametrize("value", ["bare", None, True, 1.5, b"x", [1], object()])
def test_everything_else_is_refused(value: object) -> None:
    with pytest.raises(UnquotedText, match="not quoted"):
        render("{{ x }}", x=value)


@pytest.mark.parametrize("source", ["{{ x|upper }}", "{{ x ~ x }}", "{{ 'literal' }}"])
def test_text_made_inside_a_template_is_refused(source: str) -> None:
    """A filter's result is bare again, however well its input was quoted."""
    with pytest.raises(UnquotedText):
        render(source, x=PlainText("a"))


def test_missing_names_are_errors() -> None:
    with pytest.raises(UndefinedError, match="'x' is undefined"):
        render("{{ x }}")
    with pytest.raises(UndefinedError):
        render("{% if x %}{% endif %}")


def test_block_lines_leave_no_trace_and_the_last_line_ends() -> None:
    assert render("a\n  {% if 1 %}\nb\n  {% endif %}\n") == "a\nb\n"


def test_templates_come_from_the_package_or_a_folder(tmp_path: Path) -> None:
    (tmp_path / "one.txt.j2").write_text("{{ n }}\n")
    assert from_folder(tmp_path).render("one.txt.j2", n=1) == "1\n"
    for templates in (packaged(), from_folder(tmp_path)):
        with pytest.raises(TemplateNotFound):
            templates.render("absent.txt.j2")


def test_c_text_stays_inside_its_place() -> None:
    assert c_name("stk_a1") == "stk_a1"
    assert c_type("struct stk_a") == "struct stk_a"
    assert (c_number(10), c_bits(10, 32)) == ("10u", "0xau")
    assert c_bits(1 << 40, 64) == "UINT64_C(0x10000000000)"
    for name in ("", "1a", "a-b", "a b", "a;", "\u00e4"):
        with pytest.raises(ValueError, match="identifier"):
            c_name(name)
    for number in (-1, 1 << 32):
        with pytest.raises(ValueError, match="does not fit"):
            c_number(number)
    for prose in ("a */ b", "a /* b", "a\nb", "a\0b"):
        with pytest.raises(ValueError, match="comment"):
            c_comment(prose)


def test_long_comments_keep_to_80_columns() -> None:
    comment = c_comment("word " * 40 + "end", "\t")
    assert comment.startswith("\t/*\n\t * word")
    assert comment.endswith("\n\t */")
    assert max(len(line.expandtabs(8)) for line in comment.split("\n")) <= 80
    assert c_comment("short", "\t") == "\t/* short */"


def test_markdown_stays_inside_its_cell() -> None:
    assert markdown_code("a|b") == "`a\\|b`"
    assert markdown_prose("a_b `c_d` <e> *f* |") == r"a\_b `c_d` \<e\> \*f\* \|"
    for text in ("a`b", "a\nb"):
        with pytest.raises(ValueError):
            markdown_prose(text)
        with pytest.raises(ValueError):
            markdown_code(text)


def test_plain_text_shows_what_hides() -> None:
    shown = {
        "/srv/\u00fc \u65e5": "/srv/\u00fc \u65e5",
        "a\\b": "a\\\\b",
        "a\nb\x1b\x7f": "a\\x0ab\\x1b\\x7f",
        "\x9b": "\\u{9b}",
        "\udc9b": "\\x9b",
        "a\u202eb": "a\\u{202e}b",
        "\u200b\ufeff": "\\u{200b}\\u{feff}",
    }
    for text, expected in shown.items():
        assert plain(text) == expected
    assert len({plain(text) for text in shown}) == len(shown)


@pytest.mark.parametrize("word", ["", 'a"b', "a\\b", "a b", "a\n", "\u00fc"])
def test_words_of_c_texts_hold_nothing_that_ends_them(word: str) -> None:
    assert c_word("linux-x86_64") == '"linux-x86_64"'
    with pytest.raises(ValueError, match="is no word"):
        c_word(word)
