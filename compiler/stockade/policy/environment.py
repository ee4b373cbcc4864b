# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the environment keys into names that are passed and values that are set."""

from __future__ import annotations

from stockade.diagnostics import Code, Report, quote
from stockade.model.environment import base_names
from stockade.model.policy import Base
from stockade.policy.settings import Settings
from stockade.policy.tree import Scalar, Table
from stockade.source import Span

MAX_VARIABLES = 256
# MAX_ARG_STRLEN of Linux with 4 KiB pages, without the zero byte; see execve(2).
MAX_ENTRY_BYTES = 131_071


def read_environment(
    settings: Settings, report: Report
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return passed names and set values, both sorted; a set value wins."""
    passed: dict[str, Span] = {}
    setting = settings.get("environment.pass")
    for name, span in setting.items if setting else ():
        if _is_name(name, span, report):
            passed.setdefault(name, span)
    values: dict[str, tuple[str, Span]] = {}
    for name, value, name_span, value_span in _set_values(settings):
        if _is_name(name, name_span, report) and _is_value(
            name, value, value_span, report
        ):
            values[name] = value, name_span
    names = [name for name in passed if name not in values]
    spans = [passed[name] for name in names] + [span for _, span in values.values()]
    spans += _base_spans(settings, {*names, *values})
    if len(spans) > MAX_VARIABLES:
        report.add(
            Code.TOO_MANY_VARIABLES,
            f"more than {MAX_VARIABLES} variables: {len(spans)}",
            spans[MAX_VARIABLES],
        )
    return tuple(sorted(names)), tuple(
        sorted((name, value) for name, (value, _) in values.items())
    )


def _base_spans(settings: Settings, named: set[str]) -> list[Span]:
    """Give the place of the base once for each variable that only it brings."""
    setting = settings.get("environment.base")
    if setting is None:
        return []
    brought = base_names(Base(setting.word))
    return [setting.node.span for name in brought if name not in named]


def _set_values(settings: Settings) -> list[tuple[str, str, Span, Span]]:
    setting = settings.get("environment.set")
    if setting is None or not isinstance(setting.node, Table):
        return []
    return [
        (name, entry.node.value, entry.key_span, entry.node.span)
        for name, entry in setting.node.entries.items()
        if isinstance(entry.node, Scalar) and isinstance(entry.node.value, str)
    ]


def _is_name(name: str, span: Span, report: Report) -> bool:
    if not name:
        message = "the name of a variable is empty"
    elif "=" in name:
        message = f"the name {quote(name)} of a variable holds `=`"
    elif any(ord(character) < 0x20 or character == "\x7f" for character in name):
        message = f"the name {quote(name)} of a variable holds a control character"
    elif _length(name) >= MAX_ENTRY_BYTES:
        message = f"the name {quote(name)} has more than {MAX_ENTRY_BYTES - 1} bytes"
    else:
        return True
    report.add(Code.VARIABLE_NAME, message, span)
    return False


def _is_value(name: str, value: str, span: Span, report: Report) -> bool:
    if "\0" in value:
        message = f"the value of {quote(name)} holds a zero byte"
    elif _length(name) + 1 + _length(value) > MAX_ENTRY_BYTES:
        message = (
            f"{quote(name)} and its value have more than {MAX_ENTRY_BYTES - 1} bytes,"
            " and no program can be started with them"
        )
    else:
        return True
    report.add(Code.VARIABLE_VALUE, message, span)
    return False


def _length(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
