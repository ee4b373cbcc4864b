# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn an artifact into the bytes of a bundle.

The same artifact gives the same bytes: sections, records and fields are walked
in the order of `layout`; strings, data, filters, calls and probes are stored at
their first use. INVARIANT: what exceeds a limit is refused here by name; what is
wrong otherwise is left to the launcher's parser, which every bundle passes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from stockade.abi.targets import SYSTEM_OF
from stockade.artifact import layout, records
from stockade.artifact.canonical import canonical
from stockade.artifact.checksum import with_checksum
from stockade.artifact.enumerations import NUMBERS
from stockade.artifact.errors import ArtifactMalformed, LimitExceeded
from stockade.artifact.linux_rows import linux_rows
from stockade.artifact.macos_rows import macos_rows
from stockade.artifact.names import number_of
from stockade.artifact.pools import Strings, padding
from stockade.artifact.rows import Row, Rows, Value
from stockade.artifact.shape import Section
from stockade.artifact.windows_rows import windows_rows
from stockade.model.any_artifact import AnyArtifact
from stockade.model.artifact import Artifact
from stockade.model.macos_artifact import MacosArtifact

_MUST_UNDERSTAND = NUMBERS["entry"]["must-understand"]
_TEXT_LIMITS = {
    "text": "TEXT_BYTES",
    "name": "TEXT_BYTES",
    "variable": "TEXT_BYTES",
    "path": "PATH_BYTES",
    "windows-path": "PATH_BYTES",
    "string": "ENTRY_BYTES",
    "lines": "PROFILE_BYTES",
    "identifier": "TEXT_BYTES",
    "word": "TEXT_BYTES",
    "label": "LABEL_BYTES",
    "sid": "TEXT_BYTES",
    "sddl": "TEXT_BYTES",
}


def encode(artifact: AnyArtifact) -> bytes:
    """Return the bundle of an artifact.

    Raises LimitExceeded, and ArtifactMalformed for what no bundle can express.
    """
    if artifact.target not in SYSTEM_OF:
        message = f"unknown target `{artifact.target}`"
        raise ArtifactMalformed(message)
    rows, strings = _rows(artifact), Strings()
    packed = {
        section.name: _pack(section, rows.makers[section.name](), strings)
        for section in layout.sections_of(artifact.target)
        if section.fields
    }
    packed["strings"] = strings.section()
    packed["data"] = rows.data.section()
    return _assemble(artifact.target, packed)


def _rows(artifact: AnyArtifact) -> Rows:
    whole = canonical(artifact)
    if isinstance(whole, Artifact):
        return linux_rows(whole)
    if isinstance(whole, MacosArtifact):
        return macos_rows(whole)
    return windows_rows(whole)


def _pack(section: Section, rows: Iterable[Row], strings: Strings) -> bytes:
    form = records.record_format(section.fields)
    has_slices = any(field.rule.kind == "slice" for field in section.fields)
    packed: list[bytes] = []
    for row in rows:
        values: list[int] = []
        for field, value in zip(section.fields, row, strict=True):
            if isinstance(value, str):
                where = f"bytes of `{field.name}` in `{section.name}`"
                limit = layout.LIMITS[_TEXT_LIMITS[field.rule.kind]]
                values.append(strings.offset(_text(value, where, limit)))
            elif isinstance(value, tuple):
                values.extend(value)
            else:
                values.append(value)
        if has_slices:
            _check_slices(section, row)
        try:
            packed.append(form.pack(*values))
        except struct.error as error:
            message = f"{section.name}: {error}"
            raise ArtifactMalformed(message) from None
    _check_count(section, len(packed))
    return b"".join(packed)


def _text(text: str, what: str, limit: int) -> bytes:
    # Paths and values from a command line are bytes; surrogates carry the odd ones.
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        message = f"{what}: {error}"
        raise ArtifactMalformed(message) from None
    if len(data) > limit:
        raise LimitExceeded(what, len(data), limit)
    return data


def _check_slices(section: Section, row: Sequence[Value]) -> None:
    for field, count in zip(section.fields, row[1:], strict=False):
        if field.rule.kind == "slice" and isinstance(count, int):
            what = f"{field.rule.of} of one {section.record}"
            if count > field.rule.high:
                raise LimitExceeded(what, count, field.rule.high)


def _check_count(section: Section, count: int) -> None:
    if count > section.high:
        raise LimitExceeded(section.name, count, section.high)


def _assemble(target: str, packed: dict[str, bytes]) -> bytes:
    """Lay out header, table and sections, each at the next multiple of 8."""
    entry_form = records.record_format(layout.SECTION_ENTRY)
    header_form = records.record_format(layout.HEADER)
    sections = layout.sections_of(target)
    offset = header_form.size + entry_form.size * len(sections)
    table: list[bytes] = []
    body: list[bytes] = []
    for section in sections:
        data = packed[section.name]
        count = len(data) // records.record_size(section)
        body.append(padding(offset))
        offset += len(body[-1])
        table.append(entry_form.pack(section.kind, _MUST_UNDERSTAND, offset, count))
        body.append(data)
        offset += len(data)
    limit = layout.LIMITS["BUNDLE_BYTES"]
    if offset > limit:
        raise LimitExceeded("bytes of the bundle", offset, limit)
    header = header_form.pack(
        int.from_bytes(layout.MAGIC, "little"),
        layout.VERSION,
        number_of("target", target),
        offset,
        0,
        len(table),
        0,
    )
    return with_checksum(header + b"".join(table) + b"".join(body))
