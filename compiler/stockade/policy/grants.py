# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Turn the path lists into grants and refuse the overlaps that need no host to see."""

from __future__ import annotations

from stockade.abi.targets import System
from stockade.diagnostics import Code, Note, Report, quote
from stockade.model.overlap import Overlap, overlaps
from stockade.model.path_family import Family, family_of, folded
from stockade.model.place import grant_key
from stockade.model.policy import Access, Grant
from stockade.policy.paths import normal_path
from stockade.policy.settings import Settings
from stockade.policy.windows_paths import surely_one
from stockade.source import Span

MAX_GRANTS = 16_384


def read_grants(settings: Settings, report: Report) -> tuple[Grant, ...]:
    """Return the grants, sorted and without repeats, reporting overlaps."""
    spans = written_grants(settings, report)
    if len(spans) > MAX_GRANTS:
        report.add(
            Code.TOO_MANY_GRANTS,
            f"more than {MAX_GRANTS} paths are granted",
            list(spans.values())[MAX_GRANTS],
            advice="grant a folder in place of many paths below it",
        )
    for overlap in overlaps(spans, one_spelling):
        _refuse(overlap, spans, report)
    return tuple(sorted(spans))


def written_grants(settings: Settings, report: Report) -> dict[Grant, Span]:
    """Give every grant with the first place where it is written.

    Of a Windows path in several cases of its letters, the first spelling stands.
    """
    spelled: dict[str, str] = {}
    spans: dict[Grant, Span] = {}
    for access in Access:
        setting = settings.get(grant_key(access))
        for text, span in setting.items if setting else ():
            path = normal_path(text, span, report)
            if path is None:
                continue
            first = spelled.setdefault(one_spelling(path), path)
            if not surely_one(first, path):
                report.add(
                    Code.WINDOWS_NAME,
                    f"paths {quote(path)} and {quote(first)} may be one file or two, by"
                    " the volume's table of upper-case letters",
                    span,
                    advice="give one of them a name that differs in more than case",
                )
            spans.setdefault(Grant(first, access), span)
    return spans


def read_project_write(
    settings: Settings, grants: tuple[Grant, ...], report: Report
) -> tuple[str, ...]:
    """Return the writable paths whose project files are freed, sorted, each once."""
    writable = {
        one_spelling(grant.path): grant.path
        for grant in grants
        if grant.access is Access.READ_WRITE
    }
    found: dict[str, None] = {}
    setting = settings.get("filesystem.project_write")
    for text, span in setting.items if setting else ():
        path = normal_path(text, span, report)
        if path is None:
            continue
        granted = writable.get(one_spelling(path))
        if granted is None or not surely_one(granted, path):
            report.add(
                Code.NOT_WRITABLE,
                f"path {quote(path)} is none of `filesystem.read_write`",
                span,
                advice="write it as it stands there: only a whole path is freed",
            )
        else:
            found[granted] = None
    return tuple(sorted(found))


def one_spelling(path: str) -> str:
    """Give what is equal for all spellings that a path has on every host."""
    windows = family_of(path) is Family.WINDOWS
    return folded(path, System.WINDOWS) if windows else path


def _refuse(overlap: Overlap, spans: dict[Grant, Span], report: Report) -> None:
    writable, other = overlap.writable, overlap.other
    if overlap.executes:
        if writable.path == other.path:
            message = f"path {quote(writable.path)} is both writable and executable"
        else:
            message = (
                f"writable path {quote(writable.path)} overlaps executable path"
                f" {quote(other.path)}"
            )
        report.add(
            Code.WRITABLE_AND_EXECUTABLE,
            message,
            spans[writable],
            Note("made executable here", spans[other]),
            advice="keep programs and what they write in folders of their own",
        )
        return
    report.add(
        Code.INSIDE_WRITABLE,
        f"path {quote(other.path)} lies inside writable path"
        f" {quote(writable.path)}, where the program could replace it",
        spans[other],
        Note("made writable here", spans[writable]),
        advice="what is below a writable path is readable and writable already",
    )
