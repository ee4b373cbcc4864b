# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Say where each part of a policy was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from stockade.diagnostics import Report
from stockade.model.place import Place, Places, grant_key
from stockade.model.policy import Grant, Policy
from stockade.policy.format import KEYS
from stockade.policy.grants import written_grants
from stockade.policy.settings import Setting
from stockade.source import Span

# Fields of Policy that are not called as their key is.
_OTHER_NAMES = {
    "pass_names": "pass",
    "set_values": "set",
    "environment_base": "base",
    # Listed where its list is written.
    "commands": "allow",
}


def places(settings: Mapping[str, Setting]) -> Places:
    """Give the place of every key and path rule of a policy's settings."""
    return Places(dict(_keys(settings)), dict(_grants(settings)))


def key_of(field: str) -> str | None:
    """Name the key that a field of Policy holds; None where several do."""
    name = _OTHER_NAMES.get(field, field)
    found = [key.path for key in KEYS.values() if key.name == name]
    return found[0] if len(found) == 1 else None


def _keys(settings: Mapping[str, Setting]) -> Iterator[tuple[str, Place]]:
    for field in fields(Policy):
        key = key_of(field.name)
        if key is not None:
            setting = settings.get(key)
            yield field.name, Place(key, _where(setting.key_span) if setting else "")


def _grants(settings: Mapping[str, Setting]) -> Iterator[tuple[Grant, Place]]:
    # Faults were reported when the policy was read.
    for grant, span in written_grants(settings, Report()).items():
        yield grant, Place(grant_key(grant.access), _where(span))


def _where(span: Span) -> str:
    return f"{span.source.name}:{span.position().line}"
