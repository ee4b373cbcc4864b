# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the path lists into grants and refuse the overlaps that need no host to see.

Only names are compared here. Links, mounts and second names are the launcher's to
find, by identity, at every start.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from stockade.diagnostics import Code, Note, Report, quote
from stockade.model.place import grant_key
from stockade.model.policy import Access, Grant
from stockade.policy.paths import normal_path
from stockade.policy.settings import Settings
from stockade.source import Span

MAX_GRANTS = 16_384
_EXECUTING = (Access.READ_EXEC, Access.COMMAND)
# Only the kernel adds and removes entries of devpts, so nothing in it can be
# replaced by a link before the next start.
_PSEUDO_TERMINALS = "/dev/pts"


@dataclass(slots=True)
class _Place:
    """One path with the accesses it is granted, and where each was written."""

    path: str
    spans: dict[Access, Span] = field(default_factory=dict)
    # The nearest place above that grants the access, this one left out.
    above: dict[Access, _Place] = field(default_factory=dict)


def read_grants(settings: Settings, report: Report) -> tuple[Grant, ...]:
    """Return the grants, sorted and without repeats, reporting overlaps."""
    places: dict[str, _Place] = {}
    total = 0
    for access in Access:
        setting = settings.get(grant_key(access))
        for text, span in setting.items if setting else ():
            path = normal_path(text, span, report)
            if path is None:
                continue
            spans = places.setdefault(path, _Place(path)).spans
            if access not in spans:
                spans[access] = span
                total += 1
                if total == MAX_GRANTS + 1:
                    _refuse_number(span, report)
    _link(places)
    for place in places.values():
        _check_place(place, report)
    return tuple(
        sorted(Grant(place.path, access) for place in places.values()
               for access in place.spans)
    )  # fmt: skip


def _refuse_number(span: Span, report: Report) -> None:
    report.add(
        Code.TOO_MANY_GRANTS,
        f"more than {MAX_GRANTS} paths are granted",
        span,
        advice="grant a folder in place of many paths below it",
    )


def _link(places: dict[str, _Place]) -> None:
    """Tell each place which places above it grant what, in one pass."""
    # Sorted with their closing slash, places below one follow it directly.
    chain: list[tuple[str, _Place]] = []
    for key, place in sorted((_as_folder(path), one) for path, one in places.items()):
        while chain and not key.startswith(chain[-1][0]):
            chain.pop()
        if chain:
            _, upper = chain[-1]
            place.above = {**upper.above, **dict.fromkeys(upper.spans, upper)}
        chain.append((key, place))


def _as_folder(path: str) -> str:
    return path if path.endswith("/") else f"{path}/"


def _check_place(place: _Place, report: Report) -> None:
    here_write = place.spans.get(Access.READ_WRITE)
    here_execute = next(
        (place.spans[access] for access in _EXECUTING if access in place.spans), None
    )
    if here_write and here_execute:
        _refuse_both(place, place, report)
        return
    for access in _EXECUTING if here_write else ():
        if access in place.above:
            _refuse_both(place, place.above[access], report)
            return
    writable = place.above.get(Access.READ_WRITE)
    if writable is None:
        return
    if here_execute:
        _refuse_both(writable, place, report)
    elif writable.path != _PSEUDO_TERMINALS:
        inner = next(iter(place.spans.values()))
        report.add(
            Code.INSIDE_WRITABLE,
            f"path {quote(place.path)} lies inside writable path"
            f" {quote(writable.path)}, where the program could replace it",
            inner,
            Note("made writable here", writable.spans[Access.READ_WRITE]),
            advice="what is below a writable path is readable and writable already",
        )


def _refuse_both(writable: _Place, executable: _Place, report: Report) -> None:
    write = writable.spans[Access.READ_WRITE]
    execute = next(
        executable.spans[access] for access in _EXECUTING if access in executable.spans
    )
    if writable is executable:
        message = f"path {quote(writable.path)} is both writable and executable"
    else:
        message = (
            f"writable path {quote(writable.path)} overlaps executable path"
            f" {quote(executable.path)}"
        )
    report.add(
        Code.WRITABLE_AND_EXECUTABLE,
        message,
        write,
        Note("made executable here", execute),
        advice="keep programs and what they write in folders of their own",
    )
