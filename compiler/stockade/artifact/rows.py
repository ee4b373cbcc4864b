# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn what all artifacts have into rows: numbers and text, in the fields' order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from stockade.artifact.names import bits_of, feature_bits, number_of
from stockade.artifact.pools import DataItems
from stockade.model.artifact import (
    EnvironmentRow,
    Requirement,
    TrustedLocation,
    WarningLine,
)
from stockade.model.key_rows import KeyRow

# Text stands where the field is a string, several numbers where it is an array.
Value = int | str | tuple[int, ...]
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """What makes each section's rows; the data they point to fills up on the way."""

    makers: dict[str, Callable[[], Iterable[Row]]]
    data: DataItems = field(default_factory=DataItems)


def requirement_row(row: Requirement) -> Row:
    """Make a row of `requirements`."""
    flags = flags_of("requirement", {"show-rights": row.show_rights})
    return feature_bits(row.needs), row.name, row.title, row.mechanism, flags


def environment_row(row: EnvironmentRow) -> Row:
    """Make a row of `environment`."""
    if row.value is None:
        return number_of("environment", "pass"), row.name, ""
    return number_of("environment", "set"), row.name, f"{row.name}={row.value}"


def trusted_row(row: TrustedLocation) -> Row:
    """Make a row of `trusted`."""
    return number_of("trusted", row.base), row.path


def warning_row(row: WarningLine) -> Row:
    """Make a row of `warnings`."""
    return row.id, row.text


def key_row(row: KeyRow) -> Row:
    """Make a row of `keys`."""
    return row.name, row.value


def slices(counts: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Give start and length of pieces that lie one behind the other."""
    sizes = list(counts)
    return zip(accumulate(sizes, initial=0), sizes, strict=False)


def flags_of(enumeration: str, flags: dict[str, bool]) -> int:
    """Return the bits of the flags that are set."""
    return bits_of(enumeration, (word for word, is_set in flags.items() if is_set))
