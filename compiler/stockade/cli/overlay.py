# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the options of policy keys into settings that point into the command line.

The command line is a source like a file, of one line, so that a mistake in an option
and one in a file look alike, and one between the two names both places.
"""

from __future__ import annotations

from stockade.cli.arguments import Arguments, Given
from stockade.cli.output import Refusal
from stockade.diagnostics import Report, quote
from stockade.policy.format import Key, Kind
from stockade.policy.settings import Setting
from stockade.policy.tree import Array, Entry, Node, Scalar, Table
from stockade.policy.value import is_well_formed
from stockade.source import Source, Span
from stockade.source.visible import visible

_NAME = "command line"
# More can be no port, which the reader of entries says of five.
_MOST_DIGITS = 9


class _Line:
    """The command line up to the program, and where each argument stands in it."""

    def __init__(self, command: str, shown: list[str]) -> None:
        text = f"stockade {command}"
        places = []
        for argument in shown:
            word = _word(argument)
            places.append((len(text) + 1, len(text) + 1 + len(word)))
            text = f"{text} {word}"
        self._places = places
        self.source = Source(_NAME, text)

    def option(self, given: Given) -> Span:
        """Return the place of an option itself."""
        start, _ = self._places[given.position]
        return Span(self.source, start, start + len(given.option.name))

    def value(self, given: Given) -> Span:
        """Return the place of an option's value."""
        start, end = self._places[given.position]
        own = len(given.option.name)
        if end - start > own:
            return Span(self.source, start + own + 1, end)
        return Span(self.source, *self._places[given.position + 1])


def _word(argument: str) -> str:
    plain = visible(argument)
    if not plain or any(character in plain for character in " \"'"):
        return f'"{plain}"'
    return plain


def option_settings(
    command: str, arguments: list[str], read: Arguments, report: Report
) -> dict[str, Setting]:
    """Return what options set, reporting wrong words; raise Refusal for wrong form."""
    shown = arguments[: read.first_operand]
    line = _Line(command, shown[:-1] if shown[-1:] == ["--"] else shown)
    by_key: dict[str, list[Given]] = {}
    for given in read.given:
        if given.option.key is not None:
            by_key.setdefault(given.option.key.path, []).append(given)
    settings = {}
    for path, every in by_key.items():
        key = every[0].option.key
        assert key is not None
        node = _node(key, every, line)
        place = line.option(every[0])
        sound = is_well_formed(key, node, place, report)
        settings[path] = Setting(key, node, place, sound)
    return settings


def _node(key: Key, every: list[Given], line: _Line) -> Node:
    match key.kind:
        case Kind.PATHS | Kind.NAMES:
            items = tuple(Scalar(one.value, line.value(one)) for one in every)
            return Array(items, items[0].span)
        case Kind.VALUES:
            return _values(every, line)
        case Kind.ENTRY:
            return _entry(key, every[0], line)
        case Kind.ENTRIES:
            entries = tuple(_entry(key, one, line) for one in every)
            return Array(entries, entries[0].span)
        case _:
            return Scalar(every[0].value, line.value(every[0]))


def _entry(key: Key, given: Given, line: _Line) -> Table:
    """Read an entry of two members; the order of theirs is the option's own."""
    first, equals, second = given.value.partition("=")
    texts = {"port": first, **({"reach": second} if equals else {})}
    if key.path != "network.egress":
        inner = key.path == "network.expose"
        texts = {"port": second if inner else first}
        texts["listen" if inner else "to"] = first if inner else second
    port = texts["port"]
    if not (port.isascii() and port.isdigit() and len(port) <= _MOST_DIGITS):
        raise _malformed(given)
    span = line.value(given)
    return Table(
        {
            name: Entry(span, Scalar(int(text) if name == "port" else text, span))
            for name, text in texts.items()
        },
        span,
    )


def _malformed(given: Given) -> Refusal:
    return Refusal(
        f"option `{given.option.name}` needs `{given.option.placeholder}`,"
        f" not {quote(given.value)}"
    )


def _values(every: list[Given], line: _Line) -> Table:
    entries: dict[str, Entry] = {}
    for one in every:
        name, equals, value = one.value.partition("=")
        if not equals:
            raise _malformed(one)
        if name in entries:
            raise Refusal(f"option `{one.option.name}` sets {quote(name)} twice")
        span = line.value(one)
        entries[name] = Entry(span, Scalar(value, span))
    return Table(entries, line.option(every[0]))
