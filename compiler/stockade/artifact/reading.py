# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read what all artifacts have out of a parsed bundle."""

from __future__ import annotations

from stockade.artifact.enumerations import WORDS
from stockade.artifact.names import feature_names, words_of
from stockade.artifact.parser import ParsedBundle
from stockade.model.artifact import (
    EnvironmentRow,
    Requirement,
    TrustedLocation,
    WarningLine,
)
from stockade.model.key_rows import KeyRow


def requirements(bundle: ParsedBundle) -> tuple[Requirement, ...]:
    """Read `requirements`."""
    return tuple(
        Requirement(
            bundle.text(name),
            bundle.text(title),
            bundle.text(mechanism),
            feature_names(needs),
            show_rights="show-rights" in words_of("requirement", flags),
        )
        for needs, name, title, mechanism, flags in bundle.rows("requirements")
    )


def environment(bundle: ParsedBundle) -> tuple[EnvironmentRow, ...]:
    """Read `environment`."""
    return tuple(
        EnvironmentRow(bundle.text(name), None)
        if WORDS["environment"][kind] == "pass"
        else EnvironmentRow(*_halves(bundle.text(entry)))
        for kind, name, entry in bundle.rows("environment")
    )


def trusted(bundle: ParsedBundle) -> tuple[TrustedLocation, ...]:
    """Read `trusted`."""
    return tuple(
        TrustedLocation(WORDS["trusted"][base], bundle.text(path))
        for base, path in bundle.rows("trusted")
    )


def warnings(bundle: ParsedBundle) -> tuple[WarningLine, ...]:
    """Read `warnings`."""
    return tuple(
        WarningLine(bundle.text(name), bundle.text(line))
        for name, line in bundle.rows("warnings")
    )


def keys(bundle: ParsedBundle) -> tuple[KeyRow, ...]:
    """Read `keys`."""
    return tuple(
        KeyRow(bundle.text(name), bundle.text(value))
        for name, value in bundle.rows("keys")
    )


def _halves(entry: str) -> tuple[str, str]:
    name, _, value = entry.partition("=")
    return name, value
