# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write a Windows artifact as JSON, and read it back.

The form is canonical: sorted names, two spaces, ASCII with escapes, one line feed at
the end. So equal artifacts are equal texts, and a reader takes no other text.
INVARIANT: `read_manifest(manifest(artifact)) == artifact` for what a bundle holds.
docs/windows-manifest.md says what each field means.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, NoReturn, get_args, get_origin, get_type_hints

from stockade.model.artifact import Requirement
from stockade.model.windows_artifact import WindowsArtifact

FORMAT = "stockade-windows-manifest"
VERSION = 1
# What the form says of itself; nothing in it was ever applied.
EVIDENCE = "simulated or derived from documentation; never run on Windows"
_CONSTANTS = {"evidence": EVIDENCE, "format": FORMAT, "version": VERSION}
# What requirements have for Linux alone, with the one value that it has here.
_LINUX_ALONE: dict[str, Any] = {"needs": (), "show_rights": False}


class ManifestError(ValueError):
    """The text is no manifest; the message says where and why."""


def manifest(artifact: WindowsArtifact) -> str:
    """Return the manifest of an artifact."""
    view = {**_CONSTANTS, **_object(artifact)}
    return json.dumps(view, indent=2, sort_keys=True, ensure_ascii=True) + "\n"


def read_manifest(text: str) -> WindowsArtifact:
    """Return the artifact of a manifest; raise ManifestError for any other text."""
    try:
        view = json.loads(text, object_pairs_hook=_pairs, parse_constant=_no_constant)
    except RecursionError:
        raise ManifestError("nested too deep") from None
    except ManifestError:
        raise
    except ValueError as error:
        # Also a number of more digits than Python reads.
        raise ManifestError(f"no JSON: {error}") from None
    if not isinstance(view, dict):
        raise ManifestError("no object")
    for name, expected in _CONSTANTS.items():
        found = view.pop(name, None)
        if found != expected or type(found) is not type(expected):
            raise ManifestError(f"`{name}` is not {json.dumps(expected)}")
    artifact = _read(WindowsArtifact, view, "manifest")
    assert isinstance(artifact, WindowsArtifact)
    if manifest(artifact) != text:
        raise ManifestError("not in the canonical form")
    return artifact


def _object(record: Any) -> dict[str, Any]:
    return {name: _value(getattr(record, name)) for name in _names(type(record))}


def _value(value: Any) -> Any:
    if is_dataclass(value):
        return _object(value)
    if isinstance(value, tuple):
        return [_value(one) for one in value]
    # Of a word, the text alone.
    return str(value) if isinstance(value, str) else value


def _names(kind: Any) -> tuple[str, ...]:
    names = (field.name for field in fields(kind))
    return tuple(
        name for name in names if kind is not Requirement or name not in _LINUX_ALONE
    )


def _read(kind: Any, view: Any, where: str) -> Any:
    if get_origin(kind) is tuple:
        if not isinstance(view, list):
            raise ManifestError(f"{where} is no list")
        return tuple(
            _read(get_args(kind)[0], one, f"{where}[{at}]")
            for at, one in enumerate(view)
        )
    if is_dataclass(kind):
        return _record(kind, view, where)
    if isinstance(kind, UnionType) and view is None and NoneType in get_args(kind):
        return None
    if not isinstance(view, str):
        raise ManifestError(f"{where} is no text")
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        words = {word.value: word for word in kind}
        if view not in words:
            raise ManifestError(f"{where} is none of {', '.join(words)}")
        return words[view]
    return view


def _record(kind: Any, view: Any, where: str) -> Any:
    if not isinstance(view, dict):
        raise ManifestError(f"{where} is no object")
    names = _names(kind)
    if sorted(view) != sorted(names):
        raise ManifestError(f"{where} has other fields than {', '.join(names)}")
    hints = get_type_hints(kind)
    values = {name: _read(hints[name], view[name], f"{where}.{name}") for name in names}
    return kind(**values, **(_LINUX_ALONE if kind is Requirement else {}))


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ManifestError("a name stands twice in one object")
    return found


def _no_constant(constant: str) -> NoReturn:
    raise ManifestError(f"no JSON: `{constant}`")
