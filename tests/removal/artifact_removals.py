# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Take one thing out of an artifact at a time, wherever the dataclasses lead.

Every element of every tuple is dropped, every bit of a mask cleared, every other
number made 0, every flag turned, every text emptied. What a new field of the model
holds is removed as well, without a word here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Generic, TypeVar

from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Instruction

Made = TypeVar("Made", bound=AnyArtifact)

# Numbers that are sets of bits; all others count or name something.
_MASKS = re.compile(r"rights|_required|_optional")


@dataclass(frozen=True, slots=True)
class Removal(Generic[Made]):
    """An artifact that lacks one thing, and where it lacks it."""

    place: str
    artifact: Made

    @property
    def kind(self) -> str:
        """Name the place without the numbers of the rows."""
        return re.sub(r"\[\d+\]", "[]", self.place)


def removals(artifact: Made) -> Iterator[Removal[Made]]:
    """Give every artifact that lacks one thing of another."""
    for place, changed in _without(artifact, "", ""):
        assert isinstance(changed, type(artifact))
        yield Removal(place.lstrip("."), changed)


def _without(value: object, place: str, name: str) -> Iterator[tuple[str, object]]:
    """Give the values that lack one thing of a value, each with its place."""
    if isinstance(value, tuple):
        for index, element in enumerate(value):
            here = f"{place}[{index}]"
            before, after = value[:index], value[index + 1 :]
            # tests/proof changes every instruction and asks the proof.
            if isinstance(element, Instruction):
                break
            yield f"{here} dropped", (*before, *after)
            for where, changed in _without(element, here, name):
                yield where, (*before, changed, *after)
    elif is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            inner = getattr(value, one.name)
            for where, changed in _without(inner, f"{place}.{one.name}", one.name):
                yield where, replace(value, **{one.name: changed})
    elif isinstance(value, bool):
        yield f"{place} turned", not value
    elif isinstance(value, int):
        for bit in range(value.bit_length()) if _MASKS.search(name) else ():
            if value >> bit & 1:
                yield f"{place} bit {bit} cleared", value & ~(1 << bit)
        if value and not _MASKS.search(name):
            yield f"{place} made 0", 0
    elif isinstance(value, str | bytes):
        if value:
            # Of a word, which is none when it is empty, too.
            yield f"{place} emptied", b"" if isinstance(value, bytes) else ""
    elif value is None:
        return
    else:
        message = f"{place}: nothing is known to remove from {value!r}"
        raise TypeError(message)
