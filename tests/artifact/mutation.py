# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make hostile bundles at random, most of them past the checksum.

The same seed gives the same bundles, so a finding can be made again.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from surgery import Place, entry_at, patched, places, repaired, sections, with_length
from system_examples import TARGETS, example_for

from stockade.artifact import layout, records
from stockade.artifact.encode import encode
from stockade.artifact.shape import Section

_TABLE = records.record_format(layout.HEADER).size
_ENTRY = records.record_format(layout.SECTION_ENTRY).size
_SEEDS = tuple(encode(example_for(target)) for target in TARGETS)


@dataclass(frozen=True, slots=True)
class _Seed:
    """What a sound bundle has, and where."""

    places: tuple[Place, ...]
    sections: tuple[Section, ...]

    @property
    def table_end(self) -> int:
        return _TABLE + _ENTRY * len(self.sections)


_PARTS = {data: _Seed(tuple(places(data)), sections(data)) for data in _SEEDS}


def mutated(chance: random.Random) -> bytes:
    """Return a sound bundle with one to four changes."""
    seed = chance.choice(_SEEDS)
    data = seed
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        change = chance.choice(_CHANGES)
        data = change(data, _PARTS[seed], chance)
    fate = chance.random()
    if fate < 0.9 and len(data) >= _TABLE:
        return with_length(data)
    return repaired(data) if fate < 0.95 and len(data) >= _TABLE else data


def _set_field(data: bytes, seed: _Seed, chance: random.Random) -> bytes:
    spot = chance.choice(seed.places)
    size = spot.width * 8
    now = int.from_bytes(data[spot.start : spot.start + spot.width], "little")
    value = chance.choice(
        (0, 1, now + 1, now - 1, chance.getrandbits(size), now ^ 1 << size - 1, -1)
    )
    piece = (value % (1 << size)).to_bytes(spot.width, "little")
    return patched(data, spot.start, piece)[: len(data)]


def _copy_field(data: bytes, seed: _Seed, chance: random.Random) -> bytes:
    """Give a field the value that its sister in another record has."""
    spot = chance.choice(seed.places)
    other = chance.choice([one for one in seed.places if one.field is spot.field])
    piece = data[other.start : other.start + other.width]
    return patched(data, spot.start, piece)[: len(data)]


def _set_byte(data: bytes, _: _Seed, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return patched(data, at, chance.randbytes(1))


def _set_entry(data: bytes, seed: _Seed, chance: random.Random) -> bytes:
    at = _TABLE + 4 * chance.randrange((seed.table_end - _TABLE) // 4)
    now = int.from_bytes(data[at : at + 4], "little")
    value = chance.choice(
        (0, now + 1, now - 1, now + 8, now - 8, chance.getrandbits(32))
    )
    return patched(data, at, (value % (1 << 32)).to_bytes(4, "little"))[: len(data)]


def _move_piece(data: bytes, _: _Seed, chance: random.Random) -> bytes:
    size = chance.randrange(1, 65)
    source, target = (chance.randrange(len(data)) for _ in range(2))
    return patched(data, target, data[source : source + size])[: len(data)]


def _cut_or_grow(data: bytes, _: _Seed, chance: random.Random) -> bytes:
    at = chance.randrange(_TABLE, len(data) + 1) if len(data) > _TABLE else len(data)
    if chance.random() < 0.5:
        return data[:at]
    return data[:at] + bytes(chance.randrange(1, 17)) + data[at:]


def _swap_records(data: bytes, seed: _Seed, chance: random.Random) -> bytes:
    number = chance.choice([n for n, one in enumerate(seed.sections) if one.fields])
    if len(data) < seed.table_end:
        return data
    section = seed.sections[number]
    offset, count = entry_at(data, number)
    size = records.record_size(section)
    if count > 4096 or count < 2:
        return data
    a, b = (offset + size * chance.randrange(count) for _ in range(2))
    first, second = data[a : a + size], data[b : b + size]
    return patched(patched(data, a, second), b, first)[: len(data)]


_CHANGES: tuple[Callable[[bytes, _Seed, random.Random], bytes], ...] = (
    _set_field,
    _set_field,
    _set_field,
    _copy_field,
    _copy_field,
    _set_byte,
    _set_entry,
    _move_piece,
    _cut_or_grow,
    _swap_records,
)
