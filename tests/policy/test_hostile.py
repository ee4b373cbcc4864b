# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show that no text takes long or crashes anything, and where the limits lie."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stockade.diagnostics import Code, PolicyRejected
from stockade.diagnostics.render import render
from stockade.policy import read_policy

MEBIBYTE = 1 << 20
# A second on the machine this was written on; the rest is for slower ones.
SECONDS = 8.0
HEAD = "version = 1\n"


def _filled(piece: str, end: str = "", head: str = HEAD) -> str:
    room = MEBIBYTE - len(head) - len(end)
    return head + piece * (room // len(piece)) + end


HOSTILE = {
    "open brackets": _filled("["),
    "brackets in a value": HEAD + "x = " + "[" * 300_000,
    "open tables": HEAD + "x = " + "{a=" * 300_000,
    "mixed": HEAD + "x = " + "[{a=" * 200_000,
    "spaced brackets": HEAD + "x = " + "[ # [\n" * 100_000,
    "closing brackets": _filled("]"),
    "pairs of brackets": _filled("[]"),
    "dotted key": HEAD + "a." * 300_000 + "b = 1",
    "dotted keys": "".join(f"a.b.c.d.e.k{n} = 1\n" for n in range(20_000)),
    "deep dotted keys": ("a." * 31 + "k = 1\n") * 4_000,
    "deep headers": "".join("[" + "a." * 31 + f"k{n}]\n" for n in range(4_000)),
    "headers": "".join(f"[t{n}]\n" for n in range(4_000)),
    "arrays of tables": "[[fallback]]\n" * 3_999,
    "out of order": "".join(f"[a.t{n}]\n[b.t{n}]\n" for n in range(1_999)),
    "inline keys": HEAD + "x = {" + ",".join(f"k{n}=1" for n in range(80_000)) + "}",
    "quotes": _filled('"'),
    "single quotes": _filled("'"),
    "escapes": _filled("\\n", '"', HEAD + 'x = "'),
    "backslashes": _filled("\\", "", HEAD + 'x = "'),
    "open string": _filled("x", "", HEAD + 'x = "'),
    "open long string": _filled('""\\"', "", HEAD + 'x = """'),
    "values": _filled("1,", "]", HEAD + "x = ["),
    "number": _filled("1", "", HEAD + "x = "),
    "hexadecimal": _filled("f", "", HEAD + "x = 0x"),
    "fraction": _filled("1", "", HEAD + "x = 1."),
    "key": _filled("a", "=1", HEAD),
    "zero bytes": "\0" * MEBIBYTE,
    "carriage returns": "\r" * MEBIBYTE,
    "equals signs": "=" * MEBIBYTE,
    "words": _filled("a b "),
    "unknown keys": "".join(f"k{n} = 1\n" for n in range(3_999)),
    "wrong paths": HEAD + "filesystem.read = [" + '"x",' * 19_000 + "]",
    "nested paths": HEAD
    + 'filesystem.read_write = ["'
    + '", "'.join("/a" * n for n in range(1, 1_000))
    + '"]',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_soon(name: str) -> None:
    """S1-033, S1-022: an answer with a place, whatever the text."""
    started = time.monotonic()
    with pytest.raises(PolicyRejected) as caught:
        read_policy(HOSTILE[name], "policy.toml")
    answer = render(caught.value.diagnostics)
    assert time.monotonic() - started < SECONDS
    assert answer.startswith("policy.toml:")
    assert len(answer) < 100_000


@pytest.mark.parametrize(
    "piece", ["\n", "#\n", "# padding\n", " ", "\r\n", "\t# x\r\n"]
)
def test_long_but_sound_text_is_accepted_soon(piece: str) -> None:
    started = time.monotonic()
    read_policy(_filled(piece), "policy.toml")
    assert time.monotonic() - started < SECONDS


def test_length_limit() -> None:
    """S1-030: exactly 1 MiB, and one byte more."""
    sound = HEAD + "#" * (MEBIBYTE - len(HEAD))
    read_policy(sound, "policy.toml")
    assert _first_code(sound + "#") == Code.TOO_LONG


def test_length_is_judged_before_the_text() -> None:
    """S1-031."""
    assert _first_code("[" * (MEBIBYTE + 1)) == Code.TOO_LONG
    assert _first_code(b"\xff" * (MEBIBYTE + 1)) == Code.TOO_LONG


@pytest.mark.parametrize(
    ("opening", "closing"), [("[", "]"), ("{a=", "}"), ("[{a=", "}]")]
)
def test_depth_limit(opening: str, closing: str) -> None:
    """S1-032: 32 levels pass the limit, 33 do not, closed or not."""
    levels = sum(one in "[{" for one in opening)
    times = 32 // levels
    inner = "" if opening == "[" else "1"
    fits = f"{HEAD}x = {opening * times}{inner}{closing * times}\n"
    assert _first_code(fits) == Code.UNKNOWN_KEY
    assert _first_code(f"{HEAD}x = [{opening * times}") == Code.TOO_DEEP
    assert _first_code(f"{HEAD}x = [{fits[len(HEAD) + 4 : -1]}]\n") == Code.TOO_DEEP


def test_brackets_in_strings_and_comments_are_no_depth() -> None:
    """S1-034."""
    brackets = "[" * 100 + "{" * 100
    read_policy(
        f"{HEAD}# {brackets}\n"
        f"environment.set.A = '{brackets}' # {brackets}\n"
        f'environment.set.B = "\\"{brackets}"\n'
        f'environment.set.C = """"{brackets}\n"{brackets}\\""""\n'
        f"environment.set.D = '''{brackets}\n''{brackets}'''\n"
        f'environment.pass = [ # {brackets}\n "X", # {brackets}\n]\n',
        "policy.toml",
    )


def test_depth_after_such_strings_is_still_seen() -> None:
    """S1-033, S1-034: no string may hide what follows it."""
    deep = "[" * 33
    for before in ('"\\""', '"""\\""""', "'\\'", "'''x''''", '"#"', '"" # "', '""""""'):
        assert _first_code(f"{HEAD}x = [{before}\n, {deep}") == Code.TOO_DEEP, before


def _first_code(text: str | bytes) -> Code:
    with pytest.raises(PolicyRejected) as caught:
        read_policy(text, "policy.toml")
    return caught.value.diagnostics[0].code


_SNIPPETS = st.sampled_from(
    [
        *("version = 1\n", "[filesystem]\n", "read = ", '"/x"'),
        *("[", "]", "{", "}", '"', "'", '"""', "'''", "=", ",", ".", "#", "\\"),
        *("\n", "\r\n", "a", " ", "\0", "é", "1"),
    ]
)


@settings(max_examples=2_000, derandomize=True, deadline=None)
@given(st.lists(_SNIPPETS, max_size=40).map("".join))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        read_policy(text, "policy.toml")
    except PolicyRejected as rejected:
        answer = render(rejected.diagnostics)
        assert answer.startswith("policy.toml:")
        assert all(line.isprintable() for line in answer.split("\n"))


@settings(max_examples=500, derandomize=True, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_place(data: bytes) -> None:
    try:
        read_policy(data, "policy.toml")
    except PolicyRejected as rejected:
        assert render(rejected.diagnostics).startswith("policy.toml:")
