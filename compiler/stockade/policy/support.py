# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuse what the format knows and this version does not build.

INVARIANT: no restriction that an author asked for is dropped in silence.
"""

from __future__ import annotations

from stockade.diagnostics import Code, Report, quote
from stockade.policy.format import Key, Kind
from stockade.policy.settings import Setting, Settings

_LISTS = (Kind.PATHS, Kind.NAMES, Kind.VALUES)


def check_support(settings: Settings, report: Report) -> dict[str, Setting]:
    """Return the settings that this version builds, reporting the others."""
    supported = {}
    for path, setting in settings.items():
        if not setting.sound:
            if setting.key.kind in _LISTS and setting.key.built:
                supported[path] = setting
        elif _is_supported(setting):
            supported[path] = setting
        elif setting.key.kind is Kind.WORD:
            report.add(
                Code.NOT_SUPPORTED_YET,
                f"value {quote(setting.word)} of `{path}` is not supported yet",
                setting.node.span,
                advice=_advice(setting.key),
            )
        else:
            report.add(
                Code.NOT_SUPPORTED_YET,
                f"`{path}` is not supported yet",
                setting.key_span,
                advice=_advice(setting.key),
            )
    return supported


def _is_supported(setting: Setting) -> bool:
    key = setting.key
    if key.kind is Kind.WORD:
        return setting.word in key.built or setting.word == key.default
    return bool(key.built) or (key.default is not None and not setting.is_set)


def _advice(key: Key) -> str:
    if key.kind is Kind.WORD and (key.built or key.default):
        known = key.built or (str(key.default),)
        return f"this version builds {' and '.join(f'`{word}`' for word in known)}"
    return "leave it out: this version does not build it"
