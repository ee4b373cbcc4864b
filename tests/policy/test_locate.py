# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Show on generated documents that values are tomllib's and spans point at them."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stockade.diagnostics import Code, PolicyRejected, Report
from stockade.policy.scan import skeleton
from stockade.policy.toml import read_tree
from stockade.policy.tree import Array, Node, Scalar, Table
from stockade.source import Source

SETTINGS = settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# Few names, so that tables are met again and keys clash.
_PARTS = st.sampled_from(["a", "b", "c-1", '"q r"', "'l.t'", '"\\u0061"', '""', "7"])
_BLANK = st.sampled_from(["", "", " ", "\t "])
_NEWLINE = st.sampled_from(["\n", "\r\n"])
_COMMENT = st.sampled_from(["", "", "# x", '# "[{=', "#"])
_SCALARS = st.sampled_from(
    [
        '"text"',
        '"\\"]#\\\\"',
        "'lit # ['",
        '"""one\n"two" # """',
        '"""x""""',
        "'''a\r\n''b'''",
        '""',
        "0x1F",
        "-1_000",
        "1.5e3",
        "nan",
        "inf",
        "true",
        "false",
        "1979-05-27T07:32:00Z",
        "1979-05-27",
        "07:32:00.5",
        '"日本"',
    ]
)


@st.composite
def _gaps(draw: st.DrawFn) -> str:
    """White space inside an array: line ends and comments are allowed."""
    pieces = draw(st.lists(st.sampled_from(["\n", " ", "# [c]\n", "\r\n"]), max_size=2))
    return "".join(pieces)


@st.composite
def _keys(draw: st.DrawFn) -> str:
    parts = draw(st.lists(_PARTS, min_size=1, max_size=3))
    return f"{draw(_BLANK)}.{draw(_BLANK)}".join(parts)


def _arrays(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    @st.composite
    def build(draw: st.DrawFn) -> str:
        items = draw(st.lists(values, max_size=3))
        text = ",".join(f"{draw(_gaps())}{item}{draw(_gaps())}" for item in items)
        comma = "," if items and draw(st.booleans()) else ""
        return f"[{text}{comma}{draw(_gaps())}]"

    return build()


def _inline_tables(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    @st.composite
    def build(draw: st.DrawFn) -> str:
        pairs = draw(st.lists(st.tuples(_keys(), values), max_size=3))
        text = ",".join(
            f"{draw(_BLANK)}{key}{draw(_BLANK)}={draw(_BLANK)}{value}{draw(_BLANK)}"
            for key, value in pairs
        )
        return f"{{{text}}}"

    return build()


_VALUES = st.recursive(
    _SCALARS, lambda inner: _arrays(inner) | _inline_tables(inner), max_leaves=6
)


@st.composite
def _statements(draw: st.DrawFn) -> str:
    blank = draw(_BLANK)
    match draw(st.sampled_from(["pair", "pair", "table", "element", "nothing"])):
        case "pair":
            equals = f"{draw(_BLANK)}={draw(_BLANK)}"
            text = f"{blank}{draw(_keys())}{equals}{draw(_VALUES)}"
        case "table":
            text = f"{blank}[{draw(_BLANK)}{draw(_keys())}{draw(_BLANK)}]"
        case "element":
            text = f"{blank}[[{draw(_keys())}]]"
        case _:
            text = blank
    return f"{text}{draw(_BLANK)}{draw(_COMMENT)}{draw(_NEWLINE)}"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Build a valid document out of statements that may clash."""
    text = ""
    for statement in draw(st.lists(_statements(), max_size=12)):
        try:
            tomllib.loads(text + statement)
        except tomllib.TOMLDecodeError:
            continue
        text += statement
    return text


def _read(text: str) -> Table:
    return read_tree(Source("policy.toml", text), Report())


def _plain(node: Node) -> object:
    match node:
        case Table(entries):
            return {name: _plain(entry.node) for name, entry in entries.items()}
        case Array(items):
            return [_plain(item) for item in items]
        case Scalar(value):
            return value


def _is_array_of_tables(node: Array) -> bool:
    return bool(node.items) and not node.span.text.startswith("[")


def _check_spans(node: Node) -> None:
    match node:
        case Table(entries):
            for name, entry in entries.items():
                # A key's own text, read as a key, is its name.
                assert tomllib.loads(f"{entry.key_span.text} = 1") == {name: 1}
                _check_spans(entry.node)
        case Array(items):
            if not _is_array_of_tables(node):
                _check_text(node)
            for item in items:
                _check_spans(item)
        case Scalar():
            _check_text(node)


def _check_text(node: Node) -> None:
    found = tomllib.loads(f"x = {node.span.text}")["x"]
    assert repr(found) == repr(_plain(node))


@SETTINGS
@given(documents())
def test_values_are_tomllibs_and_spans_point_at_them(text: str) -> None:
    """S1-368 for every place that a diagnostic could name."""
    try:
        tree = _read(text)
    except PolicyRejected as rejected:
        # The layouts that are refused although they are valid.
        (found,) = rejected.diagnostics
        assert found.code is Code.SCATTERED
        assert "[[" in text or "too far apart" in found.message
        return
    assert repr(_plain(tree)) == repr(tomllib.loads(text))
    _check_spans(tree)


@SETTINGS
@given(documents())
def test_skeleton_means_the_same_at_the_same_places(text: str) -> None:
    blanked = skeleton(Source("policy.toml", text), Report())
    assert len(blanked) == len(text)
    assert _shape(tomllib.loads(blanked)) == _shape(tomllib.loads(text))
    kept = zip(text, blanked, strict=True)
    assert all(one == other or other in " x'" for one, other in kept)


def _shape(value: object) -> object:
    match value:
        case dict():
            return {name: _shape(one) for name, one in value.items()}
        case list():
            return [_shape(one) for one in value]
        case str():
            return "string"
        case _:
            return repr(value)


@pytest.mark.parametrize(
    "text",
    [
        "a.b = 1\nx = 2\na.c = 3\n",
        "[t]\na.b = 1\n[u]\n[t.q]\nz = 1\n",
        "[a.b]\nx = 1\n[a]\ny = 1\n",
        "[[f]]\nn = 1\n[f.g]\nx = 1\n[[f]]\nn = 2\n",
        "# c\n\n\n   a = 1 # d\n\n# end",
        "",
    ],
)
def test_layouts_that_tomlkit_keeps_apart_are_read(text: str) -> None:
    assert _plain(_read(text)) == tomllib.loads(text)


def test_split_array_of_tables_is_refused_with_advice() -> None:
    text = "[[f]]\nn = 1\n[l]\nx = 1\n[[f]]\nn = 2\n"
    with pytest.raises(PolicyRejected) as caught:
        _read(text)
    (found,) = caught.value.diagnostics
    assert found.code is Code.SCATTERED
    assert "together" in found.help
