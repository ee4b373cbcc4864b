# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn a policy's text into values with spans.

tomllib judges the text and gives the values; tomlkit, which keeps every character,
gives the places: its items are followed in the order in which they were written.
INVARIANT: both must have found the same tables, keys and arrays, so a span never
points at something that means something else.
"""

from __future__ import annotations

import re
import tomllib
from typing import NoReturn

import tomlkit
from tomlkit.exceptions import TOMLKitError

from stockade.diagnostics import Code, Report
from stockade.policy.locate import Scattered, locate
from stockade.policy.scan import MAX_DEPTH, skeleton
from stockade.policy.tree import Array, Entry, Node, Scalar, Table
from stockade.source import Source, Span

_SUFFIX = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONG_NUMBER = re.compile(r"[0-9][0-9_]{4000,}")
# tomllib's words for the mistakes that are most often made are terse; ours also
# stay the same whatever the version of Python.
_PLAINER = {
    "Cannot overwrite a value": "this key was given before",
    "Cannot declare": "this table was opened before",
    "Cannot redefine namespace": "this table was opened before",
    "Cannot mutate immutable namespace": "an inline table or array cannot be added to",
    "Duplicate inline table key": "this key was given before",
    "Illegal character": "a string cannot hold this character; is it closed?",
    "Unterminated string": "this string is not closed",
    "Invalid value": "this is no value; strings need quotes",
    "Invalid statement": "neither a key nor a table header",
    "Invalid initial character": "a key cannot begin with this character",
    "Expected '=' after a key": "a key is followed by `=` and a value",
    "Expected newline": "the line goes on after a complete entry",
    "Unclosed array": "this array is not closed, or lacks a comma",
    "Unclosed inline table": "this table is not closed, or lacks a comma",
}
# For these tomllib points behind the value; the line from its first key is meant.
_MEANS_THE_LINE = ("Cannot ", "Duplicate inline")


class ParsersDisagree(Exception):
    """Two TOML parsers read one text differently: a fault of one, not of the policy."""


def read_tree(source: Source, report: Report) -> Table:
    """Read a text within its limits; raise PolicyRejected where it cannot be read."""
    blanked = skeleton(source, report)
    values = _values(source, report)
    try:
        tree = locate(tomlkit.parse(blanked), source, blanked)
    except TOMLKitError as error:
        # Sound to tomllib. All that were seen have tables of one name apart.
        offset = _offset(blanked, getattr(error, "line", 1), 1)
        _refuse_scattered(
            "the tables up to here stand too far apart to be followed",
            "keep the tables whose names begin alike together",
            Span(source, offset, source.line_around(offset)[1]),
            report,
        )
    except Scattered as found:
        _refuse_scattered(
            "this stands between the entries of one array of tables",
            "keep the entries of an array of tables together",
            Span(source, found.offset, source.line_around(found.offset)[1]),
            report,
        )
    filled = _filled(tree, values)
    assert isinstance(filled, Table)
    return filled


def _refuse_scattered(
    message: str, advice: str, span: Span, report: Report
) -> NoReturn:
    report.add(Code.SCATTERED, message, span, advice=advice)
    report.raise_if_errors()
    raise AssertionError


def _values(source: Source, report: Report) -> dict[str, object]:
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        message, span = _described(source, str(error))
        report.add(Code.NOT_TOML, message, span)
    except RecursionError:
        # The scanner is to prevent this; should it fail, the text is still refused.
        message = f"arrays and inline tables nest more than {MAX_DEPTH} levels deep"
        report.add(Code.TOO_DEEP, message, Span(source, 0, 1))
    except ValueError as error:
        # Python refuses to read a number of more than 4,300 digits.
        found = _LONG_NUMBER.search(source.text)
        start, end = found.span() if found else (0, 1)
        report.add(
            Code.NOT_TOML,
            "a number with too many digits" if found else f"not TOML: {error}",
            Span(source, start, end),
        )
    report.raise_if_errors()
    raise AssertionError


def _described(source: Source, text: str) -> tuple[str, Span]:
    """Turn tomllib's message, with its place at the end, into ours."""
    place = _SUFFIX.search(text)
    message = text[: place.start()] if place else text
    at = len(source.text.rstrip())
    if place and place[1]:
        at = _offset(source.text, int(place[1]), int(place[2]))
    start, end = at, at + 1
    if message.startswith(_MEANS_THE_LINE):
        line = source.text[source.text.rfind("\n", 0, at) + 1 : at]
        start = at - len(line.lstrip())
        end = at + 1 if source.text.startswith("]", at) else at
    if place and not place[1] and message.startswith("Invalid value"):
        return "not TOML: the text ends where a value is due", Span(source, start, end)
    for prefix, plain in _PLAINER.items():
        if message.startswith(prefix):
            return f"not TOML: {plain}", Span(source, start, end)
    return f"not TOML: {message[:1].lower()}{message[1:]}", Span(source, start, end)


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    return start + column - 1


def _filled(node: Node, value: object) -> Node:
    """Give each place the value that tomllib found there."""
    match node, value:
        case Table(entries), dict() if entries.keys() == value.keys():
            return Table(
                {
                    name: Entry(entry.key_span, _filled(entry.node, value[name]))
                    for name, entry in entries.items()
                },
                node.span,
            )
        case Array(items), list() if len(items) == len(value):
            return Array(tuple(map(_filled, items, value)), node.span)
        case Scalar(), _ if not isinstance(value, (dict, list)):
            return Scalar(value, node.span)
    message = f"tomlkit and tomllib read `{node.span.source.name}` differently"
    raise ParsersDisagree(message)
